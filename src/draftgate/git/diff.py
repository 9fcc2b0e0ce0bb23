"""The difference between two commits as git sees it, with every file that was not diffed named.

Sizes are asked before anything is compared: a file above the limit is listed and left out, and a patch
above its limit is cut between two files. Only object ids go in, so the answer depends on nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import SUBMODULE_MODE, FileDiff, FileStatus
from draftgate.domain.patch import parse_patch
from draftgate.domain.raw_diff import RawEntry, join, parse_raw_z
from draftgate.domain.round import LeftOut
from draftgate.domain.scope import FileEvidence
from draftgate.errors import EvidenceError, Limit
from draftgate.git.objects import measure_blobs, missing_object
from draftgate.git.repository import Repository
from draftgate.git.run import BLOB_LIMIT, MEBIBYTE, TOO_LARGE, Git

PATCH_LIMIT = Limit("patch size", 64 * MEBIBYTE, "bytes")
LARGE_FILES_LIMIT = Limit("changed files that are too large", 1000, "files")

# Each of these can be set by a repository's configuration or .gitmodules, or differs between versions of git.
# https://git-scm.com/docs/git-diff-tree
_OPTIONS = (
    "diff-tree",
    "-r",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-color-moved",
    "--no-relative",
    "--no-abbrev",
    "--full-index",
    "--ignore-submodules=none",
    "--submodule=short",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "-O/dev/null",
)
_AS_LIST = ("--raw", "--numstat", "-z")
_AS_PATCH = ("-p", "--unified=3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")
_RENAMES = ("--find-renames=50%", "-l1000")
_CUT_OFF = f"beyond the first {PATCH_LIMIT.value // MEBIBYTE} MiB of the patch"
_COUNTS = re.compile(rb"(?:(\d+)\t(\d+)|-\t-)\t(.*)", re.DOTALL)
_FILE_START = b"\ndiff --git "

_Counts = tuple[int, int] | tuple[None, None]
_NOT_COUNTED = (None, None)


@dataclass(frozen=True, slots=True)
class CommitDiff:
    """What changed between two commits.

    Attributes:
        files: Every changed file in path order; those of ``left_out`` have no hunks.
        listed: The same files as evidence, with git's line counts.
        left_out: Files whose lines were not read, each with the reason.
        patch_sha256: Digest of the patch bytes that were read.
        is_complete: ``False`` if the patch was cut at its limit.
    """

    files: tuple[FileDiff, ...]
    listed: tuple[FileEvidence, ...]
    left_out: tuple[LeftOut, ...]
    patch_sha256: str
    is_complete: bool


def diff_commits(
    repository: Repository, old: CommitSha, new: CommitSha, *, patch_limit: Limit = PATCH_LIMIT
) -> CommitDiff:
    """Compare two commits, renames found, and prove that list, counts and patch agree.

    Raises:
        EvidenceError: A path is not UTF-8, an object is missing, or git's answers contradict each other.
    """
    large = _find_large(repository, old, new)
    scope = (old, new, "--", *(f":(top,literal,exclude){entry.path}" for entry in large))
    git = repository.git.at(GIT_LITERAL_PATHSPECS="0")
    entries, counts = _read_list(git.run(*_OPTIONS, *_RENAMES, *_AS_LIST, *scope))
    patch = _read_patch(git, scope, entries, patch_limit)
    _check_counts(patch.files, counts)
    cut_off = entries[len(patch.files) :]
    files = (*patch.files, *map(_without_lines, (*cut_off, *large)))
    listed = (*map(_to_evidence, entries, counts), *(_to_evidence(entry, _NOT_COUNTED) for entry in large))
    return CommitDiff(
        files=tuple(sorted(files, key=_path_bytes)),
        listed=tuple(sorted(listed, key=_path_bytes)),
        left_out=(*_leave_out(large, TOO_LARGE), *_leave_out(cut_off, _CUT_OFF)),
        patch_sha256=patch.sha256,
        is_complete=patch.is_complete,
    )


def _find_large(repository: Repository, old: CommitSha, new: CommitSha) -> tuple[RawEntry, ...]:
    """The changed files with a side above the size limit, found without reading any content."""
    entries = parse_raw_z(repository.git.run(*_OPTIONS, "--no-renames", "--raw", "-z", old, new))
    for entry in entries:
        _refuse_undecodable(entry.path)
    sizes = measure_blobs(repository.git, {blob for entry in entries for blob in _blobs(entry)})
    missing = next((entry for entry in entries if any(sizes[blob] is None for blob in _blobs(entry))), None)
    if missing is not None:
        raise missing_object(missing.path)
    large = tuple(entry for entry in entries if any((sizes[blob] or 0) > BLOB_LIMIT.value for blob in _blobs(entry)))
    if len(large) > LARGE_FILES_LIMIT.value:
        raise EvidenceError(
            f"{len(large):,} changed files are {TOO_LARGE}; the limit is {LARGE_FILES_LIMIT.value:,} of them",
            hint="review a smaller range",
        )
    return large


def _blobs(entry: RawEntry) -> Iterator[BlobId]:
    """The sides that this repository should hold; a submodule's commit lies elsewhere."""
    for blob, mode in ((entry.old_blob, entry.old_mode), (entry.new_blob, entry.new_mode)):
        if blob is not None and mode != SUBMODULE_MODE:
            yield blob


def _read_list(output: bytes) -> tuple[tuple[RawEntry, ...], tuple[_Counts, ...]]:
    """Cut what ``--raw --numstat -z`` printed, one list after the other, and read both."""
    fields = output.split(b"\0")
    end = 0
    while fields[end].startswith(b":"):
        end += 3 if fields[end].rsplit(b" ", 1)[-1][:1] in b"RC" else 2
    entries = parse_raw_z(b"".join(field + b"\0" for field in fields[:end]))
    rest = iter(fields[end:-1])
    counts = tuple(_read_counts(entry, rest) for entry in entries)
    if next(rest, None) is not None:
        raise _contradiction("the list of counts names more files than the file list", "")
    return entries, counts


def _read_counts(entry: RawEntry, fields: Iterator[bytes]) -> _Counts:
    found = _COUNTS.fullmatch(next(fields, b""))
    if found is None:
        raise _contradiction("the file has no line counts", entry.path)
    names = (found[3],) if found[3] else (*islice(fields, 2),)
    expected = {entry.old_path, entry.new_path} - {None}
    if {name.decode("utf-8", "surrogateescape") for name in names} != expected:
        raise _contradiction("the line counts name another path", entry.path)
    return (int(found[1]), int(found[2])) if found[1] else _NOT_COUNTED


@dataclass(frozen=True, slots=True)
class _Patch:
    """The part of the patch that was read: its files are the first ones of the list."""

    files: tuple[FileDiff, ...]
    sha256: str
    is_complete: bool


def _read_patch(git: Git, scope: Sequence[str], entries: Sequence[RawEntry], limit: Limit) -> _Patch:
    text, is_cut = git.read_up_to(limit, *_OPTIONS, *_RENAMES, *_AS_PATCH, *scope)
    sha256 = hashlib.sha256(text).hexdigest()
    if not is_cut:
        return _Patch(join(entries, parse_patch(text)), sha256, is_complete=True)
    files = parse_patch(text[: text.rfind(_FILE_START) + 1])
    if files and entries[len(files) - 1].status is FileStatus.TYPE_CHANGED:
        files = files[:-1]  # git prints it as two sections, and the second may be the one that was cut
    return _Patch(join(entries[: len(files)], files), sha256, is_complete=False)


def _check_counts(files: Sequence[FileDiff], counts: Sequence[_Counts]) -> None:
    """A patch that lost lines on its way is no smaller change, but none at all."""
    for file, (additions, deletions) in zip(files, counts, strict=False):
        grown = sum(hunk.new_count - hunk.old_count for hunk in file.hunks)
        if grown != (additions or 0) - (deletions or 0) or bool(additions or deletions) != bool(file.hunks):
            raise _contradiction(f"{additions} added and {deletions} removed lines, but another patch", file.path)


def _without_lines(entry: RawEntry) -> FileDiff:
    return FileDiff(
        old_path=entry.old_path,
        new_path=entry.new_path,
        status=entry.status,
        old_mode=entry.old_mode,
        new_mode=entry.new_mode,
        old_blob=entry.old_blob,
        new_blob=entry.new_blob,
    )


def _to_evidence(entry: RawEntry, counts: _Counts) -> FileEvidence:
    return FileEvidence(
        status=entry.status,
        old_path=entry.old_path,
        new_path=entry.new_path,
        old_mode=entry.old_mode,
        new_mode=entry.new_mode,
        old_blob=entry.old_blob,
        new_blob=entry.new_blob,
        additions=counts[0],
        deletions=counts[1],
    )


def _leave_out(entries: Sequence[RawEntry], reason: str) -> Iterator[LeftOut]:
    return (LeftOut(entry.path, reason) for entry in entries)


def _path_bytes(file: FileDiff | FileEvidence) -> bytes:
    return file.path.encode()


def _refuse_undecodable(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise EvidenceError(
            "the path is not UTF-8, and no forge can show it",
            context=repr(path.encode("utf-8", "surrogateescape"))[1:],
            hint="rename the file, or review a range without it",
        ) from None


def _contradiction(message: str, path: str) -> EvidenceError:
    return EvidenceError(f"git contradicts itself: {message}", context=path, hint="see whether `git fsck` is clean")
