"""The times in a stored session, which others may have edited: each must be one, so that they compare."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from draftgate.domain.session import Session
from draftgate.errors import IntegrityError


def require_times(session: Session, name: str) -> None:
    """Refuse a session in which a time is not ISO 8601 with its offset from UTC; "" stands for none.

    Args:
        session: As it was decoded.
        name: What the document is called in messages.

    Raises:
        IntegrityError: names the field.
    """
    for field, time in _times(session):
        if time and not _is_time(time):
            raise IntegrityError(
                f"the stored state cannot be used: field {field} is no time",
                context=name,
                hint="nothing was submitted; start a new round with `/draftgate review --force`",
            )


def _times(session: Session) -> Iterator[tuple[str, str]]:
    yield "started_at", session.started_at
    yield "updated_at", session.updated_at
    yield "shown_at", session.shown_at
    for command in session.commands:
        yield "commands.at", command.at
    for decision in session.decisions:
        yield "decisions.at", decision.at
    if session.payload is not None:
        yield "payload.given.at", session.payload.given.at
    if session.submission is not None:
        yield "submission.at", session.submission.at
    if session.failure is not None:
        yield "failure.at", session.failure.at


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).utcoffset() is not None
    except ValueError:
        return False
