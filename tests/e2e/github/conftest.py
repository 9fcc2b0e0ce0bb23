"""The flawed pull request on a simulated GitHub, before a review and after one, with the runner of its jobs.

Both moments are made once for each worker of the test run, and the world is put back to one of them for each test.
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs.pages.requests import GITHUB, line_of, unlisted
from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import RequestLog
from tests.fakes.github.faults import shapes
from tests.fakes.github.scenario import Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve
from tests.fakes.github_run import Runner


@dataclass(frozen=True, slots=True)
class Moment:
    """A world as it was, with its repositories on disk."""

    scenario: Scenario
    repositories: Path

    @classmethod
    def keep(cls, scenario: Scenario, folder: Path) -> Moment:
        shutil.copytree(scenario.world.root, folder)
        return cls(copy.deepcopy(scenario), folder)

    @contextmanager
    def begin(self, simulator: Simulator, jobs: Path) -> Iterator[Runner]:
        """Put everything back to this moment; all that is asked and answered from here is as GitHub describes it."""
        scenario = copy.deepcopy(self.scenario)
        shutil.rmtree(scenario.world.root)
        shutil.copytree(self.repositories, scenario.world.root)
        simulator.faults.clear()
        simulator.world, simulator.faults, simulator.log = scenario.world, FaultPlan(shapes), RequestLog()
        simulator.violations.clear()
        yield Runner(scenario, simulator, jobs)
        assert simulator.violations == []
        asked = {line_of(entry.method, entry.path, entry.operation) for entry in simulator.log}
        assert unlisted(GITHUB, asked) == []  # else docs/pages/requests.py lacks a row


@dataclass(frozen=True, slots=True)
class Moments:
    """Where tests begin."""

    simulator: Simulator
    opened: Moment
    reviewed: Moment


@pytest.fixture(scope="session")
def moments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moments]:
    root = tmp_path_factory.mktemp("moments")
    scenario = make_scenario(root / "github")
    opened = Moment.keep(scenario, root / "opened")
    with serve(scenario.world) as simulator:
        assert Runner(scenario, simulator, root / "jobs").review().ended == (0, "awaiting-approval")
        yield Moments(simulator, opened, Moment.keep(scenario, root / "reviewed"))


@pytest.fixture
def runner(moments: Moments, tmp_path: Path) -> Iterator[Runner]:
    """Nothing was reviewed yet."""
    with moments.opened.begin(moments.simulator, tmp_path) as runner:
        yield runner


@pytest.fixture
def reviewed(moments: Moments, tmp_path: Path) -> Iterator[Runner]:
    """Three findings wait."""
    with moments.reviewed.begin(moments.simulator, tmp_path) as runner:
        yield runner
