"""A clone in front of a simulated forge, and ``draftgate doctor`` run there as a user would.

Whatever is looked at, three things hold for each look and are asserted here: no request that writes, no file in the
clone that is new or another one, and no token in what is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docs.pages.requests import GITHUB, GITLAB, Kind, line_of, unlisted
from tests.fakes.forge_http.log import LogEntry
from tests.fakes.github import scenario as on_github
from tests.fakes.github import server as github_server
from tests.fakes.gitlab import scenario as on_gitlab
from tests.fakes.gitlab import server as gitlab_server
from tests.git_builder import Content, Repo
from tests.program import Done, draftgate, program_environment

ROOT = Path(__file__).parents[2]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
WORKFLOW = ".github/workflows/draftgate.yml"
PIPELINE = """\
include:
  - remote: https://example.org/acme/draftgate/1/.gitlab-ci-template.yml
    inputs:
      image: registry.example.org/draftgate@sha256:{digest}
      route: {route}
"""
"""A pipeline file with the template; its digest and route are to be filled in."""


def example(name: str) -> str:
    """An example workflow as it is after it was filled in."""
    text = (ROOT / f"examples/github/{name}.yml").read_text(encoding="utf-8")
    return text.replace("OWNER/draftgate@" + "0" * 40, f"acme/draftgate@{COMMIT}")


@dataclass(frozen=True, slots=True)
class Look:
    """What one run left.

    Attributes:
        document: What it printed as JSON.
        requests: To the API.
    """

    done: Done
    document: Mapping[str, Any]
    requests: tuple[LogEntry, ...]

    @property
    def code(self) -> int:
        """The exit code."""
        return self.done.code

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All of them."""
        return list(self.document["rows"])

    def outcomes(self, check: str) -> list[str]:
        """What a check said, in its order."""
        return [row["outcome"] for row in self.rows if row["check"] == check]

    def row(self, check: str, outcome: str) -> dict[str, Any]:
        """The first row of a check that ended so."""
        found = [row for row in self.rows if row["check"] == check and row["outcome"] == outcome]
        assert found, [row for row in self.rows if row["check"] == check] or self.rows
        return found[0]

    @property
    def wrong(self) -> dict[str, int]:
        """Exit codes by check, of what is wrong."""
        return {row["check"]: row["exit_code"] for row in self.rows if row["outcome"] == "wrong"}

    @property
    def warned(self) -> set[str]:
        """The checks that warn."""
        return {row["check"] for row in self.rows if row["outcome"] == "warning"}

    @property
    def unseen(self) -> set[str]:
        """The checks that could not look."""
        return {row["check"] for row in self.rows if row["outcome"] == "could-not-look"}


@dataclass
class Room:
    """A clone and the simulator that its ``origin`` is on.

    Attributes:
        tokens: By account, those of the scenario.
        variables: Beside those that name the server.
        account: Whose token is given; "" for none.
        kinds: The requests that the permissions page lists.
    """

    simulator: Any
    work: Repo
    tokens: Mapping[str, str]
    variables: dict[str, str]
    token_name: str
    account: str
    kinds: tuple[Kind, ...]
    secrets: set[str] = field(default_factory=set)

    def look(self, *arguments: str, **variables: str) -> Look:
        """Run it, with its rows as JSON."""
        done, requests = self.run("--format", "json", *arguments, **variables)
        assert done.code != 70, done.stderr
        return Look(done, done.document, requests)

    def run(self, *arguments: str, **variables: str) -> tuple[Done, tuple[LogEntry, ...]]:
        """Run it as it is."""
        token = {self.token_name: self.tokens.get(self.account, self.account)} if self.account else {}
        environment = program_environment(**{**self.variables, **token, **variables})
        log, before = self.simulator.log, _contents(self.work.path)
        began = len(log)
        done = draftgate("doctor", *arguments, cwd=self.work.path, environment=environment)
        requests = tuple(log[began:])
        print(f"--- doctor {' '.join(arguments)}: exit {done.code}\n{done.stdout}\n{done.stderr}")  # noqa: T201
        assert [entry.line for entry in requests if entry.is_write] == []
        asked = {line_of(entry.method, entry.path, entry.operation) for entry in requests}
        assert unlisted(self.kinds, asked) == []  # else docs/pages/requests.py lacks a row
        assert _contents(self.work.path) == before
        for secret in {*self.tokens.values(), *self.secrets, *token.values()} - {""}:
            assert secret not in done.stdout + done.stderr
        return done, requests

    def write(self, files: Mapping[str, Content]) -> None:
        """Put files into the work tree, without a commit."""
        for path, content in files.items():
            target = self.work.path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else str(content).encode())

    def publish(self, files: Mapping[str, Content]) -> None:
        """Commit files and push them to the default branch."""
        self.work.switch("main")
        self.work.commit(files, "Set up")
        self.work.git("push", "--quiet", "origin", "HEAD:main")


@dataclass
class GitHubRoom(Room):
    """In front of GitHub, as an App's installation unless another account is named."""

    scenario: on_github.Scenario = None  # type: ignore[assignment]  # dataclasses want a default

    def grant(self, login: str, **permissions: str) -> None:
        """Give the token of an App these permissions, and no others."""
        caller = self.scenario.caller(login)
        caller.permissions = {"metadata": "read", **permissions}

    def job(self, **variables: str) -> dict[str, str]:
        """The variables of a job on GitHub's runner without a checkout."""
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": self.scenario.repository.full_name,
            "GITHUB_EVENT_NAME": "issue_comment",
            **variables,
        }


@dataclass
class GitLabRoom(Room):
    """In front of GitLab, as the bot of a project access token unless another account is named."""

    scenario: on_gitlab.Scenario = None  # type: ignore[assignment]  # dataclasses want a default

    def job(self, **variables: str) -> dict[str, str]:
        """The variables of a job on GitLab's runner without a checkout."""
        return {
            "GITLAB_CI": "true",
            "CI_PROJECT_ID": str(self.scenario.project.id),
            "CI_PROJECT_PATH": self.scenario.project.full_path,
            "CI_PIPELINE_SOURCE": "trigger",
            "CI_DEFAULT_BRANCH": "main",
            **variables,
        }


@contextmanager
def open_github_room(root: Path, source: Repo) -> Iterator[GitHubRoom]:
    """A room in front of GitHub; every request and answer is as GitHub describes it."""
    scenario = on_github.make_scenario(root / "github", source)
    with github_server.serve(scenario.world) as simulator:
        work = scenario.repository.git.clone(root / "clone")
        work.git("remote", "set-url", "--push", "origin", str(scenario.repository.git.path))
        work.git("remote", "set-url", "origin", f"{simulator.git_url}/{scenario.repository.full_name}.git")
        yield GitHubRoom(
            simulator=simulator,
            work=work,
            tokens=scenario.tokens,
            variables={
                "GITHUB_API_URL": simulator.url,
                "GITHUB_SERVER_URL": simulator.web,
                "GITHUB_GRAPHQL_URL": simulator.graphql_url,
            },
            token_name="GITHUB_TOKEN",  # noqa: S106 - a name
            account=on_github.APP,
            kinds=GITHUB,
            scenario=scenario,
        )
        assert simulator.violations == []


@contextmanager
def open_gitlab_room(root: Path, source: Repo, **kind: Any) -> Iterator[GitLabRoom]:  # noqa: ANN401 - `make_scenario`'s
    """A room in front of GitLab; nothing is asked that its API does not have."""
    scenario = on_gitlab.make_scenario(root / "gitlab", source, **kind)
    with gitlab_server.serve(scenario.world) as simulator:
        work = scenario.project.git.clone(root / "clone")
        work.git("remote", "set-url", "--push", "origin", str(scenario.project.git.path))
        work.git("remote", "set-url", "origin", f"{simulator.git_url}/{scenario.project.full_path}.git")
        yield GitLabRoom(
            simulator=simulator,
            work=work,
            tokens=scenario.tokens,
            variables={
                "CI_API_V4_URL": simulator.api_url,
                "CI_SERVER_URL": simulator.url,
                "CI_API_GRAPHQL_URL": simulator.graphql_url,
            },
            token_name="DRAFTGATE_GITLAB_TOKEN",  # noqa: S106 - a name
            account=on_gitlab.BOT,
            kinds=GITLAB,
            scenario=scenario,
        )
        assert simulator.violations == []


def _contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of each file, git's own among them."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        found[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found
