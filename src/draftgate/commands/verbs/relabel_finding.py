"""`/relabel-finding`: gives one finding another label, and with it another severity."""

from __future__ import annotations

import re
from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.domain.amend import AmendedRound, Relabel
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, one_of
from draftgate.domain.finding import Decoration, Label
from draftgate.domain.phase import Phase
from draftgate.domain.refusal import not_a
from draftgate.domain.selection import check_number, parse_number
from draftgate.errors import CommandRefused

_FORM = re.compile(r"(?P<number>[^ ]+)[ ]+(?P<label>[^ (]+)[ ]*(?:\((?P<decorations>[^()]*)\))?")
_HOW = "write `/relabel-finding 2 nitpick` or `/relabel-finding 2 issue (blocking)`"


@dataclass(frozen=True, slots=True)
class RelabelFinding(Parsed):
    """Which finding, and its new label with decorations (none written: none)."""

    number: int
    label: Label
    decorations: tuple[Decoration, ...]


def read(arguments: CommandLine, _body: str) -> RelabelFinding:
    """A number, a label, and decorations in parentheses."""
    form = _FORM.fullmatch(arguments.text)
    if form is None:
        raise CommandRefused(not_a(arguments.text, "a number and a label"), hint=_HOW)
    return RelabelFinding(
        number=parse_number(form["number"]),
        label=Label(one_of(form["label"], list(Label), "label")),
        decorations=_read_decorations(form["decorations"]),
    )


def _read_decorations(text: str | None) -> tuple[Decoration, ...]:
    if text is None:
        return ()
    words = [one_of(word.strip(), list(Decoration), "decoration") for word in text.split(",")]
    decorations = tuple(Decoration(word) for word in dict.fromkeys(words))
    if Decoration.BLOCKING in decorations and Decoration.NON_BLOCKING in decorations:
        raise CommandRefused("a finding cannot be both blocking and non-blocking", hint=_HOW)
    return decorations


def amend(parsed: RelabelFinding, amended: AmendedRound) -> Relabel:
    """Relabel a finding that is still there."""
    check_number(parsed.number, [entry.number for entry in amended.kept])
    return Relabel(parsed.number, parsed.label, parsed.decorations)


COMMAND = CommandSpec(
    name="relabel-finding",
    short="relabel",
    bare=True,
    usage="NUMBER LABEL [(DECORATIONS)]",
    description="Gives a finding another label, and with it another severity.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL}),
    read=read,
    amend=amend,
    good=(
        "/relabel-finding 2 nitpick",
        "/relabel-finding #2 issue (blocking)",
        "/draftgate relabel 2 suggestion (non-blocking, if-minor)",
    ),
    bad=(
        "/relabel 2 nitpick",
        "/relabel-finding 2",
        "/relabel-finding nitpick",
        "/relabel-finding 2 blocker",
        "/relabel-finding 1,2 nitpick",
        "/relabel-finding 2 issue (urgent)",
        "/relabel-finding 2 issue (blocking, non-blocking)",
        "/relabel-finding 2 issue blocking",
    ),
)
