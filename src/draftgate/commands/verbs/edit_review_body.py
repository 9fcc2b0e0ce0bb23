"""`/edit-review-body`: replaces the text above the findings of a review by the lines below the command."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.domain.amend import AmendedRound, EditBody
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, need_text, refuse_text
from draftgate.domain.phase import Phase


@dataclass(frozen=True, slots=True)
class EditReviewBody(Parsed):
    """The new text."""

    text: str


def read(arguments: CommandLine, body: str) -> EditReviewBody:
    """Nothing on the line, the text below it."""
    refuse_text(arguments, "/edit-review-body")
    return EditReviewBody(need_text(body))


def amend(parsed: EditReviewBody, _amended: AmendedRound) -> EditBody:
    """Replace the review body."""
    return EditBody(parsed.text)


COMMAND = CommandSpec(
    name="edit-review-body",
    bare=True,
    takes_body=True,
    usage="with the new text on the lines below",
    description="Replaces the text of the review itself, until the next line that is a command.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL}),
    read=read,
    amend=amend,
    good=("/edit-review-body\nTwo things before this can merge.", "/draftgate edit-review-body\n> quoted\n\ntext"),
    bad=("/edit-review-body", "/edit-review-body text", "/edit-review-body 1\ntext", "/edit-review-bodies\ntext"),
)
