"""The release workflow: what may publish waits for everything, and what is built and tested may write nothing.

That its expressions and shell are right, zizmor, actionlint and shellcheck say (`make lint-config`).
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.forges import ROOT

PAGE = ROOT / ".github" / "workflows" / "release.yml"
WORKFLOW: dict[Any, Any] = yaml.safe_load(PAGE.read_text(encoding="utf-8"))
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]
PUBLISHING = {name for name, job in JOBS.items() if "write" in job["permissions"].values()}


def waits_for(name: str) -> set[str]:
    needs = JOBS[name].get("needs", [])
    direct = {needs} if isinstance(needs, str) else set(needs)
    return direct.union(*(waits_for(each) for each in direct))


def test_it_starts_for_a_tag_and_by_hand_and_for_nothing_else() -> None:
    assert WORKFLOW[True] == {"push": {"tags": ["v*"]}, "workflow_dispatch": None}  # YAML 1.1 reads `on` as true


@pytest.mark.parametrize("name", sorted(PUBLISHING))
def test_what_publishes_waits_for_every_check_and_for_a_person(name: str) -> None:
    assert waits_for(name) >= JOBS.keys() - PUBLISHING
    assert JOBS[name]["environment"]
    assert JOBS[name]["if"] == "github.event_name == 'push'"


def test_what_does_not_publish_may_read_alone() -> None:
    assert {"publish-dist", "publish-image", "release"} == PUBLISHING
    assert WORKFLOW["permissions"] == {}
    for name in JOBS.keys() - PUBLISHING:
        assert JOBS[name]["permissions"] == {"contents": "read"}


def test_nothing_is_built_where_it_is_published() -> None:
    for name in PUBLISHING:
        text = "\n".join(step.get("run", "") for step in JOBS[name]["steps"])
        assert not re.search(r"release-image build|make |pip wheel|hatchling", text)


def test_every_action_is_named_by_a_commit_and_every_script_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (\S+)(.*)", text)

    assert uses
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action, _ in uses)
    assert all(re.fullmatch(r" # v[0-9]+\.[0-9]+\.[0-9]+", comment) for _, comment in uses)
    named = set(re.findall(r"(?:\.ci|scripts)/[a-z-]+", text))
    assert named >= {".ci/release-image", ".ci/release-commit", "scripts/check-release"}
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_what_is_uploaded_for_a_later_job_is_what_that_job_takes() -> None:
    steps = [step for job in JOBS.values() for step in job["steps"]]
    given = {step["with"]["name"] for step in steps if "upload-artifact" in step.get("uses", "")}
    taken = {step["with"].get("name") for step in steps if "download-artifact" in step.get("uses", "")}

    assert given == {"notes", "dist", "image-${{ matrix.runner }}"}
    assert taken <= given | {None}  # without a name: all of a pattern, or all
