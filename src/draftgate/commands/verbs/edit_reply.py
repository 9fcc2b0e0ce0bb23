"""`/edit-reply`: replaces the text of one complement by the lines below the command."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.domain.amend import AmendedRound, Amendment
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, need_body
from draftgate.domain.phase import Phase
from draftgate.domain.selection import parse_letter
from draftgate.errors import CommandRefused


@dataclass(frozen=True, slots=True)
class EditReply(Parsed):
    """Which reply, and its new text."""

    letter: str
    text: str


def read(arguments: CommandLine, body: str) -> EditReply:
    """One letter on the line, the text below it."""
    return EditReply(parse_letter(arguments.text), need_body(body))


def amend(parsed: EditReply, _amended: AmendedRound) -> Amendment:
    """There are no replies to other reviewers in this release."""
    raise CommandRefused(f"there is no reply {parsed.letter}", hint="there are no replies in this review")


COMMAND = CommandSpec(
    name="edit-reply",
    bare=True,
    takes_body=True,
    usage="LETTER, the new text on the lines below",
    description="Replaces the text of a reply to another reviewer's thread, until the next line that is a command.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL}),
    read=read,
    amend=amend,
    good=("/edit-reply A\nAlso true for the import job.", "/draftgate edit-reply b\ntext"),
    bad=("/edit-reply A", "/edit-reply\ntext", "/edit-reply 1\ntext", "/edit-reply A,B\ntext", "/edit-replay A\ntext"),
)
