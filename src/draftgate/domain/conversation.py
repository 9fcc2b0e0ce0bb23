"""The conversation of a change: its top-level comments, and what the bot answers to one of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from draftgate.domain.people import Person


class Reaction(StrEnum):
    """What the bot puts on a command: received, done, refused."""

    RECEIVED = "eyes"
    DONE = "rocket"
    REFUSED = "confused"


@dataclass(frozen=True, slots=True)
class Comment:
    """One top-level comment.

    Attributes:
        id: The forge's number for it, as text.
        author: ``None`` for an account that was deleted.
        is_ours: The bot's own account wrote it.
        text: As it stands now.
        created_at: The forge's time: UTC, ISO 8601 to the second (``2026-01-02T03:04:05Z``).
        is_edited: Somebody changed the text since.
        url: Its address.
        answered: The reactions of ours that stand on it; ``None`` if the forge did not say.
    """

    id: str
    author: Person | None
    is_ours: bool
    text: str
    created_at: str
    is_edited: bool
    url: str
    answered: frozenset[Reaction] | None = None
