"""A small world to begin with: a project in a subgroup, a flawed merge request, people in every role, and tokens."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.gitlab.entities import MergeRequest, Project
from tests.fakes.gitlab.people import Caller, Edition, Level, User
from tests.fakes.gitlab.world import World
from tests.flawed_change import BRANCH, TITLE, make_flawed_repository
from tests.git_builder import Content, Repo

GROUP, SUBGROUP, NAME = "acme", "tools", "rooms"
FULL_PATH = f"{GROUP}/{SUBGROUP}/{NAME}"
BOT, REPORTER_BOT = "bot", "reporter-bot"
TRIGGER_TOKEN = "glptt-trigger"  # noqa: S105, of the simulator

DIRECT = {
    "guest": Level.GUEST,
    "planner": Level.PLANNER,
    "reporter": Level.REPORTER,
    "developer": Level.DEVELOPER,
    "author": Level.DEVELOPER,
}
"""Members of the project itself."""
INHERITED = {"maintainer": Level.MAINTAINER, "owner": Level.OWNER}
"""Members of the group above, who are none of the project's direct members."""


@dataclass(frozen=True)
class Scenario:
    """A world with one merge request.

    Attributes:
        tokens: By username, a personal token of each person; by `BOT` and `REPORTER_BOT` the project access tokens
            of two bots, a developer and a reporter; ``job`` is the job token of the author's pipeline.
    """

    world: World
    project: Project
    merge_request: MergeRequest
    tokens: Mapping[str, str]

    def person(self, name: str) -> User:
        """Somebody by username, or a bot by the name of its token."""
        return self.caller(name).user or self.world.user(name)

    def caller(self, name: str) -> Caller:
        return self.world.callers[self.tokens[name]]

    @property
    def bot(self) -> User:
        """The account of the developer bot."""
        return self.person(BOT)


def make_scenario(
    root: Path,
    source: Repo | None = None,
    *,
    branch: str = BRANCH,
    title: str = TITLE,
    version: str = "18.4.0",
    tier: Edition | str = Edition.FREE,
    visibility: str = "public",
    relative_root: str = "",
) -> Scenario:
    """A world under `root` with a merge request for `branch` of `source`, which is the flawed change by default."""
    world = World(root, version=version, edition=Edition(tier), relative_root=relative_root)
    group = world.add_group(GROUP)
    subgroup = world.add_group(SUBGROUP, group)
    project = world.add_project(
        subgroup, NAME, source or make_flawed_repository(root / "source"), visibility=visibility
    )
    tokens = {}
    for name in (*DIRECT, *INHERITED, "outsider"):
        tokens[name] = world.add_token(f"glpat-{name}", world.add_user(name)).token
    project.members.update({world.user(name): level for name, level in DIRECT.items()})
    group.members.update({world.user(name): level for name, level in INHERITED.items()})
    for name, level in ((BOT, Level.DEVELOPER), (REPORTER_BOT, Level.REPORTER)):
        tokens[name] = world.add_project_token(f"glpat-{name}", project, level).token
    tokens["job"] = world.add_job_token("glcbt-job", world.user("author")).token
    project.trigger_tokens[TRIGGER_TOKEN] = world.user("maintainer")
    merge_request = world.open_merge_request(project, world.user("author"), title, "", source_branch=branch)
    return Scenario(world, project, merge_request, tokens)


def push(
    world: World,
    merge_request: MergeRequest,
    files: Mapping[str, Content],
    message: str = "Push",
    *,
    onto: str | None = None,
) -> str:
    """Move the head of a merge request by a commit that changes `files`; returns its id.

    The commit goes onto the present head, or `onto` another one, which makes it a force-push.
    """
    source = merge_request.source_project
    if source is None:
        raise ValueError("the fork is gone, so nobody can push to it")
    head = push_to(world, source, merge_request.source_branch, files, message, onto=onto)
    world.head_sha(merge_request)
    return head


def push_to(
    world: World,
    project: Project,
    branch: str,
    files: Mapping[str, Content],
    message: str = "Push",
    *,
    onto: str | None = None,
) -> str:
    """The same for any branch, such as the one that merge requests go to."""
    git, ref = project.git, f"refs/heads/{branch}"
    parent = onto or git.sha(ref)
    with tempfile.TemporaryDirectory() as folder:
        work = Repo(Path(folder), commits=world.new_id())  # so that every push has another date
        work.git("clone", "--quiet", "--no-checkout", "--shared", str(git.path), ".")
        work.switch(parent)
        head = work.commit(files, message)
        git.git("fetch", "--quiet", "--no-tags", str(work.path), head)
    git.git("update-ref", ref, head)
    return head
