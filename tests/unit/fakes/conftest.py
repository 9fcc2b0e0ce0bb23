"""A simulator with one pull or merge request, and PyGithub or python-gitlab as its client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from github import Auth, Github
from github.PullRequest import PullRequest

from tests.fakes.github.scenario import APP, Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve
from tests.fakes.gitlab import scenario as gitlab_scenario
from tests.fakes.gitlab.certificates import make_certificates
from tests.fakes.gitlab.stage import Stage, open_stage
from tests.flawed_change import make_flawed_repository
from tests.git_builder import Repo

Client = Callable[..., Github]
OpenGitlab = Callable[..., Stage]


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Where the repository of each test is cloned from."""
    return make_flawed_repository(tmp_path_factory.mktemp("source"))


@pytest.fixture
def scenario(tmp_path: Path, source: Repo) -> Scenario:
    return make_scenario(tmp_path, source)


@pytest.fixture
def simulator(scenario: Scenario) -> Iterator[Simulator]:
    """Fails the test at the end if a request or an answer was not as GitHub describes it."""
    with serve(scenario.world) as running:
        yield running
        assert running.violations == []


@pytest.fixture
def client(scenario: Scenario, simulator: Simulator) -> Iterator[Client]:
    """Makes a client for a login, or for a token; it sends each request once."""
    with ExitStack() as opened:

        def connect(login: str = APP, *, url: str = simulator.url) -> Github:
            auth = Auth.Token(scenario.tokens.get(login, login))
            made = Github(auth=auth, base_url=url, retry=None, seconds_between_requests=0, seconds_between_writes=0)
            opened.callback(made.close)
            return made

        yield connect


@pytest.fixture
def pull(client: Client) -> PullRequest:
    """The pull request, as the app sees it."""
    return client().get_repo("acme/rooms").get_pull(1)


@pytest.fixture
def open_gitlab(tmp_path: Path, source: Repo) -> Iterator[OpenGitlab]:
    """Opens a stage with a GitLab of any kind; fails the test if a request had what the published API has not."""
    with ExitStack() as opened:
        stages: list[Stage] = []

        def open_one(*, tls: bool = False, **options: object) -> Stage:
            root = tmp_path / f"gitlab-{len(stages)}"
            scenario = gitlab_scenario.make_scenario(root, source, **options)  # type: ignore[arg-type]
            certificates = make_certificates(root / "certificates") if tls else None
            stages.append(opened.enter_context(open_stage(scenario, certificates=certificates)))
            return stages[-1]

        yield open_one
        assert [violation for stage in stages for violation in stage.simulator.violations] == []


@pytest.fixture
def stage(open_gitlab: OpenGitlab) -> Stage:
    return open_gitlab()
