"""`/edit-finding`: replaces the text of one finding by the lines below the command."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.domain.amend import AmendedRound, EditText
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, need_text
from draftgate.domain.phase import Phase
from draftgate.domain.selection import check_number, parse_number


@dataclass(frozen=True, slots=True)
class EditFinding(Parsed):
    """Which finding, and its new text."""

    number: int
    text: str


def read(arguments: CommandLine, body: str) -> EditFinding:
    """One number on the line, the text below it."""
    return EditFinding(parse_number(arguments.text), need_text(body))


def amend(parsed: EditFinding, amended: AmendedRound) -> EditText:
    """Replace the text of a finding that is still there."""
    check_number(parsed.number, [entry.number for entry in amended.kept])
    return EditText(parsed.number, parsed.text)


COMMAND = CommandSpec(
    name="edit-finding",
    short="edit",
    bare=True,
    takes_body=True,
    usage="NUMBER, the new text on the lines below",
    description="Replaces the text of a finding, until the next line that is a command.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL}),
    read=read,
    amend=amend,
    good=("/edit-finding 2\nThe lookup misses deleted users.", "/draftgate edit #2\n\n- one\n- two"),
    bad=(
        "/edit 2\ntext",
        "/edit-finding 2",
        "/edit-finding\ntext",
        "/edit-finding 2 text",
        "/edit-finding 1,2\ntext",
        "/edit-finding 2\n\n/preview-findings",
    ),
)
