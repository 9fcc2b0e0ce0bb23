"""What a forge says about a change, in words that every forge shares, before anybody believes it.

It is compared with git's answers in `draftgate.pipeline.prove`; reading it is for the adapter of each forge.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import FileStatus


@dataclass(frozen=True, slots=True)
class ProviderFile:
    """One changed file as the forge lists it.

    Attributes:
        status: What happened, by git's words.
        old_path: The path at the merge base, ``None`` if the file is new.
        new_path: The path at head, ``None`` if the file is gone.
        old_blob: Full object id at the merge base, ``None`` if there is no such side or the forge does not name it.
        new_blob: The same at head.
        additions: Added lines as the forge counts them, ``None`` if it does not.
        deletions: Removed lines likewise.
        patch: Its hunks as one text, ``None`` if the forge gives none: for a binary file, for one that only moved,
            and for one that it finds too large.
        old_mode: Git's mode at the merge base, ``None`` if there is no such side or it was not asked for.
        new_mode: The same at head.
    """

    status: FileStatus
    old_path: str | None
    new_path: str | None
    old_blob: BlobId | None
    new_blob: BlobId | None
    additions: int | None
    deletions: int | None
    patch: str | None
    old_mode: str | None = None
    new_mode: str | None = None

    @property
    def path(self) -> str:
        """The path at head, or at the merge base if the file is gone."""
        return self.new_path or self.old_path or ""


@dataclass(frozen=True, slots=True)
class ProviderChange:
    """A change as the forge shows it.

    Attributes:
        base_tip: The commit that it was compared with.
        head: The commit under review.
        merge_base: Where the forge's diff begins.
        distance: The greater number of commits that lie between an end and the merge base; ``None`` if unknown.
        files: Every changed file, in the forge's order.
        sources: Where the facts were read, each as one sentence part.
        is_complete: Every changed file is listed.
        names_objects: It says what each file holds. Where it does not, the commits do, whose ids are made of that.
    """

    base_tip: CommitSha
    head: CommitSha
    merge_base: CommitSha
    distance: int | None
    files: tuple[ProviderFile, ...]
    sources: tuple[str, ...]
    names_objects: bool = True
    is_complete: bool = True
