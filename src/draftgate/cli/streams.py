"""The terminal as it is: width and colour for results on stdout, notes and progress on stderr."""

from __future__ import annotations

import os
import shutil
import sys

import typer

from draftgate.render.terminal import Screen
from draftgate.render.visible import terminal

_PIPE_WIDTH = 100


def screen() -> Screen:
    """Where results go."""
    is_terminal = sys.stdout.isatty()
    color = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns if is_terminal else _PIPE_WIDTH, color)


def show(text: str) -> None:
    """Write a result to stdout."""
    typer.echo(text.encode("utf-8", "replace").decode("utf-8"), nl=not text.endswith("\n"))


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
            typer.echo(terminal(text), err=True)

    def progress(self, text: str) -> None:
        """What is going on now; replaced by the next, gone at the end."""
        if self._shows_progress:
            typer.echo(f"\r\x1b[K{terminal(text)}", err=True, nl=False)

    def clear(self) -> None:
        """Take the progress line away."""
        if self._shows_progress:
            typer.echo("\r\x1b[K", err=True, nl=False)
