"""A pull request with a file of each kind on the simulated GitHub, and a connection that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from draftgate.domain.change import CommitSha
from draftgate.domain.provider import ProviderChange
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.files import read_change
from draftgate.forge.github.transport import Access
from draftgate.forge.github.view import Place
from tests.fakes.github.scenario import ACTIONS, Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve
from tests.git_builder import Content, Executable, Link, Repo
from tests.unit.forge.github.scripted_api import Time

ROWS = "".join(f"row {number}\n" for number in range(1, 31))
BASE: dict[str, Content] = {
    "app.py": ROWS,
    "gone.py": "x = 1\n",
    "moved.py": ROWS + "here\n",
    "run.sh": "true\n",
    "logo.png": b"\0one",
    "link": "text\n",
    "docs/Größe 1.md": "one\n",
    "untouched.py": "import app\n",
}
HEAD: dict[str, Content] = {
    "app.py": ROWS.replace("row 3\n", "row three\n").replace("row 25\n", "row twenty-five\n"),
    "gone.py": None,
    "moved.py": None,
    "there.py": ROWS + "there\n",
    "new.py": "y = 1\nz = app\n",
    "run.sh": Executable("true\n"),
    "logo.png": b"\0two",
    "link": Link("app.py"),
    "docs/Größe 1.md": "two",
    "empty.txt": "",
}


@dataclass(frozen=True)
class OnGitHub:
    """The pull request, how to reach it, and what git says its ends are."""

    scenario: Scenario
    simulator: Simulator
    connection: Connection
    place: Place
    base_tip: CommitSha
    head: CommitSha
    merge_base: CommitSha

    @property
    def token(self) -> str:
        return self.scenario.tokens[ACTIONS]

    def read(self, *, changed_files: int = 0) -> ProviderChange:
        return read_change(
            self.connection, self.place, base_tip=self.base_tip, head=self.head, changed_files=changed_files
        )

    def asked(self) -> list[str]:
        """Each request so far: method and path."""
        return [f"{entry.method} {entry.path}" for entry in self.simulator.log]


def flawed_source(path: Path) -> Repo:
    """Branch `feature` changes a file of each kind; `main` has gone on since."""
    source = Repo.create(path)
    source.commit(BASE)
    source.branch("feature")
    source.commit(HEAD)
    source.git("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},libs/ext")
    source.git("commit", "--quiet", "-m", "submodule")
    source.git("reset", "--quiet", "--hard")
    source.switch("main")
    source.commit({"main.py": "1\n"})
    return source


@contextmanager
def on_github(root: Path, source: Repo) -> Iterator[OnGitHub]:
    """Serve a pull request for branch `feature` of the source."""
    scenario = make_scenario(root, source, branch="feature", title="A change")
    time = Time()
    with serve(scenario.world) as simulator:
        repository = scenario.repository.full_name
        access = Access(token=scenario.tokens[ACTIONS], repository=repository, api_url=simulator.url)
        with Connection(access, wait_s=60, clock=time.clock, sleep=time.sleep) as connection:
            yield OnGitHub(
                scenario,
                simulator,
                connection,
                Place(repository, scenario.pull.number, f"{simulator.web}/{repository}"),
                CommitSha(source.sha("main")),
                CommitSha(source.sha("feature")),
                CommitSha(source.git("merge-base", "main", "feature").decode().strip()),
            )
