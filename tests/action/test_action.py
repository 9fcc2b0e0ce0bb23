"""The action in its container, started by the example workflows as GitHub would start it.

`act` plays the runner and the simulator plays GitHub. The action is that of `main`, which builds its Dockerfile, and
that of a release, which names an image. `.ci/test-action` runs this with a Docker API; it is not part of the ordinary
tests. The step that takes a token of a GitHub App needs github.com; an action in its place hands out the token of the
simulated App.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.github.scenario import ACTIONS, APP
from tests.forges import ROOT, GitHub, run_github
from tests.image.container import GROUP, IMAGE, OWNER, give
from tests.unit.cli.ci.payloads import Json, change, comment

EXAMPLES = ROOT / "examples" / "github"
IN_IMAGE = (
    "action.yml",
    "Dockerfile",
    ".dockerignore",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "requirements",
    "scripts",
    "src",
)

USES = re.compile(r"uses: OWNER/draftgate@0{40} # the commit of a release(?P<inputs>\n {8}with:(?:\n {10}.+)+)?")
USES_THIS = r"""uses: ./draftgate
        id: draftgate\g<inputs>
      - run: printf '%s' "$OUTPUTS" >outputs.json
        env:
          OUTPUTS: ${{ toJSON(steps.draftgate.outputs) }}"""
APP_TOKEN = re.compile(r"uses: actions/create-github-app-token@.*")
OF_THE_APP = """\
name: A token of the App
inputs: {client-id: {}, private-key: {}, permission-contents: {}, permission-pull-requests: {}, permission-issues: {},
  permission-checks: {}}
outputs: {token: {value: "${{ steps.token.outputs.token }}"}}
runs:
  using: composite
  steps:
    - id: token
      shell: sh
      env: {TOKEN: "${{ inputs.private-key }}"}
      run: printf 'token=%s\\n' "$TOKEN" >>"$GITHUB_OUTPUT"
"""
PUBLISHED = f"ghcr.io/owner/draftgate@sha256:{'0' * 64}"
RUNNER_IMAGE = "docker.io/library/python:3.12-slim"  # already there, as the base of ours


@pytest.fixture
def github() -> Iterator[GitHub]:
    with run_github() as running:
        yield running


def make_workspace(folder: Path, example: str, *, is_release: bool) -> None:
    """A repository with an example as its workflow, and the action as a folder of it; it belongs to another user."""
    workflow = APP_TOKEN.sub("uses: ./app-token", (EXAMPLES / example).read_text(encoding="utf-8"))
    assert len(USES.findall(workflow)) == 2
    (folder / "app-token").mkdir()
    (folder / "app-token" / "action.yml").write_text(OF_THE_APP, encoding="utf-8")
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / ".github" / "workflows" / "draftgate.yml").write_text(USES.sub(USES_THIS, workflow), encoding="utf-8")
    (folder / "draftgate").mkdir()
    for name in IN_IMAGE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / "draftgate" / name)
    if is_release:
        action = folder / "draftgate" / "action.yml"
        pin(action)
        (folder / "draftgate" / "Dockerfile").unlink()
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    give(folder)


def pin(action: Path) -> None:
    """As a release does, but that the image is the one of this machine."""
    subprocess.run([sys.executable, ROOT / "scripts" / "pin-action", PUBLISHED, action], check=True)
    text = action.read_text(encoding="utf-8")
    assert f"image: docker://{PUBLISHED}\n" in text
    action.write_text(text.replace(PUBLISHED, IMAGE), encoding="utf-8")


def act(workspace: Path, github: GitHub, token: str, event: str, payload: Json) -> tuple[dict[str, str], str]:
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
            *("--container-daemon-socket", "-", "--pull=false"),  # what is not there is pulled all the same
            *(part for name, value in variables.items() for part in ("--env", f"{name}={value}")),
            *("--secret", "GITHUB_TOKEN", "--secret", "DRAFTGATE_APP_PRIVATE_KEY"),
        ],
        cwd=workspace,
        env={**os.environ, "GITHUB_TOKEN": token, "DRAFTGATE_APP_PRIVATE_KEY": token},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode != 0:
        raise AssertionError(ran.stdout)
    return json.loads((workspace / "outputs.json").read_text(encoding="utf-8")), ran.stdout


@pytest.mark.parametrize(
    ("example", "is_release", "event", "login"),
    [
        ("minimal.yml", False, "pull_request", ACTIONS),
        ("recommended.yml", True, "pull_request_target", APP),
    ],
    ids=["workflow token, from the Dockerfile", "App, from the image of a release"],
)
def test_a_review_waits_and_is_published_by_a_comment(
    example: str, *, is_release: bool, event: str, login: str, tmp_path: Path, github: GitHub
) -> None:
    """One test, because the second half needs what the first has made."""
    make_workspace(tmp_path, example, is_release=is_release)
    token = github.tokens[login]
    number = github.pull
    repository = {"full_name": github.repository}
    pull = {"number": number, "head": {"sha": github.head, "repo": repository}, "base": {"repo": repository}}

    outputs, log = act(tmp_path, github, token, event, change("opened", number=number, pull_request=pull))

    assert (outputs["phase"], outputs["findings"], outputs["blockers"]) == ("awaiting-approval", "3", "1")
    assert outputs["head-sha"] == github.head
    [checkpoint] = github.call(f"/issues/{number}/comments")
    assert checkpoint["user"]["login"] == login
    assert checkpoint["html_url"] == outputs["checkpoint-url"]
    assert github.call(f"/pulls/{number}/reviews") == []
    assert token not in log
    assert f"runs as user {OWNER}, group {GROUP}" in log

    given = github.call(f"/issues/{number}/comments", {"body": "/approve-findings 1,2"})
    payload = comment(given["body"], issue={"number": number, "pull_request": {}}, comment=given)

    outputs, log = act(tmp_path, github, token, "issue_comment", payload)

    assert (outputs["phase"], outputs["findings"], outputs["blockers"]) == ("submitted", "2", "1")
    [review] = github.call(f"/pulls/{number}/reviews")
    assert (review["state"], review["user"]["login"]) == ("CHANGES_REQUESTED", login)
    assert review["html_url"] == outputs["review-url"]
    assert len(github.call(f"/pulls/{number}/comments")) == 2
    reactions = github.call(f"/issues/comments/{given['id']}/reactions")
    assert {reaction["content"] for reaction in reactions} == {"eyes", "rocket"}
    assert token not in log
