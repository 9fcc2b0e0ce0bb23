"""The order of a round: validate → identify → gather → checks → score → present, each phase recorded first.

A killed round runs again from the beginning under the same number; a failed one keeps what it has and says
why. Nothing here knows a command line or a forge's name.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from draftgate.domain.amend import AmendedRound
from draftgate.domain.carry import carry
from draftgate.domain.decide import reject_only, remember
from draftgate.domain.hiding import HiddenLines
from draftgate.domain.paths import matches_any
from draftgate.domain.phase import UNDECIDED, Phase
from draftgate.domain.redact import redact
from draftgate.domain.round import HINDERED, Coverage
from draftgate.domain.session import Session
from draftgate.domain.snapshot import Change
from draftgate.errors import AgentFailed, DraftgateError, Overtaken
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal
from draftgate.pipeline.agents import AgentsAtWork, agents_at_work
from draftgate.pipeline.anchors import anchor_findings
from draftgate.pipeline.carry_over import carry_over, undecided_of
from draftgate.pipeline.deadline import deadline
from draftgate.pipeline.evidence import hold_to_evidence
from draftgate.pipeline.key_names import LEFT_OUT, drop_named, leave_out, without_keys
from draftgate.pipeline.present import present
from draftgate.pipeline.request import GatheredChange, Progress, ReviewRequest, ReviewSettings
from draftgate.pipeline.run_checks import CheckOutcome, CheckSettings, is_enabled, measure_coverage, run_checks
from draftgate.pipeline.scope import decide_scope, summarize_scope
from draftgate.pipeline.score import score
from draftgate.pipeline.suggest import offer_suggestion

_LOGGER = logging.getLogger(__name__)

_UNSHOWN = frozenset(
    {Phase.VALIDATING, Phase.IDENTIFYING, Phase.GATHERING, Phase.RUNNING_AGENTS, Phase.SCORING, Phase.AGENTS_FAILED}
)
"""A round that ended in one of these was never shown; the next one takes its number."""

_RESUMED = _UNSHOWN | {Phase.FAILED}
"""After these the next round goes on with what agents came to; a round that a person ended is over."""


_DECIDED = frozenset({Phase.SUBMITTED, Phase.ABORTED, Phase.FINALIZED})
"""What was open in a round that ended in one of these is not open any more."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Runs rounds of review on one change.

    Attributes:
        forge: Where the change lives.
        journal: Records every phase.
        settings: From the configuration.
        gather: Reads and proves the change.
        amended: The findings of a session as its accepted commands left them.
        clock: Seconds, monotonic.
        progress: Whom to tell.
    """

    forge: ReviewForge
    journal: Journal
    settings: ReviewSettings
    gather: Callable[[ReviewRequest], GatheredChange]
    amended: Callable[[Session], AmendedRound]
    clock: Callable[[], float]
    progress: Progress

    def review(self, request: ReviewRequest) -> Session:
        """Run a round and leave its findings waiting for approval.

        Raises:
            AgentFailed: a check failed and its findings are missing; the session says which.
            DraftgateError: the round failed; the session says why.
        """
        begun = self.clock()
        as_asked, request = request, without_keys(request, self.settings.hide)
        session = self._open(request)
        with self._recording_failure():
            session = self.journal.advance(dataclasses.replace(session, change=request.change), Phase.IDENTIFYING)
            gathered = leave_out(self.gather(as_asked), self.settings.hide)
            self.progress.gathered(len(gathered.files) + len(gathered.named_for_keys))
            artifacts = decide_scope(request, gathered.evidence, gathered.files, session.last_reviewed)
            self.forge.keep_scope(artifacts)
            scope = summarize_scope(request, artifacts, self.settings.digest)
            session = self.journal.advance(dataclasses.replace(session, scope=scope), Phase.GATHERING)
            session = self.journal.advance(session, Phase.RUNNING_AGENTS)
            session, outcome, coverage = self._look(session, request, gathered)
            session = self.journal.advance(session, Phase.SCORING)
            result = score(
                outcome,
                coverage,
                policy=self.settings.policy,
                decisions=session.decisions,
                head=request.head,
                round_number=session.round,
                automated_s=self.clock() - begun,
                language=self.settings.language,
            )
            return present(self.forge, self.journal, session, scope, result)

    def _open(self, request: ReviewRequest) -> Session:
        """The session of the new round, in its first phase."""
        stored = self.forge.load_session()
        now = self.journal.now()
        if stored is None:
            return self.journal.open(
                Session(
                    key=request.key,
                    instance=request.instance,
                    change=request.change,
                    revision=1,
                    round=1,
                    phase=Phase.VALIDATING,
                    started_at=now,
                    updated_at=now,
                    round_key=now,
                    reviewing=request.head,
                    run_url=request.run_url,
                    holds_draft=request.holds_draft,
                    without=tuple(sorted(request.without)),
                )
            )
        was_shown = stored.phase not in _UNSHOWN and stored.result is not None
        submitted = stored.scope.head if stored.submission and stored.scope else stored.last_reviewed
        return self.journal.advance(
            dataclasses.replace(
                self._remember_undecided(stored, now),
                round=stored.round + 1 if was_shown else stored.round,
                started_at=now,
                shown_at="",
                scope=None,
                result=None,
                seal="",
                round_key=now,
                reviewing=request.head,
                run_url=request.run_url,
                holds_draft=request.holds_draft,
                why_not_held="",
                without=tuple(sorted(request.without)),
                commands=(),
                payload=None,
                submission=None,
                failure=None,
                kept=stored.kept if stored.phase in _RESUMED else None,
                last_reviewed=submitted,
            ),
            Phase.VALIDATING,
        )

    def _remember_undecided(self, session: Session, now: str) -> Session:
        """Keep what people said about a round that ends undecided: rejections, edits, labels."""
        if session.phase in _DECIDED:
            return dataclasses.replace(session, undecided=())
        if session.result is None or session.phase not in UNDECIDED:
            return session
        amended = self.amended(session)
        return dataclasses.replace(
            session,
            decisions=remember(session.decisions, reject_only(session, amended, now)),
            carried=carry(session.result, amended),
            undecided=undecided_of(session, amended),
        )

    def _look(
        self, session: Session, request: ReviewRequest, gathered: GatheredChange
    ) -> tuple[Session, CheckOutcome, Coverage]:
        """What checks and agents find, held to the commits and to the diff, judged, and without keys.

        Raises:
            AgentFailed: one of them failed.
        """
        settings = self.settings
        change, unread = _narrow(gathered, settings.excluded_paths)
        with agents_at_work(settings, gathered, request, session, clock=self.clock, progress=self.progress) as agents:
            outcome = self._run_checks(change, request.without)
            agents.wait()
            session = self._stop_on_failure(session, outcome, agents)
            files = HiddenLines(change, settings.hide)
            outcome = carry_over(agents.join(outcome), session.undecided, change, settings.hide)
            outcome = hold_to_evidence(outcome, change, files)
            found = tuple(redact(finding, settings.hide, files) for finding in outcome.findings)
            outcome = drop_named(dataclasses.replace(outcome, findings=found), settings.hide)
            outcome = anchor_findings(outcome, gathered.files, without_file_threads=settings.without_file_threads)
            outcome = dataclasses.replace(
                outcome,
                findings=tuple(offer_suggestion(each, change.head, settings.language) for each in outcome.findings),
            )
            outcome = agents.criticize(outcome)
            session = self._stop_on_failure(session, outcome, agents)
        ran = [check for check in settings.checks if any(run.id == check.id for run in outcome.runs)]
        limits = (*self._not_run(request), *agents.limits(), *gathered.limits())
        left_out = {**gathered.unread, **unread, **{file.path: LEFT_OUT for file in gathered.named_for_keys}}
        changed = (*gathered.files, *gathered.named_for_keys)
        coverage = measure_coverage(changed, ran, left_out, limits=limits, shown=agents.shown, hidden=agents.hidden)
        runs = (*agents.runs, *(each.run for each in agents.given_up))
        return session, dataclasses.replace(outcome, agents=runs), coverage

    def _run_checks(self, change: Change, without: frozenset[str]) -> CheckOutcome:
        checks = [check for check in self.settings.checks if check.id not in without]
        with deadline(self.settings.time_limit_s):
            return run_checks(
                checks,
                change,
                self.settings.check_settings,
                clock=self.clock,
                started=self.progress.check_started,
            )

    def _not_run(self, request: ReviewRequest) -> Iterator[str]:
        """What was not even tried is part of the coverage."""
        for check in self.settings.checks:
            if check.id in request.without:
                yield f"{HINDERED}{check.id} failed, and a person chose to go on without it"
            elif not is_enabled(check, self.settings.check_settings.get(check.id, CheckSettings())):
                yield f"{check.id} is switched off by the configuration"

    def _stop_on_failure(self, session: Session, outcome: CheckOutcome, agents: AgentsAtWork) -> Session:
        """The session with what was spent so far, if nothing failed.

        Raises:
            AgentFailed: something did, and it is recorded.
            Overtaken: something did, and the head moved meanwhile: its own run's word counts.
        """
        failed = {run.id: run.failure for run in outcome.runs if run.failure}
        failed |= {run.name: run.failure for run in agents.runs if run.failure}
        session = agents.record(session)
        if not failed:
            return session
        if self.forge.is_shared and self.forge.read_head(session).head != session.reviewing:
            raise Overtaken("the head moved while agents were at work", hint="its own run reviews it")
        reason = self.settings.hide("; ".join(f"{name} failed: {failure}" for name, failure in failed.items()))
        self.forge.put_witness(self.journal.fail_agents(session, reason, tuple(failed)))
        names = "NAME" if len(failed) > 1 else next(iter(failed))
        raise AgentFailed(
            f"{reason}. Nothing is shown, since it would not be complete",
            hint=f"ask again with `/retry-agent`, go on without one with `/proceed-without {names}`, or end the round "
            "with `/draftgate abort`: as a comment, or in a terminal as `draftgate do '/retry-agent'`",
        )

    @contextmanager
    def _recording_failure(self) -> Iterator[None]:
        """Record a failure before it leaves; an agent's failure is recorded where it happens."""
        try:
            yield
        except (AgentFailed, Overtaken):
            raise
        except Exception as error:
            if isinstance(error, DraftgateError):  # whoever catches it may answer with it on the forge
                error.message, error.context = self.settings.hide(error.message), self.settings.hide(error.context)
            reason = str(error) if isinstance(error, DraftgateError) else f"{type(error).__name__}: {error}"
            self._record(self.settings.hide(reason))
            raise

    def _record(self, reason: str) -> None:
        """The failure itself is what the caller must hear of, also where it cannot be recorded."""
        try:
            stored = self.forge.load_session()
            if stored is not None and stored.phase is not Phase.AWAITING_APPROVAL:  # what is shown has not failed
                self.forge.put_witness(self.journal.fail(stored, reason, recoverable=True))
        except DraftgateError as error:
            _LOGGER.warning("the failure could not be recorded: %s", error)


def is_answered(session: Session | None, request: ReviewRequest, settings: ReviewSettings) -> bool:
    """Whether this very request was answered before, and its findings wait or were submitted: nothing needs to run."""
    request = without_keys(request, settings.hide)
    return (
        session is not None
        and not request.force
        and session.phase in {Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT, Phase.SUBMITTED}
        and session.scope is not None
        and session.scope.head == request.head
        and session.scope.head_named == request.head_named
        and session.scope.base_named == request.base_named
        and session.scope.includes_worktree is request.includes_worktree
        and session.scope.base_tip == request.base_tip
        and session.scope.configuration_digest == settings.digest
    )


def _narrow(gathered: GatheredChange, excluded: tuple[str, ...]) -> tuple[Change, dict[str, str]]:
    """The change without the files that are not read, and the reason for each of those."""
    unread = dict(gathered.unread)
    for file in gathered.files:
        if matches_any(file.path, excluded):
            unread[file.path] = "excluded by configuration"
    files = tuple(file for file in gathered.change.files if file.path not in unread)
    return dataclasses.replace(gathered.change, files=files), unread
