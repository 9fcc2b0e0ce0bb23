"""The simulated forges in processes of their own, for programs that run outside of Python: runners and containers."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.cli.ci.gitlab_payloads import Json

ROOT = Path(__file__).parents[1]
BOT = "bot"


@dataclass(frozen=True, slots=True)
class GitHub:
    """The simulated GitHub, as the first line of its process describes it."""

    url: str
    graphql_url: str
    repository: str
    pull: int
    head: str
    tokens: dict[str, str]

    def call(self, path: str, data: Json | None = None) -> Any:  # noqa: ANN401 - whatever GitHub answers
        """Read, or post ``data``, below the repository, as the maintainer."""
        headers = {"Authorization": f"Bearer {self.tokens['maintainer']}"}
        return _call(f"{self.url}/repos/{self.repository}{path}", headers, data)


@dataclass(frozen=True, slots=True)
class GitLab:
    """The simulated GitLab, as the first line of its process describes it."""

    url: str
    api_url: str
    graphql_url: str
    project: str
    project_id: int
    iid: int
    head: str
    tokens: dict[str, str]

    def call(self, path: str, data: Json | None = None, *, by: str = "maintainer") -> Any:  # noqa: ANN401 - any JSON
        """Read, or post ``data``, below the merge request."""
        address = f"{self.api_url}/projects/{self.project_id}/merge_requests/{self.iid}{path}"
        return _call(address, {"PRIVATE-TOKEN": self.tokens[by]}, data)

    def notes(self, by: str = "maintainer") -> list[Any]:
        """The comments that people see, without those that GitLab writes itself."""
        return [each for each in self.call("/notes?per_page=100", by=by) if not each["system"]]

    @property
    def variables(self) -> dict[str, str]:
        """Of every pipeline of the project."""
        return {
            "CI_API_GRAPHQL_URL": self.graphql_url,
            "CI_API_V4_URL": self.api_url,
            "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_URL": f"{self.url}/{self.project}/-/jobs/99",
            "CI_PROJECT_ID": str(self.project_id),
            "CI_PROJECT_PATH": self.project,
            "CI_SERVER_URL": self.url,
            "DRAFTGATE_GITLAB_TOKEN": self.tokens[BOT],
            "GITLAB_CI": "true",
            "GITLAB_USER_LOGIN": "author",
        }

    @property
    def of_merge_request(self) -> dict[str, str]:
        """Of a pipeline of the merge request."""
        return self.variables | {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_COMMIT_SHA": self.head,
            "CI_MERGE_REQUEST_IID": str(self.iid),
            "CI_MERGE_REQUEST_PROJECT_ID": str(self.project_id),
            "CI_MERGE_REQUEST_PROJECT_PATH": self.project,
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(self.project_id),
        }

    @property
    def of_trigger(self) -> dict[str, str]:
        """Of a pipeline that a webhook started."""
        return self.variables | {"CI_PIPELINE_SOURCE": "trigger", "CI_COMMIT_BRANCH": "main"}


@contextmanager
def run_github() -> Iterator[GitHub]:
    """Serve a pull request with a flawed change."""
    with _process("tests.fakes.github.run") as described:
        yield GitHub(**{name: described[name] for name in GitHub.__dataclass_fields__})


@contextmanager
def run_gitlab() -> Iterator[GitLab]:
    """Serve a merge request with a flawed change."""
    with _process("tests.fakes.gitlab.run", "--real-time") as described:
        yield GitLab(**{name: described[name] for name in GitLab.__dataclass_fields__})


@contextmanager
def _process(module: str, *arguments: str) -> Iterator[dict[str, Any]]:
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.stdin.close()


def _call(address: str, headers: dict[str, str], data: Json | None) -> Any:  # noqa: ANN401 - any JSON
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(address, body, headers | {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - a server on this machine
        return json.load(answer)
