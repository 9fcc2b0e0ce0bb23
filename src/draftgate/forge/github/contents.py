"""The changed files at both commits, read through GitHub's API where there is no clone.

Two requests for fifty files that changed. What cannot be read so is named and counts as absent; other files of the
repository are not read at all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import SUBMODULE_MODE, SYMLINK_MODE
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.errors import EvidenceError, Limit
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.files import sides
from draftgate.forge.github.objects import At, RemoteFile, read_files
from draftgate.forge.github.view import Place
from draftgate.forge.hosted.contents import Contents
from draftgate.forge.known_files import KnownFiles

TEXT_LIMIT = Limit("text of changed files", 64 * 1024 * 1024, "characters")

_BINARY = "binary"
_CUT = "GitHub does not send it as one text"
_BEYOND = f"beyond the first {TEXT_LIMIT.value // 2**20} Mi characters of changed files"
_NOT_SOURCE = (SUBMODULE_MODE, SYMLINK_MODE)


def read_contents(connection: Connection, place: Place, change: ProviderChange) -> Contents:
    """Read both sides of every changed file.

    Raises:
        EvidenceError: A file holds something else than GitHub lists of it.
    """
    wanted = list(dict.fromkeys(at for file in change.files for at in sides(change, file)))
    found: dict[At, RemoteFile] = {}
    reasons: dict[At, str] = {}
    texts: dict[CommitSha, dict[str, str]] = {change.merge_base: {}, change.head: {}}
    left = TEXT_LIMIT.value
    for at, file in zip(wanted, read_files(connection, place, wanted), strict=True):
        found[at] = dataclasses.replace(file, text=None)
        left -= len(file.text or "")
        reason = _why_unread(file) or (_BEYOND if left < 0 else "")
        if reason:
            reasons[at] = reason
        elif file.text is not None and file.mode not in _NOT_SOURCE:
            texts[at.commit][at.path] = file.text
    complete = tuple(_complete(change, file, found) for file in change.files)
    return Contents(
        dataclasses.replace(change, files=complete, sources=(*change.sources, "GraphQL Repository.object")),
        KnownFiles(texts[change.merge_base]),
        KnownFiles(texts[change.head]),
        {file.path: reasons[at] for file in change.files for at in sides(change, file) if at in reasons},
    )


def _why_unread(file: RemoteFile) -> str:
    if file.blob is None or file.mode in _NOT_SOURCE:
        return ""
    if file.is_binary:
        return _BINARY
    return _CUT if file.text is None else ""


def _complete(change: ProviderChange, file: ProviderFile, found: Mapping[At, RemoteFile]) -> ProviderFile:
    """The file with what was found at its two places."""
    old = None if file.old_path is None else found[At(change.merge_base, file.old_path)]
    new = None if file.new_path is None else found[At(change.head, file.new_path)]
    return dataclasses.replace(
        file,
        old_blob=_agreed(file, file.old_blob, old),
        new_blob=_agreed(file, file.new_blob, new),
        old_mode=None if old is None else old.mode,
        new_mode=None if new is None else new.mode,
    )


def _agreed(file: ProviderFile, listed: BlobId | None, found: RemoteFile | None) -> BlobId | None:
    held = None if found is None else found.blob
    if None not in (listed, held) and listed != held:
        raise EvidenceError(
            f"GitHub lists object {listed} and holds {held}", context=file.path, hint="the head moved; review it again"
        )
    return listed or held
