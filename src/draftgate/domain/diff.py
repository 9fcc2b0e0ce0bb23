"""The diff as values: files, hunks and lines, each with its numbers on both sides.

These types hold what git printed and nothing else. Reading a patch is `draftgate.domain.patch`, the
file list of ``git diff --raw`` is `draftgate.domain.raw_diff`, where a remark can hang is
`draftgate.domain.anchor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from draftgate.domain.change import BlobId

SYMLINK_MODE = "120000"
SUBMODULE_MODE = "160000"


class Side(StrEnum):
    """Which version a line number counts in."""

    LEFT = "LEFT"
    RIGHT = "RIGHT"


class FileStatus(StrEnum):
    """What happened to a file, by git's words."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type-changed"


class LineKind(StrEnum):
    """What a line of a hunk says."""

    CONTEXT = "context"
    ADDED = "added"
    REMOVED = "removed"


class Line(NamedTuple):
    """One line of a hunk. A tuple, because a large change holds hundreds of thousands of them.

    Attributes:
        kind: Context, added or removed.
        old: Its number in the old file, ``None`` if added.
        new: Its number in the new file, ``None`` if removed.
        content: The bytes without the marker and the final newline; a carriage return stays.
    """

    kind: LineKind
    old: int | None
    new: int | None
    content: bytes


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines around a change, kept as git's own text and cut into lines when asked.

    Attributes:
        old_start: First line on the old side; the line *before* the hunk if ``old_count`` is 0.
        old_count: Lines on the old side.
        new_start: First line on the new side; the line *before* the hunk if ``new_count`` is 0.
        new_count: Lines on the new side.
        heading: What git prints after the second ``@@`` (the enclosing function).
        body: The marked lines, each ended by a newline, without "No newline" remarks.
        old_no_newline: The old file ends in this hunk, without a final newline.
        new_no_newline: The new file ends in this hunk, without a final newline.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: bytes
    body: bytes
    old_no_newline: bool = False
    new_no_newline: bool = False

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines in order, cut from the body at every call."""
        return tuple(self._cut())

    def text(self, side: Side) -> bytes:
        """What the hunk shows of the old or the new file, byte for byte."""
        other, cut_short = (b"+", self.old_no_newline) if side is Side.LEFT else (b"-", self.new_no_newline)
        rows = [row[1:] for row in self.body[:-1].split(b"\n") if not row.startswith(other)] if self.body else []
        text = b"\n".join(rows)
        return text if cut_short or not rows else text + b"\n"

    def _cut(self) -> Iterator[Line]:
        # Looked up once: an enum member costs more than the rest of the loop.
        added, removed, context = LineKind.ADDED, LineKind.REMOVED, LineKind.CONTEXT
        old, new = self.old_start, self.new_start
        for row in self.body[:-1].split(b"\n") if self.body else ():
            if row.startswith(b"+"):
                yield Line(added, None, new, row[1:])
                new += 1
            elif row.startswith(b"-"):
                yield Line(removed, old, None, row[1:])
                old += 1
            else:
                yield Line(context, old, new, row[1:])
                old += 1
                new += 1


# No slots: the line sets are computed once, on first use, and kept in the instance's dictionary.
@dataclass(frozen=True)
class FileDiff:
    """What happened to one file.

    Attributes:
        old_path: The path at base, ``None`` if the file is new.
        new_path: The path at head, ``None`` if the file is gone.
        status: What happened, by git's words.
        old_mode: Git's mode at base, ``None`` if there is no such side or the patch does not print it.
        new_mode: The same at head.
        old_blob: Full object id at base, ``None`` if there is no such side or the patch does not print it.
        new_blob: The same at head.
        binary: Git takes one side for binary; such a file has no hunks.
        hunks: In file order. A type change has the removal of the old content and the addition of
            the new one, as git prints them.
    """

    old_path: str | None
    new_path: str | None
    status: FileStatus
    old_mode: str | None = None
    new_mode: str | None = None
    old_blob: BlobId | None = None
    new_blob: BlobId | None = None
    binary: bool = False
    hunks: tuple[Hunk, ...] = ()

    @property
    def path(self) -> str:
        """The path at head, or at base if the file is gone."""
        path = self.old_path if self.new_path is None else self.new_path
        if path is None:
            raise ValueError("a file diff names no path")
        return path

    @property
    def mode(self) -> str | None:
        """The mode that belongs to `path`."""
        return self.old_mode if self.new_path is None else self.new_mode

    @property
    def is_symlink(self) -> bool:
        """`path` is a symbolic link: its text is a target, not source."""
        return self.mode == SYMLINK_MODE

    @property
    def is_submodule(self) -> bool:
        """`path` is a submodule: its text is a commit id, not source."""
        return self.mode == SUBMODULE_MODE

    @cached_property
    def added_lines(self) -> frozenset[int]:
        """Numbers in the new file of the lines that were added."""
        return frozenset(line.new for hunk in self.hunks for line in hunk.lines if line.old is None and line.new)

    @cached_property
    def removed_lines(self) -> frozenset[int]:
        """Numbers in the old file of the lines that were removed."""
        return frozenset(line.old for hunk in self.hunks for line in hunk.lines if line.new is None and line.old)
