"""A round of review on a forge: whether there is to be one, the objects and the proof, and how it ended."""

from __future__ import annotations

import dataclasses
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from time import monotonic

from draftgate.approval.authority import Standing as MayCommand
from draftgate.approval.authority import Wish
from draftgate.approval.sealed import is_vouched
from draftgate.bootstrap.hosting.earlier import take_over
from draftgate.bootstrap.hosting.opening import Hosted, reopen
from draftgate.bootstrap.model_access import read_access
from draftgate.bootstrap.models import plan_agents
from draftgate.bootstrap.rounds import is_intact, review_settings
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import RoundWish
from draftgate.config.key_shapes import hider
from draftgate.domain.change import ChangeRequest
from draftgate.domain.event import ReviewAsked
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.domain.provider import ProviderChange
from draftgate.domain.session import Session
from draftgate.errors import (
    AgentFailed,
    CommandRefused,
    CredentialsMissing,
    IntegrityError,
    Overtaken,
    PermissionDenied,
)
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal
from draftgate.forge.transient import TransientForge
from draftgate.git.fetch import NoObjects, Remote, Wanted, open_change
from draftgate.git.objects import open_objects
from draftgate.git.repository import Repository
from draftgate.pipeline.gather import gather_from_git, gather_from_provider
from draftgate.pipeline.request import GatheredChange, Progress, ReviewRequest, ReviewSettings
from draftgate.pipeline.review import Reviewer, is_answered
from draftgate.render.checkpoint import broken_configuration

QUIET = Progress(
    gathered=lambda _files: None,
    check_started=lambda _check: None,
    asking=lambda _who: None,
    agent_at=lambda _agent, _doing: None,
)
"""A job's log has the phases and what each agent does."""


def review(hosted: Hosted, asked: ReviewAsked) -> RunOutcome:
    """Answer an event that asks for a review."""
    if hosted.broken is not None:
        with suppress(PermissionDenied):  # the job summary says it in any case
            _show_problems(hosted)
        raise hosted.broken
    reason = _why_skipped(hosted, asked)
    if reason:
        return hosted.outcome(0, RunPhase.SKIPPED, reason, session=None)
    if asked.head is not None and asked.head != hosted.view.now().change.head:
        return hosted.outcome(0, Phase.SUPERSEDED, "the change has a newer head; its own run reviews it")
    if asked.may_be_read_only and hosted.view.account.is_shared:
        return _review_without_writing(hosted)
    try:
        _settings(hosted)
    except CredentialsMissing as missing:
        with suppress(PermissionDenied):
            _show_problems(dataclasses.replace(hosted, broken=missing))
        raise
    outcome = _review(hosted, asked)
    if outcome.phase == Phase.SUPERSEDED and (asked.asked_by is not None or hosted.config.when != "every-push"):
        # No run for the new head will come by itself.
        return _review(reopen(hosted), asked)
    return outcome


def start_round(hosted: Hosted, wish: RoundWish) -> Session:
    """Run a new round because a command asks for one."""
    if not hosted.view.now().change.is_open and not wish.force:
        raise CommandRefused(
            "the change is closed or merged",
            hint="`/draftgate review --force` reviews it all the same; nothing is submitted to it",
        )
    take_over(hosted, is_forced=wish.force)
    return _run_round(hosted, hosted.forge, hosted.journal, _request(hosted, force=True, wish=wish), _settings(hosted))


def _review(hosted: Hosted, asked: ReviewAsked) -> RunOutcome:
    warnings: tuple[str, ...] = ()
    try:
        session, warnings = take_over(hosted)
        request, settings = _request(hosted, force=False), _settings(hosted)
        if (
            session is not None
            and is_answered(session, request, settings)
            and is_intact(hosted.forge, hosted.journal, session)
        ):
            _heal(hosted, session)
            return _outcome(hosted, session, "nothing new since the last review", warnings)
        session = _run_round(hosted, hosted.forge, hosted.journal, request, settings)
    except Overtaken as error:
        return hosted.outcome(0, Phase.SUPERSEDED, str(error), session=None, warnings=warnings)
    except AgentFailed as error:
        failed = hosted.forge.load_session()
        return hosted.outcome(
            error.exit_code, Phase.AGENTS_FAILED, str(error), session=failed, warnings=(*warnings, error.hint)
        )
    except PermissionDenied:
        if asked.may_be_read_only:
            return _review_without_writing(hosted)
        raise
    return _outcome(hosted, session, "reviewed", warnings)


def _outcome(hosted: Hosted, session: Session, done: str, warnings: tuple[str, ...]) -> RunOutcome:
    if session.phase is Phase.SUPERSEDED:
        return hosted.outcome(
            0, Phase.SUPERSEDED, "the head moved, or another run took over", session=session, warnings=warnings
        )
    findings = len(session.result.findings) if session.result else 0
    is_empty = session.phase is Phase.AWAITING_APPROVAL and not findings
    phase = RunPhase.NOTHING_FOUND if is_empty else session.phase.value
    count = "nothing to say" if not findings else f"{findings} finding{'' if findings == 1 else 's'}"
    return hosted.outcome(0, phase, f"{done}: {count}", session=session, warnings=warnings)


def _why_skipped(hosted: Hosted, asked: ReviewAsked) -> str:
    """Why an event starts no review, as one line; "" if it does. Whoever asks for one by hand gets it."""
    facts, skip = hosted.view.facts, hosted.config.skip
    if not hosted.view.now().change.is_open:
        return "the change is closed or merged"
    if asked.asked_by is not None:
        ruling = hosted.authority().judge(asked.asked_by, Wish.ANYTHING)
        return f"{asked.asked_by.login} may not ask for a review" if ruling.standing is MayCommand.STRANGER else ""
    author = facts.author.login if facts.author else ""
    reasons = (
        (_is_own_push(hosted, asked), "the bot's own push"),
        (facts.is_draft and skip.drafts, "the change is a draft (`skip.drafts`)"),
        (
            author.lower() in {skipped.lower() for skipped in skip.authors},
            f"changes of {author} are skipped (`skip.authors`)",
        ),
        (bool(set(facts.labels) & set(skip.labels)), "the change has a label of `skip.labels`"),
        (hosted.config.when == "command", "reviews start by command (`when: command`)"),
    )
    reason = next((said for applies, said in reasons if applies), "")
    return reason or _why_not_again(hosted)


def _is_own_push(hosted: Hosted, asked: ReviewAsked) -> bool:
    """Of a person's token nobody can tell whether the person or the bot pushed."""
    account = hosted.view.account
    return account.is_bot and asked.pushed_by is not None and asked.pushed_by.login == account.login


def _why_not_again(hosted: Hosted) -> str:
    try:
        session = hosted.forge.load_session()
    except IntegrityError:
        return ""
    if session is None:
        return ""
    if session.phase in {Phase.FIXING, Phase.DELEGATED}:
        return f"the session is {session.phase}"
    if hosted.config.when == "once" and session.result is not None:
        return "the change was reviewed once (`when: once`)"
    return ""


def _heal(hosted: Hosted, session: Session) -> None:
    """What a run left that was cut off or opened a second checkpoint; the only writes of a run with nothing new."""
    hosted.forge.delete_twins()
    hosted.forge.sweep_drafts(session)
    if session.phase is not Phase.AWAITING_APPROVAL:
        hosted.forge.mend_witness(session)
        return
    witness = hosted.forge.find_witness(session)
    if witness is None or witness.seal != session.seal or not hosted.forge.is_said(session):
        hosted.forge.put_witness(session)


def _show_problems(hosted: Hosted) -> None:
    """Say above the checkpoint what is wrong with the configuration; the state and the draft stay."""
    try:
        session = hosted.forge.load_session()
    except IntegrityError:
        return
    if session is None:
        problems = hosted.broken.problems if hosted.broken else ()
        hosted.forge.put_notice(
            broken_configuration(problems, only_reviews_stop=isinstance(hosted.broken, CredentialsMissing))
        )
        return
    is_proved = is_vouched(hosted.forge, session)
    shown = hosted.journal.show_again(session)
    if is_proved:  # or nobody could act on what still stands below, once the problems are gone
        hosted.forge.put_witness(shown)


_NO_WISH = RoundWish()


def _request(hosted: Hosted, *, force: bool, wish: RoundWish = _NO_WISH) -> ReviewRequest:
    change, facts, place = hosted.view.now().change, hosted.view.facts, hosted.view.place
    return ReviewRequest(
        key=hosted.key,
        instance=place.instance,
        change=ChangeRequest(
            forge=hosted.site.name,
            repository=place.repository,
            number=place.number,
            title=facts.title,
            url=facts.url,
            base_ref=change.base_ref,
            head_ref=change.head_ref,
            author=facts.author.login if facts.author else "",
        ),
        base_tip=change.base_tip,
        head=change.head,
        base_named=f"refs/heads/{change.base_ref}",
        head_named=hosted.change.head_ref,
        force=force,
        without=wish.without,
        retry=wish.retry,
        description=facts.description,
        run_url=hosted.run.run_url,
        holds_draft=hosted.config.draft == "held",
        configuration=hosted.run.config_path or "",
    )


def _settings(hosted: Hosted, *, without_key_is_fine: bool = False) -> ReviewSettings:
    """What the configuration and the keys of this run say about reviewing.

    Raises:
        CredentialsMissing: agents are named, and there is no key for their models.
    """
    environment = hosted.run.environment
    hide = hider(environment)
    plan = plan_agents(hosted.config, read_access(environment), hide, without_key_is_fine=without_key_is_fine)
    return review_settings(hosted.config, plan, hide)


def _run_round(
    hosted: Hosted, forge: ReviewForge, journal: Journal, request: ReviewRequest, settings: ReviewSettings
) -> Session:
    with ExitStack() as stack:
        gather = partial(_gather, hosted, stack)
        return Reviewer(forge, journal, settings, gather, amended_round, monotonic, QUIET).review(request)


def _review_without_writing(hosted: Hosted) -> RunOutcome:
    """The platform's token can only read: the result goes into what the job itself shows."""
    forge = TransientForge(hosted.view.now().change.head)
    journal = Journal(forge, hosted.page, hosted.clocks.stamp)
    settings = _settings(hosted, without_key_is_fine=True)
    session = _run_round(hosted, forge, journal, _request(hosted, force=True), settings)
    return hosted.outcome(
        0,
        RunPhase.READ_ONLY,
        "the token can only read here, so the result is in the job alone",
        session=session,
        warnings=(hosted.site.read_only,),
    )


# --- The change and its proof --------------------------------------------------------------------------------------


def _gather(hosted: Hosted, stack: ExitStack, request: ReviewRequest) -> GatheredChange:
    """Read the change; what does not fit together because the head moved meanwhile is no failure."""
    try:
        return _read(hosted, stack, request)
    except IntegrityError as error:
        hosted.view.forget()
        if hosted.view.now().change.head != request.head:
            raise Overtaken("the head moved while the change was read", hint="its own run reviews it") from error
        raise


def _read(hosted: Hosted, stack: ExitStack, request: ReviewRequest) -> GatheredChange:
    """Read the change from git where it can be had, else from the API, and hold one against the other."""
    change = hosted.change.read_listed(base_tip=request.base_tip, head=request.head)
    opened = stack.enter_context(_open(hosted, request, change))
    if isinstance(opened, NoObjects):
        contents = hosted.change.read_contents(change)
        return gather_from_provider(
            request, contents.change, contents.base, contents.head, unread=contents.unread, reason=opened.reason
        )
    objects = stack.enter_context(open_objects(opened))
    return gather_from_git(opened, objects, request, provider=hosted.change.name_blobs(change))


def _open(
    hosted: Hosted, request: ReviewRequest, change: ProviderChange
) -> AbstractContextManager[Repository | NoObjects]:
    run = hosted.run
    remote = Remote(f"{hosted.view.place.web_url}.git", request.base_named, request.head_named, run.token)
    wanted = Wanted(request.base_tip, request.head, change.distance)
    return open_change(run.workspace, wanted, remote, temp=run.temp, environment=run.environment, clock=monotonic)
