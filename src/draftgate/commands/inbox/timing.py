"""Why a command cannot be done now, though whoever gave it may: it is edited, too old, too early, or was overtaken.

Times are the forge's, to the second; no local clock is asked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from draftgate.commands.base import REVIEWING, CommandSpec
from draftgate.commands.inbox.waiting import Waiting, order_of, second
from draftgate.commands.replay import amended_round, replay
from draftgate.domain.amend import AmendedRound, Authored, amend
from draftgate.domain.command import Parsed
from draftgate.domain.phase import Phase
from draftgate.domain.selection import check, spell
from draftgate.domain.session import Session
from draftgate.errors import CommandRefused, IntegrityError

_BODY = 0
"""Stands for the review body among the numbers of findings, which begin at 1."""

_LOOK_AGAIN = "look at the checkpoint and give the command again"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a round that is being made is believed to be alive.

    Attributes:
        seconds: Without a sign of life: what a run may take, and a margin.
        run_url: The run that makes it; "" if that is not known.
        now: The present time, by the clock that wrote ``updated_at`` into the session; "" for that of the comment.
    """

    seconds: int
    run_url: str = ""
    now: str = ""


class UnderReview(CommandRefused):
    """A round is being made, so there is nothing that the command could be about.

    Attributes:
        run_url: The run that makes it; "" if that is not known.
    """

    def __init__(self, run_url: str) -> None:
        super().__init__("a review is running", hint="give the command again once its findings are shown")
        self.run_url = run_url


def require_timely(waiting: Waiting, session: Session | None, patience: Patience) -> None:
    """Refuse what cannot be done now.

    Raises:
        CommandRefused: the comment was edited, or a round is being made.
        IntegrityError: the findings, or one that the command names, changed after it was written.
    """
    if waiting.comment.is_edited:
        raise CommandRefused(
            "this comment was edited, and what it said when it was written is not known",
            hint="write the command in a new comment",
        )
    if session is None:
        return
    _require_no_review(waiting, session, patience)
    if any(spec.needs_session for spec in waiting.specs) and not _was_shown(waiting, session):
        raise IntegrityError("the findings changed after you wrote this", hint=_LOOK_AGAIN)
    _require_unchanged(waiting, session)


def is_cut_off(waiting: Waiting, session: Session | None, patience: Patience) -> bool:
    """Whether the round that the session says is being made was surely given up by its run."""
    if session is None or session.phase not in REVIEWING:
        return False
    now = max(second(time) for time in (waiting.comment.created_at, patience.now) if time)
    return (now - second(session.updated_at)).total_seconds() > patience.seconds


def is_being_done(waiting: Waiting, session: Session | None, patience: Patience) -> bool:
    """Whether a run received this command for a new round and is making it, as far as one can know."""
    if not waiting.is_begun or session is None or session.phase not in REVIEWING or not waiting.specs:
        return False
    return waiting.specs[-1].starts_round and not is_cut_off(waiting, session, patience)


def was_done(waiting: Waiting, session: Session | None) -> bool:
    """Whether a command that a run had received shows in the session, so that only its answer is missing.

    For the others doing it again shows it: an amendment is kept once, a submission is published once.
    """
    if not waiting.is_begun or session is None or not waiting.specs:
        return False
    last = waiting.specs[-1]
    if last.starts_round:
        return _is_younger(session, waiting) and session.phase not in REVIEWING | {Phase.FAILED}
    return session.phase is last.ends


def _is_younger(session: Session, waiting: Waiting) -> bool:
    """Whether the round was begun after the command for one was written, so that it may be its round."""
    return second(session.started_at) > second(waiting.comment.created_at)


def _require_no_review(waiting: Waiting, session: Session, patience: Patience) -> None:
    """While a round is made, only what applies in its phase is done; in one that was cut off a new round too."""
    if session.phase not in REVIEWING:
        return
    is_dead = is_cut_off(waiting, session, patience)
    phases = {session.phase, Phase.FAILED} if is_dead else {session.phase}
    if all(any(spec.applies(phase) for phase in phases) for spec in waiting.specs):
        return
    if is_dead:
        raise CommandRefused("a review was begun and cut off", hint="`/draftgate review` starts it again")
    raise UnderReview(patience.run_url)


def _was_shown(waiting: Waiting, session: Session) -> bool:
    """Whether the findings stood there when the comment was written; at an unknown time they did not."""
    if not session.seal:
        return True
    return bool(session.shown_at) and second(waiting.comment.created_at) >= second(session.shown_at)


def _require_unchanged(waiting: Waiting, session: Session) -> None:
    """Somebody else's later change counts as unseen; a person's own, and any earlier one, as seen."""
    changed = {number: author for author, numbers in _later_changes(waiting, session) for number in numbers}
    named = _named(waiting, session) & changed.keys() if changed else set()
    if not named:
        return
    findings = spell(named - {_BODY})
    what = f"finding {findings}" if findings else "the review body"
    raise IntegrityError(f"{changed[min(named)]} changed {what} after you wrote this", hint=_LOOK_AGAIN)


def _later_changes(waiting: Waiting, session: Session) -> Iterator[tuple[str, frozenset[int]]]:
    """Who else changed which findings by commands that were written after this one, and accepted before it."""
    comment = waiting.comment
    author = comment.author.login.lower() if comment.author else ""
    written = order_of(comment.created_at, comment.id)
    before = _as_found(session)
    for command in session.commands:
        after = replay(before, command)
        if command.author.lower() != author and order_of(command.at, command.id) > written:
            yield command.author, _differences(before, after)
        before = after


def _named(waiting: Waiting, session: Session) -> frozenset[int]:
    """The findings that a comment's commands name."""
    found = _as_found(session)
    commands = zip(waiting.specs, waiting.parsed.commands, strict=True)
    return frozenset(number for spec, command in commands for number in _numbers(spec, command.parsed, found))


def _numbers(spec: CommandSpec, parsed: Parsed, found: AmendedRound) -> frozenset[int]:
    """What does not exist is named by nobody: the command itself is refused for it."""
    numbers = [entry.number for entry in found.findings]
    try:
        if spec.publishes is not None:
            return frozenset({_BODY, *check(spec.publishes(parsed).selection, numbers, ticked=numbers)})
        if spec.amend is not None:
            return _differences(found, amend(found, Authored(spec.name, spec.amend(parsed, found))))
    except CommandRefused:
        pass
    return frozenset()


def _as_found(session: Session) -> AmendedRound:
    return amended_round(dataclasses.replace(session, commands=()))


def _differences(before: AmendedRound, after: AmendedRound) -> frozenset[int]:
    entries = zip(before.findings, after.findings, strict=True)
    body = {_BODY} if before.body != after.body else set()
    return frozenset({*body, *(now.number for earlier, now in entries if earlier != now)})
