"""The terminal as it is: width and colour for results on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from draftgate.config.key_shapes import hider
from draftgate.render.visible import one_line

if TYPE_CHECKING:
    from draftgate.render.writer import Screen

_PIPE_WIDTH = 100
_MAX_NOTE = 2_000


def make_streams_safe() -> None:
    """Give the program streams where it was started without, and let none of them fail on a character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the program
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for the whole run
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def finish_streams() -> bool:
    """Write out what is still held back, which Python would fail to do at its end with exit 120.

    Returns:
        Whether all of it arrived.
    """
    arrived = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _silence(stream)
        except OSError:
            arrived = False
            _silence(stream)
    return arrived


def _silence(stream: TextIO) -> None:
    """Let a stream that nobody reads any more end in nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def screen() -> Screen:
    """Where results go."""
    from draftgate.render.writer import Screen  # noqa: PLC0415 - error messages need no pages

    is_terminal = sys.stdout.isatty()
    color = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns if is_terminal else _PIPE_WIDTH, color)


def without_keys(text: str) -> str:
    """The text as it may be shown: a branch or a file can be named for a key, and any message can name it."""
    return hider(os.environ)(text)


def show(text: str) -> None:
    """Write a result to stdout."""
    text = without_keys(text)
    try:
        typer.echo(text.encode("utf-8", "replace").decode("utf-8"), nl=not text.endswith("\n"))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _silence(sys.stdout)


class Notes:
    """Notes on stderr, and progress where it is a terminal; silent when asked to be.

    Args:
        quiet: Say nothing but errors.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._shows_progress = not quiet and sys.stderr.isatty()

    def note(self, text: str) -> None:
        """One line that the reader should know beside the result."""
        if not self._quiet:
            self.clear()
            with contextlib.suppress(OSError):  # a note spoils no result
                typer.echo(one_line(without_keys(text), _MAX_NOTE), err=True)

    def progress(self, text: str) -> None:
        """What is going on now; replaced by the next, gone at the end."""
        if self._shows_progress:
            typer.echo(f"\r\x1b[K{one_line(without_keys(text))}", err=True, nl=False)

    def clear(self) -> None:
        """Take the progress line away."""
        if self._shows_progress:
            typer.echo("\r\x1b[K", err=True, nl=False)
