"""The change as checks and agents see it: its diff and the two commits it lies between, by content alone.

Whoever reads through `Snapshot` never touches a work tree, so an answer is the same in CI, in a bare repository and
in a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.diff import FileDiff
from draftgate.domain.match import Match


class Snapshot(Protocol):
    """The regular files of one commit. Reads that fail raise; ``None`` means absent."""

    def read(self, path: str) -> str | None:
        """The text of a file, undecodable bytes replaced; ``None`` if there is no regular file there.

        A file over the size limit of the review counts as absent here and is named in coverage.
        """

    def paths(self) -> Sequence[str]:
        """All regular files, sorted."""

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        """Lines that hold any of ``words`` as a whole word (identifier boundaries), in path and line order.

        Args:
            words: Fixed strings, matched case-sensitively.
            globs: Path globs (``*.py``) that limit the search; empty means every text file.
        """


def _ignore(*_told: str) -> None:
    """Where nobody asks for the coverage."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is read of a change: the diff and the two commits it lies between.

    Attributes:
        limited: Told, as a sentence, what a check could not look at; it goes into the coverage.
        refused: Told the path of a file that a check does not read for its size or shape, and why.
    """

    files: tuple[FileDiff, ...]
    base: Snapshot
    head: Snapshot
    limited: Callable[[str], None] = _ignore
    refused: Callable[[str, str], object] = _ignore
