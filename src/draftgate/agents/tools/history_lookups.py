"""What the tools find in the history of head: who last changed a line, and the newest commits.

Names and messages are a stranger's text and stand behind a bar or a line number like every other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from draftgate.agents.tools.arguments import Arguments, Unanswerable, show
from draftgate.agents.tools.excerpt import show_line, take
from draftgate.agents.tools.lookups import Found, World
from draftgate.agents.tools.specs import BLAMED_AT_ONCE, COMMITS_AT_ONCE
from draftgate.domain.history import BlamedLine, History, LoggedCommit
from draftgate.errors import Unavailable

_COMMITS_UNASKED = 10
_LINES_OF_A_MESSAGE = 20
_TEXT_SHOWN = 500
_NAME_SHOWN = 80
_SHA_SHOWN = 10
_DAY = len("2023-11-14")

Answer = TypeVar("Answer")


def blame(world: World, asked: Arguments) -> Found:
    """The commit that each of some lines is from."""
    history, path = _known(world, "blame"), asked.text("path")
    lines = world.lines(path, "head")
    if not lines:
        raise Unanswerable(f"{show(path)} at head is empty")
    first, last = asked.span(len(lines))
    end = min(last, first + BLAMED_AT_ONCE - 1)
    blamed = _ask(lambda: history.blame(path, first, end), path)
    # The text is the reader's: there keys are hidden in the file as a whole.
    known = (line for line in blamed if line.line <= len(lines))
    rows = [f"{line.line}| {_sign(line)}: {show_line(lines[line.line - 1], _TEXT_SHOWN)}" for line in known]
    if end < last:
        rows.append(f"… cut: lines {end + 1}–{last} of {len(lines)}; ask for more with start_line {end + 1}")
    header = f"{show(path)} at head, lines {first}–{end} of {len(lines)}{_say_cut(history)}"
    return Found(take(rows, len(rows)).under(header), f"blame {show(path)} lines {first}–{end}")


def log(world: World, asked: Arguments) -> Found:
    """The newest commits."""
    history, path = _known(world, "log"), asked.text_or_none("path")
    limit = min(asked.number_or_none("limit") or _COMMITS_UNASKED, COMMITS_AT_ONCE)
    if path is not None:
        world.lines(path, "head")
    commits = _ask(lambda: history.log(path, limit), path or "")
    rows = [row for commit in commits for row in _tell(world, commit)]
    named = "log" if path is None else f"log of {show(path)}"
    header = f"{named}: {len(commits)} commits up to head, newest first{_say_cut(history)}"
    return Found(take(rows, len(rows)).under(header, cut="ask for fewer commits"), named)


def _known(world: World, tool: str) -> History:
    if world.history is None:
        raise Unanswerable(f"{tool} is not available: there is no clone")
    return world.history


def _ask(question: Callable[[], Answer | None], path: str) -> Answer:
    try:
        answer = question()
    except Unavailable as late:  # how long git takes depends on what the model asks
        raise Unanswerable("git took too long; ask for fewer lines, or go on without") from late
    if answer is None:
        raise Unanswerable(f"there is no file {show(path)} at head; list_files names the files")
    return answer


def _say_cut(history: History) -> str:
    return "; older history is missing here: the oldest commit shown may stand for others" if history.is_cut else ""


def _sign(made: BlamedLine | LoggedCommit) -> str:
    return f"{made.sha[:_SHA_SHOWN]} {made.date[:_DAY]} {show_line(made.author, _NAME_SHOWN)}"


def _tell(world: World, commit: LoggedCommit) -> Iterator[str]:
    subject, *body = world.hide(f"{commit.subject}\n{commit.body}").splitlines() or [""]
    yield f"| {_sign(commit)}: {show_line(subject, _TEXT_SHOWN)}"
    yield from (f"|   {show_line(line, _TEXT_SHOWN)}" for line in body[:_LINES_OF_A_MESSAGE])
    if len(body) > _LINES_OF_A_MESSAGE:
        yield f"|   … cut: the message has {len(body) + 1} lines"
