"""Keys in names: a changed file whose name holds one is not read, and every name that is kept is kept without.

The name of such a file would stand in every finding on it, and in the link to its lines. So it is left out, and the
coverage says what to do. What else names it (the proof of the range, a branch, a title) names it with the key masked,
by the same function in every round. Content is for `draftgate.domain.redact`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TypeVar

from draftgate.domain.diff import FileDiff
from draftgate.domain.finding import Evidence, Finding
from draftgate.domain.hiding import Hide, without_named_keys
from draftgate.domain.round import HINDERED, Dropped
from draftgate.domain.scope import FileEvidence, ScopeEvidence
from draftgate.pipeline.request import GatheredChange, ReviewRequest
from draftgate.pipeline.run_checks import CheckOutcome
from draftgate.render.wording import counted

Masks = Mapping[str, str]
"""Paths whose names hold a key, each with what stands for it."""

Paths = TypeVar("Paths", FileDiff, FileEvidence)

LEFT_OUT = "its name holds a key, or did"
"""Why a file was not read."""

_DROPPED = "on a file whose name holds a key"


def without_keys(request: ReviewRequest, hide: Hide) -> ReviewRequest:
    """The request as it may be kept and shown.

    What names the two ends for certain stays as it is where there is no forge: there it is what the session is found
    again by, on the disk of whoever has the same name in ``.git``.
    """
    change = request.change
    shown = dataclasses.replace(
        change, title=hide(change.title), base_ref=hide(change.base_ref), head_ref=hide(change.head_ref)
    )
    if change.number is None:
        return dataclasses.replace(request, change=shown)
    return dataclasses.replace(
        request, change=shown, base_named=hide(request.base_named), head_named=hide(request.head_named)
    )


def leave_out(gathered: GatheredChange, hide: Hide) -> GatheredChange:
    """The change without the files whose names hold a key; those are listed apart, under masked names."""
    paths = tuple({path for file in gathered.files for path in (file.old_path, file.new_path) if path is not None})
    masks = {path: hide(path) for path in set(paths).difference(without_named_keys(paths, hide))}
    left_out = tuple(_masked(file, masks) for file in gathered.files if _is_in(masks, file))
    return dataclasses.replace(
        gathered,
        evidence=_masked_evidence(gathered.evidence, masks, hide),
        files=_others(gathered.files, masks),
        change=dataclasses.replace(gathered.change, files=_others(gathered.change.files, masks)),
        named_for_keys=tuple(dataclasses.replace(file, hunks=()) for file in left_out),
        limits=lambda: (*map(hide, gathered.limits()), *_advice(len(left_out))),
    )


def drop_named(outcome: CheckOutcome, hide: Hide) -> CheckOutcome:
    """What was found without any name that holds a key: not even one of a file that the change leaves alone.

    A place that is only mentioned goes, and the finding stays: its text says the name with the key masked.
    """
    kept = tuple(finding for finding in outcome.findings if not _is_named(finding, hide))
    gone = (finding for finding in outcome.findings if _is_named(finding, hide))
    dropped = (*outcome.dropped, *(Dropped(_DROPPED, each.subject, each.anchor.path) for each in gone))
    return dataclasses.replace(
        outcome,
        findings=tuple(_without_places(finding, hide) for finding in kept),
        dropped=tuple(_masked_dropped(each, hide) for each in dropped),
    )


def _is_in(masks: Masks, file: FileDiff) -> bool:
    return file.old_path in masks or file.new_path in masks


def _others(files: Iterable[FileDiff], masks: Masks) -> tuple[FileDiff, ...]:
    return tuple(file for file in files if not _is_in(masks, file))


def _masked(file: Paths, masks: Masks) -> Paths:
    old, new = (None if path is None else masks.get(path, path) for path in (file.old_path, file.new_path))
    return dataclasses.replace(file, old_path=old, new_path=new)


def _masked_evidence(evidence: ScopeEvidence, masks: Masks, hide: Hide) -> ScopeEvidence:
    """The digests in it are of what git printed, names and all, and give none away."""
    differences = (
        dataclasses.replace(each, path=hide(each.path), git=hide(each.git), provider=hide(each.provider))
        for each in evidence.differences
    )
    return dataclasses.replace(
        evidence,
        base_ref=hide(evidence.base_ref),
        head_ref=hide(evidence.head_ref),
        files=tuple(_masked(file, masks) for file in evidence.files),
        differences=tuple(differences),
    )


def _advice(files: int) -> tuple[str, ...]:
    """Nobody should take such a change for clean."""
    if not files:
        return ()
    was, name, it = ("was", "its name", "it") if files == 1 else ("were", "their names", "them")
    unread = f"{counted(files, 'file')} {was} not read for a key, or a secret of this run, in {name}"
    return (f"{HINDERED}{unread}: rename {it}, and revoke the key",)


def _is_named(finding: Finding, hide: Hide) -> bool:
    quotes = (finding.evidence, finding.context)
    return _any_holds_key((finding.anchor.path, *map(_path_of, quotes)), hide)


def _any_holds_key(paths: Iterable[str | None], hide: Hide) -> bool:
    return any(path is not None and hide(path) != path for path in paths)


def _path_of(quote: Evidence | None) -> str | None:
    return None if quote is None else quote.path


def _without_places(finding: Finding, hide: Hide) -> Finding:
    related = tuple(place for place in finding.related if not _any_holds_key((place.path,), hide))
    return dataclasses.replace(finding, related=related)


def _masked_dropped(dropped: Dropped, hide: Hide) -> Dropped:
    path = None if dropped.path is None else hide(dropped.path)
    return Dropped(hide(dropped.reason), hide(dropped.subject), path, hide(dropped.why))
