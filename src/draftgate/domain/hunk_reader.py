"""The reading of hunks, where the header's counts alone decide which row is content.

A cursor over the bytes of a patch, and the one place that refuses them. What stands above the hunks
of a file is read in `draftgate.domain.patch`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from draftgate.domain.diff import Hunk
from draftgate.errors import EvidenceError

_ADDED, _REMOVED, _CONTEXT, _STRIPPED = b"+- \n"

# At most ten digits: git counts lines in 32 bits, and int() refuses thousands of digits.
_HUNK_HEADER = re.compile(rb"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: (.*))?(?:\n|\Z)")


class Reader:
    """A cursor over the rows of a patch, and the one place that refuses."""

    def __init__(self, patch: bytes) -> None:
        self.patch = patch
        self.position = 0

    @property
    def at_end(self) -> bool:
        """Nothing is left."""
        return self.position >= len(self.patch)

    def is_at(self, prefix: bytes) -> bool:
        """The next row begins with ``prefix``."""
        return self.patch.startswith(prefix, self.position)

    def take(self) -> bytes:
        """The next row without its newline; the cursor moves on."""
        end = self.patch.find(b"\n", self.position)
        end = len(self.patch) if end < 0 else end
        row = self.patch[self.position : end]
        self.position = end + 1
        return row

    def fail(self, message: str, *, at: int | None = None, hint: str = "") -> NoReturn:
        """Refuse the patch, naming the row that begins at ``at`` (the next one by default)."""
        line = self.patch.count(b"\n", 0, self.position if at is None else at) + 1
        raise EvidenceError(
            f"the diff cannot be read: {message}",
            context=f"line {line} of the patch",
            hint=hint or "make the patch anew with `git diff --no-color --no-ext-diff` and pass all of it",
        )

    def fail_unexpected(self, wanted: str) -> NoReturn:
        """Refuse the next row, saying what it looks like if that is known."""
        if self.is_at(b"diff --cc ") or self.is_at(b"diff --combined ") or self.is_at(b"@@@ "):
            self.fail("a combined diff of a merge has no single old side", hint="compare two commits: `git diff A B`")
        if self.is_at(b"\x1b["):
            self.fail("the text is coloured", hint="pass `--no-color` to git; color.ui=always may be configured")
        self.fail(f"{wanted} was expected here" if not self.at_end else f"it ends where {wanted} was expected")


def read_hunks(reader: Reader) -> Iterator[Hunk]:
    """Read hunks until a row begins otherwise; on both sides each one lies below the one before it."""
    old_free = new_free = 1
    while reader.is_at(b"@@ -"):
        start = reader.position
        hunk = _read_hunk(reader)
        old_first = hunk.old_start + (not hunk.old_count)
        new_first = hunk.new_start + (not hunk.new_count)
        if old_first < old_free or new_first < new_free:
            reader.fail("a hunk begins before the end of the one above it", at=start)
        old_free, new_free = old_first + hunk.old_count, new_first + hunk.new_count
        yield hunk


def _read_hunk(reader: Reader) -> Hunk:
    found = _HUNK_HEADER.match(reader.patch, reader.position)
    if found is None:
        reader.fail("the hunk header is not `@@ -LINE,COUNT +LINE,COUNT @@`")
    old_start, new_start = int(found[1]), int(found[3])
    old_count, new_count = (1 if count is None else int(count) for count in (found[2], found[4]))
    reader.position = found.end()
    body, remarks = _read_body(reader, old_count, new_count)
    return Hunk(
        old_start=old_start,
        old_count=old_count,
        new_start=new_start,
        new_count=new_count,
        heading=found[5] or b"",
        body=body,
        old_no_newline=not remarks.isdisjoint((_REMOVED, _CONTEXT)),
        new_no_newline=not remarks.isdisjoint((_ADDED, _CONTEXT)),
    )


def _read_body(reader: Reader, old: int, new: int) -> tuple[bytes, frozenset[int]]:
    """The announced rows, and the markers of those that a "No newline" remark follows."""
    pieces: list[bytes] = []
    remarks: set[int] = set()
    while True:
        start = reader.position
        old, new = _count_down(reader, old, new)
        pieces.append(reader.patch[start : reader.position])
        if not reader.is_at(b"\\ "):
            break
        marker = _last_marker(pieces[-1])
        if (marker != _ADDED and old) or (marker != _REMOVED and new) or not marker:
            reader.fail("a `No newline` remark does not follow the last line of a file")
        remarks.add(marker)
        reader.take()
    if old or new:
        reader.fail_unexpected("a line of the hunk")
    body = b"".join(pieces)
    return body if body.endswith(b"\n") or not body else body + b"\n", frozenset(remarks)


def _count_down(reader: Reader, old: int, new: int) -> tuple[int, int]:
    """Pass over rows until none is owed or another kind of row comes; what is still owed of each side.

    An empty row is a blank context line whose space was stripped on the way; ``git apply`` takes it too.
    """
    patch, position = reader.patch, reader.position
    end = len(patch)
    while (old or new) and position < end:
        marker = patch[position]
        if marker == _ADDED:
            new -= 1
        elif marker == _REMOVED:
            old -= 1
        elif marker in (_CONTEXT, _STRIPPED):
            old -= 1
            new -= 1
        else:
            break
        if old < 0 or new < 0:
            reader.fail("a hunk has other lines than its header announces", at=position)
        position = patch.find(b"\n", position) + 1 or end
    reader.position = position
    return old, new


def _last_marker(body: bytes) -> int:
    """The marker of the last row, 0 if there is none."""
    row = body[body.rfind(b"\n", 0, -1) + 1 :]
    return _CONTEXT if row[:1] == b"\n" else (row or b"\0")[0]
