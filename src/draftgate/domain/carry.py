"""What people changed about findings that nobody decided yet, carried into the next round.

A new round numbers its findings anew, so a change is kept with the fingerprint of its finding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.finding import Category, Decoration, Label
from draftgate.domain.round import NumberedFinding, RoundResult


@dataclass(frozen=True, slots=True)
class Carried:
    """A person's changes to one finding; ``None`` where they left it as it was found.

    Attributes:
        author: Who changed it last.
    """

    fingerprint: str
    author: str
    text: str | None
    label: Label | None
    decorations: tuple[Decoration, ...]
    category: Category | None


def carry(result: RoundResult, amended: AmendedRound) -> tuple[Carried, ...]:
    """The changes to findings that were neither dropped nor published."""
    found = {shown.number: shown for shown in result.findings}
    return tuple(
        _changes(entry, found[entry.number]) for entry in amended.kept if entry.changed_by and entry.number in found
    )


def _changes(entry: AmendedFinding, found: NumberedFinding) -> Carried:
    before, now = found.finding, entry.finding
    is_relabelled = (before.label, before.decorations) != (now.label, now.decorations)
    return Carried(
        fingerprint=before.fingerprint,
        author=entry.changed_by,
        text=entry.text,
        label=now.label if is_relabelled else None,
        decorations=now.decorations if is_relabelled else (),
        category=now.category if before.category is not now.category else None,
    )


def apply(carried: Iterable[Carried], amended: AmendedRound) -> AmendedRound:
    """The round with the changes that people made to the same findings in an earlier one; what is gone needs none."""
    changes = {change.fingerprint: change for change in carried}
    entries = tuple(
        _apply(entry, changes[entry.finding.fingerprint]) if entry.finding.fingerprint in changes else entry
        for entry in amended.findings
    )
    return dataclasses.replace(amended, findings=entries)


def _apply(entry: AmendedFinding, change: Carried) -> AmendedFinding:
    finding = entry.finding
    if change.label is not None:
        finding = dataclasses.replace(finding, label=change.label, decorations=change.decorations)
    if change.category is not None:
        finding = dataclasses.replace(finding, category=change.category)
    return dataclasses.replace(entry, finding=finding, text=change.text, changed_by=change.author)
