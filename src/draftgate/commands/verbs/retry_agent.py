"""`/retry-agent`: runs an agent that failed once more, or every one that did."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.base import WHERE_AN_AGENT_FAILED, CommandSpec, require_failed
from draftgate.commands.scene import Given, Reply, RoundWish, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, read_agent
from draftgate.domain.session import Session


@dataclass(frozen=True, slots=True)
class RetryAgent(Parsed):
    """Which agent; ``None`` means every one that failed."""

    agent: str | None


def read(arguments: CommandLine, _body: str) -> RetryAgent:
    """At most one name."""
    return RetryAgent(read_agent(arguments) if arguments.text else None)


def run(scene: Scene, session: Session, _given: Given, parsed: RetryAgent) -> Reply:
    """Go on with the round: the built-in checks run again, of the agents only what failed, or the one that is named."""
    retry = frozenset({parsed.agent} if parsed.agent else ())
    if parsed.agent:
        require_failed(scene, session, parsed.agent)
    wish = RoundWish(force=True, without=frozenset(session.without), retry=retry)
    return Reply("Reviewed again.", scene.start_round(wish), shows="findings")


COMMAND = CommandSpec(
    name="retry-agent",
    short="retry",
    bare=True,
    usage="[NAME]",
    description="Runs the agent that failed again; without a name every one that failed.",
    effect=Effect.OTHER,
    phases=WHERE_AN_AGENT_FAILED,
    read=read,
    run=run,
    starts_round=True,
    good=("/retry-agent", "/retry-agent critic", "/draftgate retry correctness"),
    bad=("/retry", "/retry-agent ruff correctness", "/retry-agent --all", "/retry-agents", "/retry-agent a,b"),
)
