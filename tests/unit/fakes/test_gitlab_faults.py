"""The simulated GitLab fails on demand, before or after a request took effect, and logs what it was asked."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import requests
from gitlab.exceptions import GitlabError

from tests.fakes.gitlab.scenario import BOT, FULL_PATH
from tests.fakes.gitlab.stage import Stage


@pytest.mark.parametrize(
    ("effect", "status"),
    [
        ("500", 500),
        ("500-empty", 500),
        ("502", 502),
        ("503", 503),
        ("504", 504),
        ("401", 401),
        ("403", 403),
        ("404", 404),
        ("409", 409),
        ("422", 422),
    ],
)
@pytest.mark.parametrize(("when", "stored"), [("before", 0), ("after", 1)])
def test_a_request_is_refused_before_it_takes_effect_or_after(
    stage: Stage, *, effect: str, status: int, when: str, stored: int
) -> None:
    stage.simulator.faults.add(effect, match="^POST /projects/.*/notes$", when=when)

    with pytest.raises(GitlabError) as refused:
        stage.merge_request().notes.create({"body": "one"})

    assert (refused.value.response_code, len(stage.scenario.merge_request.notes)) == (status, stored)
    assert stage.simulator.log.writes[-1].done == (201 if stored else None)
    stage.merge_request().notes.create({"body": "two"})


@pytest.mark.parametrize("effect", ["429", "429-notes", "429-bare"])
def test_a_client_waits_when_it_is_told_to(stage: Stage, effect: str) -> None:
    stage.simulator.faults.add(effect, writes_only=True)

    stage.merge_request().notes.create({"body": "one"})

    assert [entry.status for entry in stage.simulator.log] == [429, 201]


def test_an_hour_is_too_long_to_wait(stage: Stage) -> None:
    stage.simulator.faults.add("429-in-an-hour")

    answer = stage.ask("GET", "")

    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "3600")


@pytest.mark.parametrize(("when", "stored"), [("before", 0), ("after", 1)])
def test_an_answer_is_lost_with_its_connection(stage: Stage, when: str, stored: int) -> None:
    stage.simulator.faults.add("close", writes_only=True, when=when)

    with pytest.raises(requests.exceptions.ConnectionError):
        stage.merge_request().notes.create({"body": "one"})

    assert (len(stage.scenario.merge_request.notes), stage.simulator.log[-1].status) == (stored, 0)


def test_a_client_that_tries_again_may_write_twice(stage: Stage) -> None:
    stage.simulator.faults.add("502", match="POST .*/draft_notes$", when="after")
    project = stage.client(retry_transient_errors=True).projects.get(FULL_PATH, lazy=True)

    project.mergerequests.get(1, lazy=True).draft_notes.create({"note": "one"})

    assert [draft.note for draft in stage.scenario.merge_request.drafts] == ["one", "one"]


def test_a_fault_hits_the_write_that_it_is_set_for(stage: Stage) -> None:
    stage.simulator.faults.add("502", writes_only=True, skip=1, times=1)
    statuses = []

    for number in range(3):
        statuses.append(stage.ask("POST", "draft_notes", json={"note": f"{number}"}).status_code)
        stage.ask("GET", "draft_notes")

    assert statuses == [201, 502, 201]
    assert len(stage.simulator.log.reads) == 3


def test_a_fault_is_set_for_a_mutation(stage: Stage) -> None:
    stage.simulator.faults.add("500", match="mutation - mergeRequestRequestChanges")
    mutation = 'mutation { mergeRequestRequestChanges(input: {projectPath: "x", iid: "1"}) { errors } }'
    headers = {"PRIVATE-TOKEN": stage.scenario.tokens[BOT]}

    answers = [
        requests.post(stage.simulator.graphql_url, json={"query": query}, headers=headers, timeout=10)
        for query in ("{ currentUser { id } }", mutation)
    ]

    assert [answer.status_code for answer in answers] == [200, 500]
    assert [entry.is_write for entry in stage.simulator.log] == [False, True]


def test_a_held_request_lets_another_client_go_first(stage: Stage) -> None:
    stage.simulator.faults.add("hold", match="POST .*/notes", name="first")
    slow = threading.Thread(target=stage.merge_request().notes.create, args=({"body": "first"},))
    slow.start()
    assert stage.simulator.faults.wait_until_held("first")

    stage.merge_request("author").notes.create({"body": "second"})
    stage.simulator.faults.release("first")
    slow.join()

    assert [note.body for note in stage.scenario.merge_request.notes] == ["second", "first"]


def test_a_process_is_killed_right_after_its_write(stage: Stage) -> None:
    script = (
        "import json, sys, urllib.request as web; sys.stdin.readline();"
        "web.urlopen(web.Request(sys.argv[1], json.dumps({'body': 'last words'}).encode(),"
        " {'PRIVATE-TOKEN': sys.argv[2], 'Content-Type': 'application/json'})); print('alive')"
    )
    url = f"{stage.simulator.api_url}/projects/{stage.scenario.project.id}/merge_requests/1/notes"
    with subprocess.Popen(
        [sys.executable, "-c", script, url, stage.scenario.tokens[BOT]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        stage.simulator.faults.add("kill", writes_only=True, when="after", pid=process.pid)

        said, _ = process.communicate("go\n")

    assert (said, process.returncode) == ("", -9)
    assert [note.body for note in stage.scenario.merge_request.notes] == ["last words"]


def test_the_log_says_who_asked_what_and_what_came_of_it(stage: Stage) -> None:
    stage.merge_request().notes.create({"body": "one"})
    stage.ask("GET", "approvals", None)

    write, read = stage.simulator.log

    assert (write.login, write.status, write.is_write, write.body) == (
        stage.scenario.bot.username,
        201,
        True,
        {"body": "one"},
    )
    assert write.line == "POST /projects/acme%2Ftools%2Frooms/merge_requests/1/notes"
    assert (read.login, read.is_write) == (None, False)


def test_another_process_sets_faults_pushes_and_reads_the_log(stage: Stage) -> None:
    _control(stage, "POST", "faults", {"effect": "502", "match": "/notes"})
    pushed = _control(stage, "POST", "push", {"project": FULL_PATH, "iid": 1, "files": {"more.txt": "more\n"}})
    _control(stage, "POST", "switch", {"bad_draft": "fail"})

    refused = stage.ask("POST", "notes", json={"body": "one"}).status_code
    stage.ask("POST", "notes", json={"body": "@author\n/close"})

    assert (refused, pushed["sha"], stage.world.bad_draft) == (502, stage.scenario.merge_request.version.head, "fail")
    assert [entry["status"] for entry in _control(stage, "GET", "log")] == [502, 201]
    bot = stage.scenario.bot.username
    assert _control(stage, "GET", "leaks") == {
        "executed": [[bot, "close", "", True]],
        "mentioned": [[bot, "@author"]],
        "referenced": [],
    }
    assert requests.get(f"{stage.simulator.origin}/_control/none", timeout=10).status_code == 404


@pytest.mark.parametrize("scenario", ["flawed", "demo"])
def test_the_simulator_runs_as_a_process_of_its_own(tmp_path: Path, scenario: str) -> None:
    command = [sys.executable, "-m", "tests.fakes.gitlab.run", "--scenario", scenario, "--root", str(tmp_path)]
    options = [
        "--gitlab-version",
        "19.2.0",
        "--tier",
        "premium",
        "--relative-root",
        "/gitlab",
        "--visibility",
        "private",
    ]
    with subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        request = urllib.request.Request(  # noqa: S310, an address that this test was just told
            f"{told['api_url']}/projects/{told['project_id']}/merge_requests/{told['iid']}",
            headers={"PRIVATE-TOKEN": told["tokens"][BOT]},
        )

        with urllib.request.urlopen(request) as answer:  # noqa: S310, the same
            merge_request = json.load(answer)

        process.communicate("")

    assert (merge_request["sha"], process.returncode) == (told["head"], 0)
    assert told["users"]["maintainer"] > 0


def _control(stage: Stage, method: str, path: str, fields: Any = None) -> Any:  # noqa: ANN401, JSON
    answer = requests.request(method, f"{stage.simulator.origin}/_control/{path}", json=fields, timeout=10)
    answer.raise_for_status()
    return answer.json() if answer.content else None
