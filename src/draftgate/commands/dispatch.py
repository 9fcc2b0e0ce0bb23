"""Runs the commands of one comment: all are understood before any runs, then each in its order.

Who may give them was decided before; what each does is in its own file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from draftgate.approval.sealed import require_unchanged
from draftgate.commands.base import REVIEWING, CommandSpec
from draftgate.commands.registry import load_commands, load_grammar
from draftgate.commands.replay import replay
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import PREFIX, Bare, Effect, ParsedCommand, ParsedComment, RefusedLine, parse_comment
from draftgate.domain.comment_text import split_lines
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import CommandRefused, IntegrityError

_UNDER_WAY = REVIEWING | {Phase.FAILED}
_UNDER_WAY_HINT = "if no run is at work on it, it was cut off there; `draftgate review` goes on"


def run_comment(scene: Scene, comment: Given) -> Iterator[Reply]:
    """Run the commands of a comment and yield the reply of each as it is done.

    Amendments that follow each other are accepted in one write, so that a kill leaves all of them or none.

    Raises:
        CommandRefused: a line is not understood, or a command does not fit; the later ones do not run.
    """
    parsed = parse_comment(comment.text, load_grammar(comment.bare))
    _require_understood(parsed)
    commands = [
        _Command(spec, command, dataclasses.replace(comment, text=text))
        for (spec, text), command in zip(_parts(comment.text, parsed), parsed.commands, strict=True)
    ]
    for amends, group in groupby(commands, key=lambda command: command.spec.amend is not None):
        if amends:
            yield _accept(scene, tuple(group))
        else:
            yield from (_run(scene, command) for command in group)


def commands_of(text: str, bare: Bare) -> tuple[tuple[CommandSpec, str], ...]:
    """The commands of a comment: what each is, and the words that belong to it."""
    return tuple(_parts(text, parse_comment(text, load_grammar(bare))))


@dataclass(frozen=True, slots=True)
class _Command:
    """A command that was understood, with its declaration and the words it was given in."""

    spec: CommandSpec
    command: ParsedCommand
    given: Given


def _require_understood(parsed: ParsedComment) -> None:
    if parsed.refusals:
        raise CommandRefused(
            "; ".join(_where(line, among=parsed.refusals) + line.refusal.reason for line in parsed.refusals),
            hint="; ".join(dict.fromkeys(line.refusal.write for line in parsed.refusals)),
        )
    if not parsed.commands:
        raise CommandRefused(
            "there is no command in this text", hint="a command begins a line with a slash, as in `/drop-finding 2`"
        )


def _where(line: RefusedLine, *, among: tuple[RefusedLine, ...]) -> str:
    return f"line {line.line}: " if len(among) > 1 or line.line > 1 else ""


def _parts(text: str, parsed: ParsedComment) -> Iterator[tuple[CommandSpec, str]]:
    specs = {spec.name: spec for spec in load_commands()}
    return zip((specs[command.name] for command in parsed.commands), _texts(text, parsed), strict=True)


def _texts(text: str, parsed: ParsedComment) -> Iterator[str]:
    """Each command as it was written, with the lines that belong to it."""
    lines = split_lines(text)
    starts = [command.line - 1 for command in parsed.commands]
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        yield "\n".join(lines[start:end]).rstrip()


def load_session(scene: Scene, specs: Iterable[CommandSpec]) -> Session | None:
    """The session that commands act on; ``None`` if there is none.

    What only begins a new round needs nothing of it, and is the way out of one that cannot be trusted.

    Raises:
        IntegrityError: it cannot be trusted, and a command needs it.
    """
    try:
        return scene.forge.load_session()
    except IntegrityError:
        if all(spec.starts_round for spec in specs):
            return None
        raise


def _run(scene: Scene, command: _Command) -> Reply:
    session = load_session(scene, (command.spec,))
    _require_fitting(scene, command, session)
    return command.spec.run(scene, session, command.given, command.command.parsed)


def _accept(scene: Scene, commands: tuple[_Command, ...]) -> Reply:
    """Keep commands that amend the round; the findings themselves and the draft stay as they were sealed."""
    session = scene.forge.load_session()
    commands = tuple(command for command in commands if not _was_kept(command.given, session))
    for command in commands:
        _require_fitting(scene, command, session)
    if session is None:
        raise CommandRefused("there is no review", hint="run `draftgate review` first")
    if not commands and session.phase is not Phase.AWAITING_APPROVAL:  # accepted, and then something else was begun
        return _accepted(session)
    scene.require_unedited(session)
    require_unchanged(scene.forge, scene.journal, session)
    amended = scene.amended(session)
    accepted: list[Given] = []
    for command in commands:
        if scene.forge.is_shared or not _was_accepted(command.given, session):
            amended = replay(amended, command.given)  # refuses what does not fit before anything is written
            accepted.append(command.given)
    if accepted:
        following = dataclasses.replace(session, commands=(*session.commands, *accepted))
        session = scene.journal.advance(following, session.phase)
    scene.forge.put_witness(session)  # also where it was accepted by a run that was cut off before this
    return _accepted(session)


def _accepted(session: Session) -> Reply:
    return Reply("Done; the draft is matched to it when you approve.", session, shows="counts")


def _was_kept(given: Given, session: Session | None) -> bool:
    """Whether this very comment was accepted, whatever became of the round since: its run was cut off after it."""
    kept = () if session is None else session.commands
    return any((earlier.id, earlier.text) == (given.id, given.text) for earlier in kept)


def _was_accepted(given: Given, session: Session) -> bool:
    """Whether the last comment that was accepted holds this command: it is given again after a kill.

    In a terminal a command has no comment that would tell one that is given again from one that is meant anew.
    """
    last = session.commands[-1].id if session.commands else None
    words = (given.author, given.text)
    return any(earlier.id == last and (earlier.author, earlier.text) == words for earlier in session.commands)


def _require_fitting(scene: Scene, command: _Command, session: Session | None) -> None:
    _require_phase(command.spec, session, is_cut_off=scene.is_cut_off)
    if session is not None and session.seal not in {"", scene.seen}:
        raise CommandRefused(
            "the findings changed after you wrote this", hint="look at them with `draftgate status` and give it again"
        )


def _written(spec: CommandSpec) -> str:
    return f"`/{spec.name}`" if spec.bare else f"`/{PREFIX} {spec.name}`"


def _require_phase(spec: CommandSpec, session: Session | None, *, is_cut_off: bool) -> None:
    phase = None if session is None or session.phase is Phase.FINALIZED else session.phase
    phase = Phase.FAILED if is_cut_off and phase in REVIEWING else phase
    is_repeated = spec.effect is Effect.SUBMITS and phase is Phase.SUBMITTED  # answered again, never done again
    if spec.applies(phase) or is_repeated:
        return
    if phase is None:
        raise CommandRefused(f"`{spec.name}` needs a review, and there is none", hint="run `draftgate review` first")
    there = [other for other in load_commands() if other.is_available and other.applies(phase)]
    raise CommandRefused(
        f"`{spec.name}` is not possible while the review is {phase}",
        hint=_UNDER_WAY_HINT if phase in _UNDER_WAY else f"now possible: {', '.join(map(_written, there))}",
    )
