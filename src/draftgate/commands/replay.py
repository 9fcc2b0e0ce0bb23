"""Replays the accepted commands of a round, as they were written, over what the round found."""

from __future__ import annotations

from draftgate.commands.registry import load_commands, load_grammar
from draftgate.domain import carry
from draftgate.domain.amend import AmendedRound, Authored, amend, unamended
from draftgate.domain.command import parse_comment
from draftgate.domain.session import AcceptedCommand, Session
from draftgate.errors import IntegrityError


def amended_round(session: Session) -> AmendedRound:
    """The findings of a session as its accepted commands left them; none if it shows none.

    Raises:
        IntegrityError: an accepted command is not understood any more.
    """
    if session.result is None:
        return AmendedRound(())
    amended = carry.apply(session.carried, unamended(session.result))
    for command in session.commands:
        amended = replay(amended, command)
    return amended


def replay(amended: AmendedRound, command: AcceptedCommand) -> AmendedRound:
    """The round after one more accepted comment, which may hold several amendments."""
    comment = parse_comment(command.text, load_grammar(command.bare))
    if comment.refusals or not comment.commands:
        raise IntegrityError(
            "an accepted command is not understood any more",
            context=f"command {command.id}",
            hint="start a new round with `draftgate review --force`",
        )
    specs = {spec.name: spec for spec in load_commands()}
    for parsed in comment.commands:
        spec = specs[parsed.name]
        if spec.amend is not None:
            amended = amend(amended, Authored(command.author, spec.amend(parsed.parsed, amended)))
    return amended
