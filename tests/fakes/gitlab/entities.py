"""The things the simulated GitLab holds: plain mutable records, compared by identity.

They hold state and what follows from it alone. Who may change them and how is `world` and the modules of rules
(`notes`, `drafts`, `reviewing`, `statuses`, `merge_requests`); how they look in an answer is `answers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tests.fakes.gitlab.people import Group, Level, User
from tests.fakes.gitlab.pipelines import CommitStatus, Pipeline
from tests.git_builder import Repo


@dataclass(eq=False)
class Label:
    id: int
    name: str


@dataclass(eq=False)
class Variable:
    """A CI/CD variable of a project."""

    key: str
    value: str = field(repr=False)
    protected: bool = False
    masked: bool = True


@dataclass(eq=False)
class Hook:
    """A webhook of a project; `alert_status` is ``executable``, ``temporarily_disabled`` or ``disabled``."""

    id: int
    url: str = field(repr=False)
    notes: bool = True
    merge_requests: bool = True
    alert_status: str = "executable"


@dataclass(eq=False, repr=False)
class Project:
    """A project; `git` is its real bare repository on disk.

    Attributes:
        namespace: The group, or the person whose own project it is.
        author_approval: Authors may approve their merge requests. Such settings count on Premium alone.
        committers_approval: Those who have commits in a merge request may approve it; the same.
        approvals_required: How many approvals a merge needs, on Premium.
        reset_approvals_on_push: Commits undo approvals, on Premium.
        all_threads_resolved: A merge needs all threads to be resolved.
        fork_pipelines_here: Members may run pipelines of forks in this project.
        variables_role: Who may give a pipeline variables, as the API calls it.
        trigger_tokens: Who a pipeline of each token runs as.
        collapsed: Paths whose diff is too large to be shown at once.
        too_large: Paths whose diff is too large to be shown at all, unless raw diffs are asked for.
        overflow: Lists of changes are cut, as those of very large merge requests.
    """

    id: int
    namespace: Group | User
    path: str
    git: Repo
    default_branch: str
    created_at: datetime
    visibility: str = "private"
    forked_from: Project | None = None
    members: dict[User, Level] = field(default_factory=dict)
    invited: dict[Group, Level] = field(default_factory=dict)
    protected: set[str] = field(default_factory=set)
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    merge_requests: dict[int, MergeRequest] = field(default_factory=dict)
    statuses: list[CommitStatus] = field(default_factory=list)
    pipelines: list[Pipeline] = field(default_factory=list)
    trigger_tokens: dict[str, User] = field(default_factory=dict)
    author_approval: bool = False
    committers_approval: bool = True
    approvals_required: int = 0
    reset_approvals_on_push: bool = True
    all_threads_resolved: bool = False
    collapsed: set[str] = field(default_factory=set)
    too_large: set[str] = field(default_factory=set)
    overflow: bool = False
    archived: bool = False
    fork_pipelines_here: bool = False
    variables_role: str = "developer"
    variables: dict[str, Variable] = field(default_factory=dict)
    hooks: list[Hook] = field(default_factory=list)

    def __repr__(self) -> str:
        return self.full_path

    @property
    def full_path(self) -> str:
        space = self.namespace
        return f"{space.full_path if isinstance(space, Group) else space.username}/{self.path}"

    @property
    def private(self) -> bool:
        return self.visibility != "public"


@dataclass(frozen=True)
class Position:
    """A place in a diff, as a client names it."""

    base_sha: str
    start_sha: str
    head_sha: str
    position_type: str
    old_path: str | None = None
    new_path: str | None = None
    old_line: int | None = None
    new_line: int | None = None
    line_range: Mapping[str, Any] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    """Of an image: width, height, x and y."""

    @property
    def complete(self) -> bool:
        """Whether it says enough to be a place; what it says may be wrong still."""
        named = bool(self.new_path or self.old_path)
        match self.position_type:
            case "text":
                return named and (self.old_line is not None or self.new_line is not None)
            case "image":
                return named and {"width", "height", "x", "y"} <= set(self.more)
        return named

    def at(self, version: Version, old: int | None, new: int | None) -> Position:
        """The same in another version of the diff."""
        moved = replace(self, old_line=old, new_line=new)
        return replace(moved, base_sha=version.base, start_sha=version.start, head_sha=version.head)


@dataclass(eq=False)
class Award:
    id: int
    name: str
    user: User
    created_at: datetime


@dataclass(eq=False, kw_only=True)
class Note:
    """A comment, or what GitLab itself says of a merge request (`system`).

    Attributes:
        kind: ``None``, ``DiscussionNote`` or ``DiffNote``.
        position: Where it is now; pushes move it along.
        original_position: Where it was made.
        outdated: Its line is no longer as it was.
        last_edited_at: When its text was changed; reactions move `updated_at` alone.
    """

    id: int
    discussion: Discussion
    author: User
    body: str
    created_at: datetime
    updated_at: datetime
    kind: str | None = None
    system: bool = False
    internal: bool = False
    position: Position | None = None
    original_position: Position | None = None
    line_code: str | None = None
    commit_id: str | None = None
    outdated: bool = False
    resolved_by: User | None = None
    resolved_at: datetime | None = None
    awards: list[Award] = field(default_factory=list)
    last_edited_at: datetime | None = None

    @property
    def merge_request(self) -> MergeRequest:
        return self.discussion.merge_request

    @property
    def resolvable(self) -> bool:
        return self.kind is not None and not self.system


@dataclass(eq=False, repr=False)
class Discussion:
    """Notes that belong together; an individual note has one to itself, until somebody replies."""

    id: str
    merge_request: MergeRequest
    notes: list[Note] = field(default_factory=list)

    def __repr__(self) -> str:
        return self.id

    @property
    def individual(self) -> bool:
        return self.notes[0].kind is None

    @property
    def resolvable(self) -> bool:
        return any(note.resolvable for note in self.notes)

    @property
    def resolved(self) -> bool:
        return self.resolvable and all(note.resolved_by is not None for note in self.notes if note.resolvable)


@dataclass(eq=False, kw_only=True)
class DraftNote:
    """A comment that only its author sees until it is published."""

    id: int
    merge_request: MergeRequest
    author: User
    note: str
    position: Position | None = None
    line_code: str | None = None
    discussion_id: str | None = None
    resolve_discussion: bool = False
    commit_id: str | None = None


@dataclass(eq=False)
class Version:
    """What a merge request changed at one time; there is a new one for every push."""

    id: int
    base: str
    start: str
    head: str
    created_at: datetime


@dataclass(eq=False)
class Reviewer:
    user: User
    created_at: datetime
    state: str = "unreviewed"


@dataclass(eq=False, kw_only=True)
class Issue:
    id: int
    project: Project
    iid: int
    author: User
    title: str
    description: str
    created_at: datetime
    updated_at: datetime
    state: str = "opened"
    labels: list[str] = field(default_factory=list)


@dataclass(eq=False, repr=False, kw_only=True)
class MergeRequest:
    """A merge request.

    Attributes:
        project: Where it goes to.
        source_project: Where it comes from; ``None`` once a fork is deleted.
        versions: Oldest first; the last one is what is shown.
        approvals: In the order they were given.
        change_requests: Who asks for changes; on Premium they block the merge.
        closes: The issues that its merge would close.
        lost_places: Paths and new lines where no note can be made any more, although a draft was kept there.
        lost_lines: Paths and new lines that have no line code, as if the diff did not show them.
    """

    id: int
    project: Project
    iid: int
    author: User
    title: str
    description: str
    source_project: Project | None
    source_branch: str
    target_branch: str
    created_at: datetime
    updated_at: datetime
    state: str = "opened"
    versions: list[Version] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    assignees: list[User] = field(default_factory=list)
    reviewers: list[Reviewer] = field(default_factory=list)
    approvals: list[tuple[User, datetime]] = field(default_factory=list)
    change_requests: set[User] = field(default_factory=set)
    discussions: list[Discussion] = field(default_factory=list)
    drafts: list[DraftNote] = field(default_factory=list)
    closes: list[Issue] = field(default_factory=list)
    lost_places: set[tuple[str, int]] = field(default_factory=set)
    lost_lines: set[tuple[str, int]] = field(default_factory=set)
    locked: bool = False
    merged_by: User | None = None
    merged_at: datetime | None = None
    closed_by: User | None = None
    closed_at: datetime | None = None

    def __repr__(self) -> str:
        return f"{self.project.full_path}!{self.iid}"

    @property
    def draft(self) -> bool:
        return self.title.lower().startswith(("draft:", "[draft]", "(draft)"))

    @property
    def version(self) -> Version:
        return self.versions[-1]

    @property
    def notes(self) -> list[Note]:
        """Of all discussions, oldest first."""
        return sorted((note for each in self.discussions for note in each.notes), key=lambda note: note.id)

    def reviewer(self, user: User | None) -> Reviewer | None:
        return next((each for each in self.reviewers if each.user is user), None)

    def approved_by(self, user: User | None) -> bool:
        return any(each is user for each, _ in self.approvals)
