"""Which comments of a conversation are commands that nobody has answered.

It reads comments and reactions. Who wrote a command, and whether it may still be done, is decided by who takes it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from draftgate.commands.base import CommandSpec
from draftgate.commands.registry import load_commands, load_grammar
from draftgate.domain.command import Bare, ParsedComment, parse_comment
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.session import Session
from draftgate.forge.base import Converses

_MARK = "<!-- draftgate:"
"""Begins every marker of `draftgate.forge.hidden`. Whoever wrote it, such a text shows commands and gives none."""

ANSWERS = frozenset({Reaction.DONE, Reaction.REFUSED})
"""What ends a command. The first reaction alone says that a run received it, and was cut off."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A comment that holds commands, or lines close to one, and that nobody has answered.

    Attributes:
        parsed: Its text as it stands now.
        is_begun: A run received it and was cut off before it answered; it is taken up again.
    """

    comment: Comment
    parsed: ParsedComment
    is_begun: bool = False

    @property
    def specs(self) -> tuple[CommandSpec, ...]:
        """The declarations of its commands, in their order."""
        return specs_of(self.parsed)

    @property
    def is_suggestion(self) -> bool:
        """Whether it holds no command of ours, only lines that are close to one."""
        return not self.parsed.commands and all(line.is_suggestion for line in self.parsed.refusals)


def is_for_us(text: str, bare: Bare) -> bool:
    """Whether a comment holds a command of ours or a line close to one; it asks nobody."""
    if _MARK in text:
        return False
    parsed = parse_comment(text, load_grammar(bare))
    return bool(parsed.commands or parsed.refusals)


def specs_of(parsed: ParsedComment) -> tuple[CommandSpec, ...]:
    """The declarations of a comment's commands, in their order."""
    specs = {spec.name: spec for spec in load_commands()}
    return tuple(specs[command.name] for command in parsed.commands)


def find_waiting(
    conversation: Converses, session: Session | None, event_comment: str | None, bare: Bare
) -> Iterator[Waiting]:
    """The commands of the present round that nobody has answered, in the order of their creation.

    Those before the round are left alone: they spoke of findings that are gone, and a late answer to an old comment
    would only notify people. The comment of the event itself is always answered, since somebody waits for that.
    """
    for comment in in_order(conversation.comments()):
        if is_our_bots(comment) or not is_for_us(comment.text, bare):
            continue
        parsed = parse_comment(comment.text, load_grammar(bare))
        is_due = comment.id == event_comment or _is_of_round(comment, session)
        if not is_due and not _may_have_begun(parsed):
            continue
        reactions = conversation.has_reacted(comment) if comment.answered is None else comment.answered
        is_begun = Reaction.RECEIVED in reactions
        if not reactions & ANSWERS and (is_due or is_begun):
            yield Waiting(comment, parsed, is_begun)


def _may_have_begun(parsed: ParsedComment) -> bool:
    """Whether the present round may be the one that this comment asked for, so that the comment came before it."""
    return any(spec.starts_round for spec in specs_of(parsed))


def in_order(comments: Iterable[Comment]) -> list[Comment]:
    """As they were created; of one second, as they were numbered."""
    return sorted(comments, key=lambda comment: order_of(comment.created_at, comment.id))


def order_of(at: str, comment_id: str) -> tuple[datetime, int, str]:
    """What comments and accepted commands are ordered by."""
    return second(at), len(comment_id), comment_id


def second(time: str) -> datetime:
    """A time to the second, as exact as forges give it."""
    return datetime.fromisoformat(time).replace(microsecond=0)


def _is_of_round(comment: Comment, session: Session | None) -> bool:
    return session is not None and second(comment.created_at) >= second(session.started_at)


def is_our_bots(comment: Comment) -> bool:
    """What our own account writes is a command only if that account is a person."""
    return comment.is_ours and (comment.author is None or comment.author.is_bot)
