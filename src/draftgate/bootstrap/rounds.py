"""A round of review in a repository: find the target, read and prove the change, run the pipeline on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic

from draftgate import __version__
from draftgate.approval import submit
from draftgate.approval.sealed import require_sealed, require_unchanged
from draftgate.bootstrap.model_access import read_access
from draftgate.bootstrap.models import Plan, plan_agents
from draftgate.bootstrap.workspace import Workspace, open_journal
from draftgate.checks.registry import load_checks
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import RoundWish
from draftgate.config.key_shapes import hider
from draftgate.config.model import Config
from draftgate.domain.canonical import digest
from draftgate.domain.consolidate import Policy
from draftgate.domain.finding import Severity
from draftgate.domain.phase import Phase
from draftgate.domain.round import LeftOut
from draftgate.domain.session import Session
from draftgate.errors import HeadMoved, IntegrityError, UsageError
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal
from draftgate.git.objects import Objects, open_objects
from draftgate.git.repository import Repository
from draftgate.git.status import list_uncommitted
from draftgate.git.worktree import commit_worktree
from draftgate.pipeline.gather import gather_from_git
from draftgate.pipeline.identify import Identified, NothingToReview, identify
from draftgate.pipeline.request import GatheredChange, Progress, ReviewRequest, ReviewSettings
from draftgate.pipeline.review import Reviewer, is_answered
from draftgate.pipeline.run_checks import CheckSettings
from draftgate.render.language import FALLBACK, language_of


@dataclass(frozen=True, slots=True)
class Target:
    """What a person asked to review: refs as written, ``None`` for the default, and whether uncommitted work counts."""

    base: str | None = None
    head: str | None = None
    worktree: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A target as it was found.

    Attributes:
        repository: Reads the objects of the change, uncommitted ones too; valid as long as the target is open.
        change: The two ends, or why there is nothing between them.
        uncommitted: Paths with uncommitted changes that are not reviewed.
        left_out: Uncommitted files that could not be taken into the change.
    """

    repository: Repository
    change: Identified | NothingToReview
    uncommitted: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


@contextmanager
def open_target(workspace: Workspace, target: Target) -> Iterator[Found]:
    """Find what a person asked to review.

    Raises:
        UsageError: a ref is unknown, or both another head and the work tree are asked for.
    """
    repository = workspace.repository
    if not target.worktree:
        change = identify(repository, base=target.base, head=target.head)
        paths = () if target.head else tuple(found.path for found in list_uncommitted(repository))
        yield Found(repository, change, paths)
        return
    if target.head is not None:
        raise UsageError(
            "`--worktree` reviews what is checked out and `--head` something else", hint="leave one of them out"
        )
    with commit_worktree(repository) as worktree:
        change = identify(worktree.repository, base=target.base, head=None, worktree=worktree.commit)
        yield Found(worktree.repository, change, (), worktree.left_out)


def start_round(workspace: Workspace, found: Found, change: Identified, wish: RoundWish, progress: Progress) -> Session:
    """Answer a request for review: with the round that waits or was submitted, or with a new one.

    A submission that was cut off is finished first.
    """
    forge = workspace.forge(change.change.head_ref)
    journal = open_journal(forge)
    hide = hider(workspace.environment)
    plan = plan_agents(workspace.config, read_access(workspace.environment), hide)
    settings = review_settings(workspace.config, plan, hide)
    request = ReviewRequest(
        key=change.change.head_ref,
        instance=workspace.config.checkpoint.instance,
        change=change.change,
        base_tip=change.base_tip,
        head=change.head,
        base_named=change.base_named,
        head_named=change.head_named,
        includes_worktree=found.repository is not workspace.repository,
        uncommitted=len(found.uncommitted),
        force=wish.force,
        without=wish.without,
        retry=wish.retry,
        holds_draft=workspace.config.draft == "held",
    )
    session = forge.load_session()
    if session is not None and session.phase is Phase.SUBMITTING:
        session = finish_submission(forge, journal, session)
    if session is not None and is_answered(session, request, settings) and is_intact(forge, journal, session):
        return session
    with open_objects(found.repository) as objects:
        gather = partial(_gather, found, objects)
        return Reviewer(forge, journal, settings, gather, amended_round, monotonic, progress).review(request)


def finish_submission(forge: ReviewForge, journal: Journal, session: Session) -> Session | None:
    """Finish a submission that was cut off; one whose head moved before anything was published is superseded."""
    try:
        submitted, _ = submit.finish(forge, journal, session)
    except HeadMoved:
        return forge.load_session()
    return submitted


def is_intact(forge: ReviewForge, journal: Journal, session: Session) -> bool:
    """Whether a round that waits still carries its seal everywhere, so that it need not be made again."""
    if session.phase is Phase.SUBMITTED:
        return True
    try:
        require_sealed(forge, session)
        require_unchanged(forge, journal, session)
    except IntegrityError:
        return False
    return True


def _gather(found: Found, objects: Objects, request: ReviewRequest) -> GatheredChange:
    return gather_from_git(found.repository, objects, request, left_out=found.left_out)


def review_settings(config: Config, plan: Plan, hide: Callable[[str], str]) -> ReviewSettings:
    """What the configuration says about reviewing, in the pipeline's terms.

    Args:
        config: In force.
        plan: Who is asked.
        hide: Takes keys out of a text.
    """
    review = config.code_review
    return ReviewSettings(
        # another release, and other models, may find other things
        digest=digest((__version__, config.model_dump(mode="json"), plan.identity)),
        policy=Policy(
            min_confidence={severity: review.min_confidence.of(severity) for severity in Severity},
            max_findings=review.max_findings,
        ),
        checks=load_checks(),
        check_settings={
            check_id: CheckSettings(enabled=settings.enabled, excluded=settings.paths.exclude)
            for check_id, settings in config.checks.items()
        },
        excluded_paths=review.paths.exclude,
        time_limit_s=config.budgets.minutes * 60,
        language=language_of(config.language) or FALLBACK,
        without_file_threads=config.approval.anchor_fallback == "body",
        agents=plan.settings,
        hide=hide,
        wanted_language=config.language,
    )
