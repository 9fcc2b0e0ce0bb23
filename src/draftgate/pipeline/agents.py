"""Step 3: the agents' part of a round. They begin beside the built-in checks; the critic looks at what they found.

What agents came to is kept when one of them fails, so that a retry asks that one alone. Which of them are asked, and
what may be spent, comes from the configuration; what they say is for `draftgate.agents`.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from draftgate.agents.answers.verdicts import Judgement, Ruling
from draftgate.agents.ask import Seat
from draftgate.agents.budget import Budget, room_for
from draftgate.agents.crew import Judged, Material, Member, Shift, Started, judge
from draftgate.agents.reading import Bounds, Reading, is_private, make_material
from draftgate.agents.task import Terms
from draftgate.domain.agent_run import CRITIC, AgentRun, sum_spent
from draftgate.domain.agents import AgentOutcome, KeptOutcomes
from draftgate.domain.canonical import digest
from draftgate.domain.finding import Finding
from draftgate.domain.paths import matches_any
from draftgate.domain.round import HINDERED, Dropped
from draftgate.domain.session import Decision, Session
from draftgate.pipeline.request import AgentSettings, GatheredChange, Progress, ReviewRequest, ReviewSettings
from draftgate.pipeline.run_checks import CheckOutcome
from draftgate.render.wording import counted

_LOGGER = logging.getLogger(__name__)

_PRIVATE = "private: not sent to a model, and no built-in check reads this kind of file"

UNCERTAIN_CONFIDENCE = 25
"""The most that a finding keeps which the critic could neither confirm nor refute."""


@dataclass(slots=True)
class AgentsAtWork:
    """The agents of one round.

    Attributes:
        settings: Who there is.
        shift: Their work; ``None`` where nobody is asked.
        about: Digest of what their outcomes are about.
        without: Agents that a person chose to go on without.
        private: Changed files that no model may see.
        outcomes: Of agents that are done, earlier ones of the same round too, by name.
        given_up: What those came to that failed and that a person chose to go on without.
        work: Those at work now.
    """

    settings: AgentSettings
    shift: Shift | None
    about: str
    without: frozenset[str]
    private: tuple[str, ...] = ()
    outcomes: dict[str, AgentOutcome] = field(default_factory=dict)
    given_up: tuple[AgentOutcome, ...] = ()
    work: Started | None = None
    critic: Judged | None = None
    new_runs: list[AgentRun] = field(default_factory=list)

    def wait(self) -> None:
        """Wait for the agents, as long as the budget lasts."""
        if self.work is None or self.shift is None:
            return
        for outcome in self.work.wait():
            self.outcomes[outcome.run.name] = outcome
            self.new_runs.append(outcome.run)

    @property
    def runs(self) -> tuple[AgentRun, ...]:
        """One for every agent that was asked, in the order of the configuration, and for the critic."""
        names = [member.prompt.name for member in self.settings.members if member.prompt.name in self.outcomes]
        critic = () if self.critic is None else (self.critic.run,)
        return (*(self.outcomes[name].run for name in names), *critic)

    @property
    def shown(self) -> frozenset[str]:
        """Files whose whole diff at least one agent was shown."""
        return frozenset(path for outcome in self.outcomes.values() for path in outcome.shown)

    @property
    def hidden(self) -> dict[str, str]:
        """Path to reason, for files that no agent was shown whole; empty if none was asked."""
        if self.shift is None or not self.outcomes:
            return {}
        view = self.shift.material.view.files
        late = "not covered: no built-in check reads this kind of file, and its diff was too long for an agent"
        return dict.fromkeys(self.private, _PRIVATE) | {
            file.path: late for file in view if file.path not in self.shown and file.hunks
        }

    def record(self, session: Session) -> Session:
        """The session with what was spent, and with the outcomes, for a round that is stopped before it is shown."""
        spent = sum_spent(self.new_runs)
        self.new_runs.clear()
        critic = () if self.critic is None else (AgentOutcome(self.critic.run),)
        outcomes = (*self.outcomes.values(), *critic, *self.given_up)
        kept = KeptOutcomes(self.about, outcomes) if outcomes else None
        return dataclasses.replace(session, spent=session.spent + spent, kept=kept)

    def join(self, outcome: CheckOutcome) -> CheckOutcome:
        """What checks and agents found."""
        answered = [self.outcomes[run.name] for run in self.runs if run.name in self.outcomes]
        return dataclasses.replace(
            outcome,
            findings=(*outcome.findings, *(found for each in answered for found in each.findings)),
            dropped=(*outcome.dropped, *(dropped for each in answered for dropped in each.dropped)),
        )

    def criticize(self, outcome: CheckOutcome) -> CheckOutcome:
        """Let the critic look at what agents found: what it refutes is dropped, what it doubts is worth little."""
        doubted = [found for found in outcome.findings if found.check is None and found.from_round is None]
        seat = self.settings.critic
        if seat is None or self.shift is None or not doubted or CRITIC in self.without:
            return outcome
        self.shift.tell(CRITIC, f"judges {counted(len(doubted), 'finding')}")
        self.critic = judge(doubted, seat, self.shift)
        self.new_runs.append(self.critic.run)
        if self.critic.run.failure:
            return outcome
        rulings = dict(zip(map(id, doubted), self.critic.judgements, strict=True))
        kept = tuple(_weigh(found, rulings.get(id(found))) for found in outcome.findings)
        refuted = tuple(_refuted(found, rulings[id(found)]) for found in doubted if _is_refuted(rulings[id(found)]))
        return dataclasses.replace(
            outcome, findings=tuple(each for each in kept if each is not None), dropped=(*outcome.dropped, *refuted)
        )

    def limits(self) -> Iterator[str]:
        """What agents could not look at, as sentences."""
        yield from self.settings.notes
        for run in self.runs:
            if run.stopped_early:
                yield f"{run.name} had to answer before it was done: {run.stopped_early}"
        view = () if self.shift is None else self.shift.material.view.files
        changed = [file.path for file in view if file.hunks]
        unseen = sum(path not in self.shown for path in changed)
        if unseen and self.shown:
            seen = f"{len(changed) - unseen:,} of {len(changed):,}"
            yield f"agents were shown the diffs of {seen} files, for want of room; the others they could only look up"
        asked = {member.prompt.name for member in self.settings.members} | ({CRITIC} if self.settings.critic else set())
        for name in sorted(self.without & asked):
            yield f"{HINDERED}{name} failed, and a person chose to go on without it"


@contextmanager
def agents_at_work(
    settings: ReviewSettings,
    gathered: GatheredChange,
    request: ReviewRequest,
    session: Session,
    *,
    clock: Callable[[], float],
    progress: Progress,
) -> Iterator[AgentsAtWork]:
    """Let the agents begin that have to be asked; whatever is left of them ends with the block."""
    agents = settings.agents
    about = digest((request.head, gathered.evidence.merge_base, settings.digest))
    if not agents.members:
        yield AgentsAtWork(agents, None, about, request.without)
        return
    outcomes = _kept(session, about, request)
    done = request.without | outcomes.keys()
    members = tuple(member for member in agents.members if member.prompt.name not in done)
    budget = Budget(agents.allowance, clock)
    with gathered.open_reading() as reading:
        shift = Shift(
            material=_material(settings, gathered, request, reading),
            terms=Terms(
                settings.wanted_language,
                agents.praise,
                _tellable(session, gathered, agents.private),
                session.undecided,
            ),
            budget=budget,
            room=room_for(agents.allowance.tokens, len(agents.members) + (agents.critic is not None)),
            at_once=agents.at_once,
            tell=_teller(progress),
        )
        if members:
            progress.asking(_who_is_asked(members, agents.critic))
        try:
            yield AgentsAtWork(
                settings=agents,
                shift=shift,
                about=about,
                without=request.without,
                private=tuple(file.path for file in gathered.files if is_private(file, agents.private)),
                outcomes=outcomes,
                given_up=tuple(_given_up(session, about, request)),
                work=Started(members, shift),
            )
        finally:
            budget.close()


def _kept(session: Session, about: str, request: ReviewRequest) -> dict[str, AgentOutcome]:
    """Outcomes of the same question that need not be asked for again; failed ones only where others are retried."""
    if session.kept is None or session.kept.about != about:
        return {}
    return {
        outcome.run.name: outcome
        for outcome in session.kept.outcomes
        if outcome.run.name not in request.without | {CRITIC}
        and (not outcome.run.failure or (request.retry and outcome.run.name not in request.retry))
    }


def _given_up(session: Session, about: str, request: ReviewRequest) -> Iterator[AgentOutcome]:
    """What was asked in vain is on record too, with what it cost."""
    if session.kept is not None and session.kept.about == about:
        yield from (outcome for outcome in session.kept.outcomes if outcome.run.name in request.without)


def _material(settings: ReviewSettings, gathered: GatheredChange, request: ReviewRequest, reading: Reading) -> Material:
    agents = settings.agents
    bounds = Bounds(agents.private, settings.hide, agents.fetch, settings.excluded_paths)
    return make_material(request.change, request.description, gathered.files, reading, bounds)


def _tellable(session: Session, gathered: GatheredChange, private: tuple[str, ...]) -> tuple[Decision, ...]:
    """What people decided, but for findings of checks in files that no model may know of."""
    hidden = {path for file in gathered.files if is_private(file, private) for path in (file.old_path, file.new_path)}
    return tuple(
        each
        for each in session.decisions
        if each.path is None or not (each.path in hidden or matches_any(each.path, private))
    )


def _who_is_asked(members: tuple[Member, ...], critic: Seat | None) -> str:
    """Whoever runs this should know who reads the change before it is sent."""
    seats = [(member.prompt.name, member.seat.model) for member in members]
    seats += [(CRITIC, critic.model)] if critic else []
    names: dict[str, list[str]] = {}
    for name, model in seats:
        names.setdefault(f"{model.name} at {model.host}", []).append(name)
    asked = (f"{', '.join(those)} {'ask' if len(those) > 1 else 'asks'} {where}" for where, those in names.items())
    return f"{'; '.join(asked)} (`--agents builtin` sends nothing)"


def _teller(progress: Progress) -> Callable[[str, str], None]:
    """Tells the log and the person, one agent at a time."""
    lock = Lock()

    def tell(name: str, doing: str) -> None:
        with lock:
            _LOGGER.info("agent", extra={"agent": name, "doing": doing})
            progress.agent_at(name, doing)

    return tell


def _is_refuted(judgement: Judgement) -> bool:
    return judgement.ruling is Ruling.REFUTED


def _refuted(finding: Finding, judgement: Judgement) -> Dropped:
    return Dropped("refuted", finding.subject, finding.anchor.path, judgement.reason)


def _weigh(finding: Finding, judgement: Judgement | None) -> Finding | None:
    """The finding as the critic leaves it; ``None`` if it does not stand."""
    if judgement is None:
        return finding
    match judgement.ruling:
        case Ruling.REFUTED:
            return None
        case Ruling.UNCERTAIN:
            return dataclasses.replace(finding, confidence=min(finding.confidence, UNCERTAIN_CONFIDENCE))
        case Ruling.CONFIRMED:
            confidence = finding.confidence if judgement.confidence is None else judgement.confidence
            return dataclasses.replace(finding, confidence=confidence)
