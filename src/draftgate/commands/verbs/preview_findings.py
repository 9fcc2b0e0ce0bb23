"""`/preview-findings`: shows what would be posted, and posts nothing."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, refuse_text
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session


@dataclass(frozen=True, slots=True)
class PreviewFindings(Parsed):
    """Show the review as it would be posted."""


def read(arguments: CommandLine, _body: str) -> PreviewFindings:
    """Nothing on the line."""
    refuse_text(arguments, "/preview-findings")
    return PreviewFindings()


def run(_scene: Scene, session: Session, _given: Given, _parsed: PreviewFindings) -> Reply:
    """Show it; nothing changes."""
    return Reply("This is what would be posted; nothing has been.", session, shows="preview")


COMMAND = CommandSpec(
    name="preview-findings",
    short="preview",
    bare=True,
    usage="",
    description="Shows what would be posted, and posts nothing.",
    effect=Effect.OTHER,
    phases=frozenset({Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT}),
    read=read,
    run=run,
    good=("/preview-findings", "/draftgate preview"),
    bad=("/preview", "/preview-findings 1", "/preview-findings --now"),
)
