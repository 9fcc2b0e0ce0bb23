"""The things the simulated GitHub holds: plain mutable records, compared by identity.

They hold state and what follows from it alone. Who may change them and how is `world`, `comments` and
`reviews`; how they look in an answer is `answers` and `graphql`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from tests.git_builder import Repo


class AccountKind(StrEnum):
    USER = "User"
    BOT = "Bot"
    ORGANIZATION = "Organization"


class Role(IntEnum):
    """A role in a repository; a higher one includes the lower ones."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5

    @property
    def permission(self) -> str:
        """The legacy name, which knows neither triage nor maintain."""
        legacy = {Role.TRIAGE: Role.READ, Role.MAINTAIN: Role.WRITE}
        return legacy.get(self, self).name.lower()


class TokenKind(StrEnum):
    INSTALLATION = "installation"
    """Of a GitHub App, ``github-actions`` among them: rights are the token's permissions."""
    USER = "user"
    """A personal access token: rights are the user's role."""


class ReviewState(StrEnum):
    PENDING = "PENDING"
    COMMENTED = "COMMENTED"
    APPROVED = "APPROVED"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"
    DISMISSED = "DISMISSED"


class Side(StrEnum):
    LEFT = "LEFT"
    RIGHT = "RIGHT"


class SubjectType(StrEnum):
    LINE = "LINE"
    FILE = "FILE"


@dataclass(eq=False)
class App:
    id: int
    node_id: str
    slug: str
    created_at: datetime


@dataclass(eq=False)
class Account:
    """A user, bot or organization; ``login`` is the one of REST, which ends in ``[bot]`` for a bot."""

    id: int
    node_id: str
    login: str
    kind: AccountKind
    app: App | None = None

    @property
    def bare_login(self) -> str:
        """The login as GraphQL's ``author`` has it, without ``[bot]``."""
        return self.login.removesuffix("[bot]")


@dataclass(eq=False)
class Caller:
    """Who a token stands for, and what the token may.

    Attributes:
        scopes: Of a classic token of a person; ``None`` for any other token.
        expires: As GitHub writes it in a header: ``2026-03-01 12:00:00 UTC``; "" for never.
    """

    token: str = field(repr=False)
    account: Account
    kind: TokenKind
    permissions: Mapping[str, str]
    scopes: frozenset[str] | None = None
    expires: str = ""


@dataclass(eq=False)
class Label:
    id: int
    node_id: str
    name: str


@dataclass(eq=False)
class Environment:
    """Of deployments; `branches` may use it, or those that are protected, or with neither any branch.

    Attributes:
        branches: Their names or patterns; ``None`` where names do not matter.
    """

    name: str
    branches: list[str] | None = None
    protected_only: bool = False


@dataclass(eq=False)
class Repository:
    """A repository; ``git`` is its real bare repository on disk.

    Attributes:
        default_permissions: Of a workflow's token, where the file does not say: ``read`` or ``write``.
        protected: The branches that classic protection keeps.
        rules: The types of the rules of rulesets by branch.
        environments: By name.
    """

    id: int
    node_id: str
    owner: Account
    name: str
    git: Repo
    default_branch: str
    created_at: datetime
    private: bool = False
    archived: bool = False
    actions_can_approve: bool = False
    default_permissions: str = "read"
    protected: set[str] = field(default_factory=set)
    rules: dict[str, list[str]] = field(default_factory=dict)
    environments: dict[str, Environment] = field(default_factory=dict)
    parent: Repository | None = None
    collaborators: dict[str, Role] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    check_runs: list[CheckRun] = field(default_factory=list)
    statuses: list[CommitStatus] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"


@dataclass(eq=False)
class Reaction:
    id: int
    node_id: str
    account: Account
    content: str
    created_at: datetime


@dataclass(eq=False)
class Edit:
    """One revision of a text; `body` is the text it left behind."""

    id: int
    node_id: str
    editor: Account
    at: datetime
    body: str


@dataclass(eq=False, kw_only=True)
class Remark:
    """What issue comments, reviews and review comments have in common.

    Attributes:
        edits: Oldest first; empty while nobody edited. With the first edit the creation becomes a revision too.
        minimized: The classifier it was hidden under, ``None`` while shown.
    """

    id: int
    node_id: str
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    edits: list[Edit] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    minimized: str | None = None

    @property
    def last_edited_at(self) -> datetime | None:
        return self.edits[-1].at if self.edits else None

    @property
    def editor(self) -> Account | None:
        return self.edits[-1].editor if self.edits else None


@dataclass(eq=False, kw_only=True)
class IssueComment(Remark):
    issue: Issue


@dataclass(eq=False, kw_only=True)
class Issue(Remark):
    """An issue, or the issue half of a pull request (see `PullRequest`)."""

    repository: Repository
    number: int
    title: str
    state: str = "open"
    closed_at: datetime | None = None
    labels: list[Label] = field(default_factory=list)
    comments: list[IssueComment] = field(default_factory=list)


@dataclass(eq=False, kw_only=True)
class PullRequest(Issue):
    """A pull request.

    Attributes:
        base_ref: The branch it goes to, in `repository`.
        head_ref: The branch it comes from, in `head_repository`.
        head_repository: ``None`` once a fork is deleted.
        head_sha: Where the head was when it was last looked at; read it through `World.head_sha`.
        pull_id: Its id as a pull request; `id` is that of the issue half.
        issue_node_id: The node of the issue half; `node_id` is the pull request's.
        closes: The issues that its merge would close.
        files_without_patch: Paths whose patch ``/files`` withholds, as GitHub does for large ones.
        diff_too_large: The diff media type answers 406.
    """

    base_ref: str
    head_ref: str
    head_repository: Repository | None
    head_sha: str
    pull_id: int
    issue_node_id: str
    draft: bool = False
    merged_at: datetime | None = None
    requested_reviewers: list[Account] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    closes: list[Issue] = field(default_factory=list)
    files_without_patch: set[str] = field(default_factory=set)
    diff_too_large: bool = False


@dataclass(eq=False, kw_only=True)
class Review(Remark):
    """A review; pending ones have no `submitted_at` and are their author's secret."""

    pull: PullRequest
    state: ReviewState
    commit_id: str
    submitted_at: datetime | None = None
    comments: list[ReviewComment] = field(default_factory=list)

    @property
    def pending(self) -> bool:
        return self.state is ReviewState.PENDING


@dataclass(eq=False, kw_only=True)
class Thread:
    """A conversation at a place of the diff.

    Attributes:
        line: Where it is in the present head; ``None`` when outdated, and for a whole file.
        position: The same as a row of the file's patch.
        original_line: Where it was made, in `original_commit`.
    """

    id: int
    node_id: str
    pull: PullRequest
    path: str
    subject_type: SubjectType
    side: Side
    start_side: Side | None
    line: int | None
    start_line: int | None
    original_line: int | None
    original_start_line: int | None
    position: int | None
    original_position: int
    original_commit: str
    diff_hunk: str
    outdated: bool = False
    resolved_by: Account | None = None
    comments: list[ReviewComment] = field(default_factory=list)


@dataclass(eq=False, kw_only=True)
class ReviewComment(Remark):
    thread: Thread
    review: Review
    reply_to: ReviewComment | None = None

    @property
    def pending(self) -> bool:
        return self.review.pending


@dataclass(eq=False, kw_only=True)
class CheckRun:
    """A check run; `output` is what the app last sent, annotations apart, which add up."""

    id: int
    node_id: str
    repository: Repository
    app: App
    name: str
    head_sha: str
    started_at: datetime
    status: str = "queued"
    conclusion: str | None = None
    completed_at: datetime | None = None
    external_id: str = ""
    details_url: str | None = None
    output: dict[str, Any] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(eq=False, kw_only=True)
class CommitStatus:
    """What somebody says about a commit in a context; the latest of each context counts."""

    id: int
    node_id: str
    repository: Repository
    creator: Account
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    created_at: datetime


Node = Account | Repository | Issue | IssueComment | Review | ReviewComment | Thread | CheckRun | Reaction | Label
