"""`/proceed-without`: shows what the others found, without an agent that failed."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import CommandSpec
from draftgate.commands.scene import Given, Reply, RoundWish, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, read_agent
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import CommandRefused


@dataclass(frozen=True, slots=True)
class ProceedWithout(Parsed):
    """Which agent is given up."""

    agent: str


def read(arguments: CommandLine, _body: str) -> ProceedWithout:
    """Exactly one name: going on with less is never a default."""
    return ProceedWithout(read_agent(arguments))


def run(scene: Scene, session: Session, _given: Given, parsed: ProceedWithout) -> Reply:
    """Run the round again without the check that failed."""
    reason = session.failure.reason if session.failure else ""
    if f"{parsed.agent} failed:" not in reason:
        raise CommandRefused(f"{parsed.agent} did not fail", hint=f"what failed: {reason}")
    wish = RoundWish(force=True, without=frozenset({parsed.agent, *session.without}))
    return Reply(f"Reviewed without {parsed.agent}.", scene.start_round(wish), shows="findings")


COMMAND = CommandSpec(
    name="proceed-without",
    bare=True,
    usage="NAME",
    description="Goes on without the agent that failed.",
    effect=Effect.OTHER,
    phases=frozenset({Phase.AGENTS_FAILED}),
    read=read,
    run=run,
    starts_round=True,
    good=("/proceed-without ruff", "/draftgate proceed-without my.agent"),
    bad=("/proceed-without", "/proceed-without a b", "/proceed-without --all", "/proceed-witout ruff"),
)
