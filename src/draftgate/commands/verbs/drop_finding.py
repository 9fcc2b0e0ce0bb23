"""`/drop-finding`: takes findings out of the round; with a reason it is a rejection that later rounds respect."""

from __future__ import annotations

import re
from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.domain.amend import AmendedRound, Drop
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine
from draftgate.domain.phase import Phase
from draftgate.domain.refusal import quoted
from draftgate.domain.selection import Kind, Selection, check, take_ranges
from draftgate.errors import CommandRefused

_BETWEEN = re.compile(r"[ ]*:[ ]*|[ ]+-+[ ]+|[ ]+|$")
"""What parts the numbers from the reason: ``2 reason``, ``2: reason``, ``2 - reason``."""

_SPACED_RANGE = re.compile(r"[ ]-[ ]")
_FLAG_OR_NUMBER = re.compile(r"-|#?[0-9]")


@dataclass(frozen=True, slots=True)
class DropFinding(Parsed):
    """Which findings go, and why; ``None`` when no reason is given."""

    selection: Selection
    reason: str | None


def read(arguments: CommandLine, _body: str) -> DropFinding:
    """The reason begins where the list of numbers ends; where that is not certain, nothing is dropped."""
    ranges, end = take_ranges(arguments.text)
    between = _BETWEEN.match(arguments.text, end)
    if between is None:
        raise CommandRefused(f"{quoted(arguments.text[end:])} is not understood after the numbers", hint=_HOW)
    reason = arguments.after(between.end())
    if _is_ambiguous(arguments.text[:end], between[0].strip(), reason.text):
        raise CommandRefused(f"{quoted(arguments.text)} may be a list of numbers or a reason", hint=_HOW)
    return DropFinding(Selection(Kind.SOME, ranges), reason.source or None)


_HOW = "write the reason after a colon, as in `/drop-finding 2: 3 callers rely on it`"


def _is_ambiguous(numbers: str, mark: str, reason: str) -> bool:
    looks_like_more = mark != ":" and _FLAG_OR_NUMBER.match(reason) is not None
    return looks_like_more or bool(reason and _SPACED_RANGE.search(numbers))


def amend(parsed: DropFinding, amended: AmendedRound) -> Drop:
    """Take out findings that are still there."""
    numbers = check(parsed.selection, [entry.number for entry in amended.kept])
    return Drop(numbers, parsed.reason or "")


COMMAND = CommandSpec(
    name="drop-finding",
    short="drop",
    bare=True,
    usage="NUMBERS [REASON]",
    description="Takes findings out; with a reason they are rejected and not raised again.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL}),
    read=read,
    amend=amend,
    good=(
        "/drop-finding 2",
        "/drop-finding 1,4",
        "/drop-finding 3 we send mail inside transactions on purpose",
        "/drop-finding 2: 3 callers rely on it",
        "/draftgate drop 2 — known, see the ADR",
    ),
    bad=(
        "/drop 2",
        "/drop-finding",
        "/drop-finding all",
        "/drop-finding 2 3",
        "/drop-finding 2 - 3 callers rely on it",
        "/drop-finding 2 --force",
        "/drop-finding 1,x",
        "/drop-finding the second one",
    ),
)
