"""What the accepted commands of a round make of its findings: dropped, edited, relabelled.

The result itself never changes, so the seal stays valid; the amendments are replayed from the commands
whenever they are needed, most of all at submission.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from draftgate.domain.finding import Category, Decoration, Finding, Label
from draftgate.domain.round import RoundResult


@dataclass(frozen=True, slots=True)
class AmendedFinding:
    """A finding as it stands after the accepted commands.

    Attributes:
        number: Its fixed number.
        finding: With label, category and text as amended.
        dropped: Taken out by a command.
        reason: The reason given for dropping it; "" makes it no rejection.
        text: The Markdown that replaces the rendered text; ``None`` where nobody edited it.
        changed_by: Who amended it last; "" where nobody did.
    """

    number: int
    finding: Finding
    dropped: bool = False
    reason: str = ""
    text: str | None = None
    changed_by: str = ""


@dataclass(frozen=True, slots=True)
class AmendedRound:
    """The findings in card order and the review body, as amended; ``body`` is ``None`` if nobody edited it."""

    findings: tuple[AmendedFinding, ...]
    body: str | None = None

    @property
    def kept(self) -> tuple[AmendedFinding, ...]:
        """What can still be approved."""
        return tuple(entry for entry in self.findings if not entry.dropped)


@dataclass(frozen=True, slots=True)
class Drop:
    """Take findings out; a reason makes it a rejection."""

    numbers: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class EditText:
    """Replace the text of one finding by Markdown that a person wrote."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Relabel:
    """Give a finding another label, with the decorations written or none."""

    number: int
    label: Label
    decorations: tuple[Decoration, ...]


@dataclass(frozen=True, slots=True)
class Recategorize:
    """Put a finding into another category."""

    number: int
    category: Category


@dataclass(frozen=True, slots=True)
class EditBody:
    """Replace the review body by Markdown that a person wrote."""

    text: str


Amendment = Drop | EditText | Relabel | Recategorize | EditBody


@dataclass(frozen=True, slots=True)
class Authored:
    """An amendment and who made it."""

    author: str
    amendment: Amendment


def unamended(result: RoundResult) -> AmendedRound:
    """A round's findings as they were found."""
    return AmendedRound(tuple(AmendedFinding(shown.number, shown.finding) for shown in result.findings))


def amend(amended: AmendedRound, authored: Authored) -> AmendedRound:
    """The round after one more amendment; a later one wins over an earlier one."""
    amendment = authored.amendment
    if isinstance(amendment, EditBody):
        return dataclasses.replace(amended, body=amendment.text)
    numbers = _numbers(amendment)
    entries = tuple(
        dataclasses.replace(_apply(entry, amendment), changed_by=authored.author) if entry.number in numbers else entry
        for entry in amended.findings
    )
    return dataclasses.replace(amended, findings=entries)


def _numbers(amendment: Drop | EditText | Relabel | Recategorize) -> tuple[int, ...]:
    return amendment.numbers if isinstance(amendment, Drop) else (amendment.number,)


def _apply(entry: AmendedFinding, amendment: Drop | EditText | Relabel | Recategorize) -> AmendedFinding:
    match amendment:
        case Drop(reason=reason):
            return dataclasses.replace(entry, dropped=True, reason=reason)
        case EditText(text=text):
            return dataclasses.replace(entry, text=text)
        case Relabel(label=label, decorations=decorations):
            finding = dataclasses.replace(entry.finding, label=label, decorations=decorations)
            return dataclasses.replace(entry, finding=finding)
        case Recategorize(category=category):
            return dataclasses.replace(entry, finding=dataclasses.replace(entry.finding, category=category))
