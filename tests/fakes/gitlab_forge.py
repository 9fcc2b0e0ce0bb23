"""Opens GitLab's forge on a merge request of the simulator, as a run that begins now would."""

from __future__ import annotations

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.forge import open_forge as open_gitlab_forge
from draftgate.forge.gitlab.transport import Access
from draftgate.forge.gitlab.view import Place, View
from draftgate.forge.hosted.forge import HostedForge
from tests.fakes.gitlab.entities import MergeRequest
from tests.fakes.gitlab.scenario import BOT, Scenario
from tests.fakes.gitlab.server import Simulator


def open_connection(scenario: Scenario, simulator: Simulator, *, account: str = BOT) -> Connection:
    """The way to the simulator; its waits take no time."""
    access = Access(
        scenario.tokens[account],
        str(scenario.project.id),
        simulator.api_url,
        simulator.graphql_url,
        str(simulator.ca_file or ""),
    )
    now = scenario.world.now.timestamp()
    return Connection(access, wait_s=60, clock=lambda: now, sleep=lambda _: None)


def open_forge(
    scenario: Scenario,
    simulator: Simulator,
    merge_request: MergeRequest,
    *,
    account: str = BOT,
    signing_key: bytes | None = None,
) -> HostedForge:
    """A forge whose waits take no time."""
    connection = open_connection(scenario, simulator, account=account)
    project = scenario.project.full_path
    place = Place(project, merge_request.iid, f"{simulator.url}/{project}", default_branch="main")
    view = View(connection, place, CANDIDATE_PATHS)
    diff = ListedDiff(connection, view)
    return open_gitlab_forge(connection, view, diff, signing_key=signing_key, language="en")
