"""The agents of a review at work on a change, side by side, and the critic that checks what they found.

An agent that fails is a failed agent, never an empty answer; the others go on. What an agent reports is held to the two
commits before anybody else sees it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from draftgate.agents.answers.claim import Answer
from draftgate.agents.answers.findings import read_findings
from draftgate.agents.answers.schemas import REPORT_FINDINGS, REPORT_VERDICTS
from draftgate.agents.answers.settle import settle
from draftgate.agents.answers.verdicts import Judgement, read_verdicts
from draftgate.agents.ask import AgentFailure, Ledger, Question, Seat
from draftgate.agents.brief import Brief
from draftgate.agents.budget import Budget
from draftgate.agents.prompt import Prompt, load_rules
from draftgate.agents.side_by_side import SideBySide
from draftgate.agents.task import Terms, claims_task, task_of
from draftgate.agents.tools.toolbox import Toolbox
from draftgate.domain.agent_run import CRITIC, AgentRun, Spent, sum_spent
from draftgate.domain.agents import AgentOutcome
from draftgate.domain.finding import Finding, Label
from draftgate.domain.hiding import HiddenLines
from draftgate.domain.redact import redact
from draftgate.domain.round import Dropped
from draftgate.domain.snapshot import Change
from draftgate.llm.base import ContextTooLong, ModelError, Opening, ToolSpec
from draftgate.render.wording import counted

T = TypeVar("T")

ROOMS = (240_000, 100_000, 40_000)
"""Characters for the diffs; the next one is tried where a model cannot read so much."""

_MOST_NAMED = 20

CLAIMS_AT_ONCE = 10
"""Claims that one conversation of the critic judges."""

Tell = Callable[[str, str], None]
"""Told the name of an agent and, in a few words, what it does."""


@dataclass(frozen=True, slots=True)
class Member:
    """An agent in its seat."""

    prompt: Prompt
    seat: Seat


@dataclass(frozen=True, slots=True)
class Material:
    """What the agents of a review are shown and may read.

    Attributes:
        is_described: The author says something of the change.
        view: The changed files that a model may be shown, and both commits as they are.
        brief: The change as text, its diffs in so many characters.
        toolbox: Makes the tools of one conversation.
        hide: Takes keys out of a text and keeps its lines.
        lines: The files of the view without keys.
    """

    is_described: bool
    view: Change
    brief: Callable[[int], Brief]
    toolbox: Callable[[], Toolbox]
    hide: Callable[[str], str]
    lines: HiddenLines


@dataclass(frozen=True, slots=True)
class Judged:
    """What the critic came to: its run, and a judgement of each finding if it did not fail."""

    run: AgentRun
    judgements: tuple[Judgement, ...] = ()


@dataclass(frozen=True, slots=True)
class Shift:
    """One review's work: what is read, what holds, what may be spent, whom to tell.

    Attributes:
        room: Characters of diffs that every agent can be shown within the budget.
        at_once: How many agents run at the same time.
    """

    material: Material
    terms: Terms
    budget: Budget
    room: int
    at_once: int
    tell: Tell

    @property
    def rooms(self) -> tuple[int, ...]:
        """Characters of diffs to try, the most first."""
        return tuple(dict.fromkeys(min(room, self.room) for room in ROOMS))


def start_agents(members: Sequence[Member], shift: Shift) -> SideBySide[AgentOutcome]:
    """Let agents begin; each comes to an outcome, a failed one too."""
    if members:
        shift.material.brief(shift.rooms[0])  # made once, before all of them ask for it at the same moment
    return SideBySide([_job(member, shift) for member in members], shift.at_once)


def give_up(member: Member, reason: str) -> AgentOutcome:
    """The outcome of an agent that is not waited for."""
    return AgentOutcome(_run_of(member.prompt.name, member.seat, Ledger(), failure=reason))


def judge(findings: Sequence[Finding], seat: Seat, shift: Shift) -> Judged:
    """Let the critic judge findings, each batch of them in a conversation of its own.

    A batch that fails makes the whole run a failed one: what was not judged must not pass for judged.
    """
    batches = [findings[start : start + CLAIMS_AT_ONCE] for start in range(0, len(findings), CLAIMS_AT_ONCE)]
    work = SideBySide([_batch_job(batch, seat, shift) for batch in batches], shift.at_once)
    late = Judged(_run_of(CRITIC, seat, Ledger(), failure="it was not done in time (`budgets.minutes`)"))
    parts = [part or late for part in work.wait(lambda: shift.budget.time_left_s)]
    return Judged(_join_runs([part.run for part in parts]), tuple(each for part in parts for each in part.judgements))


def _job(member: Member, shift: Shift) -> Callable[[], AgentOutcome]:
    def work() -> AgentOutcome:
        begun = monotonic()
        conversation = _Conversation(member.prompt.name, member.seat, shift)
        try:
            answer, brief = conversation.ask_about_change(member.prompt)
            findings, dropped = _settle(answer, member.prompt.name, shift)
            shift.tell(member.prompt.name, f"done: {counted(len(findings), 'finding')}")
        except Exception as error:  # noqa: BLE001 - one agent's fault is that agent's result, whatever it is
            return AgentOutcome(conversation.run(begun, failure=_reason(error)))
        return AgentOutcome(conversation.run(begun, len(answer.claims)), findings, dropped, brief.shown)

    return work


def _batch_job(batch: Sequence[Finding], seat: Seat, shift: Shift) -> Callable[[], Judged]:
    def work() -> Judged:
        begun = monotonic()
        conversation = _Conversation(CRITIC, seat, shift)
        try:
            judgements = conversation.ask_about_claims(batch)
        except Exception as error:  # noqa: BLE001 - as above
            return Judged(conversation.run(begun, failure=_reason(error)))
        return Judged(conversation.run(begun, len(batch)), judgements)

    return work


class _Conversation:
    """One agent's questions about a change, with less of it where a model cannot read all."""

    def __init__(self, name: str, seat: Seat, shift: Shift) -> None:
        self._name = name
        self._seat = seat
        self._shift = shift
        self._toolbox = shift.material.toolbox()
        self._ledgers: list[Ledger] = []
        self._brief: Brief | None = None

    def ask_about_change(self, prompt: Prompt) -> tuple[Answer, Brief]:
        task = task_of(prompt, self._shift.terms, self._shift.material.hide)
        return self._ask("reviewer", task, REPORT_FINDINGS, lambda text: read_findings(text, category=prompt.category))

    def ask_about_claims(self, findings: Sequence[Finding]) -> tuple[Judgement, ...]:
        task = claims_task(findings, self._shift.terms, self._shift.material.hide)
        said, _ = self._ask("critic", task, REPORT_VERDICTS, lambda text: read_verdicts(text, len(findings)))
        hide = self._shift.material.hide
        return tuple(dataclasses.replace(each, reason=hide(each.reason)) for each in said)

    def run(self, begun: float, findings: int = 0, *, failure: str = "") -> AgentRun:
        """The record of it."""
        ledger = self._ledgers[-1] if self._ledgers else Ledger()
        spent = Spent()
        for each in self._ledgers:
            spent += each.spent
        brief = self._brief if spent.requests else None
        shown = () if brief is None else (_shown(brief, is_described=self._shift.material.is_described),)
        hide = self._shift.material.hide
        characters = self._toolbox.characters + (0 if brief is None else len(brief.text))
        return _run_of(
            self._name,
            self._seat,
            Ledger(spent, hide(ledger.answered_as), ledger.stopped_early),
            seconds=round(monotonic() - begun, 3),
            findings=findings,
            sent=(*shown, *self._toolbox.given),
            sent_characters=characters,
            failure=hide(failure),
        )

    def _ask(self, role: str, task: str, answer: ToolSpec, read: Callable[[str], T]) -> tuple[T, Brief]:
        for room in self._shift.rooms:
            self._brief = self._shift.material.brief(room)
            try:
                return self._question(role, task, answer, read).ask(), self._brief
            except ContextTooLong:
                if room == self._shift.rooms[-1]:
                    raise
                self._shift.tell(self._name, "asked again with less of the change: the model cannot read so much")
        raise AssertionError("the last room returns or raises")

    def _question(self, role: str, task: str, answer: ToolSpec, read: Callable[[str], T]) -> Question[T]:
        if self._brief is None:
            raise AssertionError("a question is about a brief")
        self._ledgers.append(Ledger())
        return Question(
            seat=self._seat,
            opening=Opening(load_rules(role), self._brief.text, task, self._toolbox.specs, answer),
            tools=self._toolbox,
            read=read,
            budget=self._shift.budget,
            tell=lambda what: self._shift.tell(self._name, what),
            ledger=self._ledgers[-1],
        )


def _shown(brief: Brief, *, is_described: bool) -> str:
    """What every conversation begins with, in words."""
    named = ", ".join(brief.shown[:_MOST_NAMED])
    more = f" and {len(brief.shown) - _MOST_NAMED} more" if len(brief.shown) > _MOST_NAMED else ""
    diffs = f"the diff of {named}{more}" if brief.shown else "no diff"
    return f"title, names of branches and files,{' description,' if is_described else ''} {diffs}"


def _settle(answer: Answer, name: str, shift: Shift) -> tuple[tuple[Finding, ...], tuple[Dropped, ...]]:
    """What an answer holds that the commits bear out, and why the rest does not count; no key is in either."""
    material = shift.material
    findings: list[Finding] = []
    dropped = list(answer.dropped)
    for claim in answer.claims:
        settled = settle(claim, material.view, name, hide=material.hide)
        if isinstance(settled, Dropped):
            dropped.append(settled)
        elif settled.label is Label.PRAISE and not shift.terms.praise:
            dropped.append(Dropped("praise, which was not asked for", settled.subject, settled.anchor.path))
        else:
            findings.append(redact(settled, material.hide, material.lines))
    return tuple(findings), tuple(_without_keys(each, material.hide) for each in dropped)


def _without_keys(dropped: Dropped, hide: Callable[[str], str]) -> Dropped:
    """A path that a model made up can hold anything."""
    path = None if dropped.path is None else hide(dropped.path)
    return dataclasses.replace(dropped, subject=hide(dropped.subject), path=path)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, (AgentFailure, ModelError)) else f"{type(error).__name__}: {error}"


def _run_of(name: str, seat: Seat, ledger: Ledger, **facts: object) -> AgentRun:
    model = seat.model
    run = AgentRun(
        name=name,
        tier=seat.tier,
        model=model.name,
        host=model.host,
        effort=model.effort,
        answered_as=ledger.answered_as,
        spent=ledger.spent,
        stopped_early=ledger.stopped_early,
    )
    return dataclasses.replace(run, **facts)  # type: ignore[arg-type]  # fields by name


def _join_runs(runs: Sequence[AgentRun]) -> AgentRun:
    """The runs of several conversations as one: sums, the longest time, and every failure."""
    return dataclasses.replace(
        runs[0],
        spent=sum_spent(runs),
        seconds=max(run.seconds for run in runs),
        findings=sum(run.findings for run in runs),
        sent=tuple(dict.fromkeys(entry for run in runs for entry in run.sent)),
        sent_characters=sum(run.sent_characters for run in runs),
        stopped_early=next((run.stopped_early for run in runs if run.stopped_early), ""),
        failure="; ".join(dict.fromkeys(run.failure for run in runs if run.failure)),
    )
