"""The pipeline that `draftgate init` writes has the jobs of the routes that were named, beside those there were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git_builder import Repo
from tests.gitlab_ci.local_ci import PATH, Project
from tests.gitlab_ci.test_template import COMMANDS, HOOK, MERGE_REQUEST, REVIEW, SCHEDULE, SWEEP, WEBHOOK
from tests.program import draftgate

OURS = """\
stages: [lint]
.base: &base
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
lint:
  <<: *base
  stage: lint
  script:
    - make lint
"""


@pytest.mark.parametrize(
    ("routes", "on_change", "on_webhook", "on_schedule"),
    [
        pytest.param([], {REVIEW, COMMANDS}, {HOOK}, {SWEEP}, id="as it comes"),
        pytest.param(["manual"], {REVIEW, COMMANDS}, {HOOK}, set(), id="manual job"),
        pytest.param(["webhook"], set(), {HOOK}, set(), id="webhook"),
        pytest.param(["webhook", "sweep"], set(), {HOOK}, {SWEEP}, id="webhook and sweep"),
        pytest.param(["merge-request", "webhook"], {REVIEW}, {HOOK}, set(), id="review in its pipeline"),
    ],
)
def test_each_pipeline_has_the_jobs_of_the_routes_that_were_named(
    routes: list[str], on_change: set[str], on_webhook: set[str], on_schedule: set[str], tmp_path: Path
) -> None:
    repo = Repo.create(tmp_path)
    repo.git("remote", "add", "origin", f"https://forge.example.com/{PATH}.git")
    repo.commit({".gitlab-ci.yml": OURS})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    given = [part for route in routes for part in ("--route", route)]
    draftgate("init", "--yes", "--image", "r.example.com/d:1", *given, cwd=tmp_path, expect=0)
    repo.commit(message="draftgate")
    project = Project(tmp_path)

    assert project.jobs(**MERGE_REQUEST).keys() == {"lint"} | on_change
    assert project.jobs(**WEBHOOK).keys() == on_webhook
    assert project.jobs(**SCHEDULE).keys() == on_schedule
