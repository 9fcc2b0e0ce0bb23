"""Whether a comment may hold a command that nobody answered; the configuration, read later, has the last word."""

from __future__ import annotations

from draftgate.commands.inbox.waiting import ANSWERS, is_for_us
from draftgate.commands.registry import load_grammar
from draftgate.domain.command import Bare, parse_comment
from draftgate.domain.conversation import Reaction


def waits(text: str, answered: frozenset[Reaction]) -> bool:
    """Whether it may.

    Args:
        text: Of the comment.
        answered: Our reactions on it, as far as they are known.
    """
    if answered & ANSWERS or not is_for_us(text, Bare.ALL):
        return False
    parsed = parse_comment(text, load_grammar(Bare.ALL))
    return bool(parsed.commands) or not all(line.is_suggestion for line in parsed.refusals)
