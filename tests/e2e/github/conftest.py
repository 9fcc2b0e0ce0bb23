"""The flawed pull request on a simulated GitHub, before a review and after one, with the runner of its jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.github.scenario import make_scenario
from tests.fakes.github_run import Runner, open_runner


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """Nothing was reviewed yet."""
    with open_runner(make_scenario(tmp_path / "github"), tmp_path / "jobs") as runner:
        yield runner


@pytest.fixture
def reviewed(runner: Runner) -> Runner:
    """Three findings wait."""
    assert runner.review().ended == (0, "awaiting-approval")
    return runner
