"""The job that this process is: where its outputs, summary, annotations and log go.

What cannot be written is said and changes nothing else: what was done on the forge is done.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from draftgate.cli.ci.log import GuardedStream, Level
from draftgate.cli.ci.outputs import ResultFiles, ResultPlace, outputs_of, write_outputs
from draftgate.cli.ci.shown import Shown, figures, shown_of
from draftgate.cli.ci.summary import append_summary, bug_page, error_page, outcome_page, timing_of
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.session import Session
from draftgate.errors import ConfigurationError, DraftgateError
from draftgate.render.links import PLAIN, Links, LinkStyle
from draftgate.render.summary import Timing, timing_line
from draftgate.render.visible import one_line

MAX_WARNINGS = 10
"""GitHub shows no more of one step; the rest stands in the summary."""

Hide = Callable[[str], str]

_LONGEST_SENTENCE = 2_000


def _github_outputs(path: Path, values: Mapping[str, str]) -> None:
    write_outputs(path, values, lambda: f"draftgate-{secrets.token_hex(16)}")


def _files(session: Session, place: ResultPlace, hide: Hide) -> ResultFiles:
    from draftgate.cli.ci.result_files import write_result_files  # noqa: PLC0415 - loads the result's models

    return write_result_files(session, place, hide)


def _no_lines(_outcome: RunOutcome, _shown: Shown | None) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Manner:
    """How a platform takes what a job has to give; without arguments, as GitHub does.

    Attributes:
        write_outputs: Puts the outputs into the file for them.
        write_summary: Puts the page into the file for it.
        write_files: Writes the files of the result.
        last_lines: What else the log says, where the platform has no page for it.
        link_style: How the forge writes addresses.
    """

    write_outputs: Callable[[Path, Mapping[str, str]], None] = _github_outputs
    write_summary: Callable[[Path, str], None] = append_summary
    write_files: Callable[[Session, ResultPlace, Hide], ResultFiles] = _files
    last_lines: Callable[[RunOutcome, Shown | None], tuple[str, ...]] = _no_lines
    link_style: LinkStyle = PLAIN


ON_GITHUB = Manner()


@dataclass(frozen=True, slots=True)
class Job:
    """Where a job's results go.

    Attributes:
        log: The guarded stdout.
        outputs, summary: The files for them; ``None`` where the runner gave none.
        results: Where the files of the result go; ``None`` if there is no such place.
        hide: Takes the secrets out of a text.
        manner: How all of it is written.
    """

    log: GuardedStream
    outputs: Path | None
    summary: Path | None
    results: ResultPlace | None
    hide: Hide
    manner: Manner = ON_GITHUB

    def finish(self, outcome: RunOutcome, elapsed_s: float, *, repository_url: str = "") -> Shown | None:
        """Tell how a run ended; returns what it shows, with links if the repository's web address is known."""
        shown = shown_of(outcome.session)
        timing = timing_of(outcome, elapsed_s)
        files = ResultFiles() if shown is None or outcome.session is None else self._write_files(outcome.session)
        self._write_outputs(outputs_of(outcome, shown, files))
        self._write_summary(outcome_page(outcome, shown, timing, Links(repository_url, style=self.manner.link_style)))
        for warning in outcome.warnings[:MAX_WARNINGS]:
            self.log.annotate(Level.WARNING, warning)
        for line in self.manner.last_lines(outcome, shown):
            self._say(line)
        self._say(f"{outcome.phase}: {outcome.sentence}")
        self._say(" · ".join(filter(None, (figures(outcome.session, shown), timing_line(timing)))))
        return shown

    def explain(self, error: DraftgateError, elapsed_s: float) -> None:
        """Tell why a run stopped."""
        problems = [str(problem) for problem in error.problems] if isinstance(error, ConfigurationError) else []
        self._write_summary(error_page(error, Timing(elapsed_s)))
        self.log.annotate(Level.ERROR, "\n".join((str(error), *problems, f"→ {error.hint}")))

    def report_bug(self, elapsed_s: float) -> None:
        """Tell that a run ended by a mistake of ours; the report itself goes to the log."""
        self._write_summary(bug_page(Timing(elapsed_s)))
        self.log.annotate(Level.ERROR, "this is a bug in Draftgate; the lines to report stand in the log")

    def _write_files(self, session: Session) -> ResultFiles:
        if self.results is None:
            return ResultFiles()
        try:
            return self.manner.write_files(session, self.results, self.hide)
        except OSError as error:
            self._cannot_write("the files of the result", error)
            return ResultFiles()

    def _write_outputs(self, values: dict[str, str]) -> None:
        if self.outputs is None:
            return
        try:
            self.manner.write_outputs(self.outputs, values)
        except OSError as error:
            self._cannot_write("the outputs", error)

    def _write_summary(self, page: str) -> None:
        if self.summary is None:
            return
        try:
            self.manner.write_summary(self.summary, self.hide(page))
        except OSError as error:
            self._cannot_write("the job summary", error)

    def _cannot_write(self, what: str, error: OSError) -> None:
        self.log.annotate(Level.WARNING, f"{what} cannot be written: {error.strerror}")

    def _say(self, sentence: str) -> None:
        self.log.write(f"{one_line(sentence, _LONGEST_SENTENCE)}\n")
