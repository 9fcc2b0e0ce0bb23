"""What one result of a tool may hold: so many rows and characters, and a mark where something was cut off.

Every row of a stranger's text has a beginning of ours (a line number or a bar), so that no text can pass for a header
or for the end of a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from draftgate.render.visible import visible

CHARACTERS_AT_ONCE = 30_000
"""Of a whole result."""

_ROWS_AT_ONCE = CHARACTERS_AT_ONCE - 1_000  # the header and the mark need room
_LINE_SHOWN = 2_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The rows that fit, and whether there were more."""

    rows: tuple[str, ...]
    is_cut: bool

    def under(self, header: str, *, cut: str = "") -> str:
        """The whole result: our header, the rows, and the mark if something was cut off."""
        return "\n".join((header, *self.rows, *([f"… cut: {cut}"] if self.is_cut and cut else ())))


def take(rows: Iterable[str], most: int) -> Excerpt:
    """As many rows as may be shown at once; no row after the last one that fits is made."""
    taken: list[str] = []
    left = _ROWS_AT_ONCE
    for row in rows:
        left -= len(row) + 1
        if len(taken) == most or left < 0:
            return Excerpt(tuple(taken), is_cut=True)
        taken.append(row)
    return Excerpt(tuple(taken), is_cut=False)


def number_lines(lines: Sequence[str], first: int, last: int, most: int) -> Excerpt:
    """The lines ``first`` to ``last`` (1-based), each as ``NUMBER| TEXT``."""
    return take((f"{number}| {show_line(lines[number - 1])}" for number in range(first, last + 1)), most)


def bar_lines(text: str) -> Excerpt:
    """The lines of a text as ``| TEXT``, wherever a reader might see a line end in it."""
    lines = text.splitlines()
    return take((f"| {show_line(line)}" for line in lines), len(lines))


def show_line(line: str, most: int = _LINE_SHOWN) -> str:
    """One line as plain characters: what a reader would not see, or might take for a line end, is spelled out."""
    shown = visible(line[:most]).replace("\n", "⟨U+000A⟩")  # a file name and an author may hold one
    return shown if len(line) <= most else f"{shown} … cut: this line has {len(line):,} characters"
