"""Hold what a forge says about a change against what git says, before anything is reviewed.

Object ids are the truth: which paths differ between the two commits, and what they hold there. Whether a file that
went and one that came are one that moved is presentation; there, and in the hunks, the forge decides, because the
remarks will hang in its diff. Nothing is read here.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from draftgate.domain.change import BlobId
from draftgate.domain.diff import SUBMODULE_MODE, FileDiff, FileStatus, Hunk
from draftgate.domain.patch import parse_hunks
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.domain.round import LeftOut
from draftgate.domain.scope import Difference, FileEvidence, Provenance, ScopeEvidence
from draftgate.errors import EvidenceError
from draftgate.git.scope import Scope

WITHHELD = "the forge gives no patch for it"
"""Why the lines of a file were not read where nothing else has them."""

_RANGES_NAMED = 3
_SHA1_LENGTH = 40

_Side = tuple[str | None, BlobId | None]
"""Mode and blob of a path at one of the two commits."""


def prove_with_provider(scope: Scope, change: ProviderChange) -> Scope:
    """Git's scope as the forge confirms it, its files paired and cut into hunks as the forge shows them.

    Raises:
        EvidenceError: The two disagree about a commit, a path or what a file holds, or the forge names no object id.
    """
    _compare_commits(scope.evidence, change)
    ours = _Ours.of(scope)
    _compare_sides("merge base", ours.old, _old_sides(change.files), change)
    _compare_sides("head", ours.new, _new_sides(change.files), change)
    proved = [ours.prove(file) for file in _in_order(change.files)]
    if not change.is_complete:
        proved = sorted((*proved, *ours.unlisted(change.files)), key=lambda one: one.file.path.encode())
    evidence = dataclasses.replace(
        scope.evidence,
        provenance=Provenance.GIT_AND_PROVIDER,
        files=tuple(one.listed for one in proved),
        sources=change.sources,
        differences=tuple(difference for one in proved for difference in one.differences),
    )
    withheld = (LeftOut(one.file.path, WITHHELD) for one in proved if one.is_withheld)
    return Scope(evidence, tuple(one.file for one in proved), (*scope.left_out, *withheld))


def trust_provider(change: ProviderChange, *, base_ref: str, head_ref: str) -> Scope:
    """What the forge alone says, where there are no objects to hold it against.

    Raises:
        EvidenceError: It names no object id for a side of a file, or does not list all files.
    """
    if not change.is_complete:
        raise EvidenceError(
            f"the forge lists {len(change.files):,} changed files, and there are more",
            hint="let the job fetch from the project, so that git can be read; or split the change",
        )
    files = _in_order(change.files)
    for file in files:
        _require_ids(file)
    read = [(file, _read_patch(file)) for file in files]
    withheld = [file for file, hunks in read if hunks is None and not _is_untouched(file)]
    patches = (file.patch or "" for file in files)
    evidence = ScopeEvidence(
        provenance=Provenance.PROVIDER_ONLY,
        base_ref=base_ref,
        base_tip=change.base_tip,
        head_ref=head_ref,
        head=change.head,
        merge_base=change.merge_base,
        other_merge_bases=(),
        object_format="sha1" if len(change.head) == _SHA1_LENGTH else "sha256",
        git_version="",
        files=tuple(_list(file) for file in files),
        patch_sha256=hashlib.sha256("\0".join(patches).encode("utf-8", "replace")).hexdigest(),
        patch_complete=not withheld,
        sources=change.sources,
    )
    diffs = tuple(_diff(file, hunks or ()) for file, hunks in read)
    return Scope(evidence, diffs, tuple(LeftOut(file.path, WITHHELD) for file in withheld))


@dataclass(frozen=True, slots=True)
class _Proved:
    """One file that both know: its diff, its entry in the evidence, and what they differ on."""

    file: FileDiff
    listed: FileEvidence
    differences: tuple[Difference, ...]
    is_withheld: bool = False


@dataclass(frozen=True, slots=True)
class _Ours:
    """Git's answers, by what the forge's are looked up with.

    Attributes:
        pairs: By old and new path.
        old: Each path that is no longer as it was at the merge base.
        new: Each path that is not yet so there.
        unread: Paths whose lines git did not read.
    """

    pairs: Mapping[tuple[str | None, str | None], tuple[FileDiff, FileEvidence]]
    old: Mapping[str, _Side]
    new: Mapping[str, _Side]
    unread: frozenset[str]

    @classmethod
    def of(cls, scope: Scope) -> _Ours:
        both = zip(scope.files, scope.evidence.files, strict=True)
        return cls(
            {(file.old_path, file.new_path): (file, listed) for file, listed in both},
            _old_sides(scope.evidence.files),
            _new_sides(scope.evidence.files),
            frozenset(left.path for left in scope.left_out),
        )

    def prove(self, theirs: ProviderFile) -> _Proved:
        pair = self.pairs.get((theirs.old_path, theirs.new_path))
        return self._pair_anew(theirs) if pair is None else self._confirm(*pair, theirs)

    def unlisted(self, theirs: Sequence[ProviderFile]) -> Iterator[_Proved]:
        """Files of which the forge says nothing: git's word alone."""
        known = {path for file in theirs for path in (file.old_path, file.new_path) if path is not None}
        for file, listed in self.pairs.values():
            if known.isdisjoint(path for path in (file.old_path, file.new_path) if path is not None):
                yield _Proved(file, listed, (Difference(file.path, "listed", "changed", "not listed"),))

    def _confirm(self, ours: FileDiff, listed: FileEvidence, theirs: ProviderFile) -> _Proved:
        hunks, differs = (ours.hunks, ()) if ours.path in self.unread else _choose_hunks(ours.hunks, theirs)
        facts = (
            ("status", ours.status.value, theirs.status.value),
            ("additions", _number(listed.additions), _number(theirs.additions)),
            ("deletions", _number(listed.deletions), _number(theirs.deletions)),
        )
        counted = (Difference(ours.path, *fact) for fact in facts if fact[1] != fact[2] and "" not in fact[1:])
        file = dataclasses.replace(ours, hunks=hunks, binary=ours.binary and not hunks)
        return _Proved(file, listed, (*counted, *differs))

    def _pair_anew(self, theirs: ProviderFile) -> _Proved:
        """A file that the forge takes for moved and git for two, or the other way round."""
        old_mode, old_blob = self.old.get(theirs.old_path or "", (theirs.old_mode, theirs.old_blob))
        new_mode, new_blob = self.new.get(theirs.new_path or "", (theirs.new_mode, theirs.new_blob))
        file = dataclasses.replace(theirs, old_mode=old_mode, old_blob=old_blob, new_mode=new_mode, new_blob=new_blob)
        is_unread = file.path in self.unread
        hunks = None if is_unread else _read_patch(file)
        said = sorted(_name(ours) for ours, _ in self.pairs.values() if _shares_a_side(ours, file))
        difference = Difference(file.path, "status", ", ".join(said), _name(file))
        is_withheld = hunks is None and not is_unread and not _is_untouched(file)
        return _Proved(_diff(file, hunks or ()), _list(file), (difference,), is_withheld)


def _compare_commits(evidence: ScopeEvidence, change: ProviderChange) -> None:
    for fact in ("base_tip", "head", "merge_base"):
        ours, theirs = getattr(evidence, fact), getattr(change, fact)
        if ours != theirs:
            _refuse("", f"git takes {ours} for the {fact.replace('_', ' ')}, and the forge {theirs}")


def _old_sides(files: Sequence[FileEvidence] | Sequence[ProviderFile]) -> dict[str, _Side]:
    """What was there before and has changed; the source of a copy has not."""
    return {
        file.old_path: (file.old_mode, file.old_blob)
        for file in files
        if file.old_path is not None and file.status is not FileStatus.COPIED
    }


def _new_sides(files: Sequence[FileEvidence] | Sequence[ProviderFile]) -> dict[str, _Side]:
    return {file.new_path: (file.new_mode, file.new_blob) for file in files if file.new_path is not None}


def _compare_sides(commit: str, ours: Mapping[str, _Side], theirs: Mapping[str, _Side], change: ProviderChange) -> None:
    for path in sorted(ours.keys() | theirs.keys()):
        if path not in theirs:
            if not change.is_complete:
                continue
            _refuse(path, f"git finds the file among those that changed, at the {commit}, the forge does not list it")
        if path not in ours:
            _refuse(path, f"the forge lists the file among those that changed, at the {commit}, git does not find it")
        (mode, blob), (_, named) = ours[path], theirs[path]
        if change.names_objects:
            _require_id(path, commit, mode, named)
        if named not in (None, blob):
            _refuse(path, f"at the {commit} git has object {blob}, and the forge {named}")


def _require_ids(file: ProviderFile) -> None:
    sides = (
        ("merge base", file.old_path, file.old_mode, file.old_blob),
        ("head", file.new_path, file.new_mode, file.new_blob),
    )
    for commit, path, mode, blob in sides:
        if path is not None:
            _require_id(path, commit, mode, blob)


def _require_id(path: str, commit: str, mode: str | None, named: BlobId | None) -> None:
    """A submodule has no blob; of every other side the forge has to say what it is."""
    if named is None and mode != SUBMODULE_MODE:
        raise EvidenceError(
            f"the forge does not say what the file holds at the {commit}", context=path, hint="review it again"
        )


def _choose_hunks(ours: tuple[Hunk, ...], file: ProviderFile) -> tuple[tuple[Hunk, ...], tuple[Difference, ...]]:
    """The hunks that remarks can hang on: the forge's, in git's bytes where both are the same; git's if it has none."""
    theirs = _read_patch(file)
    if theirs is None:
        withheld = Difference(file.path, "patch", _name_ranges(ours), "withheld or unreadable")
        return ours, (withheld,) if ours else ()
    if _as_shown(ours) == _as_shown(theirs):
        return ours, ()
    return theirs, (Difference(file.path, "hunks", _name_ranges(ours), _name_ranges(theirs)),)


def _as_shown(hunks: Sequence[Hunk]) -> list[tuple[int, int, int, int, str]]:
    """Ranges and lines as JSON can carry them; what stands behind the second ``@@`` is each one's own guess."""
    return [
        (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count, hunk.body.decode("utf-8", "replace"))
        for hunk in hunks
    ]


def _read_patch(file: ProviderFile) -> tuple[Hunk, ...] | None:
    """The forge's hunks; ``None`` if it gives none, or a text that is no row of hunks and as good as none."""
    if not file.patch:
        return None
    try:
        return parse_hunks(file.patch.encode("utf-8", "replace"))
    except EvidenceError:
        return None


def _is_untouched(file: ProviderFile) -> bool:
    """The content is the same on both sides: the file only moved, or only its mode changed."""
    return file.old_blob is not None and file.old_blob == file.new_blob


def _shares_a_side(ours: FileDiff, file: ProviderFile) -> bool:
    sides = ((ours.old_path, file.old_path), (ours.new_path, file.new_path))
    return any(mine is not None and mine == theirs for mine, theirs in sides)


def _in_order(files: Sequence[ProviderFile]) -> list[ProviderFile]:
    return sorted(files, key=lambda file: file.path.encode())


def _diff(file: ProviderFile, hunks: tuple[Hunk, ...]) -> FileDiff:
    return FileDiff(
        old_path=file.old_path,
        new_path=file.new_path,
        status=file.status,
        old_mode=file.old_mode,
        new_mode=file.new_mode,
        old_blob=file.old_blob,
        new_blob=file.new_blob,
        hunks=hunks,
    )


def _list(file: ProviderFile) -> FileEvidence:
    return FileEvidence(
        status=file.status,
        old_path=file.old_path,
        new_path=file.new_path,
        old_mode=file.old_mode,
        new_mode=file.new_mode,
        old_blob=file.old_blob,
        new_blob=file.new_blob,
        additions=file.additions,
        deletions=file.deletions,
    )


def _number(count: int | None) -> str:
    return "" if count is None else str(count)


def _name(file: FileDiff | ProviderFile) -> str:
    names = dict.fromkeys(path for path in (file.old_path, file.new_path) if path is not None)
    return f"{file.status} {' -> '.join(names)}"


def _name_ranges(hunks: Sequence[Hunk]) -> str:
    ranges = [f"-{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}" for hunk in hunks]
    more = f"; and {len(ranges) - _RANGES_NAMED} more" if len(ranges) > _RANGES_NAMED else ""
    return "; ".join(ranges[:_RANGES_NAMED]) + more or "none"


def _refuse(path: str, message: str) -> NoReturn:
    raise EvidenceError(
        f"git and the forge do not show the same change: {message}",
        context=path,
        hint="review it again; if no branch moved meanwhile, the objects in the workspace are not the forge's",
    )
