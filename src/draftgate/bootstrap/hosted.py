"""What a CI system hands to a run: the event, the place and the credentials, as plain values.

`cli.ci` builds it from the environment and a forge's composition acts on it, so that neither imports the other. Nothing
is read or asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from draftgate.domain.event import Event

_CA_FILES = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CI_SERVER_TLS_CA_FILE")
"""The last one GitLab's runner sets where it was given the authority of its own server."""


def ca_file_of(environment: Mapping[str, str]) -> str:
    """Certificate authorities to trust in place of the usual ones; "" for those."""
    return next((environment[name] for name in _CA_FILES if environment.get(name)), "")


@dataclass(frozen=True, slots=True)
class HostedRun:
    """One run in CI.

    Attributes:
        event: What set it off; never `NothingToDo`.
        repository: ``owner/name``; on GitLab the path of the project, which may have more parts.
        api_url, graphql_url, server_url: Without a final slash.
        workspace: The folder where a clone may be; ``None`` if there is no such folder.
        temp: A folder that exists and is the job's own.
        token: Of the account that the run acts as; "" for a review that the platform gave nothing to write with.
        run_url: The page of this run.
        config_path: The configuration file that was named, a path of the repository; ``None`` for the usual places.
        settings: Settings given as inputs, by dotted key, as `config.load.load` takes them.
        signing_key: Signs the state in the checkpoint; ``None`` for no signature.
        environment: The process's variables, for the settings among them.
        default_branch: As the event names it; ``HEAD`` where it names none.
        repository_id: The number of the repository, which a rename leaves as it is; "" where the platform names none.
    """

    event: Event
    repository: str
    api_url: str
    graphql_url: str
    server_url: str
    workspace: Path | None
    temp: Path
    token: str = field(repr=False)
    run_url: str
    config_path: str | None
    settings: Mapping[str, str]
    signing_key: str | None = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)

    @property
    def ca_file(self) -> str:
        """Certificate authorities to trust in place of the usual ones; "" for those."""
        return ca_file_of(self.environment)

    @property
    def repository_url(self) -> str:
        """The web address of the repository."""
        return f"{self.server_url}/{self.repository}"

    default_branch: str = "HEAD"
    repository_id: str = ""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The time and the way to wait, which tests set.

    Attributes:
        now: POSIX time in seconds.
        sleep: Returns after so many seconds.
    """

    now: Callable[[], float]
    sleep: Callable[[float], None]

    def stamp(self) -> str:
        """The present time, UTC, ISO 8601."""
        return datetime.fromtimestamp(self.now(), UTC).isoformat(timespec="microseconds")
