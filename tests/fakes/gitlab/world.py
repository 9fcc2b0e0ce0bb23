"""The state of the simulated GitLab: people, tokens, groups, projects on disk, merge requests, and the clock.

It gives out ids and times, and knows what there is and how to set it up. Who may do what is `access`; the rules of
comments are `notes` and `drafts`, those of reviews `reviewing`. Nothing here knows HTTP.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from tests.fakes.gitlab.entities import Discussion, Issue, Label, MergeRequest, Note, Project, Version
from tests.fakes.gitlab.limits import Limits
from tests.fakes.gitlab.people import Caller, Edition, Group, Level, TokenKind, User
from tests.fakes.gitlab.pushes import describe_push, move_notes
from tests.fakes.gitlab.traces import Command, Displacement, Reference, Trigger
from tests.git_builder import Repo

START = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


class World:
    """Everything that one simulated GitLab holds.

    Attributes:
        root: The folder with the bare repositories.
        version: Of GitLab: ``16.4.0``, ``17.0.0``, ``18.4.0``, ``18.11.0``, ``19.2.0`` are told apart.
        edition: Whose answers and limits it has.
        relative_root: The path under which everything is served: nothing, or such as ``/gitlab``.
        step: How far each write moves the clock; ``None`` is the time of this machine.
        bad_draft: What becomes of a draft whose place is not in the diff when it is published: left out without a
            word, or 500, which keeps all drafts, although those before it are public by then.
        loose_drafts: What a draft without a place becomes: a thread that can be resolved, or a plain note.
        short_pages: Pages of notes lack a note although more pages exist, as those with a hidden note do.
        moved_writes: What a write to a renamed project's old path gets: 405, or the 301 that reads get.
        kept_reviewer: Which one stays of several reviewers that are set without Premium.
        answers_bundles: GraphQL reads whole merge requests; an older server does not.
        submitters_review: Who submits a review becomes a reviewer, as of late where a feature flag says so.
        limits: How many requests each user may send.
        executed: The quick actions that came in texts, also those that were refused.
        mentioned: The people and groups that texts told of themselves.
        referenced: Everything else that texts linked or would close.
        displaced: Reviewers who were replaced.
        triggered: Pipelines that trigger tokens started.
    """

    def __init__(
        self, root: Path, *, version: str = "18.4.0", edition: Edition = Edition.FREE, relative_root: str = ""
    ) -> None:
        self.root = root
        self.version = version
        self.edition = edition
        self.relative_root = relative_root
        self.step: timedelta | None = timedelta(seconds=1)
        self.bad_draft: Literal["drop", "fail"] = "drop"
        self.loose_drafts: Literal["thread", "note"] = "thread"
        self.short_pages = False
        self.moved_writes: Literal[405, 301] = 405
        self.kept_reviewer: Literal["first", "last"] = "first"
        self.submitters_review = False
        self.answers_bundles = True
        self.has_request_mutation = True
        self.limits = Limits()
        self.users: dict[str, User] = {}
        self.callers: dict[str, Caller] = {}
        self.groups: list[Group] = []
        self.projects: list[Project] = []
        self.moved: dict[str, Project] = {}
        self.executed: list[Command] = []
        self.mentioned: list[Reference] = []
        self.referenced: list[Reference] = []
        self.displaced: list[Displacement] = []
        self.triggered: list[Trigger] = []
        self._now = START
        self._last_id = 1000

    # --- Clock, ids and version ---

    @property
    def now(self) -> datetime:
        """The time at GitLab, to the millisecond."""
        if self.step is not None:
            return self._now
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def tick(self) -> datetime:
        """Let the clock move, as each write does, and return the new time."""
        self._now += self.step or timedelta(0)
        return self.now

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def since(self, release: str) -> bool:
        """Whether the version is at least this one."""
        return _numbers(self.version) >= _numbers(release)

    @property
    def premium(self) -> bool:
        return self.edition is Edition.PREMIUM

    # --- Setting up ---

    def add_user(self, username: str, *, name: str | None = None, bot: bool = False) -> User:
        shown = name or username.replace("_", " ").title()
        user = User(self.new_id(), username, shown, bot, f"{username}@example.invalid")
        self.users[username.lower()] = user
        return user

    def add_token(self, token: str, user: User, *scopes: str, kind: TokenKind = TokenKind.ACCESS) -> Caller:
        """A token of somebody, with the scope ``api`` unless others are named."""
        caller = Caller(token, user, kind, frozenset(scopes or ("api",)))
        self.callers[token] = caller
        return caller

    def add_project_token(self, token: str, project: Project, level: Level, *scopes: str) -> Caller:
        """A project access token, which has a bot account of its own that is a member at this level."""
        number = sum(user.username.startswith(f"project_{project.id}_bot_") for user in self.users.values())
        bot = self.add_user(f"project_{project.id}_bot_{number + 1:032x}", name=token.removeprefix("glpat-"), bot=True)
        project.members[bot] = level
        return self.add_token(token, bot, *scopes)

    def add_job_token(self, token: str, user: User) -> Caller:
        """The ``CI_JOB_TOKEN`` of a job that somebody started."""
        return self.add_token(token, user, kind=TokenKind.JOB)

    def add_group(self, path: str, parent: Group | None = None) -> Group:
        group = Group(self.new_id(), path, parent)
        self.groups.append(group)
        return group

    def add_project(
        self,
        namespace: Group | User,
        path: str,
        source: Repo,
        *,
        visibility: str = "private",
        forked_from: Project | None = None,
    ) -> Project:
        """A project with all branches of `source`; ``main`` is the default one and protected."""
        number = self.new_id()
        bare = source.clone(self.root / f"project-{number}.git", "--mirror")  # by id, so that renaming moves nothing
        bare.git("symbolic-ref", "HEAD", "refs/heads/main")
        project = Project(
            number, namespace, path, bare, "main", self.now, visibility=visibility, forked_from=forked_from
        )
        project.protected.add("main")
        self.projects.append(project)
        return project

    def rename(self, project: Project, path: str, namespace: Group | User | None = None) -> None:
        """Give a project another path, which the old one leads to from then on."""
        self.moved[project.full_path.lower()] = project
        project.path, project.namespace = path, namespace or project.namespace
        self.moved.pop(project.full_path.lower(), None)

    def add_label(self, project: Project, name: str) -> Label:
        return project.labels.setdefault(name, Label(self.new_id(), name))

    def open_issue(self, project: Project, author: User, title: str, description: str = "") -> Issue:
        now = self.tick()
        issue = Issue(
            id=self.new_id(),
            project=project,
            iid=max(project.issues, default=0) + 1,
            author=author,
            title=title,
            description=description,
            created_at=now,
            updated_at=now,
        )
        project.issues[issue.iid] = issue
        return issue

    def open_merge_request(
        self,
        project: Project,
        author: User,
        title: str,
        description: str = "",
        *,
        source_branch: str,
        target_branch: str = "main",
        source_project: Project | None = None,
    ) -> MergeRequest:
        """A merge request from a branch of `source_project`, which is `project` unless it comes from a fork."""
        now = self.tick()
        merge_request = MergeRequest(
            id=self.new_id(),
            project=project,
            iid=max(project.merge_requests, default=0) + 1,
            author=author,
            title=title,
            description=description,
            source_project=source_project or project,
            source_branch=source_branch,
            target_branch=target_branch,
            created_at=now,
            updated_at=now,
        )
        project.merge_requests[merge_request.iid] = merge_request
        self.add_version(merge_request)
        return merge_request

    # --- Heads ---

    def head_sha(self, merge_request: MergeRequest) -> str:
        """The head now; a branch that moved makes a new version."""
        source = merge_request.source_project
        if source is not None and merge_request.state == "opened":
            head = source.git.sha(f"refs/heads/{merge_request.source_branch}")
            if head != merge_request.version.head:
                before = merge_request.version
                self.add_version(merge_request)
                self._notice_push(merge_request, before)
        return merge_request.version.head

    def target_sha(self, merge_request: MergeRequest) -> str:
        return merge_request.project.git.sha(f"refs/heads/{merge_request.target_branch}")

    def sync(self) -> None:
        """Notice every branch that moved; each request does this first."""
        for project in self.projects:
            for merge_request in project.merge_requests.values():
                self.head_sha(merge_request)

    def add_version(self, merge_request: MergeRequest) -> Version:
        """What the branches are now becomes the newest version."""
        git, source = merge_request.project.git, merge_request.source_project or merge_request.project
        head = source.git.sha(f"refs/heads/{merge_request.source_branch}")
        if source is not merge_request.project:
            git.git("fetch", "--quiet", "--no-tags", str(source.git.path), head)
        git.git("update-ref", f"refs/merge-requests/{merge_request.iid}/head", head)
        git.git("update-ref", f"refs/keep-around/{head}", head)
        start = self.target_sha(merge_request)
        base = git.git("merge-base", start, head).decode().strip()
        version = Version(self.new_id(), base, start, head, self.tick())
        merge_request.versions.append(version)
        merge_request.updated_at = version.created_at
        return version

    def say(self, merge_request: MergeRequest, user: User, text: str, discussion: Discussion | None = None) -> Note:
        """What GitLab itself notes of something that somebody did, in a thread or by itself."""
        now = self.tick()
        number = self.new_id()
        place = discussion or self.add_discussion(merge_request, number)
        kind = discussion.notes[0].kind if discussion is not None else None
        note = Note(
            id=number,
            discussion=place,
            author=user,
            body=text,
            created_at=now,
            updated_at=now,
            kind=kind,
            system=True,
        )
        place.notes.append(note)
        merge_request.updated_at = now
        return note

    def add_discussion(self, merge_request: MergeRequest, number: int) -> Discussion:
        """A place for a first note, whose id is known already."""
        name = hashlib.sha1(f"discussion-{number}".encode()).hexdigest()  # noqa: S324, as long as GitLab's
        discussion = Discussion(name, merge_request)
        merge_request.discussions.append(discussion)
        return discussion

    def set_state(self, merge_request: MergeRequest, user: User, event: str) -> None:
        """Close or reopen; branches stay as they are."""
        now = self.tick()
        closing = event == "close"
        merge_request.state = "closed" if closing else "opened"
        merge_request.closed_by, merge_request.closed_at = (user, now) if closing else (None, None)
        self.say(merge_request, user, "closed" if closing else "reopened")

    def merge(self, merge_request: MergeRequest, user: User) -> None:
        """Merge in name: the target branch stays as it is."""
        merge_request.state, merge_request.merged_by, merge_request.merged_at = "merged", user, self.tick()
        self.say(merge_request, user, "merged")

    def _notice_push(self, merge_request: MergeRequest, before: Version) -> None:
        self.say(merge_request, merge_request.author, describe_push(merge_request, before))
        for discussion in move_notes(merge_request):
            number = len(merge_request.versions)
            self.say(
                merge_request, merge_request.author, f"changed this line in version {number} of the diff", discussion
            )
        if self.premium and merge_request.project.reset_approvals_on_push:
            merge_request.approvals.clear()

    # --- Finding ---

    def user(self, username: str) -> User:
        return self.users[username.lower()]

    def user_by_id(self, number: int) -> User | None:
        return next((user for user in self.users.values() if user.id == number), None)

    def find_project(self, key: str) -> tuple[Project | None, bool]:
        """The project with this id or path, and whether the path is one that it had before."""
        if key.isdecimal():
            return next((project for project in self.projects if project.id == int(key)), None), False
        for project in self.projects:
            if project.full_path.lower() == key.lower():
                return project, False
        return self.moved.get(key.lower()), True

    def find_group(self, key: str) -> Group | None:
        named = (group for group in self.groups if key in {str(group.id), group.full_path})
        return next(named, None)

    def merge_requests(self) -> Iterator[MergeRequest]:
        return (each for project in self.projects for each in project.merge_requests.values())

    def note(self, merge_request: MergeRequest, number: int) -> Note | None:
        return next((note for note in merge_request.notes if note.id == number), None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])
