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

from draftgate.agents.answers.claim import Answer, UnusableAnswer
from draftgate.agents.answers.findings import read_findings
from draftgate.agents.answers.schemas import REPORT_FINDINGS, REPORT_VERDICTS
from draftgate.agents.answers.settle import settle
from draftgate.agents.answers.verdicts import Judgement, Verdicts, fill, read_verdicts, unsaid
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
from draftgate.domain.selection import spell
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


class Started:
    """Agents at work.

    Args:
        members: Who they are.
        shift: What they work with.
    """

    def __init__(self, members: Sequence[Member], shift: Shift) -> None:
        if members:
            shift.material.brief(shift.rooms[0])  # made once, before all of them ask for it at the same moment
        self._budget, self._tell = shift.budget, shift.tell
        self._names = ", ".join(member.prompt.name for member in members)
        self._talks = [_Conversation(member.prompt.name, member.seat, shift) for member in members]
        jobs = [_job(talk, member.prompt, shift) for talk, member in zip(self._talks, members, strict=True)]
        self._work = SideBySide(jobs, shift.at_once)

    def wait(self) -> tuple[AgentOutcome, ...]:
        """What each came to, a failed one too; one that is not done when the time is over has failed."""
        if self._names:
            self._tell(self._names, "waiting for the answer")
        outcomes = self._work.wait(lambda: self._budget.time_left_s)
        return tuple(
            outcome or AgentOutcome(talk.run(failure=_late(self._budget)))
            for outcome, talk in zip(outcomes, self._talks, strict=True)
        )


def judge(findings: Sequence[Finding], seat: Seat, shift: Shift) -> Judged:
    """Let the critic judge findings, each batch of them in a conversation of its own.

    A batch that fails makes the whole run a failed one: what was not judged must not pass for judged.
    """
    batches = [findings[start : start + CLAIMS_AT_ONCE] for start in range(0, len(findings), CLAIMS_AT_ONCE)]
    talks = [_Conversation(CRITIC, seat, shift) for _ in batches]
    jobs = [_batch_job(talk, batch) for talk, batch in zip(talks, batches, strict=True)]
    judged = SideBySide(jobs, shift.at_once).wait(lambda: shift.budget.time_left_s)
    parts = [part or Judged(talk.run(failure=_late(shift.budget))) for part, talk in zip(judged, talks, strict=True)]
    return Judged(_join_runs([part.run for part in parts]), tuple(each for part in parts for each in part.judgements))


def _late(budget: Budget) -> str:
    return f"not done after {counted(round(budget.allowance.time_s / 60), 'minute')} (`budgets.minutes`)"


def _job(talk: _Conversation, prompt: Prompt, shift: Shift) -> Callable[[], AgentOutcome]:
    def work() -> AgentOutcome:
        try:
            answer, brief = talk.ask_about_change(prompt)
            findings, dropped = _settle(answer, prompt.name, shift)
            shift.tell(prompt.name, f"done: {counted(len(findings), 'finding')}")
        except Exception as error:  # noqa: BLE001 - one agent's fault is that agent's result, whatever it is
            return AgentOutcome(talk.run(failure=_reason(error)))
        return AgentOutcome(talk.run(len(answer.claims)), findings, dropped, brief.shown)

    return work


def _batch_job(talk: _Conversation, batch: Sequence[Finding]) -> Callable[[], Judged]:
    def work() -> Judged:
        try:
            judgements = talk.ask_about_claims(batch)
        except Exception as error:  # noqa: BLE001 - as above
            return Judged(talk.run(failure=_reason(error)))
        return Judged(talk.run(len(batch)), judgements)

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
        self._task = ""
        self._with_task = ""
        self._begun = monotonic()

    def ask_about_change(self, prompt: Prompt) -> tuple[Answer, Brief]:
        self._begun, terms = monotonic(), self._shift.terms
        self._task = task_of(prompt, terms, self._shift.material.hide)
        self._with_task = "findings of earlier rounds" if terms.decisions or terms.undecided else ""
        return self._ask("reviewer", REPORT_FINDINGS, lambda text: read_findings(text, category=prompt.category))

    def ask_about_claims(self, findings: Sequence[Finding]) -> tuple[Judgement, ...]:
        self._begun = monotonic()
        self._task = claims_task(findings, self._shift.terms, self._shift.material.hide)
        self._with_task = counted(len(findings), "finding")
        earlier: Verdicts = ()

        def read(text: str) -> Verdicts:
            """Claims that it said nothing of are asked for once more; then they count as uncertain."""
            nonlocal earlier
            verdicts = fill(read_verdicts(text, len(findings)), earlier)
            missing = unsaid(verdicts)
            if missing and not earlier:
                earlier = verdicts
                raise UnusableAnswer(f"There is no verdict on {spell(missing)}. Send all of them, those too.")
            return verdicts

        try:
            said, _ = self._ask("critic", REPORT_VERDICTS, read)
        except (AgentFailure, ModelError):
            if not earlier:
                raise
            said = earlier  # it could not be asked once more, or to no avail
        hide = self._shift.material.hide
        return tuple(dataclasses.replace(each, reason=hide(each.reason)) for each in said)

    def run(self, findings: int = 0, *, failure: str = "") -> AgentRun:
        """The record of it, also of one that is still at it."""
        ledgers = self._ledgers or [Ledger()]
        spent = Spent()
        for each in ledgers:
            spent += each.spent
        if ledgers[-1].in_flight:  # what a request costs that nobody waits for any more, nobody will know
            spent += Spent(requests=1, usd=None)
        brief = self._brief if spent.requests else None
        sent = () if brief is None else (*_sent(brief, is_described=self._shift.material.is_described), self._with_task)
        characters = 0 if brief is None else len(brief.text) + len(self._task)
        hide = self._shift.material.hide
        return _run_of(
            self._name,
            self._seat,
            Ledger(spent, hide(ledgers[-1].answered_as), ledgers[-1].stopped_early),
            seconds=round(monotonic() - self._begun, 3),
            findings=findings,
            sent=(*map(hide, filter(None, sent)), *self._toolbox.given),
            sent_characters=characters + self._toolbox.characters,
            failure=hide(failure),
        )

    def _ask(self, role: str, answer: ToolSpec, read: Callable[[str], T]) -> tuple[T, Brief]:
        for room in self._shift.rooms:
            self._brief = self._shift.material.brief(room)
            try:
                return self._question(role, answer, read).ask(), self._brief
            except ContextTooLong:
                if room == self._shift.rooms[-1]:
                    raise
                self._shift.tell(self._name, "asked again with less of the change: the model cannot read so much")
        raise AssertionError("the last room returns or raises")

    def _question(self, role: str, answer: ToolSpec, read: Callable[[str], T]) -> Question[T]:
        if self._brief is None:
            raise AssertionError("a question is about a brief")
        self._ledgers.append(Ledger())
        return Question(
            seat=self._seat,
            opening=Opening(load_rules(role), self._brief.text, self._task, self._toolbox.specs, answer),
            tools=self._toolbox,
            read=read,
            budget=self._shift.budget,
            tell=lambda what: self._shift.tell(self._name, what),
            ledger=self._ledgers[-1],
        )


def _sent(brief: Brief, *, is_described: bool) -> tuple[str, ...]:
    """What every conversation begins with, in words."""
    more = len(brief.shown) - _MOST_NAMED
    described = ", description" if is_described else ""
    return (
        f"title, names of branches and of changed files{described}",
        *(f"diff of {path}" for path in brief.shown[:_MOST_NAMED]),
        *([f"diffs of {more} more files"] if more > 0 else []),
    )


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
