"""``draftgate run`` as a job of GitLab starts it: a process with the runner's variables and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Done, draftgate, program_environment
from tests.unit.cli.ci.gitlab_payloads import PROJECT, note
from tests.unit.cli.ci.gitlab_runner import TOKEN, gitlab_environment, messages, read_dotenv

LIST_MODULES = """
import json, os, sys
from draftgate.cli.run_ci import run
code = run(os.environ)
sys.stdout.flush()
print(json.dumps([code, sorted(sys.modules)]))
"""


def run(environment: dict[str, str], folder: Path) -> Done:
    return draftgate("run", cwd=folder, environment=program_environment(**environment))


def test_a_comment_that_is_not_for_us_ends_in_a_line(tmp_path: Path) -> None:
    done = run(gitlab_environment(tmp_path, "trigger", note("/lgtm")), tmp_path)

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("skipped: the comment holds no command of Draftgate\n")
    assert read_dotenv((tmp_path / "draftgate" / "draftgate.env").read_bytes())["DRAFTGATE_PHASE"] == "skipped"


@pytest.mark.parametrize("source", ["trigger", "push"])
def test_what_is_not_for_us_loads_no_client_and_no_model(source: str, tmp_path: Path) -> None:
    environment = program_environment(**gitlab_environment(tmp_path, source, note("/lgtm")))

    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES], env=environment, capture_output=True, encoding="utf-8", check=True
    )

    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert {"gitlab", "github", "pydantic", "requests", "yaml", "ast_grep_py", "typer"}.isdisjoint(modules)
    assert not [module for module in modules if module.startswith("draftgate.bootstrap.git")]


def test_a_webhook_of_another_project_is_told(tmp_path: Path) -> None:
    payload = note("/approve-findings") | {"project": {"id": PROJECT + 1}}

    done = run(gitlab_environment(tmp_path, "trigger", payload), tmp_path)

    assert done.code == 2
    assert f"the webhook is of the project {PROJECT + 1}" in messages(done.stdout)[0]
    assert "trigger token" in (tmp_path / "draftgate" / "summary.md").read_text(encoding="utf-8")


def test_the_token_is_never_shown(tmp_path: Path) -> None:
    environment = gitlab_environment(tmp_path, "schedule", CI_PROJECT_PATH=TOKEN)

    done = run(environment, tmp_path)

    assert done.code == 2
    assert TOKEN not in done.stdout + done.stderr
