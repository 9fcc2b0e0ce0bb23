"""What the permissions page says of a token that may do less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from docs.pages.permissions import permissions
from tests.fakes.github.scenario import APP
from tests.fakes.github.scenario import make_scenario as make_github
from tests.fakes.github_run import Runner as OnGitHub
from tests.fakes.github_run import open_runner as open_on_github
from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.scenario import BOT
from tests.fakes.gitlab.scenario import make_scenario as make_gitlab
from tests.fakes.gitlab_run import open_runner as open_on_gitlab

GRANTED = {"contents": "read", "pull_requests": "write", "issues": "write", "checks": "write"}


@pytest.fixture
def github(tmp_path: Path) -> Iterator[Callable[[dict[str, str]], OnGitHub]]:
    """A runner whose App has these permissions."""
    with ExitStack() as stack:

        def opened(granted: dict[str, str]) -> OnGitHub:
            scenario = make_github(tmp_path)
            bot = scenario.world.account(APP)
            less = {**scenario.tokens, APP: scenario.world.add_token("ghs_less", bot, granted).token}
            object.__setattr__(scenario, "tokens", less)
            return stack.enter_context(open_on_github(scenario, tmp_path / "jobs"))

        yield opened


def without(permission: str) -> dict[str, str]:
    return {name: level for name, level in GRANTED.items() if name != permission}


def test_the_page_lists_what_is_granted_here() -> None:
    page = permissions()

    assert all(f"| `{name.replace('_', '-')}: {level}` |" in page for name, level in GRANTED.items())


@pytest.mark.parametrize("missing", ["contents", "pull_requests"])
def test_without_reading_nothing_is_done(missing: str, github: Callable[[dict[str, str]], OnGitHub]) -> None:
    runner = github(without(missing))

    ran = runner.review()

    assert ran.code == 3
    assert ran.writes == []


@pytest.mark.parametrize("missing", ["checks", "issues"])
def test_without_checks_or_issues_a_review_is_approved_all_the_same(
    missing: str, github: Callable[[dict[str, str]], OnGitHub]
) -> None:
    runner = github(without(missing))

    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")
    assert len(runner.reviews) == 1


def test_without_members_a_command_that_counts_teams_is_refused(
    github: Callable[[dict[str, str]], OnGitHub],
) -> None:
    runner = github(GRANTED)
    runner.configure("version: 1\napproval: {who: {teams: [acme/maintainers]}}\n")
    assert runner.review().code == 0

    ran = runner.command("maintainer", "/approve-findings 1")

    assert ran.code == 3
    assert runner.reviews == []


def test_a_token_of_gitlab_that_only_reads_is_refused(tmp_path: Path) -> None:
    scenario = make_gitlab(tmp_path)
    scenario.world.callers[scenario.tokens[BOT]].scopes = frozenset({"read_api"})

    with open_on_gitlab(scenario, tmp_path / "jobs") as runner:
        assert runner.review().code == 3


def test_a_reporter_on_gitlab_publishes_and_does_not_get_the_seat(tmp_path: Path) -> None:
    scenario = make_gitlab(tmp_path)
    scenario.project.members[scenario.person(BOT)] = Level.REPORTER

    with open_on_gitlab(scenario, tmp_path / "jobs") as runner:
        runner.review()
        ran = runner.command("maintainer", "/approve-findings 1")

        assert ran.ended == (0, "submitted")
        assert "could not be made a reviewer" in runner.checkpoint.body
