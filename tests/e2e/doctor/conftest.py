"""Rooms in front of a simulated GitHub and GitLab, each with a clone of the flawed repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fakes.doctor_room import PIPELINE, GitHubRoom, GitLabRoom, example, open_github_room, open_gitlab_room
from tests.fakes.github.entities import Environment
from tests.fakes.gitlab.entities import Hook, Variable
from tests.flawed_change import make_flawed_repository
from tests.git_builder import Repo


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make_flawed_repository(tmp_path_factory.mktemp("source") / "rooms")


@pytest.fixture
def github(source: Repo, tmp_path: Path) -> Iterator[GitHubRoom]:
    """A repository where everything that a token can see is as it should be, by the recommended set-up."""
    with open_github_room(tmp_path, source) as room:
        world, repository = room.scenario.world, room.scenario.repository
        repository.protected.add("main")
        repository.rules["main"] = ["pull_request"]
        repository.actions_can_approve = True
        repository.environments["draftgate"] = Environment("draftgate", ["main"])
        world.step = None
        room.publish({".github/workflows/draftgate.yml": example("recommended")})
        caller = room.scenario.caller("draftgate[bot]")
        caller.permissions = {**caller.permissions, "administration": "read", "actions": "read"}
        yield room


@pytest.fixture
def gitlabs(source: Repo, tmp_path: Path) -> Iterator[Callable[..., GitLabRoom]]:
    """Opens a project by the recommended set-up; its arguments are those of `make_scenario`."""
    with ExitStack() as stack:

        def make(**kind: object) -> GitLabRoom:
            room = stack.enter_context(open_gitlab_room(tmp_path, source, **kind))
            prepare(room)
            return room

        yield make


@pytest.fixture
def gitlab(gitlabs: Callable[..., GitLabRoom]) -> GitLabRoom:
    return gitlabs(tier="premium")


def prepare(room: GitLabRoom, route: str = "webhook") -> None:
    """The webhook route, as the how-to says."""
    project = room.scenario.project
    room.publish({".gitlab-ci.yml": PIPELINE.format(digest="0" * 64, route=route)})
    project.committers_approval = False
    project.variables["DRAFTGATE_GITLAB_TOKEN"] = Variable("DRAFTGATE_GITLAB_TOKEN", "glpat-value-of-it", True)
    room.secrets |= {"glpat-value-of-it", "glptt-of-the-hook"}
    url = f"{room.simulator.api_url}/projects/{project.id}/ref/main/trigger/pipeline?token=glptt-of-the-hook"
    project.hooks.append(Hook(7, url))
