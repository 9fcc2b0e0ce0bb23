"""The CI systems that a run knows: what tells each by its variables, and the few functions in which they differ.

A composition is imported when an event turns out to be for us: it loads the forge and the pipeline, and most comments
are not for us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.cli.ci import github, gitlab
from draftgate.cli.ci.github_job import open_github_job
from draftgate.cli.ci.gitlab_job import open_gitlab_job
from draftgate.cli.ci.job import Job
from draftgate.cli.ci.variables import Variables
from draftgate.domain.event import Event
from draftgate.domain.outcome import RunOutcome
from draftgate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Platform:
    """One CI system.

    Attributes:
        name: As messages call it.
        mark: The variable that is ``true`` in its jobs and in no other's.
        debug: A variable and its value when somebody asked the platform for more in its logs.
        fail_on: The variable with the level, and what messages call it.
        read_event, read_run: From the variables to values.
        open_job: Guards the streams of this process.
        handle: Has the work done.
    """

    name: str
    mark: str
    debug: tuple[str, str]
    fail_on: tuple[str, str]
    read_event: Callable[[Variables], Event]
    read_run: Callable[[Variables, Event], HostedRun]
    open_job: Callable[[Variables], Job]
    handle: Callable[[HostedRun, Clocks], RunOutcome]

    def variables(self, environment: Mapping[str, str]) -> Variables:
        """The variables of a job of its own."""
        return Variables(environment, self.name)


def _handle_on_github(hosted: HostedRun, clocks: Clocks) -> RunOutcome:
    from draftgate.bootstrap.github import handle  # noqa: PLC0415 - it loads the forge and the pipeline

    return handle(hosted, clocks)


def _handle_on_gitlab(hosted: HostedRun, clocks: Clocks) -> RunOutcome:
    from draftgate.bootstrap.gitlab import handle  # noqa: PLC0415 - it loads the forge and the pipeline

    return handle(hosted, clocks)


GITHUB = Platform(
    name="GitHub Actions",
    mark="GITHUB_ACTIONS",
    debug=("RUNNER_DEBUG", "1"),
    fail_on=("INPUT_FAIL-ON", "the input `fail-on`"),
    read_event=github.read_github_event,
    read_run=github.read_github_run,
    open_job=open_github_job,
    handle=_handle_on_github,
)
GITLAB = Platform(
    name=gitlab.PLATFORM,
    mark="GITLAB_CI",
    debug=("CI_DEBUG_TRACE", "true"),
    fail_on=("DRAFTGATE_FAIL_ON", "DRAFTGATE_FAIL_ON"),
    read_event=gitlab.read_gitlab_event,
    read_run=gitlab.read_gitlab_run,
    open_job=open_gitlab_job,
    handle=_handle_on_gitlab,
)

PLATFORMS = (GITHUB, GITLAB)


def platform_of(environment: Mapping[str, str]) -> Platform:
    """The platform whose job this is.

    Raises:
        UsageError: it is no job of one that this release knows.
    """
    for platform in PLATFORMS:
        if environment.get(platform.mark) == "true":
            return platform
    marks = " nor ".join(platform.mark for platform in PLATFORMS)
    raise UsageError(
        f"this is no job of a CI system: neither {marks} is `true`",
        hint="let GitHub Actions or GitLab CI run it; in a terminal use `draftgate review`, then `draftgate approve`",
    )
