"""The summary of a job: what is said on the page of the run, and the file by which the runner takes it.

How it looks is `render.summary`'s. https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#adding-a-job-summary
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from draftgate.cli.ci.shown import Shown
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import ConfigurationError, DraftgateError, Limit
from draftgate.render.links import Links
from draftgate.render.summary import Happened, Timing, job_summary
from draftgate.render.wording import as_sentence

SUMMARY_LIMIT = Limit("a job summary", 1024 * 1024, "bytes")
_CUT = b"\n\n(Cut here: GitHub shows no longer summary.)\n"


def timing_of(outcome: RunOutcome, elapsed_s: float) -> Timing:
    """Where the time of a run went, and of the round if it ended."""
    waited_s = None if outcome.session is None else _waited_s(outcome.session)
    return Timing(elapsed_s, waited_s, outcome.reads + outcome.writes)


def _waited_s(session: Session) -> float | None:
    """How long the findings waited until somebody published or discarded them."""
    if session.submission is not None:
        end = session.submission.at
    elif session.phase is Phase.ABORTED:
        end = session.updated_at
    else:
        return None
    if not session.shown_at:
        return None
    return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(session.shown_at)).total_seconds())


def outcome_page(outcome: RunOutcome, shown: Shown | None, timing: Timing, links: Links) -> str:
    """What a run did, and what it shows; in full where there is no other place for it."""
    said = (as_sentence(outcome.sentence), *(f"⚠️ {warning}" for warning in outcome.warnings))
    happened = Happened(
        outcome.phase.replace("-", " "),
        "\n\n".join(said),
        outcome.checkpoint_url,
        outcome.review_url,
        shows_findings=outcome.phase == RunPhase.READ_ONLY,
    )
    return job_summary(happened, timing, outcome.session, None if shown is None else shown.amended, links)


def error_page(error: DraftgateError, timing: Timing) -> str:
    """Why a run stopped, and what to do."""
    problems = [f"- {problem}" for problem in error.problems] if isinstance(error, ConfigurationError) else []
    said = "\n\n".join((str(error), *problems, f"What to do: {error.hint}"))
    return job_summary(Happened("stopped", said), timing)


def bug_page(timing: Timing) -> str:
    """That a run ended by a mistake of ours."""
    said = "This is a bug in Draftgate. The log ends with the lines to report."
    return job_summary(Happened("stopped", said), timing)


def append_summary(path: Path, page: str) -> None:
    """Add a page to the runner's file, cut so that the runner accepts it.

    Raises:
        OSError: the file cannot be written.
    """
    content = page.encode("utf-8", "replace")
    with path.open("ab") as file:
        room = SUMMARY_LIMIT.value - file.tell()
        file.write(content if len(content) <= room else _cut(content, room))


def _cut(content: bytes, room: int) -> bytes:
    """As many whole lines as there is room for, and that it was cut."""
    if room < len(_CUT):
        return b""
    return content[: room - len(_CUT)].rpartition(b"\n")[0] + _CUT
