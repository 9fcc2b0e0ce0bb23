"""`/finalize-review`: tears the session down, whatever its phase; what is published stays."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.approval.end import finalize
from draftgate.commands.base import EVERY_PHASE, CommandSpec
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, refuse_text
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session


@dataclass(frozen=True, slots=True)
class FinalizeReview(Parsed):
    """Tear the session down."""


def read(arguments: CommandLine, _body: str) -> FinalizeReview:
    """Nothing on the line."""
    refuse_text(arguments, "/finalize-review")
    return FinalizeReview()


def run(scene: Scene, session: Session, _given: Given, _parsed: FinalizeReview) -> Reply:
    """End the session."""
    ended = finalize(scene.forge, scene.journal, session)
    return Reply("Finalized; what was published stays.", ended)


COMMAND = CommandSpec(
    name="finalize-review",
    short="finalize",
    bare=True,
    usage="",
    description="Ends the session and removes what it holds; what is published stays.",
    effect=Effect.OTHER,
    phases=EVERY_PHASE,
    read=read,
    run=run,
    ends=Phase.FINALIZED,
    good=("/finalize-review", "/draftgate finalize"),
    bad=("/finalize", "/finalize-review 1", "/finalize-review --now"),
)
