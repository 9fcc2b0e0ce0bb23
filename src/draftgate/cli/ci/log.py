"""What a job prints: a log in which nobody else's text can be a command to the platform, and our own messages.

GitHub's runner reads both streams. It obeys a line that begins with ``::``, whatever blanks stand before it, and one
with ``##[`` anywhere in it; characters without width do not count when it looks for them. GitLab's page of a job obeys
ANSI escapes, and opens and closes sections at ``section_start:TIME:NAME`` and ``section_end:TIME:NAME`` if a carriage
return and ``ESC[0K`` follow. So that what anyone wrote stays text, both streams are guarded; only `annotate` goes past
the guard.

Source: ``ActionCommand.cs`` and ``OutputManager.cs`` of https://github.com/actions/runner,
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands, and
https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TextIO

from draftgate.config.key_shapes import hider_of
from draftgate.render.visible import no_command, visible

MAX_ANNOTATION = 4_000
"""Characters of one annotation."""


class Level(StrEnum):
    """How grave a message is."""

    WARNING = "warning"
    ERROR = "error"


Annotation = Callable[[Level, str], str]
"""Writes a message, whose only control characters are newlines, as the platform shows it best."""


def as_command(level: Level, message: str) -> str:
    """A command to GitHub's runner, which puts the message on the page of the run."""
    data = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title=Draftgate::{data}"


def as_coloured_lines(level: Level, message: str) -> str:
    """Lines in the colour that GitLab's own warnings and errors have in a log; each is complete by itself."""
    colour = _COLOURS[level]
    first, *more = message.split("\n")
    return "\n".join(f"\x1b[{colour};1m{line}\x1b[0;m" for line in (f"{level.upper()}: {first}", *more))


_COLOURS = {Level.WARNING: 33, Level.ERROR: 31}


class GuardedStream(io.TextIOBase):
    """Writes whole lines of plain text: secrets and keys are masked, hidden characters spelled out, commands defused.

    Args:
        stream: Where the lines go.
        secrets: What must not be shown, longest first.
        annotation: How messages of ours are written.
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, stream: TextIO, secrets: Sequence[str], annotation: Annotation = as_command) -> None:
        super().__init__()
        self._stream = stream
        self._hide = hider_of(secrets)
        self._annotation = annotation
        self._held = ""

    def write(self, text: str) -> int:
        """Take ``text``; a line without its end waits for the rest."""
        *lines, self._held = (self._held + text).split("\n")
        for line in lines:
            self._stream.write(f"{self._made_plain(line)}\n")
        return len(text)

    def flush(self) -> None:
        """Write what is held back, as a line."""
        if self._held:
            self.write("\n")
        self._stream.flush()

    def fileno(self) -> int:
        """Of the stream below."""
        return self._stream.fileno()

    def annotate(self, level: Level, message: str) -> None:
        """Show a message where the platform lets nobody overlook it."""
        self.flush()
        plain = visible(self._hide(message).replace("\r\n", "\n"))
        cut = plain if len(plain) <= MAX_ANNOTATION else f"{plain[: MAX_ANNOTATION - 1]}…"
        self._stream.write(f"{self._annotation(level, cut)}\n")
        self._stream.flush()

    def _made_plain(self, line: str) -> str:
        return no_command(visible(self._hide(line.removesuffix("\r"))))


def guard_streams(secrets: Sequence[str], annotation: Annotation) -> GuardedStream:
    """Guard stdout, stderr and the log for the rest of the process; returns the guarded stdout."""
    out, err = GuardedStream(sys.stdout, secrets, annotation), GuardedStream(sys.stderr, secrets)
    sys.stdout, sys.stderr = out, err
    for handler in logging.getLogger("draftgate").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(err)
    return out
