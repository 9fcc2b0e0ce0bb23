"""`/draftgate abort`: ends a round in which an agent failed."""

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
class Abort(Parsed):
    """End the round."""


def read(arguments: CommandLine, _body: str) -> Abort:
    """Nothing on the line."""
    refuse_text(arguments, "/draftgate abort")
    return Abort()


def run(scene: Scene, session: Session, _given: Given, _parsed: Abort) -> Reply:
    """End the round."""
    ended = discard(scene.forge, scene.journal, session, scene.amended(session))
    return Reply("Aborted; nothing was posted. `draftgate review` starts a new round.", ended)


COMMAND = CommandSpec(
    name="abort",
    usage="",
    description="Ends a round in which an agent failed, and posts nothing.",
    effect=Effect.CHANGES,
    phases=frozenset({Phase.AGENTS_FAILED}),
    read=read,
    run=run,
    ends=Phase.ABORTED,
    good=("/draftgate abort",),
    bad=("/abort", "/draftgate abort 1", "/draftgate abort --now"),
)
