"""A running simulator with one merge request, and python-gitlab as its client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import requests

import gitlab
from gitlab.v4.objects import Project, ProjectMergeRequest
from tests.fakes.gitlab.certificates import Certificates
from tests.fakes.gitlab.exchange import encoded
from tests.fakes.gitlab.scenario import BOT, Scenario
from tests.fakes.gitlab.server import Simulator, serve
from tests.fakes.gitlab.world import World


@dataclass(frozen=True)
class Stage:
    """What a test needs at hand.

    Attributes:
        opened: Closes the clients that were made.
    """

    scenario: Scenario
    simulator: Simulator
    opened: ExitStack

    @property
    def world(self) -> World:
        return self.scenario.world

    def client(self, name: str = BOT, *, url: str | None = None, **options: Any) -> gitlab.Gitlab:  # noqa: ANN401, python-gitlab's
        """A client of somebody in the scenario, or with any other token; it sends each request once."""
        token = self.scenario.tokens.get(name, name)
        trusted: bool | str = True if self.simulator.ca_file is None else str(self.simulator.ca_file)
        defaults: dict[str, Any] = {"timeout": 10, "ssl_verify": trusted, "retry_transient_errors": False}
        auth = {"job_token": token} if name == "job" else {"private_token": token}
        made = gitlab.Gitlab(url or self.simulator.url, **{**defaults, **auth, **options})
        self.opened.callback(made.session.close)
        return made

    def project(self, name: str = BOT) -> Project:
        return self.client(name).projects.get(self.scenario.project.full_path, lazy=True)

    def merge_request(self, name: str = BOT) -> ProjectMergeRequest:
        """The merge request as somebody sees it, without asking for it."""
        return self.project(name).mergerequests.get(self.scenario.merge_request.iid, lazy=True)

    def position(self, path: str, old_path: str | None = None, **fields: object) -> dict[str, Any]:
        """A place in the newest version of the merge request."""
        version = self.scenario.merge_request.version
        refs = {"base_sha": version.base, "start_sha": version.start, "head_sha": version.head}
        return {**refs, "position_type": "text", "old_path": old_path or path, "new_path": path, **fields}

    def ask(
        self,
        method: str,
        path: str,
        name: str | None = BOT,
        *,
        json: Any = None,  # noqa: ANN401, JSON
        query: Mapping[str, Any] | None = None,
    ) -> requests.Response:
        """Send one request as it is; `path` begins after that of the merge request, or with ``/`` after ``/api/v4``."""
        one = self.scenario.merge_request
        root = "" if path.startswith("/") else f"/projects/{encoded(one.project.full_path)}/merge_requests/{one.iid}/"
        headers = {} if name is None else {"PRIVATE-TOKEN": self.scenario.tokens.get(name, name)}
        url = f"{self.simulator.api_url}{root}{path}".rstrip("/")
        verify = True if self.simulator.ca_file is None else str(self.simulator.ca_file)
        return requests.request(
            method, url, json=json, params=query, headers=headers, timeout=10, allow_redirects=False, verify=verify
        )


@contextmanager
def open_stage(scenario: Scenario, *, certificates: Certificates | None = None) -> Iterator[Stage]:
    """Run a simulator for a scenario."""
    with serve(scenario.world, certificates=certificates) as simulator, ExitStack() as opened:
        yield Stage(scenario, simulator, opened)
