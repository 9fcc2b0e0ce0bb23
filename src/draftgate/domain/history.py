"""The history of the reviewed commit as agents ask for it: what was committed, and which commit a line is from.

Who reads it and how is not its affair; every text here is a stranger's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.change import CommitSha


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One commit: author, ISO date of authorship ("" if there is none), first paragraph and rest of its message."""

    sha: CommitSha
    author: str
    date: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """One line (1-based) and the commit that last changed it."""

    line: int
    sha: CommitSha
    author: str
    date: str
    text: str


class History(Protocol):
    """What led to one commit, the head. Reads that fail raise; ``None`` means that there is no such file."""

    @property
    def is_cut(self) -> bool:
        """Older commits are missing (a shallow clone), so that the oldest one stands for all before it."""

    def log(self, path: str | None, limit: int) -> tuple[LoggedCommit, ...] | None:
        """The newest commits that head contains, newest first: all, or those that changed a file.

        ``None`` if the path has no regular file at head. Renames are not followed.
        """

    def blame(self, path: str, first: int, last: int) -> tuple[BlamedLine, ...] | None:
        """The lines of a file at head from ``first`` to ``last`` (1-based), as far as there are any.

        ``None`` if the path has no regular file at head.
        """
