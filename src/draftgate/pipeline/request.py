"""What a round of review is asked to do, and what it is given to do it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from draftgate.checks.base import Check
from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.domain.consolidate import Policy
from draftgate.domain.diff import FileDiff
from draftgate.domain.scope import ScopeEvidence
from draftgate.domain.snapshot import Change
from draftgate.pipeline.run_checks import CheckSettings


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """One round of review over one head.

    Attributes:
        key: The session's identity.
        instance: ``checkpoint.instance`` of the configuration.
        change: What is reviewed.
        base_tip: The target branch's commit now.
        head: The commit that is reviewed.
        base_named, head_named: What names both for certain: a full ref, or the expression as written.
        includes_worktree: ``head`` is a synthetic commit of the uncommitted state.
        uncommitted: How many files have uncommitted changes that are not reviewed.
        force: Start a new round even when the present one still waits.
        without: Failed checks that a person chose to go on without.
        run_url: The page of the CI run that makes the round; "" in a terminal.
        holds_draft: Make the draft now and not only at submission.
    """

    key: str
    instance: str
    change: ChangeRequest
    base_tip: CommitSha
    head: CommitSha
    base_named: str
    head_named: str
    includes_worktree: bool = False
    uncommitted: int = 0
    force: bool = False
    without: frozenset[str] = frozenset()
    run_url: str = ""
    holds_draft: bool = True


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """What the configuration says about reviewing.

    Attributes:
        digest: Of the effective configuration; another one makes a finished round stale.
        policy: Thresholds.
        checks: Those that exist.
        check_settings: By check id.
        excluded_paths: Globs of files that are not read.
        time_limit_s: Seconds that all checks together may take.
        language: Of the fixed sentences that are posted.
        without_file_threads: A finding that no line can carry goes into the body of the review.
    """

    digest: str
    policy: Policy
    checks: tuple[Check, ...]
    check_settings: Mapping[str, CheckSettings]
    excluded_paths: tuple[str, ...] = ()
    time_limit_s: float = 900.0
    language: str = "en"
    without_file_threads: bool = False


@dataclass(frozen=True, slots=True)
class GatheredChange:
    """The change as it was read and proved.

    Attributes:
        evidence: The proof of the range.
        files: Every changed file.
        change: What the checks read; its files are narrowed by the pipeline.
        unread: Path to reason, for files whose content was not read; checks that refuse a file add to it.
        limits: Asked after the checks: sentences about what could not be looked at.
    """

    evidence: ScopeEvidence
    files: tuple[FileDiff, ...]
    change: Change
    unread: Mapping[str, str]
    limits: Callable[[], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Progress:
    """Whom to tell what is going on; results never go through here.

    Attributes:
        gathered: Told the number of changed files.
        check_started: Told the id of each check.
    """

    gathered: Callable[[int], None]
    check_started: Callable[[str], None]
