"""A job on GitLab CI: there is no page of a run and no file for outputs, so all of it is artifacts and the log.

The folder ``draftgate`` of the job holds the outputs as a dotenv report, the page that GitHub would show as Markdown,
and the result as SARIF and JSON; the template keeps exactly these. The log ends with what a reader would look for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from draftgate.cli.ci.artifacts import ArtifactFolder
from draftgate.cli.ci.dotenv import dotenv
from draftgate.cli.ci.job import Hide, Job, Manner
from draftgate.cli.ci.log import GuardedStream, Level, as_coloured_lines, guard_streams
from draftgate.cli.ci.outputs import REPORT_NAME, SARIF_NAME, ResultFiles, ResultPlace
from draftgate.cli.ci.shown import Shown
from draftgate.cli.ci.variables import Variables
from draftgate.config.key_shapes import hider_of
from draftgate.domain.amend import AmendedFinding
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.session import Session
from draftgate.render.links import DASHED
from draftgate.render.wording import SIGNS, place_of

FOLDER = "draftgate"
OUTPUTS_NAME = "draftgate.env"
SUMMARY_NAME = "summary.md"
ARTIFACTS = (OUTPUTS_NAME, SUMMARY_NAME, SARIF_NAME, REPORT_NAME)
"""What the template keeps of the folder."""

_MOST_LISTED = 50


def open_gitlab_job(variables: Variables) -> Job:
    """The job that this process is; from here on its streams are guarded."""
    secrets = variables.secrets()
    return make_gitlab_job(variables, guard_streams(secrets, as_coloured_lines), hider_of(secrets))


def make_gitlab_job(variables: Variables, log: GuardedStream, hide: Hide) -> Job:
    """A job that writes its log to a stream; what an earlier job left in its place is gone."""
    root = variables.get("CI_PROJECT_DIR")
    folder = None if root is None or not Path(root).is_dir() else ArtifactFolder(Path(root) / FOLDER)
    if folder is not None:
        try:
            folder.clear(ARTIFACTS)
        except OSError as error:
            what = f"the folder for artifacts cannot be cleared, and is not used: {error.strerror}"
            log.annotate(Level.WARNING, what)
            folder = None
    return Job(
        log=log,
        outputs=None if folder is None else folder.path / OUTPUTS_NAME,
        summary=None if folder is None else folder.path / SUMMARY_NAME,
        results=None if folder is None else ResultPlace(folder.path),
        hide=hide,
        manner=Manner(
            write_outputs=partial(_write_outputs, hide),
            write_summary=_write_summary,
            write_files=_write_files,
            last_lines=partial(_last_lines, variables.get("CI_JOB_URL") or ""),
            link_style=DASHED,
        ),
    )


def _write_outputs(hide: Hide, path: Path, values: Mapping[str, str]) -> None:
    hidden = {name: hide(value) for name, value in values.items()}
    ArtifactFolder(path.parent).write(path.name, dotenv(hidden).encode())


def _write_summary(path: Path, page: str) -> None:
    ArtifactFolder(path.parent).write(path.name, page.encode("utf-8", "replace"))


def _write_files(session: Session, place: ResultPlace, hide: Hide) -> ResultFiles:
    """The paths are given from the job's folder, which a later job finds its artifacts in."""
    from draftgate.cli.ci.result_files import result_contents  # noqa: PLC0415 - loads the result's models

    folder = ArtifactFolder(place.folder)
    for name, content in result_contents(session, hide).items():
        folder.write(name, content)
    return ResultFiles(f"{FOLDER}/{SARIF_NAME}", f"{FOLDER}/{REPORT_NAME}")


def _last_lines(job_url: str, outcome: RunOutcome, shown: Shown | None) -> tuple[str, ...]:
    """A line for each finding, and where to read on."""
    entries = () if shown is None else shown.entries
    more = len(entries) - _MOST_LISTED
    places = {"the checkpoint": outcome.checkpoint_url, "the review": outcome.review_url}
    if shown is not None and job_url:
        places["in full"] = f"{job_url}/artifacts/browse/{FOLDER}/"
    return (
        *(_row(entry) for entry in entries[:_MOST_LISTED]),
        *([f"… and {more} more"] if more > 0 else []),
        *(f"{name}: {url}" for name, url in places.items() if url),
    )


def _row(entry: AmendedFinding) -> str:
    finding = entry.finding
    kind = f"{entry.number} {SIGNS[finding.severity]} {finding.label}"
    return " · ".join(filter(None, (kind, place_of(finding.anchor), finding.subject)))
