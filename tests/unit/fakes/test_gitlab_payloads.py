"""The simulated GitLab makes the bodies of webhooks, and starts pipelines that get them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from tests.fakes.gitlab.exchange import encoded
from tests.fakes.gitlab.payloads import label_change, merge_request_hook, note_hook
from tests.fakes.gitlab.scenario import FULL_PATH, TRIGGER_TOKEN, push
from tests.fakes.gitlab.stage import Stage

OpenGitlab = Callable[..., Stage]


def test_a_note_hook_says_who_wrote_what_where(stage: Stage) -> None:
    made = stage.merge_request("developer").notes.create({"body": "/approve-findings 1"})
    note = stage.world.note(stage.scenario.merge_request, made.id)
    assert note is not None

    hook = note_hook(stage.world, note, web=stage.simulator.url)

    about = hook["object_attributes"]
    assert (hook["object_kind"], hook["user"]["username"]) == ("note", "developer")
    assert (about["id"], about["note"], about["noteable_type"]) == (made.id, "/approve-findings 1", "MergeRequest")
    assert (about["action"], about["system"], about["created_at"][-4:]) == ("create", False, " UTC")
    assert about["url"] == f"{stage.simulator.url}/{FULL_PATH}/-/merge_requests/1#note_{made.id}"
    assert hook["merge_request"]["iid"] == 1
    assert hook["merge_request"]["last_commit"]["id"] == stage.scenario.merge_request.version.head
    assert hook["project"]["path_with_namespace"] == FULL_PATH
    assert hook["project_id"] == stage.scenario.project.id


def test_an_older_note_hook_does_not_say_what_was_done(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(version="16.4.0")
    made = stage.merge_request().notes.create({"body": "x"})
    note = stage.world.note(stage.scenario.merge_request, made.id)
    assert note is not None

    assert "action" not in note_hook(stage.world, note)["object_attributes"]


def test_a_note_hook_of_an_issue_has_no_merge_request(stage: Stage) -> None:
    issue = stage.world.open_issue(stage.scenario.project, stage.scenario.person("author"), "Teams")
    made = stage.merge_request().notes.create({"body": "x"})
    note = stage.world.note(stage.scenario.merge_request, made.id)
    assert note is not None

    hook = note_hook(stage.world, note, noteable=issue)

    assert (hook["object_attributes"]["noteable_type"], hook["issue"]["iid"]) == ("Issue", 1)
    assert "merge_request" not in hook


def test_a_merge_request_hook_tells_a_push_and_a_label(stage: Stage) -> None:
    world, scenario = stage.world, stage.scenario
    before = scenario.merge_request.version.head
    push(world, scenario.merge_request, {"more.txt": "more\n"})
    world.add_label(scenario.project, "review")
    scenario.merge_request.labels.append("review")
    changes = label_change(scenario.project, [], ["review"])

    pushed = merge_request_hook(
        world, scenario.merge_request, scenario.person("author"), action="update", oldrev=before
    )
    labelled = merge_request_hook(
        world, scenario.merge_request, scenario.person("author"), action="update", changes=changes
    )

    assert (pushed["object_attributes"]["action"], pushed["object_attributes"]["oldrev"]) == ("update", before)
    assert "oldrev" not in labelled["object_attributes"]
    assert [label["title"] for label in labelled["changes"]["labels"]["current"]] == ["review"]
    assert labelled["changes"]["labels"]["previous"] == []
    assert labelled["object_attributes"]["target_project_id"] == scenario.project.id


def test_a_webhook_starts_a_pipeline_that_gets_its_body(stage: Stage) -> None:
    made = stage.merge_request("outsider").notes.create({"body": "hello"})
    note = stage.world.note(stage.scenario.merge_request, made.id)
    assert note is not None
    hook = note_hook(stage.world, note)
    url = f"{stage.simulator.api_url}/projects/{encoded(FULL_PATH)}/ref/main/trigger/pipeline"

    answer = requests.post(url, params={"token": TRIGGER_TOKEN}, json=hook, timeout=10)

    (triggered,) = stage.world.triggered
    assert (answer.status_code, answer.json()["source"], triggered.ref) == (201, "trigger", "main")
    assert triggered.owner.username == "maintainer"
    assert triggered.payload == hook


def test_a_trigger_carries_variables_and_needs_its_token(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(visibility="private")
    project = stage.project()

    project.trigger_pipeline("main", TRIGGER_TOKEN, variables={"DRAFTGATE_MR": "1"})

    assert stage.world.triggered[0].variables == {"DRAFTGATE_MR": "1"}
    path = f"/projects/{stage.scenario.project.id}/trigger/pipeline"
    assert stage.ask("POST", path, None, json={"ref": "main", "token": "wrong"}).status_code == 404
    assert stage.ask("POST", path, None, json={"ref": "none", "token": TRIGGER_TOKEN}).status_code == 400


@pytest.mark.parametrize("name", ["guest", "maintainer"])
def test_a_hook_names_its_writer_whoever_holds_the_trigger(stage: Stage, name: str) -> None:
    made = stage.merge_request(name).notes.create({"body": "x"})
    note = stage.world.note(stage.scenario.merge_request, made.id)
    assert note is not None

    assert note_hook(stage.world, note)["user"]["id"] == stage.scenario.person(name).id
