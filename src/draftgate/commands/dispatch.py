"""Runs the commands of one comment: all are understood before any runs, then each in its order.

Who may give them was decided before; what each does is in its own file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from draftgate.commands.base import CommandSpec
from draftgate.commands.registry import load_commands, load_grammar
from draftgate.commands.replay import replay
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import Effect, ParsedCommand, ParsedComment, RefusedLine, parse_comment
from draftgate.domain.comment_text import split_lines
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import CommandRefused

_UNDER_WAY = frozenset(
    {Phase.VALIDATING, Phase.IDENTIFYING, Phase.GATHERING, Phase.RUNNING_AGENTS, Phase.SCORING, Phase.FAILED}
)
_UNDER_WAY_HINT = "if no run is at work on it, it was cut off there; `draftgate review` goes on"


def run_comment(scene: Scene, comment: Given) -> Iterator[Reply]:
    """Run the commands of a comment and yield the reply of each as it is done.

    Raises:
        CommandRefused: a line is not understood, or a command does not fit; the later ones do not run.
    """
    parsed = parse_comment(comment.text, load_grammar(comment.bare))
    _require_understood(parsed)
    specs = {spec.name: spec for spec in load_commands()}
    for command, text in zip(parsed.commands, _texts(comment.text, parsed), strict=True):
        yield _run(scene, specs[command.name], command, dataclasses.replace(comment, text=text))


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


def _texts(text: str, parsed: ParsedComment) -> Iterator[str]:
    """Each command as it was written, with the lines that belong to it."""
    lines = split_lines(text)
    starts = [command.line - 1 for command in parsed.commands]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield "\n".join(lines[start:end]).rstrip()


def _run(scene: Scene, spec: CommandSpec, command: ParsedCommand, given: Given) -> Reply:
    session = scene.forge.load_session()
    _require_phase(spec, session)
    if session is not None:
        _require_shown_before(session, given)
    if spec.amend is not None and session is not None:
        return _accept(scene, session, given)
    return spec.run(scene, session, given, command.parsed)


def _accept(scene: Scene, session: Session, given: Given) -> Reply:
    """Keep a command that amends the round; the findings themselves and the draft stay as they were sealed."""
    replay(scene.amended(session), given)  # refuses what does not fit before anything is written
    amended = dataclasses.replace(session, commands=(*session.commands, given))
    session = scene.journal.advance(amended, session.phase)
    return Reply("Done; the draft is matched to it when you approve.", session, shows="counts")


def _require_phase(spec: CommandSpec, session: Session | None) -> None:
    phase = None if session is None or session.phase is Phase.FINALIZED else session.phase
    is_repeated = spec.effect is Effect.SUBMITS and phase is Phase.SUBMITTED  # answered again, never done again
    if spec.applies(phase) or is_repeated:
        return
    if phase is None:
        raise CommandRefused(f"`{spec.name}` needs a review, and there is none", hint="run `draftgate review` first")
    there = [other for other in load_commands() if other.is_available and other.needs_session and other.applies(phase)]
    raise CommandRefused(
        f"`{spec.name}` is not possible while the review is {phase}",
        hint=_UNDER_WAY_HINT if phase in _UNDER_WAY else f"now possible: {', '.join(f'`{o.name}`' for o in there)}",
    )


def _require_shown_before(session: Session, given: Given) -> None:
    """A round is approved by someone who could have seen it."""
    if session.shown_at and given.at < session.shown_at:
        raise CommandRefused(
            "the findings changed after you wrote this", hint="look at them with `draftgate status` and give it again"
        )
