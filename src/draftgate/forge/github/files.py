"""What GitHub says a pull request changes: its file list to the end, where its diff begins, and the blobs of each file.

Sources: the schemas ``diff-entry`` and ``commit-comparison`` of github/rest-api-description. Whether any of it is true
is for `draftgate.pipeline.prove`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NoReturn

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import FileStatus
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.errors import EvidenceError
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.facts import Json, need
from draftgate.forge.github.objects import At, read_ids
from draftgate.forge.github.view import Place

FILES_CAP = 3000
"""https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files"""

_STATUS = {
    "added": FileStatus.ADDED,
    "removed": FileStatus.DELETED,
    "modified": FileStatus.MODIFIED,
    "renamed": FileStatus.RENAMED,
    "copied": FileStatus.COPIED,
    "changed": FileStatus.TYPE_CHANGED,
    "unchanged": FileStatus.MODIFIED,
}
_TWO_PATHS = (FileStatus.RENAMED, FileStatus.COPIED)


def read_change(
    connection: Connection, place: Place, *, base_tip: CommitSha, head: CommitSha, changed_files: int
) -> ProviderChange:
    """The change as GitHub lists it, without the object ids that the list does not name.

    Args:
        connection: To GitHub.
        place: The pull request.
        base_tip: The commit of the target branch.
        head: The commit under review.
        changed_files: How many files the pull request says it has.

    Raises:
        EvidenceError: GitHub does not list them all, or not what it promises of each.
    """
    # Files are on the first page alone, and a page of one commit is the smallest answer with the merge base.
    compared = connection.get(f"compare/{base_tip}...{head}", per_page=1, page=2)
    files = tuple(_file(entry) for entry in connection.pages(f"pulls/{place.number}/files"))
    if len(files) < changed_files:
        cap = f"; it never lists more than {FILES_CAP:,}" if len(files) >= FILES_CAP else ""
        raise EvidenceError(
            f"GitHub lists {len(files):,} of {changed_files:,} changed files{cap}",
            context=f"pull request #{place.number}",
            hint="split the change" if cap else "review it again",
        )
    return ProviderChange(
        base_tip=base_tip,
        head=head,
        merge_base=CommitSha(need(need(compared, "merge_base_commit"), "sha")),
        distance=max(need(compared, "ahead_by"), need(compared, "behind_by")),
        files=files,
        sources=(
            f"GET /repos/{place.repository}/pulls/{place.number}/files",
            f"GET /repos/{place.repository}/compare/{base_tip}...{head}",
        ),
    )


def name_blobs(connection: Connection, place: Place, change: ProviderChange) -> ProviderChange:
    """The change with the ids that are missing, asked for in one request for a hundred files."""
    wanted = [at for file in change.files for at in missing_sides(change, file)]
    named = dict(zip(wanted, read_ids(connection, place, wanted), strict=True))
    files = tuple(
        dataclasses.replace(
            file,
            old_blob=file.old_blob or named.get(At(change.merge_base, file.old_path or "")),
            new_blob=file.new_blob or named.get(At(change.head, file.new_path or "")),
        )
        for file in change.files
    )
    return dataclasses.replace(change, files=files, sources=(*change.sources, "GraphQL Repository.object"))


def sides(change: ProviderChange, file: ProviderFile) -> Iterator[At]:
    """Where a file is at the two commits."""
    if file.old_path is not None:
        yield At(change.merge_base, file.old_path)
    if file.new_path is not None:
        yield At(change.head, file.new_path)


def missing_sides(change: ProviderChange, file: ProviderFile) -> Iterator[At]:
    """Those whose object the list does not name."""
    named = {change.merge_base: file.old_blob, change.head: file.new_blob}
    return (at for at in sides(change, file) if named[at.commit] is None)


def _file(entry: Json) -> ProviderFile:
    path = _path(need(entry, "filename"))
    status = _STATUS.get(need(entry, "status"))
    if status is None:
        _refuse(path, f"GitHub gives it a status that is not known: {entry['status']!r}")
    # Of a file that is gone it is no id at head; the one that was there is asked for like every other.
    blob = None if status is FileStatus.DELETED else entry.get("sha")
    return ProviderFile(
        status=status,
        old_path=_old_path(entry, status, path),
        new_path=None if status is FileStatus.DELETED else path,
        old_blob=None,
        new_blob=None if blob is None else BlobId(blob),
        additions=need(entry, "additions"),
        deletions=need(entry, "deletions"),
        patch=entry.get("patch"),
    )


def _old_path(entry: Json, status: FileStatus, path: str) -> str | None:
    if status not in _TWO_PATHS:
        return None if status is FileStatus.ADDED else path
    previous = entry.get("previous_filename")
    if previous is None:
        _refuse(path, f"GitHub calls it {status} and does not say from where")
    return _path(previous)


def _path(path: str) -> str:
    if "\0" in path or not path or any("\ud800" <= char <= "\udfff" for char in path):
        _refuse(repr(path), "GitHub names a path that no file can have")
    return path


def _refuse(path: str, message: str) -> NoReturn:
    raise EvidenceError(message, context=path, hint="rename the file, or review a range without it")
