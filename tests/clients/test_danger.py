"""A client that others wrote, in another language, works with the simulated GitHub: npm ``danger``.

Needs Node.js 24 and danger in the folder that ``DRAFTGATE_CLIENTS`` names; ``make test-clients`` puts them there.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.github.scenario import Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve

RULES = """\
markdown("Changed: " + danger.git.modified_files.join(", "))
if (danger.github.pr.user.login !== "author") fail("another author")
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    return make_scenario(tmp_path)


@pytest.fixture
def simulator(scenario: Scenario) -> Iterator[Simulator]:
    with serve(scenario.world) as running:
        yield running
        assert running.violations == []


def _run_danger(folder: Path, simulator: Simulator, token: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "dangerfile.js").write_text(RULES, encoding="utf-8")
    environment = {
        "DANGER_FAKE_CI": "1",
        "DANGER_GITHUB_API_BASE_URL": simulator.enterprise_url,
        "DANGER_GITHUB_API_TOKEN": token,
        "DANGER_TEST_PR": "1",
        "DANGER_TEST_REPO": "acme/rooms",
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
    }
    modules = Path(os.environ["DRAFTGATE_CLIENTS"]) / "node_modules"
    program = [modules / ".bin" / "node", modules / "danger" / "distribution" / "commands" / "danger.js", "ci"]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_danger_reads_the_change_comments_once_and_sets_a_status(
    tmp_path: Path, scenario: Scenario, simulator: Simulator
) -> None:
    token = scenario.tokens["writer"]

    for _ in range(2):
        _run_danger(tmp_path / "danger", simulator, token)

    [comment] = scenario.pull.comments
    statuses = [entry.status for entry in simulator.log.writes if "/statuses/" in entry.path]
    assert "Changed: rooms/mail.py, rooms/models.py" in comment.body
    assert comment.author.login == "writer"
    assert statuses == [201, 201]
