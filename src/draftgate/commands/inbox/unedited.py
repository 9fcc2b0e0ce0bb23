"""Holds the accepted commands of a session to the comments that they came from.

The stored session stands in a comment that others can edit. What it says people changed is true only if their own
comments still say it, and if the bot had found that they may.
"""

from __future__ import annotations

import dataclasses

from draftgate.domain.comment_text import split_lines
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.session import AcceptedCommand, Session
from draftgate.errors import IntegrityError
from draftgate.forge.base import Converses


def require_unedited(conversation: Converses, session: Session) -> None:
    """Refuse when an accepted command is not what stands in its comment now; without any, nothing is asked.

    Raises:
        IntegrityError: a comment is gone, was edited, is somebody else's, or does not say it.
    """
    if not session.commands:
        return
    comments = {comment.id: comment for comment in conversation.comments()}
    for command in session.commands:
        wrong = _why_untrue(conversation, comments.get(command.id), command)
        if wrong:
            url = comments[command.id].url if command.id in comments else f"comment {command.id}"
            raise IntegrityError(
                f"a change that {command.author} made by comment cannot be proved any more: {wrong}",
                context=url,
                hint="nothing was submitted; `/draftgate review --force` starts a new round",
            )


def _why_untrue(conversation: Converses, comment: Comment | None, command: AcceptedCommand) -> str:
    if comment is None:
        return "the comment is gone"
    if comment.is_edited:
        return "the comment was edited"
    if comment.author is None or comment.author.login.lower() != command.author.lower():
        return "the comment is somebody else's"
    if command.text not in "\n".join(split_lines(comment.text)):
        return "the comment does not say it"
    return "" if _was_received(conversation, comment) else "the comment was never accepted"


def _was_received(conversation: Converses, comment: Comment) -> bool:
    """Whether our reaction stands on it; it may be younger than the reading of the conversation."""
    if Reaction.RECEIVED in (comment.answered or ()):
        return True
    return Reaction.RECEIVED in conversation.has_reacted(dataclasses.replace(comment, answered=None))
