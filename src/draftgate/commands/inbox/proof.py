"""Holds what a session says people commanded to the comments that they wrote.

The stored session stands in a comment that others can edit. What it says people changed or approved is true only if
their own comments still say it and the bot's own reactions show that it took them; and what the bot took is in it.
"""

from __future__ import annotations

import dataclasses

from draftgate.approval.authority import Authority, Standing, Wish
from draftgate.commands.dispatch import commands_of
from draftgate.commands.inbox.waiting import ANSWERS, is_our_bots, second
from draftgate.domain.command import Bare
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.review import Verdict
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Session
from draftgate.errors import CommandRefused, IntegrityError
from draftgate.forge.base import Converses

_NEW_ROUND = "nothing was submitted; `/draftgate review --force` starts a new round"


def require_unedited(conversation: Converses, bare: Bare, session: Session) -> None:
    """Refuse when the accepted commands of a session are not those that people gave and the bot took.

    Args:
        conversation: The comments as they are now.
        bare: Which commands need no prefix.
        session: The session as it is stored.

    Raises:
        IntegrityError: one has no comment that says it, or one that was taken is missing.
    """
    comments = {comment.id: comment for comment in conversation.comments()}
    for command in session.commands:
        _require_said(conversation, comments.get(command.id), command)
    kept = {(command.id, command.text) for command in session.commands}
    began = (
        session.started_at
    )  # not when it was shown: of an older state that was put back, that is the time of the edit
    for comment in comments.values() if began and session.shown_at else ():
        if second(comment.created_at) >= second(began) and not kept.issuperset(_taken(conversation, comment, bare)):
            raise IntegrityError(
                "a change that was accepted is missing in the state of this review",
                context=comment.url,
                hint=_NEW_ROUND,
            )


def require_given(conversation: Converses, authority: Authority, session: Session, payload: ApprovedPayload) -> None:
    """Refuse to go on with an approval that nobody gave for this round, or that its author may not give any more.

    Raises:
        IntegrityError: there is no comment that says it, or the one that does was answered before.
        CommandRefused: its author may not publish.
    """
    if not payload.given.id:
        raise CommandRefused(
            "an approval by a run that was started by hand was cut off, and no comment says it", hint="give it again"
        )
    comments = {comment.id: comment for comment in conversation.comments()}
    comment = comments.get(payload.given.id)
    _require_said(conversation, comment, payload.given)
    if comment is not None and not _is_open(conversation, session, comment):
        raise IntegrityError(
            "the approval that a submission rests on is not one of this round", context=comment.url, hint=_NEW_ROUND
        )
    wish = Wish.APPROVE if payload.verdict is Verdict.APPROVE else Wish.PUBLISH
    ruling = authority.judge(comment.author if comment else None, wish)
    if ruling.standing is not Standing.PERMITTED:
        raise ruling.refusal or CommandRefused(
            f"{payload.given.author}, who approved this, may give no command here any more", hint="approve it again"
        )


def _is_open(conversation: Converses, session: Session, comment: Comment) -> bool:
    """Written since the findings are shown, and not answered: what is answered was submitted or refused then."""
    is_later = bool(session.shown_at) and second(comment.created_at) >= second(session.shown_at)
    return is_later and not conversation.has_reacted(dataclasses.replace(comment, answered=None)) & ANSWERS


def _taken(conversation: Converses, comment: Comment, bare: Bare) -> frozenset[tuple[str, str]]:
    """The amendments of a comment that we marked as done; of one that was edited nobody can tell."""
    if comment.is_edited or is_our_bots(comment):
        return frozenset()
    texts = {(comment.id, text) for spec, text in commands_of(comment.text, bare) if spec.amend is not None}
    is_done = bool(texts) and Reaction.DONE in conversation.has_reacted(comment)
    return frozenset(texts) if is_done else frozenset()


def _require_said(conversation: Converses, comment: Comment | None, command: AcceptedCommand) -> None:
    wrong = _why_untrue(conversation, comment, command)
    if wrong:
        raise IntegrityError(
            f"a command by {command.author} cannot be proved any more: {wrong}",
            context=comment.url if comment else f"comment {command.id}",
            hint=_NEW_ROUND,
        )


def _why_untrue(conversation: Converses, comment: Comment | None, command: AcceptedCommand) -> str:
    if comment is None:
        return "the comment is gone"
    if comment.is_edited:
        return "the comment was edited"
    if comment.author is None or comment.author.login.lower() != command.author.lower():
        return "the comment is somebody else's"
    if command.text not in (text for _, text in commands_of(comment.text, command.bare)):
        return "the comment does not say it"
    return "" if _was_received(conversation, comment) else "the comment was never accepted"


def _was_received(conversation: Converses, comment: Comment) -> bool:
    """Also of a comment that this very run received, after the conversation was read."""
    if Reaction.RECEIVED in (comment.answered or ()):
        return True
    return Reaction.RECEIVED in conversation.has_reacted(dataclasses.replace(comment, answered=None))
