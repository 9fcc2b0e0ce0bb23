"""The changed files at both commits, read through GitLab's API where there is no clone: one request for each side.

What cannot be read so is named and counts as absent; other files of the project are not read at all.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from dataclasses import dataclass
from urllib.parse import quote

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import SUBMODULE_MODE, SYMLINK_MODE
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.errors import EvidenceError, Limit
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.troubles import Refused
from draftgate.forge.hosted.contents import Contents
from draftgate.forge.known_files import KnownFiles

TEXT_LIMIT = Limit("text of changed files", 64 * 1024 * 1024, "characters")
FILES_LIMIT = Limit("changed files that are read without a clone", 500, "files")

_BINARY = "binary"
_BEYOND = f"beyond the first {TEXT_LIMIT.value // 2**20} Mi characters of changed files"
_NOT_SOURCE = (SUBMODULE_MODE, SYMLINK_MODE)


@dataclass(frozen=True, slots=True)
class _Blob:
    """What is at a path of a commit; `text` is ``None`` where it is no text."""

    id: BlobId | None
    text: str | None


def read_contents(connection: Connection, change: ProviderChange) -> Contents:
    """Read both sides of every changed file.

    Raises:
        EvidenceError: They are too many for that.
    """
    if len(change.files) > FILES_LIMIT.value:
        raise EvidenceError(
            f"{FILES_LIMIT.name} are at most {FILES_LIMIT.value}, and this change has {len(change.files):,}",
            hint="let the job fetch from the project, so that git can be read",
        )
    texts: dict[CommitSha, dict[str, str]] = {change.merge_base: {}, change.head: {}}
    unread: dict[str, str] = {}
    files: list[ProviderFile] = []
    left = TEXT_LIMIT.value
    for file in change.files:
        old = _read(connection, change.merge_base, file.old_path, file.old_mode)
        new = _read(connection, change.head, file.new_path, file.new_mode)
        files.append(dataclasses.replace(file, old_blob=old.id, new_blob=new.id))
        for commit, path, blob in ((change.merge_base, file.old_path, old), (change.head, file.new_path, new)):
            left -= len(blob.text or "")
            if path is None or blob.id is None:
                continue
            if left < 0:
                unread[file.path] = _BEYOND
            elif blob.text is None:
                unread[file.path] = _BINARY
            elif (file.new_mode if commit == change.head else file.old_mode) not in _NOT_SOURCE:
                texts[commit][path] = blob.text
    return Contents(
        dataclasses.replace(change, files=tuple(files), names_objects=True),
        KnownFiles(texts[change.merge_base]),
        KnownFiles(texts[change.head]),
        unread,
    )


def _read(connection: Connection, commit: CommitSha, path: str | None, mode: str | None) -> _Blob:
    if path is None or mode == SUBMODULE_MODE:
        return _Blob(None, None)
    try:
        answer = connection.get(f"repository/files/{quote(path, safe='')}", ref=commit)
    except Refused as refused:
        if refused.is_gone:
            return _Blob(None, None)
        raise
    try:
        content = base64.b64decode(str(answer.get("content") or ""), validate=False)
    except (binascii.Error, ValueError):
        content = b"\0"
    text = None if b"\0" in content[:8000] else content.decode("utf-8", "replace")
    return _Blob(BlobId(str(answer["blob_id"])) if answer.get("blob_id") else None, text)
