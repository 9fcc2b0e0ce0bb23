"""From a push to a published review: the template's jobs, the program itself, and the simulated GitLab.

`gitlab-ci-local` plays the runner, so a job has the variables that the template gives it, and those of the pipeline
that a test gives. `.ci/test-gitlab-ci` runs this; it is not part of the ordinary tests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forges import BOT, GitLab, run_gitlab
from tests.gitlab_ci.local_ci import Project, Ran, make_project
from tests.unit.cli.ci.gitlab_payloads import Json, change, note, user
from tests.unit.cli.ci.gitlab_runner import read_dotenv


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    with run_gitlab() as running:
        yield running


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
