"""The published action and workflows keep the promises that no linter knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[4]
EXAMPLES = sorted((ROOT / "examples" / "github").glob("*.yml"))
INPUTS = "config github-token llm-api-key llm-base-url models mode fail-on language signing-key"


def load(path: Path) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_there_are_the_two_examples() -> None:
    assert [path.stem for path in EXAMPLES] == ["minimal", "recommended"]


def test_the_action_has_the_published_inputs() -> None:
    assert list(load(ROOT / "action.yml")["inputs"]) == INPUTS.split()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_group_can_cancel_a_command(path: Path) -> None:
    workflow = load(path)

    assert "concurrency" not in workflow
    assert "concurrency" not in workflow["jobs"]["commands"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_job_has_a_right_that_it_does_not_name(path: Path) -> None:
    workflow = load(path)

    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_of_the_change_is_checked_out_or_run(path: Path) -> None:
    steps = [step for job in load(path)["jobs"].values() for step in job["steps"]]

    assert {step["uses"].partition("@")[0] for step in steps} <= {"OWNER/draftgate", "actions/create-github-app-token"}
    assert not any("run" in step for step in steps)


def test_the_key_of_the_app_is_taken_from_the_environment_alone() -> None:
    jobs = load(ROOT / "examples" / "github" / "recommended.yml")["jobs"]

    assert {job["environment"] for job in jobs.values()} == {"draftgate"}
