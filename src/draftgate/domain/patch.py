"""The exact reading of a patch: every byte that ``git diff`` can print, or a clear refusal.

Rows end at a newline and nowhere else, and a hunk's own counts decide where it ends, so that no
content can pass for a header. A text that does not read to its end raises `EvidenceError`, never a
shorter change, because nothing may be reviewed from a range that cannot be proved. Which files
changed is better asked of ``git diff --raw`` (see `draftgate.domain.raw_diff`); combined diffs,
coloured text and mail around a patch are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from draftgate.domain.change import BlobId
from draftgate.domain.diff import FileDiff, FileStatus, Hunk
from draftgate.domain.hunk_reader import Reader, read_hunks
from draftgate.domain.quoted_path import QUOTED, unquote

_FILE_START = b"diff --git "
_NO_FILE = b"/dev/null"
# https://git-scm.com/docs/git-diff#generate_patch_text_with_p
_EXTENDED_HEADER = re.compile(
    rb"((?:old|new|deleted file|new file) mode(?= [0-7]{6}(?:\n|\Z))"
    rb"|(?:copy|rename) (?:from|to)|(?:dis)?similarity index|index) (.+)"
)
_STATUS = {
    b"new file mode": FileStatus.ADDED,
    b"deleted file mode": FileStatus.DELETED,
    b"rename from": FileStatus.RENAMED,
    b"copy from": FileStatus.COPIED,
}
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_BINARY_BLOCK = re.compile(rb"(?:literal|delta) \d+")
_OBJECT_ID_LENGTHS = (40, 64)
# git's mnemonic prefixes (i, w, c, o), its plain ones (a, b) and those of two bare files (1, 2).
_PREFIX = re.compile(rb"[a-z0-9]/")


def parse_patch(patch: bytes) -> tuple[FileDiff, ...]:
    """Read what ``git diff -p`` printed; a file that changed its type becomes one `FileDiff`.

    Raises:
        EvidenceError: The text is not, from first to last byte, one patch.
    """
    reader = Reader(patch)
    files: list[FileDiff] = []
    seen: set[str] = set()
    while not reader.at_end:
        start = reader.position
        file = _read_file(reader)
        if files and _is_type_change(files[-1], file):
            files[-1] = _merge(files[-1], file)
        elif file.path in seen:
            reader.fail("a second section for the same path", at=start)
        else:
            files.append(file)
        seen.add(file.path)
    return tuple(files)


def parse_hunks(patch: bytes) -> tuple[Hunk, ...]:
    """Read the patch of one file as forges give it: hunks only, the last newline possibly missing.

    Raises:
        EvidenceError: The text is not, from first to last byte, a row of hunks.
    """
    reader = Reader(patch)
    hunks = tuple(read_hunks(reader))
    if not reader.at_end:
        reader.fail_unexpected("a hunk")
    return hunks


@dataclass(frozen=True, slots=True)
class _Header:
    """The rows above the hunks, before their meaning is known: ``{b"rename from": b"a.py"}``."""

    names: bytes
    start: int
    rows: dict[bytes, bytes]

    def mode(self, *keys: bytes) -> str | None:
        return next((self.rows[key].decode("ascii", "replace") for key in keys if key in self.rows), None)


def _read_file(reader: Reader) -> FileDiff:
    header = _read_header(reader)
    status = _status(reader, header)
    old, new = _read_paths(reader, header)
    if status is FileStatus.ADDED:
        old = None
    elif status is FileStatus.DELETED:
        new = None
    binary, hunks = _read_content(reader, old, new)
    old_blob, new_blob, mode = _read_index(reader, header)
    return FileDiff(
        old_path=_decode(old),
        new_path=_decode(new),
        status=status,
        old_mode=None if old is None else header.mode(b"deleted file mode", b"old mode") or mode,
        new_mode=None if new is None else header.mode(b"new file mode", b"new mode") or mode,
        old_blob=None if old is None else old_blob,
        new_blob=None if new is None else new_blob,
        binary=binary,
        hunks=hunks,
    )


def _read_header(reader: Reader) -> _Header:
    start = reader.position
    if not reader.is_at(_FILE_START):
        reader.fail_unexpected("`diff --git`")
    names = reader.take()[len(_FILE_START) :]
    rows: dict[bytes, bytes] = {}
    while found := _EXTENDED_HEADER.match(reader.patch, reader.position):
        if found[1] in rows:
            reader.fail("a header row stands twice")
        rows[found[1]] = found[2]
        reader.take()
    return _Header(names, start, rows)


def _status(reader: Reader, header: _Header) -> FileStatus:
    said = [status for key, status in _STATUS.items() if key in header.rows]
    if len(said) > 1:
        reader.fail(f"the file cannot be both {said[0]} and {said[1]}", at=header.start)
    return said[0] if said else FileStatus.MODIFIED


def _read_index(reader: Reader, header: _Header) -> tuple[BlobId | None, BlobId | None, str | None]:
    """The two blobs, where they are printed in full, and the mode that both sides share."""
    row = header.rows.get(b"index")
    if row is None:
        return None, None, None
    found = _INDEX.fullmatch(row)
    if found is None:
        reader.fail("the `index` row is not `OLD..NEW MODE`", at=header.start)
    old, new = (BlobId(found[side].decode()) if len(found[side]) in _OBJECT_ID_LENGTHS else None for side in (1, 2))
    return old, new, found[3].decode() if found[3] else None


def _read_paths(reader: Reader, header: _Header) -> tuple[bytes | None, bytes | None]:
    for verb in (b"rename", b"copy"):
        old, new = header.rows.get(verb + b" from"), header.rows.get(verb + b" to")
        if old is not None and new is not None:
            return _unquote(reader, header, old), _unquote(reader, header, new)
        if old is not None or new is not None:
            reader.fail(f"`{verb.decode()} from` and `{verb.decode()} to` belong together", at=header.start)
    path = _same_path(*_split_names(reader, header))
    if path is None:
        reader.fail(
            "the two sides name different paths",
            at=header.start,
            hint="pass `--src-prefix=a/ --dst-prefix=b/` to git; diff.noprefix or another prefix may be configured",
        )
    return path, path


def _split_names(reader: Reader, header: _Header) -> tuple[bytes, bytes]:
    """The two names of the first row; without quotes both are equally long, so the middle parts them."""
    names = header.names
    quoted = QUOTED.match(names)
    middle = quoted.end() if quoted else len(names) // 2
    if names[middle : middle + 1] != b" ":
        reader.fail("the first row of a file does not hold two paths", at=header.start)
    return _unquote(reader, header, names[:middle]), _unquote(reader, header, names[middle + 1 :])


def _same_path(old: bytes, new: bytes) -> bytes | None:
    """The path that both names mean: equal names have no prefix, else a short one on each side is cut."""
    if old == new:
        return old
    path = _cut_prefix(old)
    return path if path == _cut_prefix(new) else None


def _cut_prefix(name: bytes) -> bytes | None:
    return name[2:] if _PREFIX.match(name) and len(name) > 2 else None


def _unquote(reader: Reader, header: _Header, name: bytes) -> bytes:
    path = unquote(name)
    if path is None:
        reader.fail("a path is not written as git writes it", at=header.start)
    return path


def _read_content(reader: Reader, old: bytes | None, new: bytes | None) -> tuple[bool, tuple[Hunk, ...]]:
    if reader.at_end or reader.is_at(_FILE_START):
        return False, ()
    if reader.is_at(b"Binary files "):
        reader.take()
        return True, ()
    if reader.is_at(b"GIT binary patch\n"):
        _skip_binary_patch(reader)
        return True, ()
    _check_label(reader, b"--- ", old)
    _check_label(reader, b"+++ ", new)
    hunks = tuple(read_hunks(reader))
    if not hunks:
        reader.fail_unexpected("a hunk")
    return False, hunks


def _check_label(reader: Reader, marker: bytes, path: bytes | None) -> None:
    """A ``---`` or ``+++`` row repeats the path; it ends with a tab if the path holds a space."""
    if not reader.is_at(marker):
        reader.fail_unexpected(f"`{marker.decode().strip()}`")
    start = reader.position
    label = unquote(reader.take()[len(marker) :].removesuffix(b"\t"))
    if label != _NO_FILE if path is None else path not in (label, _cut_prefix(label or b"")):
        reader.fail("the row names another path than the first row of the file", at=start)


def _skip_binary_patch(reader: Reader) -> None:
    """Pass over the forward and the backward block, each ended by an empty row."""
    reader.take()
    while _BINARY_BLOCK.match(reader.patch, reader.position):
        end = reader.patch.find(b"\n\n", reader.position)
        if end < 0:
            reader.fail("a binary patch is cut off")
        reader.position = end + 2


def _is_type_change(first: FileDiff, second: FileDiff) -> bool:
    """Git prints a file that became a link as its deletion and, right after, its addition."""
    return first.status is FileStatus.DELETED and second.status is FileStatus.ADDED and first.path == second.path


def _merge(deleted: FileDiff, added: FileDiff) -> FileDiff:
    binary = deleted.binary or added.binary
    return replace(
        added,
        old_path=deleted.old_path,
        status=FileStatus.TYPE_CHANGED,
        old_mode=deleted.old_mode,
        old_blob=deleted.old_blob,
        binary=binary,
        hunks=() if binary else deleted.hunks + added.hunks,
    )


def _decode(path: bytes | None) -> str | None:
    return None if path is None else path.decode("utf-8", "surrogateescape")
