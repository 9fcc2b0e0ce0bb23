"""`/recategorize-finding`: files one finding under another category."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.domain.amend import AmendedRound, Recategorize
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, one_of
from draftgate.domain.finding import Category
from draftgate.domain.phase import Phase
from draftgate.domain.refusal import not_a
from draftgate.domain.selection import check_number, parse_number
from draftgate.errors import CommandRefused


@dataclass(frozen=True, slots=True)
class RecategorizeFinding(Parsed):
    """Which finding, and its new category."""

    number: int
    category: Category


def read(arguments: CommandLine, _body: str) -> RecategorizeFinding:
    """A number and a category."""
    number, _, category = arguments.text.partition(" ")
    if not category:
        raise CommandRefused(
            not_a(arguments.text, "a number and a category"), hint="write `/recategorize-finding 2 security`"
        )
    return RecategorizeFinding(parse_number(number), Category(one_of(category.strip(), list(Category), "category")))


def amend(parsed: RecategorizeFinding, amended: AmendedRound) -> Recategorize:
    """Refile a finding that is still there."""
    check_number(parsed.number, [entry.number for entry in amended.kept])
    return Recategorize(parsed.number, parsed.category)


COMMAND = CommandSpec(
    name="recategorize-finding",
    short="recategorize",
    bare=True,
    usage="NUMBER CATEGORY",
    description="Files a finding under another category.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL}),
    read=read,
    amend=amend,
    good=("/recategorize-finding 2 security", "/draftgate recategorize #2 API-design"),
    bad=(
        "/recategorize 2 security",
        "/recategorize-finding 2",
        "/recategorize-finding security",
        "/recategorize-finding 2 nice",
        "/recategorize-finding 1-2 security",
        "/recategorize-finding 2 security please",
    ),
)
