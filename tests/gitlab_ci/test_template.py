"""Which jobs of the template run in which pipeline, and with what.

`.ci/test-gitlab-ci` runs this with gitlab-ci-local; it is not part of the ordinary tests. A program in place of
`draftgate` says what it was given.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gitlab_ci.local_ci import Project, Ran, make_project

MERGE_REQUEST = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7"}
TRAIN = {**MERGE_REQUEST, "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train"}
TRIGGER = {"CI_PIPELINE_SOURCE": "trigger", "CI_COMMIT_BRANCH": "main"}
WEBHOOK = {**TRIGGER, "TRIGGER_PAYLOAD": "{}"}
SCHEDULE = {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BRANCH": "main"}

REVIEW, COMMANDS, HOOK, SWEEP = (f"draftgate:{name}" for name in ("review", "commands", "webhook", "sweep"))
SAYS_WHAT_IT_WAS_GIVEN = """#!/bin/sh
printf '%s\\n' "$*" >given-arguments
env >given-environment
test ! -f "$TRIGGER_PAYLOAD" || cp "$TRIGGER_PAYLOAD" given-payload
mkdir -p draftgate
echo DRAFTGATE_PHASE=skipped >draftgate/draftgate.env
exit "${STUB_EXIT:-0}"
"""


@pytest.mark.parametrize(
    ("inputs", "variables", "jobs"),
    [
        pytest.param({}, MERGE_REQUEST, {REVIEW: "on_success", COMMANDS: "manual"}, id="merge request"),
        pytest.param({}, TRAIN, {}, id="merge train"),
        pytest.param({}, WEBHOOK, {HOOK: "on_success"}, id="webhook"),
        pytest.param({}, SCHEDULE, {SWEEP: "on_success"}, id="schedule"),
        pytest.param({}, {**WEBHOOK, "CI_COMMIT_BRANCH": "feature"}, {}, id="webhook for another branch"),
        pytest.param({}, TRIGGER, {}, id="trigger without a payload"),
        pytest.param({}, {**SCHEDULE, "CI_COMMIT_BRANCH": "feature"}, {}, id="schedule of another branch"),
        pytest.param({}, {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main"}, {}, id="push"),
        pytest.param({}, {"CI_PIPELINE_SOURCE": "web", "CI_COMMIT_BRANCH": "main"}, {}, id="by hand"),
        pytest.param({"route": "webhook"}, MERGE_REQUEST, {}, id="route webhook, merge request"),
        pytest.param({"route": "webhook"}, WEBHOOK, {HOOK: "on_success"}, id="route webhook, webhook"),
        pytest.param({"mode": "review"}, MERGE_REQUEST, {REVIEW: "on_success"}, id="reviews only, merge request"),
        pytest.param({"mode": "review"}, WEBHOOK, {}, id="reviews only, webhook"),
        pytest.param({"mode": "review"}, SCHEDULE, {}, id="reviews only, schedule"),
        pytest.param({"mode": "commands"}, MERGE_REQUEST, {COMMANDS: "manual"}, id="commands only, merge request"),
        pytest.param({"manual-job": False}, MERGE_REQUEST, {REVIEW: "on_success"}, id="no manual job"),
        pytest.param({"sweep": False}, SCHEDULE, {}, id="no sweep"),
    ],
)
def test_each_pipeline_has_the_jobs_that_it_is_for(
    inputs: dict[str, object], variables: dict[str, str], jobs: dict[str, str], tmp_path: Path
) -> None:
    assert make_project(tmp_path, **inputs).jobs(**variables) == jobs


def test_the_jobs_have_the_names_and_the_settings_that_are_wanted(tmp_path: Path) -> None:
    own = "stages: [build, look]\n.bot: {tags: [docker]}\n"
    project = make_project(
        tmp_path, own, **{"job-prefix": "bot", "stage": "look", "fail-on": "blocker", "language": "de"}
    )

    job = project.expanded()["bot:review"]

    assert (job["stage"], job["tags"], job["needs"]) == ("look", ["docker"], [])
    assert job["variables"]["DRAFTGATE_FAIL_ON"] == "blocker"
    assert job["variables"]["DRAFTGATE_LANGUAGE"] == "de"


@pytest.mark.parametrize(("name", "value"), [("route", "push"), ("fail-on", "some"), ("sweep", "maybe")])
def test_an_input_that_cannot_be_meant_is_refused(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=name):
        make_project(tmp_path, **{name: value}).jobs()


# --- What a job is given -------------------------------------------------------------------------------------------


def run(project: Project, job: str, files: dict[str, str] | None = None, **variables: str) -> Ran:
    programs = project.folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "draftgate").write_text(SAYS_WHAT_IT_WAS_GIVEN, encoding="utf-8")
    (programs / "draftgate").chmod(0o755)
    return project.run(job, files or {}, programs, **variables)


def given(ran: Ran) -> dict[str, str]:
    lines = (ran.folder / "given-environment").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("inputs", "job", "variables", "mode"),
    [
        ({}, REVIEW, MERGE_REQUEST, "review"),
        ({}, COMMANDS, MERGE_REQUEST, "commands"),
        ({}, HOOK, WEBHOOK, "commands"),
        ({"route": "webhook"}, HOOK, WEBHOOK, "auto"),
        ({"route": "webhook", "mode": "review"}, HOOK, WEBHOOK, "review"),
        ({}, SWEEP, SCHEDULE, "commands"),
    ],
)
def test_a_job_does_what_no_other_job_does_too(
    inputs: dict[str, object], job: str, variables: dict[str, str], mode: str, folder: Path
) -> None:
    ran = run(make_project(folder, **inputs), job, **variables)

    assert ran.code == 0, ran.log
    assert given(ran)["DRAFTGATE_MODE"] == mode
    assert (ran.folder / "given-arguments").read_text(encoding="utf-8") == "run\n"


def test_the_payload_of_a_webhook_is_a_file(folder: Path) -> None:
    payload = json.dumps({"object_kind": "note", "object_attributes": {"note": "/approve-findings 1"}})

    ran = run(make_project(folder), HOOK, {"TRIGGER_PAYLOAD": payload}, **TRIGGER)

    assert ran.code == 0, ran.log
    assert json.loads((ran.folder / "given-payload").read_text(encoding="utf-8")) == json.loads(payload)


def test_nothing_of_the_project_runs_in_a_job(folder: Path) -> None:
    own = """
default: {before_script: [touch by-default], after_script: [touch afterwards], image: somebody-elses}
"""
    ran = run(make_project(folder, own), REVIEW, **MERGE_REQUEST)

    assert ran.code == 0, ran.log
    assert not [name for name in ("by-default", "afterwards") if (ran.folder / name).exists()]


@pytest.mark.parametrize(("code", "fails"), [(1, True), (2, False), (3, False), (6, False), (70, False)])
def test_only_findings_fail_the_pipeline(code: int, *, fails: bool, folder: Path) -> None:
    ran = run(make_project(folder), REVIEW, **MERGE_REQUEST, STUB_EXIT=str(code))

    assert (" FAIL " in ran.log, " WARN " in ran.log) == (fails, not fails), ran.log
