"""Opens GitHub's forge on a pull request of the simulator, as a run that begins now would."""

from __future__ import annotations

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.forge import open_forge as open_github_forge
from draftgate.forge.github.transport import Access
from draftgate.forge.github.view import Place, View
from draftgate.forge.hosted.forge import HostedForge
from tests.fakes.github.entities import PullRequest
from tests.fakes.github.scenario import APP, Scenario
from tests.fakes.github.server import Simulator


def open_forge(scenario: Scenario, simulator: Simulator, pull: PullRequest, *, account: str = APP) -> HostedForge:
    """A forge whose waits take no time."""
    repository = scenario.repository.full_name
    access = Access(scenario.tokens[account], repository, simulator.url, simulator.graphql_url, "")
    now = scenario.world.now.timestamp()
    connection = Connection(access, wait_s=60, clock=lambda: now, sleep=lambda _: None)
    view = View(connection, Place(repository, pull.number, f"{simulator.web}/{repository}"), CANDIDATE_PATHS)
    return open_github_forge(connection, view, signing_key=None, language="en", sleep=lambda _: None)
