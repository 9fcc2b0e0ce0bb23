"""A merge request with a file of each kind on the simulated GitLab, and a connection that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.domain.change import CommitSha
from draftgate.domain.provider import ProviderChange
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.view import Place, View
from tests.fakes.gitlab import notes
from tests.fakes.gitlab.entities import Note
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.scenario import BOT, Scenario, make_scenario
from tests.fakes.gitlab.server import Simulator, serve
from tests.fakes.gitlab.world import World
from tests.fakes.gitlab_forge import open_connection
from tests.git_builder import Repo


@dataclass(frozen=True)
class OnGitLab:
    """The merge request, how to reach it, and what git says its ends are."""

    scenario: Scenario
    simulator: Simulator

    @property
    def world(self) -> World:
        return self.scenario.world

    @property
    def base_tip(self) -> CommitSha:
        return CommitSha(self.scenario.merge_request.version.start)

    @property
    def head(self) -> CommitSha:
        return CommitSha(self.scenario.merge_request.version.head)

    @property
    def merge_base(self) -> CommitSha:
        return CommitSha(self.scenario.merge_request.version.base)

    def connect(self, account: str = BOT) -> Connection:
        return open_connection(self.scenario, self.simulator, account=account)

    def view(self, connection: Connection | None = None, *, account: str = BOT) -> View:
        """As a run that begins now opens it."""
        path, number = self.scenario.project.full_path, self.scenario.merge_request.iid
        place = Place(path, number, f"{self.simulator.url}/{path}", default_branch="main")
        return View(connection or self.connect(account), place, CANDIDATE_PATHS)

    def diff(self) -> ListedDiff:
        connection = self.connect()
        return ListedDiff(connection, self.view(connection))

    def change(self) -> ProviderChange:
        return self.diff().change(base_tip=self.base_tip, head=self.head)

    def say(self, login: str, text: str) -> Note:
        made = notes.create(self.world, self.scenario.person(login), self.scenario.merge_request, NewNote(text))
        assert made.note is not None
        return made.note

    def asked(self, since: int = 0) -> list[str]:
        """Each request so far: method, path below the merge request, and what of GraphQL."""
        one = self.scenario.merge_request
        path = f"/projects/{one.project.id}/"
        return [entry.line.replace(path, "").replace(f"merge_requests/{one.iid}", "!") for entry in self.simulator.log][
            since:
        ]


@contextmanager
def on_gitlab(root: Path, source: Repo | None = None, *, branch: str = "feature", **options: str) -> Iterator[OnGitLab]:
    """Serve a merge request for a branch of the source; ``options`` are those of `make_scenario`."""
    named = {} if source is None else {"branch": branch, "title": "A change"}
    scenario = make_scenario(root, source, **named, **options)
    with serve(scenario.world) as simulator:
        yield OnGitLab(scenario, simulator)
        assert simulator.violations == []
