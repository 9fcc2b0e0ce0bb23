"""Where GitHub is, what the token may, and what the objects are read from; and how many requests it takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.github.scenario import ACTIONS, make_scenario
from tests.fakes.github_run import Runner, open_runner
from tests.flawed_change import BASE, BRANCH, CHANGE
from tests.git_builder import Repo


def spell(url: str) -> str:
    """The same place by its other name."""
    return url.replace("127.0.0.1", "localhost")


# --- Addresses -------------------------------------------------------------------------------------------------------


def test_an_enterprise_server_has_its_prefix(runner: Runner) -> None:
    web = runner.simulator.web
    runner.variables |= {"GITHUB_API_URL": f"{web}/api/v3", "GITHUB_GRAPHQL_URL": f"{web}/api/graphql"}

    reviewed = runner.by_process.review()
    ran = runner.by_process.command("maintainer", "/approve-findings 1")

    assert reviewed.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")


def test_the_graphql_address_may_be_left_out(runner: Runner) -> None:
    runner.variables |= {"GITHUB_API_URL": runner.simulator.enterprise_url, "GITHUB_GRAPHQL_URL": ""}

    assert runner.review().ended == (0, "awaiting-approval")


@pytest.mark.parametrize("other", ["GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_SERVER_URL"])
def test_localhost_and_its_number_are_one_host(other: str, runner: Runner) -> None:
    addresses = {
        "GITHUB_API_URL": runner.simulator.url,
        "GITHUB_GRAPHQL_URL": runner.simulator.graphql_url,
        "GITHUB_SERVER_URL": runner.simulator.git_url,
    }
    runner.variables[other] = spell(addresses[other])

    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.command("maintainer", "/approve-findings").ended == (0, "submitted")


# --- Objects ---------------------------------------------------------------------------------------------------------


def test_without_git_the_api_gives_the_changed_files(runner: Runner) -> None:
    runner.push({"rooms/report.py": BASE["rooms/plans.py"]})
    runner.simulator.faults.add("503", match=r"/acme/rooms\.git/", times=None)

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert ran.outputs["findings"] == "1"
    assert "no clone" in runner.checkpoint.body
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


@pytest.mark.parametrize("depth", [(), ("--depth=1",)], ids=["whole", "shallow"])
def test_a_clone_in_the_workspace_is_used(depth: tuple[str, ...], runner: Runner, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    runner.scenario.repository.git.clone(workspace, *depth, "--branch", BRANCH)
    runner.variables["GITHUB_WORKSPACE"] = str(workspace)
    before = {path: path.stat().st_mtime_ns for path in workspace.rglob("*") if ".git" not in path.parts}

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None
    assert len(runner.draft.lines) == 3
    assert {path: path.stat().st_mtime_ns for path in workspace.rglob("*") if ".git" not in path.parts} == before


def test_a_workspace_of_another_repository_is_not_believed(runner: Runner, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other")
    other.commit({"a.py": "a = 1\n"})
    runner.variables["GITHUB_WORKSPACE"] = str(other.path)

    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.draft is not None


def test_a_path_that_is_no_text_is_written_so_that_it_is(tmp_path: Path) -> None:
    source = Repo.create(tmp_path / "source")
    source.commit({**BASE, "rooms/caf\udce9.py": BASE["rooms/plans.py"], "rooms/plans.py": None}, "Book rooms")
    source.branch(BRANCH)
    source.commit(CHANGE, "Invite people")

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        runner.review()
        ran = runner.command("maintainer", "/approve-findings")
        sent = [entry.body for entry in runner.simulator.log]

    assert ran.ended == (0, "submitted")
    assert "caf" in runner.reviews[0].comments[0][2]
    assert json.dumps(sent, ensure_ascii=False).encode("utf-8")


def test_a_changed_path_that_no_forge_can_show_is_named(runner: Runner) -> None:
    runner.push({"rooms/caf\udce9.py": "plan = 1\n"})

    ran = runner.review()

    assert ran.code == 5
    assert r"caf\xe9.py" in ran.log


# --- Forks and tokens ------------------------------------------------------------------------------------------------


def restrict(runner: Runner) -> None:
    runner.account = ACTIONS
    token, account = runner.scenario.tokens[ACTIONS], runner.scenario.person(ACTIONS)
    runner.scenario.world.add_token(token, account, {"contents": "read", "pull_requests": "read", "issues": "read"})


def test_a_fork_is_reviewed_with_a_token_that_may_write(runner: Runner) -> None:
    runner.fork()

    assert runner.review(event="pull_request_target").ended == (0, "awaiting-approval")
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_what_dependabot_pushes_is_read_only_too(runner: Runner) -> None:
    restrict(runner)
    runner.variables["GITHUB_ACTOR"] = "dependabot[bot]"

    ran = runner.review()

    assert ran.ended == (0, "read-only")
    assert ran.writes == []


def test_a_token_that_should_write_and_cannot_is_an_error(runner: Runner) -> None:
    restrict(runner)

    ran = runner.by_process.review()

    assert ran.code == 3
    assert [name for name, _ in ran.annotations] == ["error"]
    assert "pull-requests: write" in ran.log or "issues: write" in ran.log
    assert "Traceback" not in ran.log


def test_a_token_that_nobody_knows_is_an_error(runner: Runner) -> None:
    runner.variables["INPUT_GITHUB-TOKEN"] = "ghs_of_nobody_at_all"

    ran = runner.by_process.review()

    assert ran.code == 3
    assert "ghs_of_nobody_at_all" not in ran.log + ran.summary
    assert "Traceback" not in ran.log


def test_a_server_that_does_not_answer_leaves_what_is_there(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("502", times=None)

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 4
    assert reviewed.reviews == []


# --- Requests --------------------------------------------------------------------------------------------------------


def test_a_review_takes_ten_requests_and_an_approval_fourteen(tmp_path: Path) -> None:
    """Of a hundred files and twenty-five findings."""
    source = Repo.create(tmp_path / "source")
    source.commit({**BASE, **_modules("team")}, "Book rooms in teams")
    source.branch(BRANCH)
    source.commit({**CHANGE, **_modules("team, role")}, "Change them all")

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        ran = runner.review()
        approved = runner.command("maintainer", "/approve-findings 1,3-5")

    assert ran.ended == (0, "awaiting-approval")
    assert int(ran.outputs["findings"]) == 25
    assert len(ran.requests) <= 10
    assert approved.ended == (0, "submitted")
    assert len(approved.writes) <= 8
    assert len(approved.requests) - len(approved.writes) <= 6


def _modules(parameters: str) -> dict[str, str]:
    """Functions whose callers stay as they are: 22 that are called, 75 that are not."""
    functions = {f"mail/m{number}.py": f"def notify_{number}({parameters}):\n    return team\n" for number in range(97)}
    calls = {
        f"jobs/j{n}.py": f"from mail import m{n}\n\n\ndef run(team):\n    m{n}.notify_{n}(team)\n" for n in range(22)
    }
    return {**functions, **calls}
