"""The flawed merge request on a simulated GitLab, before a review and after one, with the runner of its jobs.

Both moments are made once for each worker of the test run, and the world is put back to one of them for each test.
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs.pages.requests import GITLAB, line_of, unlisted
from tests.fakes.forge_http.log import RequestLog
from tests.fakes.gitlab.scenario import Scenario, make_scenario
from tests.fakes.gitlab.server import Simulator, serve
from tests.fakes.gitlab_run import Runner, leaks, open_runner


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
        """Put everything back to this moment; all that is asked from here is as GitLab describes it.

        Nothing that the bot writes is obeyed, tells anybody, or links anything.
        """
        scenario = copy.deepcopy(self.scenario)
        shutil.rmtree(scenario.world.root)
        shutil.copytree(self.repositories, scenario.world.root)
        simulator.faults.clear()
        simulator.world, simulator.log = scenario.world, RequestLog()
        simulator.violations.clear()
        yield Runner(scenario, simulator, jobs)
        assert simulator.violations == []
        asked = {line_of(entry.method, entry.path, entry.operation) for entry in simulator.log}
        assert unlisted(GITLAB, asked) == []  # else docs/pages/requests.py lacks a row
        assert leaks(scenario.world) == []


@dataclass(frozen=True, slots=True)
class Moments:
    """Where tests begin."""

    simulator: Simulator
    opened: Moment
    reviewed: Moment


@pytest.fixture(scope="session")
def moments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moments]:
    root = tmp_path_factory.mktemp("moments")
    scenario = make_scenario(root / "gitlab")
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


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Callable[..., Runner]]:
    """Opens a runner on a scenario of another kind; its arguments are those of `make_scenario`."""
    with ExitStack() as stack:

        def make(**scenario: object) -> Runner:
            made = make_scenario(tmp_path / "gitlab", **scenario)  # type: ignore[arg-type]
            return stack.enter_context(open_runner(made, tmp_path / "jobs"))

        yield make
