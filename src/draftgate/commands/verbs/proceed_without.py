"""`/proceed-without`: shows what the others found, without an agent that failed."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import WHERE_AN_AGENT_FAILED, CommandSpec, require_failed
from draftgate.commands.scene import Given, Reply, RoundWish, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, read_agent
from draftgate.domain.session import Session


@dataclass(frozen=True, slots=True)
class ProceedWithout(Parsed):
    """Which agent is given up."""

    agent: str


def read(arguments: CommandLine, _body: str) -> ProceedWithout:
    """Exactly one name: going on with less is never a default."""
    return ProceedWithout(read_agent(arguments))


def run(scene: Scene, session: Session, _given: Given, parsed: ProceedWithout) -> Reply:
    """Go on with the round without what failed; what the other agents found is kept."""
    require_failed(scene, session, parsed.agent)
    wish = RoundWish(force=True, without=frozenset({parsed.agent, *session.without}))
    return Reply(f"Reviewed without {parsed.agent}.", scene.start_round(wish), shows="findings")


COMMAND = CommandSpec(
    name="proceed-without",
    bare=True,
    usage="NAME",
    description="Goes on without the agent that failed.",
    effect=Effect.OTHER,
    phases=WHERE_AN_AGENT_FAILED,
    read=read,
    run=run,
    starts_round=True,
    good=("/proceed-without correctness", "/draftgate proceed-without my.agent"),
    bad=("/proceed-without", "/proceed-without a b", "/proceed-without --all", "/proceed-witout ruff"),
)
