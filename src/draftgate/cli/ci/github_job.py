"""A job on GitHub Actions: the runner's files for outputs and summary, and a log that it reads commands from."""

from __future__ import annotations

from pathlib import Path

from draftgate.cli.ci.github import result_place
from draftgate.cli.ci.job import Job
from draftgate.cli.ci.log import as_command, guard_streams
from draftgate.cli.ci.variables import Variables
from draftgate.config.key_shapes import hider_of


def open_github_job(variables: Variables) -> Job:
    """The job that this process is; from here on its streams are guarded."""
    secrets = variables.secrets()
    return Job(
        log=guard_streams(secrets, as_command),
        outputs=_file(variables, "GITHUB_OUTPUT"),
        summary=_file(variables, "GITHUB_STEP_SUMMARY"),
        results=result_place(variables),
        hide=hider_of(secrets),
    )


def _file(variables: Variables, name: str) -> Path | None:
    path = variables.get(name)
    return None if path is None else Path(path)
