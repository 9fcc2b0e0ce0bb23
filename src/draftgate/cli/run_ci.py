"""What ``draftgate run`` does: find out what the job is for, have it done, and tell the platform how it ended.

The work itself is the composition's. Modules that it needs are imported when an event turns out to be for us: most
comments are not.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Mapping
from time import monotonic

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.cli.ci.job import Job
from draftgate.cli.ci.platforms import GITHUB, Platform, platform_of
from draftgate.cli.ci.variables import Variables
from draftgate.cli.fail_on import FailOn, fails, parse_fail_on
from draftgate.cli.privileges import MARK, describe_user
from draftgate.domain.event import NothingToDo
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.errors import DraftgateError, Unavailable, UsageError

Handle = Callable[[HostedRun], RunOutcome]

_LOGGER = logging.getLogger(__name__)


def run(environment: Mapping[str, str]) -> int:
    """Handle the event of this job; returns the exit code.

    Raises:
        UsageError: this is no job of a platform that this release knows.
    """
    platform = platform_of(environment)
    variables = platform.variables(environment)
    job = platform.open_job(variables)
    _log_phases(environment, platform)
    if MARK.exists():
        _LOGGER.info("runs as %s", describe_user(environment))
    return run_job(job, variables, lambda hosted: platform.handle(hosted, Clocks(time.time, time.sleep)), platform)


def run_job(job: Job, variables: Variables, handle: Handle, platform: Platform = GITHUB) -> int:
    """Handle the event that the variables name, by ``handle`` if it asks for anything; returns the exit code."""
    began = monotonic()
    try:
        return _run_job(job, variables, handle, platform, began)
    except DraftgateError as error:
        job.explain(error, monotonic() - began)
        return error.exit_code
    except OSError as error:
        job.explain(_refused_by_system(error), monotonic() - began)
        return Unavailable.exit_code
    except Exception:
        job.report_bug(monotonic() - began)  # what it was, `cli.main` says
        raise


def _run_job(job: Job, variables: Variables, handle: Handle, platform: Platform, began: float) -> int:
    name, called = platform.fail_on
    fail_on = parse_fail_on(variables.get(name) or FailOn.NONE, name=called)
    event = platform.read_event(variables)
    if isinstance(event, NothingToDo):
        job.finish(RunOutcome(0, RunPhase.SKIPPED, event.reason), monotonic() - began)
        return 0
    _need_temporary_folder()
    hosted = platform.read_run(variables, event)
    outcome = handle(hosted)
    shown = job.finish(outcome, monotonic() - began, repository_url=hosted.repository_url)
    waits = outcome.exit_code == 0 and outcome.phase == Phase.AWAITING_APPROVAL
    return 1 if waits and shown is not None and fails(shown.findings, fail_on) else outcome.exit_code


def _need_temporary_folder() -> None:
    """Refuse early and plainly; Python looks through several places, the current folder last."""
    try:
        tempfile.gettempdir()
    except OSError as error:
        raise UsageError(
            "there is no folder for temporary files that can be written",
            hint="give a read-only container one (`--tmpfs /tmp`), or name one in the variable TMPDIR",
        ) from error


def _log_phases(environment: Mapping[str, str], platform: Platform) -> None:
    """Log the phases too, since a job's log is all there is afterwards; more if the platform was asked for that."""
    logger = logging.getLogger("draftgate")
    name, value = platform.debug
    wanted = logging.DEBUG if environment.get(name) == value else logging.INFO
    logger.setLevel(min(logger.getEffectiveLevel(), wanted))


def _refused_by_system(error: OSError) -> Unavailable:
    return Unavailable(
        f"the system refused this: {error.strerror or error}",
        context=str(error.filename or ""),
        hint="run the job again; it goes on from what is stored, and nothing is submitted twice",
    )
