"""The file list of ``git diff --raw -z``: the truth about paths, modes and blobs, never quoted.

`join` lays the hunks of the parsed patch into that list and refuses if the two disagree, so that no
file is missed and none is reviewed under a wrong name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NoReturn

from draftgate.domain.change import BlobId
from draftgate.domain.diff import FileDiff, FileStatus
from draftgate.errors import EvidenceError

# https://git-scm.com/docs/git-diff#_raw_output_format
_OBJECT_ID = rb"([0-9a-f]{40}|[0-9a-f]{64})"
_RECORD = re.compile(rb":([0-7]{6}) ([0-7]{6}) %b %b ([ADMTRC])(\d{0,3})" % (_OBJECT_ID, _OBJECT_ID))
_STATUS = {
    b"A": FileStatus.ADDED,
    b"D": FileStatus.DELETED,
    b"M": FileStatus.MODIFIED,
    b"T": FileStatus.TYPE_CHANGED,
    b"R": FileStatus.RENAMED,
    b"C": FileStatus.COPIED,
}
_TWO_PATHS = (FileStatus.RENAMED, FileStatus.COPIED)
_NO_MODE = b"000000"


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One changed file as git lists it.

    Attributes:
        status: What happened.
        score: Similarity in percent of a rename or copy, ``None`` where git gives none.
        old_mode: ``None`` if the file is new.
        new_mode: ``None`` if the file is gone.
        old_blob: ``None`` if the file is new.
        new_blob: ``None`` if the file is gone, or lies in a work tree and has no id yet.
        old_path: ``None`` if the file is new.
        new_path: ``None`` if the file is gone.
    """

    status: FileStatus
    score: int | None
    old_mode: str | None
    new_mode: str | None
    old_blob: BlobId | None
    new_blob: BlobId | None
    old_path: str | None
    new_path: str | None

    @property
    def path(self) -> str:
        """The path at head, or at base if the file is gone."""
        return self.new_path or self.old_path or ""


def parse_raw_z(raw: bytes) -> tuple[RawEntry, ...]:
    """Read what ``git diff --raw -z --no-abbrev`` (or ``git diff-tree -r --raw -z``) printed.

    Raises:
        EvidenceError: A record is cut off, abbreviated, unmerged, or of a merge with several parents.
    """
    if raw and not raw.endswith(b"\0"):
        _refuse("the file list is cut off", raw[-80:])
    fields = iter(raw[:-1].split(b"\0") if raw else ())
    return tuple(_read_entry(record, fields) for record in fields)


def _read_entry(record: bytes, fields: Iterator[bytes]) -> RawEntry:
    found = _RECORD.fullmatch(record)
    if found is None:
        _refuse("a record of the file list cannot be read", record)
    status = _STATUS[found[5]]
    old_path = new_path = _next_path(record, fields)
    if status in _TWO_PATHS:
        new_path = _next_path(record, fields)
    return RawEntry(
        status=status,
        score=int(found[6]) if found[6] else None,
        old_mode=_mode(found[1]),
        new_mode=_mode(found[2]),
        old_blob=_blob(found[3]),
        new_blob=_blob(found[4]),
        old_path=None if status is FileStatus.ADDED else old_path,
        new_path=None if status is FileStatus.DELETED else new_path,
    )


def _next_path(record: bytes, fields: Iterator[bytes]) -> str:
    path = next(fields, b"")
    if not path:
        _refuse("a record of the file list has no path", record)
    return path.decode("utf-8", "surrogateescape")


def _mode(mode: bytes) -> str | None:
    return None if mode == _NO_MODE else mode.decode()


def _blob(blob: bytes) -> BlobId | None:
    return BlobId(blob.decode()) if blob.strip(b"0") else None


def join(entries: Sequence[RawEntry], files: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """The files of the list with the hunks of the patch; both must come from the same two commits.

    Raises:
        EvidenceError: List and patch differ in a path, a status, a mode, a blob or their length.
    """
    return tuple(_join_one(entry, file) for entry, file in zip_longest(entries, files))


def _join_one(entry: RawEntry | None, file: FileDiff | None) -> FileDiff:
    if entry is None or file is None:
        named = entry or file
        side = "patch" if file is None else "file list"
        _refuse_path(f"a file is missing from the {side}", named.path if named else "")
    if (entry.status, entry.old_path, entry.new_path) != (file.status, file.old_path, file.new_path):
        _refuse_path(f"the file list says {entry.status}, the patch says {file.status} {file.path!r}", entry.path)
    joined = replace(
        file, old_mode=entry.old_mode, new_mode=entry.new_mode, old_blob=entry.old_blob, new_blob=entry.new_blob
    )
    for name in ("old_mode", "new_mode", "old_blob", "new_blob"):
        if getattr(file, name) not in (None, getattr(joined, name)):
            _refuse_path(f"file list and patch differ in {name.replace('_', ' ')}", entry.path)
    return joined


def _refuse_path(message: str, path: str) -> NoReturn:
    raise EvidenceError(
        f"the file list and the patch disagree: {message}",
        context=path,
        hint="make both from the same two commits with the same options",
    )


def _refuse(message: str, record: bytes) -> NoReturn:
    raise EvidenceError(
        message,
        context=repr(record[:80]),
        hint="make the list with `git diff --raw -z --no-abbrev A B` between two commits",
    )
