"""What ``draftgate init`` shows: what it saw, what it would write, and what comes next, as text for a terminal.

Names and lines come from the repository, so every character that a terminal would obey is spelled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from draftgate.render.visible import one_line, terminal
from draftgate.render.writer import Screen
from draftgate.setup.plan import Plan
from draftgate.setup.planned import Paste
from draftgate.setup.survey import Survey

_FILES_NAMED = 4
_LANGUAGES_NAMED = 6
_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_RESET = "\x1b[0m"


def seen_page(root: Path, known: Survey) -> str:
    """What the repository shows."""
    rows = [
        ("repository", str(root)),
        ("forge", _forge(known)),
        (
            "languages",
            ", ".join(f"{name} {count}" for name, count in known.languages[:_LANGUAGES_NAMED]) or "none known",
        ),
        ("CI", "; ".join(f"{name} ({_files(files)})" for name, files in known.ci.items()) or "none"),
        ("rule files", _files(known.rules) or "none"),
        ("review bots", "; ".join(f"{bot.name} ({_files(bot.files)})" for bot in known.bots) or "none"),
        ("settings", known.configuration or "none yet"),
        ("built-in checks", _reach(known)),
    ]
    return "\n".join(f"{name:<16}{one_line(value, 500)}" for name, value in rows) + "\n"


def _forge(known: Survey) -> str:
    if known.address is None:
        return known.forge.as_written
    return f"{known.forge.as_written}, {known.address.label} (remote {known.address.remote})"


def _files(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _FILES_NAMED} more" if len(paths) > _FILES_NAMED else ""
    return ", ".join(paths[:_FILES_NAMED]) + more


def _reach(known: Survey) -> str:
    """Which files the built-in checks read, and which no check reads."""
    reach = known.reach
    if not reach.source_files:
        return "no source file of a language that is known here"
    unread = sum(count for _, count in reach.unread)
    by_check = ", ".join(f"{check} {count}" for check, count in reach.by_check.items() if count)
    sentence = f"read {reach.source_files - unread} of {reach.source_files} source files"
    sentence += f" ({by_check})" if by_check else ""
    if not reach.unread:
        return sentence
    names = ", ".join(f"{name} {count}" for name, count in reach.unread[:_LANGUAGES_NAMED])
    return f"{sentence}; no check reads {names}"


def changes_page(plan: Plan, page: Screen) -> str:
    """What would be written as one diff, then what stays, what to paste and what to know."""
    return "\n".join(_changes(plan, page))


def _changes(plan: Plan, page: Screen) -> Iterator[str]:
    part = plan.part
    for file in part.files:
        yield _painted(file.diff, page)
    for path in part.in_place:
        yield f"{path} is there, and nothing is to be added."
    for kept in part.kept:
        yield f"{one_line(kept.path)}: {kept.why}."
        if kept.diff:
            yield "Compared with what would be written, which you may apply by hand:\n"
            yield _painted(kept.diff, page)
    for paste in part.pastes:
        yield from _pasted(paste)
    for note in part.notes:
        yield f"note: {one_line(note, 1_000)}"
    if not part.files:
        yield "Nothing is to be written."


def _pasted(paste: Paste) -> Iterator[str]:
    yield f"{one_line(paste.path)}: {paste.why}. Add these lines yourself, {paste.where}:\n"
    yield terminal(paste.lines)


def _painted(diff: str, page: Screen) -> str:
    lines = terminal(diff).split("\n")
    if not page.color:
        return "\n".join(lines)
    return "\n".join(f"{_COLORS[line[0]]}{line}{_RESET}" if line[:1] in _COLORS else line for line in lines)


def next_page(plan: Plan) -> str:
    """What comes next, numbered."""
    return "\nNext\n" + "\n".join(f"{number}. {step}" for number, step in enumerate(plan.steps, 1)) + "\n"
