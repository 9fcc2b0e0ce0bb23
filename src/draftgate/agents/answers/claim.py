"""What a model says about the change, read but not yet held to the change: a claim, and what was no claim at all."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.diff import Side
from draftgate.domain.finding import Category, Decoration, Label
from draftgate.domain.round import Dropped


@dataclass(frozen=True, slots=True)
class Claim:
    """One finding as a model put it: typed and cleaned, but nothing of it is proved.

    Attributes:
        path: As written; it may name nothing.
        line: The line, or the last line of a range; ``None`` where none could be read.
        start_line: First line of a range; ``None`` for a single line.
        side: ``None`` where it was not said.
        label, decorations, confidence, category, subject, body: As in `Finding`.
        quote: The lines it rests on, as written; empty if there are none.
        suggestion: Replacement for the lines; "" deletes them, ``None`` offers nothing.
    """

    path: str
    line: int | None
    start_line: int | None
    side: Side | None
    label: Label
    decorations: tuple[Decoration, ...]
    subject: str
    body: str
    quote: tuple[str, ...]
    confidence: int
    category: Category
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a whole answer came to: its claims, and what in it could not be read as one."""

    claims: tuple[Claim, ...]
    dropped: tuple[Dropped, ...] = ()


class UnusableAnswer(Exception):
    """The text is no answer; the message is a sentence that tells the model what was wrong and never quotes it."""
