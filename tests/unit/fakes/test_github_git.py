"""The simulated GitHub serves its repositories to a real git."""

import base64
import os
import subprocess
from pathlib import Path

import pytest

from tests.fakes.github.git_http import handle
from tests.fakes.github.scenario import ACTIONS, Scenario, push
from tests.fakes.github.server import Simulator
from tests.git_builder import Repo

REFS = "/acme/rooms.git/info/refs"


def _basic(token: str, user: str = "x-access-token") -> str:
    return f"Basic {base64.b64encode(f'{user}:{token}'.encode()).decode()}"


def _ask(
    scenario: Scenario, authorization: str | None = None, path: str = REFS, service: str = "git-upload-pack"
) -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    status, _, _ = handle(scenario.world, "GET", path, query={"service": service}, headers=headers, body=b"")
    return status


def test_a_clone_has_the_head_of_each_branch(scenario: Scenario, simulator: Simulator, tmp_path: Path) -> None:
    clone = Repo.create(tmp_path / "clone")

    clone.git("fetch", "--quiet", f"{simulator.git_url}/acme/rooms.git", "refs/heads/*:refs/remotes/origin/*")

    assert clone.sha("origin/invitations") == scenario.pull.head_sha


def test_a_pull_request_has_a_ref(scenario: Scenario, simulator: Simulator, tmp_path: Path) -> None:
    clone = Repo.create(tmp_path / "clone")

    clone.git("fetch", "--quiet", f"{simulator.git_url}/acme/rooms.git", "refs/pull/1/head")

    assert clone.sha("FETCH_HEAD") == scenario.pull.head_sha


def test_a_commit_that_was_pushed_away_can_be_fetched_by_its_id(
    scenario: Scenario, simulator: Simulator, tmp_path: Path
) -> None:
    before = scenario.pull.head_sha
    push(scenario.world, scenario.pull, {"notes.txt": "anew\n"}, onto=scenario.world.base_sha(scenario.pull))
    clone = Repo.create(tmp_path / "clone")

    clone.git("fetch", "--quiet", "--depth=1", f"{simulator.git_url}/acme/rooms.git", before)

    assert scenario.pull.head_sha != before
    assert clone.sha("FETCH_HEAD") == before


def test_a_blobless_clone_fetches_the_blobs_that_it_needs(
    scenario: Scenario, simulator: Simulator, tmp_path: Path
) -> None:
    clone = Repo.create(tmp_path / "clone")
    clone.git("remote", "add", "origin", f"{simulator.git_url}/acme/rooms.git")

    clone.git("fetch", "--quiet", "--filter=blob:none", "origin", scenario.pull.head_sha)

    missing = clone.git("rev-list", "--objects", "--missing=print", "FETCH_HEAD").decode().count("?")
    assert missing > 0
    assert b"send_welcome" in clone.git("show", "FETCH_HEAD:rooms/mail.py")


def test_a_private_repository_is_cloned_with_a_token(scenario: Scenario, simulator: Simulator, tmp_path: Path) -> None:
    scenario.repository.private = True
    clone = Repo.create(tmp_path / "clone")
    header = f"http.extraHeader=Authorization: {_basic(scenario.tokens[ACTIONS])}"

    clone.git("-c", header, "fetch", "--quiet", f"{simulator.git_url}/acme/rooms.git", "main")

    assert clone.sha("FETCH_HEAD") == scenario.world.base_sha(scenario.pull)


@pytest.mark.parametrize(
    ("login", "user", "status"),
    [
        pytest.param(ACTIONS, "x-access-token", 200, id="an app"),
        pytest.param("reader", "anybody", 200, id="a person under any name"),
        pytest.param("outsider", "outsider", 404, id="a stranger"),
    ],
)
def test_a_private_repository_is_there_for_those_who_may_read(
    scenario: Scenario, login: str, user: str, status: int
) -> None:
    scenario.repository.private = True

    assert _ask(scenario, _basic(scenario.tokens[login], user)) == status


@pytest.mark.parametrize(
    ("private", "authorization", "status"),
    [
        pytest.param(False, None, 200, id="public"),
        pytest.param(True, None, 401, id="private"),
        pytest.param(False, _basic("ghs_unknown"), 401, id="public, unknown token"),
        pytest.param(False, "Basic ?", 401, id="not base64"),
    ],
)
def test_a_token_is_asked_for_where_it_is_needed(
    scenario: Scenario, *, private: bool, authorization: str | None, status: int
) -> None:
    scenario.repository.private = private

    assert _ask(scenario, authorization) == status


def test_an_app_without_contents_may_not_fetch(scenario: Scenario) -> None:
    scenario.world.add_token("ghs_narrow", scenario.person(ACTIONS), {"issues": "write"})
    scenario.repository.private = True

    assert _ask(scenario, _basic("ghs_narrow")) == 404


def test_nobody_learns_which_repositories_there_are(scenario: Scenario) -> None:
    scenario.repository.private = True

    assert _ask(scenario, path="/acme/none.git/info/refs") == _ask(scenario)


def test_a_push_is_refused(simulator: Simulator, tmp_path: Path) -> None:
    clone = Repo.create(tmp_path / "clone")
    clone.commit({"a.txt": "a\n"})

    done = subprocess.run(
        ["git", "push", "--quiet", f"{simulator.git_url}/acme/rooms.git", "HEAD:main"],
        cwd=clone.path,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "403" in done.stderr
