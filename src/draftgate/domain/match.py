"""One line found by a search through a commit; who searches and how is not its affair."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Match:
    """One line that holds a searched word: 1-based line, text without its line end."""

    path: str
    line: int
    text: str
