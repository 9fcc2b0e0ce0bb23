"""What ``draftgate run`` does: find out what the job is for, have it done, and tell the platform how it ended.

The work itself is the composition's. Modules that it needs are imported when an event turns out to be for us: most
comments are not.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.cli.ci.github import read_github_event, read_github_run, result_place
from draftgate.cli.ci.job import Job
from draftgate.cli.ci.log import guard_streams
from draftgate.cli.ci.variables import Variables
from draftgate.cli.fail_on import FailOn, fails, parse_fail_on
from draftgate.config.key_shapes import mask
from draftgate.domain.event import NothingToDo
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.errors import DraftgateError, Unavailable, UsageError

Handle = Callable[[HostedRun], RunOutcome]


def _handle_on_github(hosted: HostedRun) -> RunOutcome:
    from draftgate.bootstrap.github import handle  # noqa: PLC0415 - it loads the forge and the pipeline

    return handle(hosted, Clocks(time.time, time.sleep))


def run(environment: Mapping[str, str]) -> int:
    """Handle the event of this job; returns the exit code.

    Raises:
        UsageError: this is no job of a platform that this release knows.
    """
    _require_github(environment)
    variables = Variables(environment)
    job = _job(variables)
    _log_phases(environment)
    return run_job(job, variables, _handle_on_github)


def run_job(job: Job, variables: Variables, handle: Handle) -> int:
    """Handle the event that the variables name, by ``handle`` if it asks for anything; returns the exit code."""
    began = monotonic()
    try:
        return _run_job(job, variables, handle, began)
    except DraftgateError as error:
        job.explain(error, monotonic() - began)
        return error.exit_code
    except OSError as error:
        job.explain(_refused_by_system(error), monotonic() - began)
        return Unavailable.exit_code
    except Exception:
        job.report_bug(monotonic() - began)  # what it was, `cli.main` says
        raise


def _run_job(job: Job, variables: Variables, handle: Handle, began: float) -> int:
    fail_on = parse_fail_on(variables.get("INPUT_FAIL-ON") or FailOn.NONE, name="the input `fail-on`")
    event = read_github_event(variables)
    if isinstance(event, NothingToDo):
        job.finish(RunOutcome(0, RunPhase.SKIPPED, event.reason), monotonic() - began)
        return 0
    hosted = read_github_run(variables, event)
    outcome = handle(hosted)
    shown = job.finish(outcome, monotonic() - began, repository_url=hosted.repository_url)
    waits = outcome.exit_code == 0 and outcome.phase == Phase.AWAITING_APPROVAL
    return 1 if waits and shown is not None and fails(shown.findings, fail_on) else outcome.exit_code


def _job(variables: Variables) -> Job:
    secrets = variables.secrets()
    return Job(
        log=guard_streams(secrets),
        outputs=_file(variables, "GITHUB_OUTPUT"),
        summary=_file(variables, "GITHUB_STEP_SUMMARY"),
        results=result_place(variables),
        hide=lambda text: mask(text, secrets),
    )


def _file(variables: Variables, name: str) -> Path | None:
    path = variables.get(name)
    return None if path is None else Path(path)


def _require_github(environment: Mapping[str, str]) -> None:
    if environment.get("GITHUB_ACTIONS") == "true":
        return
    if environment.get("GITLAB_CI") == "true":
        raise UsageError(
            "GitLab is not in this release", hint="review in a terminal: `draftgate review`, then `draftgate approve`"
        )
    raise UsageError(
        "this is no job of a CI system: neither GITHUB_ACTIONS nor GITLAB_CI is `true`",
        hint="let GitHub Actions run it; in a terminal use `draftgate review`, then `draftgate approve`",
    )


def _log_phases(environment: Mapping[str, str]) -> None:
    """Log the phases too, since a job's log is all there is afterwards; more if GitHub was asked for debug logging."""
    logger = logging.getLogger("draftgate")
    wanted = logging.DEBUG if environment.get("RUNNER_DEBUG") == "1" else logging.INFO
    logger.setLevel(min(logger.getEffectiveLevel(), wanted))


def _refused_by_system(error: OSError) -> Unavailable:
    return Unavailable(
        f"the system refused this: {error.strerror or error}",
        context=str(error.filename or ""),
        hint="run the job again; it goes on from what is stored, and nothing is submitted twice",
    )
