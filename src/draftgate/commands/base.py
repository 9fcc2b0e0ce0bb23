"""What a comment command is: a value that declares its names, who may give it, when, and how it is read.

The parser, the help, the reference page and the contract test all read the same declaration. What a command does
is in the command's own file, as a function that the declaration names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from draftgate.commands.scene import Reply, Scene
from draftgate.domain.amend import Amendment
from draftgate.domain.command import PREFIX, Bare, Effect, Parsed
from draftgate.domain.command_line import CommandLine
from draftgate.domain.phase import Phase
from draftgate.domain.refusal import Refusal
from draftgate.domain.review import Verdict
from draftgate.domain.selection import Selection
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import CommandRefused
from draftgate.render.help import HelpRow

EVERY_PHASE = frozenset(Phase)

REVIEWING = frozenset({Phase.VALIDATING, Phase.IDENTIFYING, Phase.GATHERING, Phase.RUNNING_AGENTS, Phase.SCORING})
"""The phases in which a round is made."""

BETWEEN_ROUNDS = EVERY_PHASE - REVIEWING - {Phase.SUBMITTING, Phase.FIXING, Phase.DELEGATED}
"""The phases in which nothing is at work on the change."""


class WhoMay(Enum):
    """Who may give a command, in the words that help shows."""

    COMMANDERS = "who may write to the repository, or is named in `approval.who`"
    PUBLISHERS = (
        "who may write to the repository; on their own change the author only as `approval.author_may_approve` says"
    )


@dataclass(frozen=True, slots=True)
class Publication:
    """What a command would publish: the set as written, and the verdict if one was."""

    selection: Selection
    verdict: Verdict | None


def _refuse_to_run(*_scene: object) -> Reply:
    raise CommandRefused("this command does nothing by itself", hint=f"`/{PREFIX} help` lists what does")


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One comment command.

    Attributes:
        name: The full name, without slash.
        usage: The arguments as help shows them, without the name.
        description: One line of what it does.
        effect: What it does to the round; a change may not follow a submission in one comment.
        phases: Where the session may stand when it is given.
        read: Reads the arguments and the body; raises `CommandRefused`.
        good: Whole comments that it understands; test and documentation.
        bad: Whole comments close to these that are refused or not ours.
        short: The short form after ``/draftgate``.
        bare: Whether ``/name`` works without ``/draftgate`` in every configuration.
        takes_body: Whether the lines below belong to it.
        who_may: Who may give it.
        needs_session: Whether it makes sense only after a review has begun.
        is_available: Whether this release does it; otherwise `read` refuses.
        amend: What the command makes of a round's findings, given what was read and the round as it stands;
            ``None`` if it amends nothing. Such a command is kept and replayed, it has no other effect.
        run: What any other command does: called with the scene, the session (``None`` where none is), the
            command as given and what was read.
        publishes: What the command would publish, given what was read; ``None`` if it publishes nothing.
        freeze: What the command would freeze for publication, given a scene, the session, the command and what was
            read; asked again before a submission that was cut off goes on.
        ends: Where it leaves the session for good, if it does.
        starts_round: Whether a round of review is what it does.
    """

    name: str
    usage: str
    description: str
    effect: Effect
    phases: frozenset[Phase]
    read: Callable[[CommandLine, str], Parsed]
    good: tuple[str, ...]
    bad: tuple[str, ...]
    short: str | None = None
    bare: bool = False
    takes_body: bool = False
    who_may: WhoMay = WhoMay.COMMANDERS
    needs_session: bool = True
    is_available: bool = True
    amend: Callable[..., Amendment] | None = None
    run: Callable[..., Reply] = _refuse_to_run
    publishes: Callable[..., Publication] | None = None
    freeze: Callable[..., ApprovedPayload] | None = None
    ends: Phase | None = None
    starts_round: bool = False

    def parse(self, arguments: CommandLine, body: str) -> Parsed | Refusal:
        """What the arguments say, or why they are not understood."""
        try:
            return self.read(arguments, body)
        except CommandRefused as error:
            return Refusal.of(error)

    def applies(self, phase: Phase | None) -> bool:
        """Whether it may be given in a phase, ``None`` where no session is."""
        return not self.needs_session if phase is None else phase in self.phases


WHERE_AN_AGENT_FAILED = frozenset({Phase.AGENTS_FAILED, Phase.FAILED})
"""The phases in which one goes on with what failed; also where a run that did so was cut off."""


def require_failed(scene: Scene, session: Session, name: str) -> None:
    """Refuse a name that is of no agent or check that failed in the round.

    A run that went on and was stopped has left its own failure, or none; what it went on from shows in the rest.

    Raises:
        CommandRefused: names those that did.
    """
    kept = () if session.kept is None else session.kept.outcomes
    failed = dict.fromkeys(session.failure.names if session.failure else ())
    failed |= dict.fromkeys(outcome.run.name for outcome in kept if outcome.run.failure)
    if not scene.is_cut_off and name not in failed and name not in session.without:
        raise CommandRefused(f"{name} did not fail", hint=f"what failed: {', '.join(failed) or 'nothing'}")


def not_available(name: str, description: str) -> CommandSpec:
    """A command that is ours, and is answered as one, though this release does not do it."""

    def refuse(_arguments: CommandLine, _body: str) -> Parsed:
        raise CommandRefused(
            f"`/{PREFIX} {name}` is not available in this release", hint=f"`/{PREFIX} help` lists what is"
        )

    return CommandSpec(
        name=name,
        usage="",
        description=description,
        effect=Effect.OTHER,
        phases=frozenset(),
        read=refuse,
        good=(),
        bad=(f"/{PREFIX} {name}", f"/{PREFIX} {name} 1"),
        is_available=False,
    )


def help_rows(
    specs: Iterable[CommandSpec],
    phase: Phase | None,
    bare: Bare = Bare.OWN,
    who: Callable[[WhoMay], str] = lambda who_may: who_may.value,
) -> tuple[HelpRow, ...]:
    """The available commands in their order.

    Args:
        specs: All of them.
        phase: Where the session stands; ``None`` where none is.
        bare: Which need no prefix.
        who: In words who may, as the configuration has it.
    """
    return tuple(
        HelpRow(_usage(spec, bare), spec.description, who(spec.who_may), spec.applies(phase))
        for spec in specs
        if spec.is_available
    )


def _usage(spec: CommandSpec, bare: Bare) -> str:
    prefix = "/" if spec.bare or bare is Bare.ALL else f"/{PREFIX} "
    return f"{prefix}{spec.name} {spec.usage}".strip()
