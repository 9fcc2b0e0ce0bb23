"""The change under review and the names that every module shares for it.

Paths are ``str`` decoded as UTF-8 with ``surrogateescape``, so that any path git can hold survives a
round trip; commits and blobs are full object ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

CommitSha = NewType("CommitSha", str)
"""A full object id of a commit, 40 (SHA-1) or 64 (SHA-256) lower-case hex digits."""

BlobId = NewType("BlobId", str)
"""A full object id of a blob."""


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """One pull or merge request, or a local branch: what is reviewed and how it is called.

    Attributes:
        forge: ``github``, ``gitlab`` or ``local``.
        repository: ``owner/name`` on a forge, the folder's name locally.
        number: The forge's number; ``None`` locally.
        title: One line, untrusted.
        url: The web page of the change; ``None`` locally.
        base_ref: The target branch as a person wrote it.
        head_ref: The branch under review as a person wrote it.
        author: Who wrote the change, as the forge or git names them.
    """

    forge: str
    repository: str
    number: int | None
    title: str
    url: str | None
    base_ref: str
    head_ref: str
    author: str
