"""The simulated GitHub fails on demand, before or after a request took effect, and logs what it was asked."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from github import Github, GithubException
from github.PullRequest import PullRequest

from tests.fakes.github.scenario import APP, Scenario
from tests.fakes.github.server import Simulator
from tests.git_builder import Repo

Client = Callable[..., Github]


@pytest.mark.parametrize(
    ("effect", "status"),
    [
        ("500", 500),
        ("502", 502),
        ("429", 429),
        ("primary", 403),
        ("primary-in-an-hour", 403),
        ("secondary", 403),
        ("secondary-retry-after", 403),
        ("abuse", 422),
    ],
)
@pytest.mark.parametrize(("when", "stored"), [("before", 0), ("after", 1)])
def test_a_request_is_refused_before_it_takes_effect_or_after(
    pull: PullRequest, simulator: Simulator, scenario: Scenario, *, effect: str, status: int, when: str, stored: int
) -> None:
    simulator.faults.add(effect, match="POST .*/comments$", when=when)

    with pytest.raises(GithubException) as refused:
        pull.create_issue_comment("one")

    assert (refused.value.status, len(scenario.pull.comments)) == (status, stored)
    assert simulator.log.writes[-1].done == (201 if stored else None)
    pull.create_issue_comment("two")


@pytest.mark.parametrize(("when", "stored"), [("before", 0), ("after", 1)])
def test_an_answer_is_lost_with_its_connection(
    pull: PullRequest, simulator: Simulator, scenario: Scenario, when: str, stored: int
) -> None:
    simulator.faults.add("close", writes_only=True, when=when)

    with pytest.raises(requests.exceptions.ConnectionError):
        pull.create_issue_comment("one")

    assert (len(scenario.pull.comments), simulator.log[-1].status) == (stored, 0)


def test_a_fault_hits_the_write_that_it_is_set_for(pull: PullRequest, simulator: Simulator) -> None:
    simulator.faults.add("502", writes_only=True, skip=1, times=1)
    outcomes = []

    for number in range(3):
        try:
            pull.create_issue_comment(f"{number}")
            outcomes.append("made")
        except GithubException:
            outcomes.append("refused")
        list(pull.get_issue_comments())

    assert outcomes == ["made", "refused", "made"]


def test_the_rate_limit_of_graphql_is_an_answer_of_200(client: Client, simulator: Simulator) -> None:
    simulator.faults.add("graphql-limited", match="query Who viewer")

    with pytest.raises(GithubException) as refused:
        client().requester.graphql_query("query Who { viewer { login } }", {})

    assert refused.value.data["errors"][0]["type"] == "RATE_LIMITED"


def test_a_held_request_lets_another_client_go_first(
    client: Client, pull: PullRequest, simulator: Simulator, scenario: Scenario
) -> None:
    simulator.faults.add("hold", match="POST .*/comments", name="first")
    slow = threading.Thread(target=pull.create_issue_comment, args=("first",))
    slow.start()
    assert simulator.faults.wait_until_held("first")

    client("author").get_repo("acme/rooms").get_pull(1).create_issue_comment("second")
    simulator.faults.release("first")
    slow.join()

    assert [comment.body for comment in scenario.pull.comments] == ["second", "first"]


def test_a_process_is_killed_right_after_its_write(simulator: Simulator, scenario: Scenario) -> None:
    script = (
        "import json, sys, urllib.request as web; sys.stdin.readline();"
        "web.urlopen(web.Request(sys.argv[1], json.dumps({'body': 'last words'}).encode(),"
        " {'Authorization': 'token ' + sys.argv[2]})); print('alive')"
    )
    url = f"{simulator.url}/repos/acme/rooms/issues/1/comments"
    with subprocess.Popen(
        [sys.executable, "-c", script, url, scenario.tokens[APP]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        simulator.faults.add("kill", writes_only=True, when="after", pid=process.pid)

        said, _ = process.communicate("go\n")

    assert (said, process.returncode) == ("", -9)
    assert [comment.body for comment in scenario.pull.comments] == ["last words"]


def test_the_log_tells_reads_from_writes(client: Client, pull: PullRequest, simulator: Simulator) -> None:
    pull.create_issue_comment("hello")
    requester = client().requester
    requester.graphql_query("query Who { viewer { login } }", {})
    minimize = "mutation Hide($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED})"
    comment = next(iter(pull.get_issue_comments()))
    requester.graphql_query(f"{minimize} {{ minimizedComment {{ isMinimized }} }} }}", {"id": comment.node_id})

    writes = [(entry.line, entry.login, entry.status) for entry in simulator.log.writes]

    assert writes == [
        ("POST /repos/acme/rooms/issues/1/comments", APP, 201),
        ("POST /graphql mutation Hide minimizeComment", APP, 200),
    ]
    assert "POST /graphql query Who viewer" in [entry.line for entry in simulator.log.reads]


def test_fetching_is_no_write(simulator: Simulator, tmp_path: Path) -> None:
    Repo.create(tmp_path / "clone").git("fetch", "--quiet", f"{simulator.git_url}/acme/rooms.git", "main")

    methods = [entry.method for entry in simulator.log]

    assert "POST" in methods
    assert simulator.log.writes == []


def test_another_process_sets_faults_and_pushes(pull: PullRequest, simulator: Simulator, scenario: Scenario) -> None:
    _control(simulator, "POST", "faults", {"effect": "503", "writes_only": True})
    pushed = _control(
        simulator, "POST", "push", {"repository": "acme/rooms", "pull": 1, "files": {"README.md": "# Rooms\n"}}
    )

    with pytest.raises(GithubException) as refused:
        pull.create_issue_comment("one")

    log = _control(simulator, "GET", "log")
    assert isinstance(pushed, dict)
    assert isinstance(log, list)
    assert (refused.value.status, log[-1]["status"]) == (503, 503)
    assert pushed["sha"] == scenario.world.head_sha(scenario.pull)


def test_the_server_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.github.run", "--scenario", "demo", "--root", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        request = urllib.request.Request(  # noqa: S310, an address that this test was just told
            f"{told['enterprise_url']}/repos/{told['repository']}/pulls/{told['pull']}",
            headers={"Authorization": f"Bearer {told['tokens'][APP]}"},
        )

        with urllib.request.urlopen(request) as answer:  # noqa: S310, the same
            pull = json.load(answer)

        process.communicate("")

    assert (pull["head"]["sha"], process.returncode) == (told["head"], 0)


def _control(simulator: Simulator, method: str, path: str, fields: object = None) -> object:
    answer = requests.request(method, f"{simulator.url}/_control/{path}", json=fields, timeout=10)
    answer.raise_for_status()
    return answer.json() if answer.content else None
