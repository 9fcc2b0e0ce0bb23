"""A small world to begin with: one repository, one flawed pull request, people in every role, and tokens."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.github.entities import Account, AccountKind, Caller, PullRequest, Repository, Role
from tests.fakes.github.world import World
from tests.flawed_change import BRANCH, TITLE, make_flawed_repository
from tests.git_builder import Content, Repo

OWNER, NAME = "acme", "rooms"
ACTIONS, APP = "github-actions[bot]", "draftgate[bot]"

ACTIONS_PERMISSIONS = {"contents": "read", "pull_requests": "write", "issues": "write", "checks": "write"}
"""What the example workflows give the review job."""
APP_PERMISSIONS = {**ACTIONS_PERMISSIONS, "contents": "write", "members": "read"}

COLLABORATORS = {
    "admin": Role.ADMIN,
    "maintainer": Role.MAINTAIN,
    "writer": Role.WRITE,
    "triager": Role.TRIAGE,
    "reader": Role.READ,
    "author": Role.READ,
}


@dataclass(frozen=True)
class Scenario:
    """A world with one pull request.

    Attributes:
        tokens: By login: two bots with the permissions above, and a personal token of each person.
    """

    world: World
    repository: Repository
    pull: PullRequest
    tokens: Mapping[str, str]

    def person(self, login: str) -> Account:
        return self.world.account(login)

    def caller(self, login: str) -> Caller:
        return self.world.caller(self.tokens[login])


def make_scenario(root: Path, source: Repo | None = None, *, branch: str = BRANCH, title: str = TITLE) -> Scenario:
    """A world under `root` with a pull request for `branch` of `source`, which is the flawed change by default."""
    world = World(root)
    owner = world.add_user(OWNER, kind=AccountKind.ORGANIZATION)
    repository = world.add_repository(owner, NAME, source or make_flawed_repository(root / "source"))
    tokens = {}
    for login in (*COLLABORATORS, "outsider"):
        tokens[login] = world.add_token(f"ghp_{login}", world.add_user(login)).token
    repository.collaborators.update(COLLABORATORS)
    for login, permissions in ((ACTIONS, ACTIONS_PERMISSIONS), (APP, APP_PERMISSIONS)):
        bot = world.add_app(login.removesuffix("[bot]"))
        tokens[login] = world.add_token(f"ghs_{bot.bare_login}", bot, permissions).token
    world.teams[OWNER, "maintainers"] = {"maintainer", "admin"}
    pull = world.open_pull(repository, world.account("author"), title, "", head_ref=branch)
    return Scenario(world, repository, pull, tokens)


def push(
    world: World,
    pull: PullRequest,
    files: Mapping[str, Content],
    message: str = "Push",
    *,
    onto: str | None = None,
) -> str:
    """Move the head of a pull request by a commit that changes `files`; returns its id.

    The commit goes onto the present head, or `onto` another one, which makes it a force-push.
    """
    source = pull.head_repository
    if source is None:
        raise ValueError("the fork is gone, so nobody can push to it")
    git, branch = source.git, f"refs/heads/{pull.head_ref}"
    parent = onto or git.sha(branch)
    with tempfile.TemporaryDirectory() as folder:
        work = Repo(Path(folder), commits=world.new_id())  # so that every push has another date
        work.git("clone", "--quiet", "--no-checkout", "--shared", str(git.path), ".")
        work.switch(parent)
        head = work.commit(files, message)
        git.git("fetch", "--quiet", "--no-tags", str(work.path), head)
    git.git("update-ref", branch, head)
    world.head_sha(pull)
    return head
