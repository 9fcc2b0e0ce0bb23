"""Why a line of a comment is not done, and what to write instead.

The grammar reports refusals as values, so that one reply can name every line of a comment that is wrong. It
does not render them: the reader's forge or terminal does.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.errors import CommandRefused

ECHO_LIMIT = 40
"""How many characters of someone's text a refusal repeats."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong with a command, and what to write instead; each a sentence part in Markdown."""

    reason: str
    write: str

    @classmethod
    def of(cls, error: CommandRefused) -> Refusal:
        """The refusal that an error of a command's parser stands for."""
        return cls(error.message, error.hint)


def quoted(text: str) -> str:
    """Someone's text as a short Markdown code span in which nothing is active and nothing is invisible."""
    text = text.strip()
    shown = text if len(text) <= ECHO_LIMIT else f"{text[: ECHO_LIMIT - 1]}…"
    safe = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in shown).replace("`", "'")
    return f"`{safe}`" if safe else "an empty text"


def not_a(text: str, what: str) -> str:
    """The reason why a text is not what it should be, or that there is none."""
    return f"{quoted(text)} is not {what}" if text else f"{what} is missing"
