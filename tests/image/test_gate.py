"""One review and one approval through the image on each simulated forge, in every way in which a container is started.

`.ci/test-action` builds the image and runs this; it is not part of the ordinary tests. For root, the folders that are
mounted get owners of their own.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.github.scenario import ACTIONS
from tests.forges import BOT, GitHub, GitLab, run_github, run_gitlab
from tests.image.container import IS_ROOT, MANNERS, ActionStep, GitLabJob, Manner, owners_below
from tests.unit.cli.ci import gitlab_payloads
from tests.unit.cli.ci.gitlab_runner import read_dotenv
from tests.unit.cli.ci.payloads import Json, change, comment
from tests.unit.cli.ci.runner import read_outputs


@pytest.fixture
def github() -> Iterator[GitHub]:
    with run_github() as running:
        yield running


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    with run_gitlab() as running:
        yield running


def owner_can_remove(folder: Path, manner: Manner) -> bool:
    """Whether a later step, which is no root, can clean up."""
    uid, gid = manner.owner
    as_owner = ("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups") if IS_ROOT else ()
    subprocess.run([*as_owner, "find", ".", "-mindepth", "1", "-delete"], cwd=folder, check=True)
    return list(folder.iterdir()) == []


@pytest.mark.parametrize("manner", MANNERS.values(), ids=MANNERS.keys())
def test_a_review_waits_on_github_and_is_published_by_a_comment(manner: Manner, tmp_path: Path, github: GitHub) -> None:
    """One test, because the second half needs what the first has made."""
    step = ActionStep(tmp_path / "runner", manner)
    step.folder.mkdir()
    number, repository = github.pull, {"full_name": github.repository}
    environment = {
        "GITHUB_API_URL": github.url,
        "GITHUB_GRAPHQL_URL": github.graphql_url,
        "GITHUB_REPOSITORY": github.repository,
        "GITHUB_SERVER_URL": github.url,
        "INPUT_GITHUB-TOKEN": github.tokens[ACTIONS],
    }
    pull: Json = {"number": number, "head": {"sha": github.head, "repo": repository}, "base": {"repo": repository}}

    ran = step.run("pull_request", change("opened", number=number, pull_request=pull), environment)

    assert ran.code == 0, ran.log
    assert f"runs as {manner.runs_as}" in ran.log
    outputs = read_outputs(step.file("output"))
    assert (outputs["phase"], outputs["findings"], outputs["blockers"]) == ("awaiting-approval", "3", "1")
    assert (step.workspace / outputs["report-file"]).is_file()
    assert "awaiting approval" in step.file("summary").read_text(encoding="utf-8")
    assert owners_below(step.folder) == {manner.owner}
    assert owner_can_remove(step.workspace, manner)

    given = github.call(f"/issues/{number}/comments", {"body": "/approve-findings 1,2"})
    payload = comment(given["body"], issue={"number": number, "pull_request": {}}, comment=given)
    ran = step.run("issue_comment", payload, environment)

    assert ran.code == 0, ran.log
    outputs = read_outputs(step.file("output"))
    assert (outputs["phase"], outputs["findings"]) == ("submitted", "2")
    [review] = github.call(f"/pulls/{number}/reviews")
    assert review["html_url"] == outputs["review-url"]
    assert len(github.call(f"/pulls/{number}/comments")) == 2
    assert owners_below(step.folder) == {manner.owner}


@pytest.mark.parametrize("manner", MANNERS.values(), ids=MANNERS.keys())
def test_a_review_waits_on_gitlab_and_is_published_by_a_comment(manner: Manner, tmp_path: Path, gitlab: GitLab) -> None:
    """One test, because the second half needs what the first has made."""
    job = GitLabJob(tmp_path, manner)
    artifacts = tmp_path / "builds" / "draftgate"
    here: Json = {"project": {"id": gitlab.project_id}}

    opened = gitlab_payloads.change("open", iid=gitlab.iid, last_commit={"id": gitlab.head}) | here
    ran = job.run(gitlab.of_trigger, opened)

    assert ran.code == 0, ran.log
    assert f"runs as {manner.runs_as}" in ran.log
    outputs = read_dotenv((artifacts / "draftgate.env").read_bytes())
    assert (outputs["DRAFTGATE_PHASE"], outputs["DRAFTGATE_FINDINGS"]) == ("awaiting-approval", "3")
    assert {path.name for path in artifacts.iterdir()} == {
        *("draftgate.env", "findings.sarif", "report.json", "summary.md")
    }
    assert gitlab.call("/draft_notes", by=BOT)
    assert owners_below(tmp_path / "builds") == {manner.owner}

    given = gitlab.call("/notes", {"body": "/approve-findings 1,2 --as comment"})
    payload = gitlab_payloads.note(given["body"], id=given["id"]) | here
    payload |= {"user": gitlab_payloads.user("maintainer"), "merge_request": {"iid": gitlab.iid}}
    ran = job.run(gitlab.of_trigger, payload)

    assert ran.code == 0, ran.log
    outputs = read_dotenv((artifacts / "draftgate.env").read_bytes())
    assert (outputs["DRAFTGATE_PHASE"], outputs["DRAFTGATE_FINDINGS"]) == ("submitted", "2")
    assert len([each for each in gitlab.notes() if each["resolvable"]]) == 2
    assert owners_below(tmp_path / "builds") == {manner.owner}
    assert owner_can_remove(tmp_path / "builds", manner)
