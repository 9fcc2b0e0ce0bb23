"""What people changed about findings that nobody decided yet, carried into the next round.

A new round numbers its findings anew, so a change is kept with the fingerprint of its finding and written
again as the command it would be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


def as_commands(carried: Iterable[Carried], result: RoundResult) -> Iterator[tuple[str, str]]:
    """Author and text of the commands that make the same changes in another round; what is gone needs none."""
    numbers = {shown.finding.fingerprint: shown.number for shown in result.findings}
    for change in carried:
        number = numbers.get(change.fingerprint)
        if number is None:
            continue
        if change.label is not None:
            decorations = f" ({', '.join(change.decorations)})" if change.decorations else ""
            yield change.author, f"/relabel-finding {number} {change.label}{decorations}"
        if change.category is not None:
            yield change.author, f"/recategorize-finding {number} {change.category}"
        if change.text is not None:
            yield change.author, f"/edit-finding {number}\n{change.text}"
