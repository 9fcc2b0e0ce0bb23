"""What ``draftgate review`` does once its arguments are read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from draftgate.bootstrap.rounds import Found, Target, open_target, start_round
from draftgate.bootstrap.workspace import Workspace, open_workspace
from draftgate.cli.desk import locked, progress_of, report_configuration
from draftgate.cli.fail_on import FailOn, fails
from draftgate.cli.formats import Format, render, render_nothing
from draftgate.cli.streams import Notes, show, without_keys
from draftgate.commands.scene import RoundWish
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import UsageError
from draftgate.pipeline.identify import NothingToReview

_LATER_FORMATS = frozenset({"html", "codequality", "rdjson"})
_NAMED_FILES = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """The command line, read."""

    path: str
    base: str | None
    head: str | None
    worktree: bool
    force: bool
    format: Format
    output: str | None
    fail_on: FailOn
    config: str | None
    agents: tuple[str, ...] | None = None


def refuse_later(*, own: bool, issue: str | None) -> None:
    """Refuse what the interface has and this release does not.

    Raises:
        UsageError: names it.
    """
    if own:
        raise _later("`--own`", "leave it out; findings are shown to nobody but you until you approve them")
    if issue is not None:
        raise _later("`--issue`", "leave it out")


def parse_agents(text: str | None) -> tuple[str, ...] | None:
    """The agents that are named; ``None`` for those of the configuration.

    Raises:
        UsageError: none is named, or one twice.
    """
    if text is None:
        return None
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names or len(set(names)) < len(names):
        raise UsageError(
            f"`--agents {text}` names {'one twice' if names else 'none'}",
            hint="write names between commas, as in `--agents correctness,security`; `builtin` asks no model",
        )
    return names


def parse_format(text: str) -> Format:
    """The output format.

    Raises:
        UsageError: it is unknown, or not in this release.
    """
    known = ", ".join(Format)
    if text in _LATER_FORMATS:
        raise _later(f"the format {text!r}", f"write one of {known}")
    if text not in set(Format):
        raise UsageError(f"there is no format {text!r}", hint=f"write one of {known}")
    return Format(text)


def run(wanted: Wanted, *, quiet: bool) -> int:
    """Review and show the result; returns the exit code."""
    notes = Notes(quiet=quiet)
    overrides = None if wanted.agents is None else {"code_review.agents": wanted.agents}
    workspace = open_workspace(_local_path(wanted.path), os.environ, config_path=wanted.config, overrides=overrides)
    report_configuration(workspace, notes)
    target = Target(wanted.base, wanted.head, wanted.worktree)
    with open_target(workspace, target) as found:
        _report_uncommitted(found, notes)
        if isinstance(found.change, NothingToReview):
            return _say_nothing(workspace, found.change, wanted, notes)
        with locked(workspace, notes):
            session = start_round(workspace, found, found.change, RoundWish(wanted.force), progress_of(notes))
    notes.clear()
    return _finish(session, wanted, notes)


def _say_nothing(workspace: Workspace, nothing: NothingToReview, wanted: Wanted, notes: Notes) -> int:
    """A sentence for a person; for a program a whole document, and the sentence beside it."""
    sentence = f"nothing to review; try `--base HEAD~1` ({nothing.reason})"
    if wanted.format in {Format.CARDS, Format.MARKDOWN}:
        show(sentence)
    else:
        notes.note(sentence)
        _write(render_nothing(workspace, nothing, wanted.format), wanted.output)
    return 0


def _finish(session: Session, wanted: Wanted, notes: Notes) -> int:
    if session.phase is Phase.SUPERSEDED:
        notes.note(f"{session.change.head_ref} moved while it was reviewed; run `draftgate review` again")
        return 0
    if session.phase is Phase.SUBMITTED:
        notes.note("this head was reviewed and submitted; `--force` starts a new round")
    _write(render(session, wanted.format), wanted.output)
    found = session.result.findings if session.result else ()
    return 1 if fails((shown.finding for shown in found), wanted.fail_on) else 0


def _local_path(target: str) -> Path:
    path = Path(target)
    if path.exists():
        return path if path.is_dir() else path.parent
    if target.isdecimal() or "://" in target:
        raise _later(f"reviewing {target!r} on a forge", "name a folder inside a git repository")
    raise UsageError(f"there is no folder {target!r}", hint="name a folder inside a git repository")


def _report_uncommitted(found: Found, notes: Notes) -> None:
    if not found.uncommitted:
        return
    named = ", ".join(found.uncommitted[:_NAMED_FILES])
    more = f" and {len(found.uncommitted) - _NAMED_FILES} more" if len(found.uncommitted) > _NAMED_FILES else ""
    notes.note(f"uncommitted changes are not reviewed: {named}{more} (`--worktree` includes them)")


def _write(text: str, output: str | None) -> None:
    if output is None:
        if text:
            show(text)
        return
    try:
        Path(output).write_text(without_keys(text), encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"the result cannot be written: {error.strerror}",
            context=output,
            hint="name a file in a folder that exists",
        ) from error


def _later(what: str, hint: str) -> UsageError:
    return UsageError(f"{what} is not in this release", hint=hint)
