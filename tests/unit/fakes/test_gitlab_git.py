"""The simulated GitLab serves its projects to a real git."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from tests.fakes.gitlab.git_http import handle
from tests.fakes.gitlab.scenario import BOT, FULL_PATH, Scenario, push
from tests.fakes.gitlab.stage import Stage
from tests.git_builder import Repo

OpenGitlab = Callable[..., Stage]
REFS = f"/{FULL_PATH}.git/info/refs"


def _basic(token: str, user: str = "oauth2") -> str:
    return f"Basic {base64.b64encode(f'{user}:{token}'.encode()).decode()}"


def _ask(scenario: Scenario, authorization: str | None = None, path: str = REFS) -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    query = {"service": "git-upload-pack"}
    return handle(scenario.world, "GET", path, query=query, headers=headers, body=b"")[0]


def test_a_clone_has_branches_and_merge_requests(stage: Stage, tmp_path: Path) -> None:
    clone, url = Repo.create(tmp_path / "clone"), f"{stage.simulator.git_url}/{FULL_PATH}.git"

    clone.git("fetch", "--quiet", url, "refs/heads/*:refs/remotes/origin/*", "refs/merge-requests/1/head:refs/mr")

    head = stage.scenario.merge_request.version.head
    assert (clone.sha("origin/invitations"), clone.sha("refs/mr")) == (head, head)


def test_a_commit_that_was_pushed_away_can_be_fetched_by_its_id(stage: Stage, tmp_path: Path) -> None:
    before = stage.scenario.merge_request.version.head
    main = stage.world.target_sha(stage.scenario.merge_request)
    push(stage.world, stage.scenario.merge_request, {"notes.txt": "anew\n"}, onto=main)
    clone = Repo.create(tmp_path / "clone")

    clone.git("fetch", "--quiet", "--depth=1", f"{stage.simulator.git_url}/{FULL_PATH}.git", before)

    assert stage.scenario.merge_request.version.head != before
    assert clone.sha("FETCH_HEAD") == before


def test_a_private_project_is_cloned_with_a_token_under_a_path_over_tls(
    open_gitlab: OpenGitlab, tmp_path: Path
) -> None:
    stage = open_gitlab(visibility="private", relative_root="/gitlab", tls=True)
    clone = Repo.create(tmp_path / "clone")
    header = f"http.extraHeader=Authorization: {_basic(stage.scenario.tokens[BOT])}"
    trusted = f"http.sslCAInfo={stage.simulator.ca_file}"

    clone.git("-c", header, "-c", trusted, "fetch", "--quiet", f"{stage.simulator.git_url}/{FULL_PATH}.git", "main")

    assert clone.sha("FETCH_HEAD") == stage.world.target_sha(stage.scenario.merge_request)


def test_a_renamed_project_is_cloned_from_where_it_was(stage: Stage, tmp_path: Path) -> None:
    stage.world.rename(stage.scenario.project, "spaces")
    clone = Repo.create(tmp_path / "clone")

    clone.git("fetch", "--quiet", f"{stage.simulator.git_url}/{FULL_PATH}.git", "main")

    assert stage.simulator.log[0].status == 301
    assert clone.sha("FETCH_HEAD") == stage.world.target_sha(stage.scenario.merge_request)


@pytest.mark.parametrize(
    ("name", "user", "status"),
    [
        pytest.param(BOT, "anybody", 200, id="a bot under any name"),
        pytest.param("reporter", "reporter", 200, id="a person"),
        pytest.param("job", "gitlab-ci-token", 200, id="a job"),
        pytest.param("guest", "guest", 404, id="a guest"),
        pytest.param("outsider", "outsider", 404, id="a stranger"),
    ],
)
def test_a_private_project_is_there_for_those_who_may_read(stage: Stage, name: str, user: str, status: int) -> None:
    stage.scenario.project.visibility = "private"

    assert _ask(stage.scenario, _basic(stage.scenario.tokens[name], user)) == status


@pytest.mark.parametrize(
    ("visibility", "authorization", "status"),
    [
        pytest.param("public", None, 200, id="public"),
        pytest.param("private", None, 401, id="private"),
        pytest.param("public", _basic("glpat-unknown"), 401, id="public, unknown token"),
        pytest.param("public", "Basic ?", 401, id="not base64"),
    ],
)
def test_a_token_is_asked_for_where_it_is_needed(
    stage: Stage, visibility: str, authorization: str | None, status: int
) -> None:
    stage.scenario.project.visibility = visibility

    assert _ask(stage.scenario, authorization) == status


@pytest.mark.parametrize(("scope", "status"), [("read_repository", 200), ("read_api", 401)])
def test_a_token_needs_a_scope_that_reads_repositories(stage: Stage, scope: str, status: int) -> None:
    stage.world.add_token("glpat-narrow", stage.scenario.person("developer"), scope)
    stage.scenario.project.visibility = "private"

    assert _ask(stage.scenario, _basic("glpat-narrow")) == status


def test_nobody_learns_which_projects_there_are(stage: Stage) -> None:
    stage.scenario.project.visibility = "private"

    assert _ask(stage.scenario, path="/acme/none.git/info/refs") == _ask(stage.scenario)


def test_a_push_is_refused(stage: Stage, tmp_path: Path) -> None:
    clone = Repo.create(tmp_path / "clone")
    clone.commit({"a.txt": "a\n"})

    done = subprocess.run(
        ["git", "push", "--quiet", f"{stage.simulator.git_url}/{FULL_PATH}.git", "HEAD:main"],
        cwd=clone.path,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "403" in done.stderr


def test_a_file_in_a_folder_like_the_service_is_no_git(stage: Stage) -> None:
    answer = requests.get(f"{stage.simulator.api_url}/projects/1/info/refs", timeout=10)

    assert answer.status_code == 404
    stage.simulator.violations.clear()
