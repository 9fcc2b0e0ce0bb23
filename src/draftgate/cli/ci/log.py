"""What a job prints on GitHub: a log in which nobody else's text can be a command to the runner, and our own commands.

The runner reads both streams. It obeys a line that begins with ``::``, whatever blanks stand before it, and one with
``##[`` anywhere in it; characters without width do not count when it looks for them. So that what anyone wrote stays
text, both streams are guarded; only `annotate` goes past the guard.

Source: ``ActionCommand.cs`` and ``OutputManager.cs`` of https://github.com/actions/runner, and
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TextIO

from draftgate.config.key_shapes import mask
from draftgate.render.visible import no_command, visible

MAX_ANNOTATION = 4_000
"""Characters of one annotation."""


class Level(StrEnum):
    """How a message is shown on the page of the run."""

    WARNING = "warning"
    ERROR = "error"


class GuardedStream(io.TextIOBase):
    """Writes whole lines of plain text: secrets are masked, hidden characters spelled out, commands defused.

    Args:
        stream: Where the lines go.
        secrets: What must not be shown, longest first.
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, stream: TextIO, secrets: Sequence[str]) -> None:
        super().__init__()
        self._stream = stream
        self._secrets = secrets
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
        """Show a message on the page of the run."""
        self.flush()
        plain = visible(mask(message, self._secrets).replace("\r\n", "\n"))
        cut = plain if len(plain) <= MAX_ANNOTATION else f"{plain[: MAX_ANNOTATION - 1]}…"
        self._stream.write(f"::{level} title=Draftgate::{_escape(cut)}\n")
        self._stream.flush()

    def _made_plain(self, line: str) -> str:
        return no_command(visible(mask(line.removesuffix("\r"), self._secrets)))


def guard_streams(secrets: Sequence[str]) -> GuardedStream:
    """Guard stdout, stderr and the log for the rest of the process; returns the guarded stdout."""
    out, err = GuardedStream(sys.stdout, secrets), GuardedStream(sys.stderr, secrets)
    sys.stdout, sys.stderr = out, err
    for handler in logging.getLogger("draftgate").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(err)
    return out


def _escape(data: str) -> str:
    return data.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
