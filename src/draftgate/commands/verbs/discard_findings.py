"""`/discard-findings`: ends the round with nothing posted."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.approval.end import discard
from draftgate.commands.base import CommandSpec
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, refuse_text
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session


@dataclass(frozen=True, slots=True)
class DiscardFindings(Parsed):
    """End the round."""


def read(arguments: CommandLine, _body: str) -> DiscardFindings:
    """Nothing on the line."""
    refuse_text(arguments, "/discard-findings")
    return DiscardFindings()


def run(scene: Scene, session: Session, _given: Given, _parsed: DiscardFindings) -> Reply:
    """End the round and remember only what was rejected with a reason."""
    ended = discard(scene.forge, scene.journal, session, scene.amended(session))
    return Reply("Discarded; nothing was posted. `draftgate review --force` starts a new round.", ended)


COMMAND = CommandSpec(
    name="discard-findings",
    short="discard",
    bare=True,
    usage="",
    description="Ends the round, and posts nothing.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT}),
    read=read,
    run=run,
    ends=Phase.ABORTED,
    good=("/discard-findings", "/draftgate discard"),
    bad=("/discard", "/discard-findings 1", "/discard-findings --now"),
)
