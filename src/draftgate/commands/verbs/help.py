"""`/draftgate help`: lists the commands, with what applies now and who may."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import EVERY_PHASE, CommandSpec
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, refuse_text
from draftgate.domain.session import Session


@dataclass(frozen=True, slots=True)
class ShowHelp(Parsed):
    """List the commands."""


def read(arguments: CommandLine, _body: str) -> ShowHelp:
    """Nothing on the line."""
    refuse_text(arguments, "/draftgate help")
    return ShowHelp()


def run(_scene: Scene, session: Session | None, _given: Given, _parsed: ShowHelp) -> Reply:
    """Show it; nothing changes."""
    return Reply("", session, shows="help")


COMMAND = CommandSpec(
    name="help",
    usage="",
    description="Lists the commands, with what applies now and who may give them.",
    effect=Effect.OTHER,
    phases=EVERY_PHASE,
    needs_session=False,
    read=read,
    run=run,
    good=("/draftgate help",),
    bad=("/help", "/draftgate help 1", "/draftgate help --now"),
)
