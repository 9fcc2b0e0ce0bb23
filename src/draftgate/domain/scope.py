"""The proof of which range is reviewed: both tips, the merge base, and every changed file by blob id.

Evidence is a record of what git or a forge answered. It decides nothing: what a round reads is
`draftgate.domain.artifacts`, and how the facts are gathered is `draftgate.git.scope`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import FileStatus


class Provenance(StrEnum):
    """Who vouches for the facts."""

    GIT = "git"
    GIT_AND_PROVIDER = "git-and-provider"
    PROVIDER_ONLY = "provider-only"


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact on which git and the forge differ, and which does not touch what the files hold.

    Attributes:
        path: The file, at head or, if it is gone, at the merge base.
        fact: ``status``, ``additions``, ``deletions``, ``hunks`` or ``patch``.
        git: What git says of it.
        provider: What the forge says of it.
    """

    path: str
    fact: str
    git: str
    provider: str


@dataclass(frozen=True, slots=True)
class FileEvidence:
    """One changed file as it was listed.

    Attributes:
        status: What happened, by git's words.
        old_path: The path at the merge base, ``None`` if the file is new.
        new_path: The path at head, ``None`` if the file is gone.
        old_mode: Git's mode at the merge base, ``None`` if there is no such side or a forge alone was asked and does
            not say.
        new_mode: The same at head.
        old_blob: Full object id at the merge base, ``None`` if there is no such side (of a submodule, where a forge
            alone was asked, also if it does not say).
        new_blob: The same at head.
        additions: Added lines, ``None`` where git counts none (binary, or above the size limit).
        deletions: Removed lines, ``None`` likewise.
    """

    status: FileStatus
    old_path: str | None
    new_path: str | None
    old_mode: str | None
    new_mode: str | None
    old_blob: BlobId | None
    new_blob: BlobId | None
    additions: int | None
    deletions: int | None

    @property
    def path(self) -> str:
        """The path at head, or at the merge base if the file is gone."""
        return self.new_path or self.old_path or ""


@dataclass(frozen=True, slots=True)
class ScopeEvidence:
    """What was proved about the range ``merge_base..head``.

    Attributes:
        provenance: Who vouches for it.
        base_ref: The target as a person wrote it.
        base_tip: The commit that ``base_ref`` named.
        head_ref: The head as a person wrote it.
        head: The commit under review.
        merge_base: Where the diff begins; if there are several, the forge's, else git's first.
        other_merge_bases: The other best common ancestors.
        object_format: ``sha1`` or ``sha256``.
        git_version: The git that answered, e.g. ``2.39.5``; "" if none was asked.
        files: Every changed file, also those whose lines were not read.
        patch_sha256: Digest of the patch bytes that were read.
        patch_complete: ``False`` if the patch was cut at the size limit, or a forge alone was asked and withheld some.
        sources: Where the forge's facts were read, each as one sentence part.
        differences: On which facts git and the forge differ.
    """

    provenance: Provenance
    base_ref: str
    base_tip: CommitSha
    head_ref: str
    head: CommitSha
    merge_base: CommitSha
    other_merge_bases: tuple[CommitSha, ...]
    object_format: str
    git_version: str
    files: tuple[FileEvidence, ...]
    patch_sha256: str
    patch_complete: bool
    sources: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
