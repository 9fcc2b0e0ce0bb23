"""What a round of review is asked to do, and what it is given to do it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from draftgate.agents.ask import Seat
from draftgate.agents.budget import NO_ALLOWANCE, Allowance
from draftgate.agents.crew import Member
from draftgate.agents.reading import Reading
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
        without: Failed checks and agents that a person chose to go on without.
        retry: Failed agents that are asked again; empty means every one.
        description: What the author says of the change, untrusted Markdown.
        run_url: The page of the CI run that makes the round; "" in a terminal.
        holds_draft: Make the draft now and not only at submission.
        configuration: The configuration file that the run was told to use, a path of the repository; "" for the usual.
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
    retry: frozenset[str] = frozenset()
    description: str = ""
    run_url: str = ""
    holds_draft: bool = True
    configuration: str = ""


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Which agents are asked, by whom they are checked, and within what bounds.

    Attributes:
        members: The agents, each in its seat; empty if no model is asked.
        critic: The seat of the critic; ``None`` if what agents find is not checked.
        allowance: What the models of a review may spend.
        at_once: How many agents run at the same time.
        praise: One good thing is wanted.
        private: Path globs of files that no model may see.
        fetch: Fetches a page from a host that the configuration lists; ``None`` if it lists none.
        notes: Sentences about who is not asked and why; they go into the coverage.
    """

    members: tuple[Member, ...] = ()
    critic: Seat | None = None
    allowance: Allowance = NO_ALLOWANCE
    at_once: int = 1
    praise: bool = False
    private: tuple[str, ...] = ()
    fetch: Callable[[str], str] | None = None
    notes: tuple[str, ...] = ()


NO_AGENTS = AgentSettings()


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
        agents: Who is asked beside the checks.
        hide: Takes keys out of a text and keeps its lines; nothing that is sent or shown goes out without it.
        wanted_language: The language of model-written text, as configured.
    """

    digest: str
    policy: Policy
    checks: tuple[Check, ...]
    check_settings: Mapping[str, CheckSettings]
    excluded_paths: tuple[str, ...] = ()
    time_limit_s: float = 900.0
    language: str = "en"
    without_file_threads: bool = False
    agents: AgentSettings = NO_AGENTS
    hide: Callable[[str], str] = _as_it_is
    wanted_language: str = "en"


@dataclass(frozen=True, slots=True)
class GatheredChange:
    """The change as it was read and proved.

    Attributes:
        evidence: The proof of the range.
        files: Every changed file.
        change: What the checks read; its files are narrowed by the pipeline.
        unread: Path to reason, for files whose content was not read; checks that refuse a file add to it.
        limits: Asked after the checks: sentences about what could not be looked at.
        open_reading: Opens the commits once more, for agents: they read while the checks do.
        named_for_keys: Further changed files, without their lines: their names hold a key, and these are masked.
    """

    evidence: ScopeEvidence
    files: tuple[FileDiff, ...]
    change: Change
    unread: Mapping[str, str]
    limits: Callable[[], tuple[str, ...]]
    open_reading: Callable[[], AbstractContextManager[Reading]]
    named_for_keys: tuple[FileDiff, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """Whom to tell what is going on; results never go through here.

    Attributes:
        gathered: Told the number of changed files.
        check_started: Told the id of each check.
        asking: Told, as a sentence, which models are asked and where, before anything is sent.
        agent_at: Told the name of an agent and, in a few words, what it does; from several threads, one at a time.
    """

    gathered: Callable[[int], None]
    check_started: Callable[[str], None]
    asking: Callable[[str], None]
    agent_at: Callable[[str, str], None]
