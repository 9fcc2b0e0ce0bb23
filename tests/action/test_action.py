"""The action in its container, started by the minimal example workflow as GitHub would start it.

`act` plays the runner and the simulator plays GitHub; the image is built from the Dockerfile. `.ci/test-action` runs
this with a Docker API; it is not part of the ordinary tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.ci.payloads import Json, change, comment

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "github" / "minimal.yml"
IN_IMAGE = (
    "action.yml",
    "Dockerfile",
    ".dockerignore",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "requirements",
    "src",
)

USES = "uses: OWNER/draftgate@0000000000000000000000000000000000000000 # the commit of a release"
USES_THIS = """uses: ./draftgate
        id: draftgate
      - run: printf '%s' "$OUTPUTS" >outputs.json
        env:
          OUTPUTS: ${{ toJSON(steps.draftgate.outputs) }}"""
RUNNER_IMAGE = "docker.io/library/python:3.12-slim"  # already there, as the base of ours


@dataclass(frozen=True, slots=True)
class GitHub:
    """The simulator in its own process, as its first line describes it."""

    url: str
    graphql_url: str
    repository: str
    pull: int
    head: str
    tokens: dict[str, str]

    def call(self, path: str, data: Json | None = None) -> Any:  # noqa: ANN401 - whatever GitHub answers
        """Read, or post ``data``, below the repository, as the maintainer."""
        headers = {"Authorization": f"Bearer {self.tokens['maintainer']}", "Content-Type": "application/json"}
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(f"{self.url}/repos/{self.repository}{path}", body, headers)  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - a server on this machine
            return json.load(answer)


@pytest.fixture(scope="module")
def github() -> Iterator[GitHub]:
    command = [sys.executable, "-m", "tests.fakes.github.run"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        described = json.loads(server.stdout.readline())
        yield GitHub(**{name: described[name] for name in GitHub.__dataclass_fields__})
        server.stdin.close()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the example as its workflow, and the action as a folder of it."""
    folder = tmp_path_factory.mktemp("workspace")
    workflow = EXAMPLE.read_text(encoding="utf-8")
    assert workflow.count(USES) == 2
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / ".github" / "workflows" / "draftgate.yml").write_text(workflow.replace(USES, USES_THIS), encoding="utf-8")
    (folder / "draftgate").mkdir()
    for name in IN_IMAGE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / "draftgate" / name)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def act(workspace: Path, github: GitHub, event: str, payload: Json) -> tuple[dict[str, str], str]:
    """Run the jobs of an event; returns the action's outputs and the log."""
    (workspace / "event.json").write_text(json.dumps(payload), encoding="utf-8")
    (workspace / "outputs.json").unlink(missing_ok=True)
    variables = {
        "GITHUB_API_URL": github.url,
        "GITHUB_GRAPHQL_URL": github.graphql_url,
        "GITHUB_REPOSITORY": github.repository,
        "GITHUB_SERVER_URL": github.url,
    }
    ran = subprocess.run(
        [
            *(os.environ["ACT"], event, "--eventpath", "event.json", "--actor", "maintainer", "--bind"),
            *("--platform", f"ubuntu-latest={RUNNER_IMAGE}", "--network", "host", "--no-cache-server"),
            *("--container-daemon-socket", "-", f"--pull={os.environ.get('PULL_IMAGES', 'true')}"),
            *(part for name, value in variables.items() for part in ("--env", f"{name}={value}")),
            *("--secret", "GITHUB_TOKEN"),
        ],
        cwd=workspace,
        env={**os.environ, "GITHUB_TOKEN": github.tokens["github-actions[bot]"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode != 0:
        raise AssertionError(ran.stdout)
    return json.loads((workspace / "outputs.json").read_text(encoding="utf-8")), ran.stdout


def test_a_review_waits_and_is_published_by_a_comment(workspace: Path, github: GitHub) -> None:
    """One test, because the second half needs what the first has made."""
    number = github.pull
    repository = {"full_name": github.repository}
    pull = {"number": number, "head": {"sha": github.head, "repo": repository}, "base": {"repo": repository}}

    outputs, log = act(workspace, github, "pull_request", change("opened", number=number, pull_request=pull))

    assert (outputs["phase"], outputs["findings"], outputs["blockers"]) == ("awaiting-approval", "3", "1")
    assert outputs["head-sha"] == github.head
    [checkpoint] = github.call(f"/issues/{number}/comments")
    assert checkpoint["user"]["login"] == "github-actions[bot]"
    assert checkpoint["html_url"] == outputs["checkpoint-url"]
    assert github.call(f"/pulls/{number}/reviews") == []
    assert github.tokens["github-actions[bot]"] not in log

    given = github.call(f"/issues/{number}/comments", {"body": "/approve-findings 1,2"})
    payload = comment(given["body"], issue={"number": number, "pull_request": {}}, comment=given)

    outputs, log = act(workspace, github, "issue_comment", payload)

    assert (outputs["phase"], outputs["findings"], outputs["blockers"]) == ("submitted", "2", "1")
    [review] = github.call(f"/pulls/{number}/reviews")
    assert (review["state"], review["user"]["login"]) == ("CHANGES_REQUESTED", "github-actions[bot]")
    assert review["html_url"] == outputs["review-url"]
    assert len(github.call(f"/pulls/{number}/comments")) == 2
    reactions = github.call(f"/issues/comments/{given['id']}/reactions")
    assert {reaction["content"] for reaction in reactions} == {"eyes", "rocket"}
    assert github.tokens["github-actions[bot]"] not in log
