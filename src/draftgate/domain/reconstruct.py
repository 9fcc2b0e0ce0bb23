"""The new file from the old one and its diff, byte for byte: the proof that a diff was read right.

Also the ground for trying a suggested change on a copy. Binary files show no lines and are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from draftgate.domain.diff import FileDiff, FileStatus, Hunk, Side
from draftgate.errors import EvidenceError


def reconstruct(old: bytes, file: FileDiff) -> bytes:
    """Apply every hunk of ``file`` to the content ``old``.

    Raises:
        EvidenceError: The diff does not belong to this content, or it is of a binary file.
    """
    if file.binary:
        _refuse(file, "a binary file shows no lines")
    if file.status is not FileStatus.TYPE_CHANGED:
        return _apply(old, file.hunks, file)
    for hunk in file.hunks:  # the removal of all that was there, then the addition of what is
        old = _apply(old, (hunk,), file)
    return old


def _apply(old: bytes, hunks: Iterable[Hunk], file: FileDiff) -> bytes:
    rows = _rows(old)
    pieces: list[bytes] = []
    taken = shift = 0
    for hunk in hunks:
        first = hunk.old_start - (1 if hunk.old_count else 0)
        after = first + hunk.old_count
        if b"".join(rows[first:after]) != hunk.text(Side.LEFT):
            _refuse(file, f"the hunk at old line {hunk.old_start} shows other lines than the file holds")
        if hunk.new_start - (1 if hunk.new_count else 0) != first + shift:
            _refuse(file, f"the hunk at old line {hunk.old_start} lands on another line than it says")
        pieces += (b"".join(rows[taken:first]), hunk.text(Side.RIGHT))
        taken = after
        shift += hunk.new_count - hunk.old_count
    pieces.append(b"".join(rows[taken:]))
    return _join(pieces, file)


def _rows(text: bytes) -> list[bytes]:
    """The rows with their newlines; ``splitlines`` would also cut at a carriage return."""
    *rows, rest = text.split(b"\n")
    rows = [row + b"\n" for row in rows]
    return [*rows, rest] if rest else rows


def _join(pieces: Iterable[bytes], file: FileDiff) -> bytes:
    pieces = [piece for piece in pieces if piece]
    if not all(piece.endswith(b"\n") for piece in pieces[:-1]):
        _refuse(file, "a line without a newline is not the last one")
    return b"".join(pieces)


def _refuse(file: FileDiff, message: str) -> NoReturn:
    raise EvidenceError(
        f"the diff does not apply: {message}",
        context=file.path,
        hint="read the file at the commit that the diff starts from, and make the diff anew",
    )
