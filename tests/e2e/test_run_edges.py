"""``draftgate run`` as a job starts it: a process with the runner's variables and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Done, draftgate, program_environment
from tests.unit.cli.ci.payloads import comment
from tests.unit.cli.ci.runner import TOKEN, job_environment, obeyed, read_outputs

LIST_MODULES = """
import json, os, sys
from draftgate.cli.run_ci import run
code = run(os.environ)
sys.stdout.flush()
print(json.dumps([code, sorted(sys.modules)]))
"""


def run(environment: dict[str, str], *arguments: str, folder: Path) -> Done:
    return draftgate("run", *arguments, cwd=folder, environment=program_environment(**environment))


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({}, "neither GITHUB_ACTIONS nor GITLAB_CI"),
        ({"GITHUB_ACTIONS": "1", "GITLAB_CI": "yes"}, "neither GITHUB_ACTIONS nor GITLAB_CI"),
    ],
    ids=["no CI", "not as a runner writes it"],
)
def test_a_place_that_is_no_job_is_refused(environment: dict[str, str], says: str, tmp_path: Path) -> None:
    done = run(environment, folder=tmp_path)

    assert (done.code, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_shard_is_refused(tmp_path: Path) -> None:
    done = run(job_environment(tmp_path, "push", {}), "--shard", "1/4", folder=tmp_path)

    assert done.code == 2
    assert "`--shard` is not in this release" in done.stderr


def test_a_comment_that_is_not_for_us_ends_in_a_line(tmp_path: Path) -> None:
    done = run(job_environment(tmp_path, "issue_comment", comment("/lgtm")), folder=tmp_path)

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("skipped: the comment holds no command of Draftgate\n")
    assert read_outputs(tmp_path / "output")["phase"] == "skipped"


def test_a_comment_that_is_not_for_us_loads_no_client_and_no_model(tmp_path: Path) -> None:
    environment = program_environment(**job_environment(tmp_path, "issue_comment", comment("/lgtm")))

    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES], env=environment, capture_output=True, encoding="utf-8", check=True
    )

    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert {"github", "pydantic", "requests", "yaml", "ast_grep_py", "typer"}.isdisjoint(modules)


def test_a_missing_variable_is_named_on_the_page_of_the_run(tmp_path: Path) -> None:
    done = run(job_environment(tmp_path, "issue_comment", {}, GITHUB_EVENT_PATH=""), folder=tmp_path)

    assert done.code == 2
    [(level, message)] = obeyed(done.stdout)
    assert (level, message.partition(":")[0]) == ("error", "GITHUB_EVENT_PATH")
    assert "GITHUB_EVENT_PATH" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_the_token_is_never_shown(tmp_path: Path) -> None:
    environment = job_environment(
        tmp_path, "issue_comment", comment("/approve-findings"), GITHUB_REPOSITORY=f"::error::{TOKEN}"
    )

    done = run(environment, folder=tmp_path)

    assert done.code == 2
    assert TOKEN not in done.stdout + done.stderr + (tmp_path / "summary.md").read_text(encoding="utf-8")
