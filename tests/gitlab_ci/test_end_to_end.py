"""From a push to a published review: the template's jobs, the program itself, and the simulated GitLab.

`gitlab-ci-local` plays the runner, so a job has the variables that the template gives it, and those of the pipeline
that a test gives. `.ci/test-gitlab-ci` runs this; it is not part of the ordinary tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.gitlab_ci.local_ci import ROOT, Project, Ran, make_project
from tests.unit.cli.ci.gitlab_payloads import Json, change, note, user
from tests.unit.cli.ci.gitlab_runner import read_dotenv

BOT = "bot"


@dataclass(frozen=True, slots=True)
class GitLab:
    """The simulator in its own process, as its first line describes it."""

    url: str
    api_url: str
    graphql_url: str
    project: str
    project_id: int
    iid: int
    head: str
    tokens: dict[str, str]

    def call(self, path: str, data: Json | None = None, *, by: str = "maintainer") -> Any:  # noqa: ANN401 - any JSON
        """Read, or post ``data``, below the merge request."""
        address = f"{self.api_url}/projects/{self.project_id}/merge_requests/{self.iid}{path}"
        headers = {"PRIVATE-TOKEN": self.tokens[by], "Content-Type": "application/json"}
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(address, body, headers)  # noqa: S310 - a server on this machine
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - the same
            return json.load(answer)

    def notes(self, by: str = "maintainer") -> list[Any]:
        """The comments that people see, without those that GitLab writes itself."""
        return [each for each in self.call("/notes?per_page=100", by=by) if not each["system"]]

    @property
    def variables(self) -> dict[str, str]:
        """Of every pipeline of the project."""
        return {
            "CI_API_GRAPHQL_URL": self.graphql_url,
            "CI_API_V4_URL": self.api_url,
            "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_URL": f"{self.url}/{self.project}/-/jobs/99",
            "CI_PROJECT_ID": str(self.project_id),
            "CI_PROJECT_PATH": self.project,
            "CI_SERVER_URL": self.url,
            "DRAFTGATE_GITLAB_TOKEN": self.tokens[BOT],
            "GITLAB_CI": "true",
            "GITLAB_USER_LOGIN": "author",
        }

    @property
    def of_merge_request(self) -> dict[str, str]:
        """Of a pipeline of the merge request."""
        return self.variables | {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_COMMIT_SHA": self.head,
            "CI_MERGE_REQUEST_IID": str(self.iid),
            "CI_MERGE_REQUEST_PROJECT_ID": str(self.project_id),
            "CI_MERGE_REQUEST_PROJECT_PATH": self.project,
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(self.project_id),
        }

    @property
    def of_trigger(self) -> dict[str, str]:
        """Of a pipeline that a webhook started."""
        return self.variables | {"CI_PIPELINE_SOURCE": "trigger", "CI_COMMIT_BRANCH": "main"}


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    command = [sys.executable, "-m", "tests.fakes.gitlab.run", "--real-time"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        described = json.loads(server.stdout.readline())
        yield GitLab(**{name: described[name] for name in GitLab.__dataclass_fields__})
        server.stdin.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def run(project: Project, job: str, payload: Json | None, variables: dict[str, str]) -> tuple[dict[str, str], str]:
    """Run a job of the template with the program of this work tree; returns its outputs and its log."""
    programs = project.folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "draftgate").write_text(f'#!/bin/sh\nexec {sys.executable} -m draftgate "$@"\n', encoding="utf-8")
    (programs / "draftgate").chmod(0o755)
    files = {} if payload is None else {"TRIGGER_PAYLOAD": json.dumps(payload)}
    ran: Ran = project.run(job, files, programs, **variables)
    assert " PASS " in ran.log, ran.log
    return read_dotenv((ran.folder / "draftgate" / "draftgate.env").read_bytes()), ran.log


@pytest.mark.parametrize("route", ["merge-request", "webhook"])
def test_a_review_waits_and_is_published_by_a_comment(route: str, folder: Path, gitlab: GitLab) -> None:
    """One test, because the second half needs what the first has made."""
    project = make_project(folder, route=route)
    by_hook = route == "webhook"
    here: Json = {"project": {"id": gitlab.project_id}}
    if by_hook:
        opened = change("open", iid=gitlab.iid, last_commit={"id": gitlab.head}) | here
        outputs, log = run(project, "draftgate:webhook", opened, gitlab.of_trigger)
    else:
        outputs, log = run(project, "draftgate:review", None, gitlab.of_merge_request)

    assert (outputs["DRAFTGATE_PHASE"], outputs["DRAFTGATE_BLOCKERS"]) == ("awaiting-approval", "1")
    assert (outputs["DRAFTGATE_FINDINGS"], outputs["DRAFTGATE_HEAD_SHA"]) == ("3", gitlab.head)
    [checkpoint] = gitlab.notes()
    assert outputs["DRAFTGATE_CHECKPOINT_URL"].endswith(f"#note_{checkpoint['id']}")
    assert gitlab.call("/draft_notes") == []
    assert gitlab.call("/draft_notes", by=BOT)
    assert gitlab.tokens[BOT] not in log

    given = gitlab.call("/notes", {"body": "/approve-findings 1,2 --as comment"})
    if by_hook:
        payload = note(given["body"], id=given["id"]) | here
        payload |= {"user": user("maintainer"), "merge_request": {"iid": gitlab.iid}}
        outputs, log = run(project, "draftgate:webhook", payload, gitlab.of_trigger)
    else:
        outputs, log = run(project, "draftgate:commands", None, gitlab.of_merge_request)

    assert (outputs["DRAFTGATE_PHASE"], outputs["DRAFTGATE_FINDINGS"]) == ("submitted", "2")
    threads = [each for each in gitlab.notes() if each["resolvable"]]
    assert len(threads) == 2
    assert {each["author"]["id"] for each in threads} == {checkpoint["author"]["id"]}
    assert gitlab.call("/draft_notes", by=BOT) == []
    emoji = gitlab.call(f"/notes/{given['id']}/award_emoji")
    assert {each["name"] for each in emoji} == {"eyes", "rocket"}
    assert gitlab.tokens[BOT] not in log


def test_the_pipeline_of_a_fork_shows_what_it_found_and_writes_nothing(folder: Path, gitlab: GitLab) -> None:
    in_fork = {
        "CI_JOB_TOKEN": gitlab.tokens["job"],
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "4242",
        "CI_PROJECT_ID": "4242",
        "CI_PROJECT_PATH": "outsider/rooms",
        "DRAFTGATE_GITLAB_TOKEN": "",
    }

    outputs, log = run(make_project(folder), "draftgate:review", None, gitlab.of_merge_request | in_fork)

    assert (outputs["DRAFTGATE_PHASE"], outputs["DRAFTGATE_FINDINGS"]) == ("read-only", "3")
    assert "WARNING: Draftgate could not write" in log
    summary = folder / ".gitlab-ci-local" / "builds" / "draftgateOgreview" / "draftgate" / "summary.md"
    assert summary.read_text(encoding="utf-8").count("confidence") == 3
    assert gitlab.notes() == []
