"""A text cut into lines, once for all who quote from it, and the line of a place in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

# Findings come file by file, from one side and the other.
_KEPT_TEXTS = 4


@lru_cache(maxsize=_KEPT_TEXTS)
def lines_of(text: str) -> tuple[str, ...]:
    """The lines without their line feeds; a final one begins an empty line."""
    return tuple(text.split("\n"))


class LineIndex:
    """Tells in which line a position of a text lies, without counting from its start."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self._ends = [feed.start() for feed in re.finditer("\n", text)]
        self._first_line = first_line

    def line_at(self, position: int) -> int:
        """The number of the line; a line feed lies in the line that it ends."""
        return self._first_line + bisect_left(self._ends, position)
