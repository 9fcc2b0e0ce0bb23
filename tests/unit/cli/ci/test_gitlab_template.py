"""The published template keeps the promises that no linter knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from draftgate.cli.ci.gitlab_job import ARTIFACTS, FOLDER

ROOT = Path(__file__).parents[4]
TEMPLATE = ROOT / ".gitlab-ci-template.yml"
COMPONENT = ROOT / "templates" / "draftgate" / "template.yml"
SECRETS = {"github-token", "llm-api-key", "signing-key"}


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(TEMPLATE.read_text(encoding="utf-8")))


def hidden_job() -> dict[str, Any]:
    job = documents()[1][".$[[ inputs.job-prefix ]]"]
    assert isinstance(job, dict)
    return job


def test_the_component_is_the_template() -> None:
    assert COMPONENT.read_bytes() == TEMPLATE.read_bytes()


def test_it_takes_the_inputs_of_the_action_but_for_the_secrets() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    inputs = documents()[0]["spec"]["inputs"]

    assert set(action) - SECRETS <= set(inputs)
    assert SECRETS.isdisjoint(inputs)
    assert not [name for name in inputs if "token" in name or "key" in name]


def test_every_input_is_used() -> None:
    _, _, jobs = TEMPLATE.read_text(encoding="utf-8").partition("\n---\n")

    assert [name for name in documents()[0]["spec"]["inputs"] if f"$[[ inputs.{name} ]]" not in jobs] == []


def test_what_a_job_writes_is_what_is_kept() -> None:
    artifacts = hidden_job()["artifacts"]

    assert {*artifacts["paths"], artifacts["reports"]["dotenv"]} == {f"{FOLDER}/{name}" for name in ARTIFACTS}
    assert (artifacts["when"], artifacts["access"]) == ("always", "developer")


def test_nothing_of_the_change_is_checked_out_or_run() -> None:
    job = hidden_job()

    assert job["variables"]["GIT_STRATEGY"] == "none"
    assert job["script"] == ["draftgate run"]
    assert (job["inherit"], job["needs"], job["dependencies"]) == ({"default": False}, [], [])
    assert all("script" not in other for name, other in documents()[1].items() if not name.startswith("."))


def test_nothing_but_an_outdated_review_can_be_cancelled_by_a_push() -> None:
    interruptible = {name for name, job in documents()[1].items() if job.get("interruptible")}

    assert interruptible == {"$[[ inputs.job-prefix ]]:review"}
    assert hidden_job()["interruptible"] is False
