"""What the tools find in files and pages: each takes what a model asked for and gives text with an entry for the audit.

A file that is private is told of in the same words as one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from draftgate.agents.tools.arguments import Arguments, Unanswerable, show
from draftgate.agents.tools.excerpt import bar_lines, number_lines, show_line, take
from draftgate.agents.tools.fetch import FetchRefused
from draftgate.agents.tools.globs import Glob
from draftgate.agents.tools.reader import Reader, is_binary, split_lines
from draftgate.agents.tools.specs import LINES_AT_ONCE, MATCHES_AT_ONCE, NAMES_AT_ONCE, WORDS_AT_ONCE
from draftgate.domain.history import History

_MATCH_SHOWN = 500
_GLOB_LIMIT = 300


@dataclass(frozen=True, slots=True)
class World:
    """All that agents can read.

    Attributes:
        head: The commit after the change.
        base: The merge base.
        history: Of head; ``None`` where there is no clone, so that only the changed files can be read.
        hide: Takes keys out of a text.
        fetch: Reads a page or raises `FetchRefused`; ``None`` where no host is allowed.
    """

    head: Reader
    base: Reader
    history: History | None
    hide: Callable[[str], str]
    fetch: Callable[[str], str] | None = None

    def lines(self, path: str, commit: str) -> list[str]:
        """The lines of a text file.

        Raises:
            Unanswerable: There is none for an agent.
        """
        text = (self.base if commit == "base" else self.head).read(path)
        if text is None:
            hint = "list_files names the files"
            if self.history is None:
                hint = "without a clone only the changed files can be read, so others may exist"
            raise Unanswerable(f"there is no file {show(path)} at {commit}; {hint}")
        if is_binary(text):
            raise Unanswerable(f"{show(path)} at {commit} is binary")
        return split_lines(text)

    def reservation(self) -> str:
        """What to think of a list that may not be whole."""
        return " (of the changed files alone: there is no clone)" if self.history is None else ""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a call, and what it gave out in words for the audit."""

    text: str
    entry: str


def read_file(world: World, asked: Arguments) -> Found:
    """Lines of a file at one of the commits."""
    path, commit = asked.text("path"), asked.commit()
    lines = world.lines(path, commit)
    place = f"{show(path)} at {commit}"
    if not lines:
        return Found(f"{place} is empty", place)
    first, last = asked.span(len(lines))
    excerpt = number_lines(lines, first, last, LINES_AT_ONCE)
    end = first + len(excerpt.rows) - 1
    rest = f"lines {end + 1}–{last} of {len(lines)}; ask for more with start_line {end + 1}"
    text = excerpt.under(f"{place}, lines {first}–{end} of {len(lines)}", cut=rest)
    return Found(text, f"{show(path)} lines {first}–{end} at {commit}")


def list_files(world: World, asked: Arguments) -> Found:
    """Names of files."""
    glob, commit = asked.text_or_none("glob", _GLOB_LIMIT), asked.commit()
    pattern = Glob.read(glob or "**")
    reader = world.base if commit == "base" else world.head
    found = [path for path in reader.paths() if pattern.matches(path)]
    excerpt = take((f"| {show_line(path)}" for path in found), NAMES_AT_ONCE)
    named = f"{'all files' if glob is None else show(glob)} at {commit}"
    header = f"{named}: {len(found)} files{world.reservation()}"
    text = excerpt.under(header, cut=f"{len(excerpt.rows)} of {len(found)} are shown; give a narrower glob")
    return Found(text, f"list of {named}")


def grep(world: World, asked: Arguments) -> Found:
    """Lines that hold one of some words."""
    words, glob = asked.texts("words", WORDS_AT_ONCE), asked.text_or_none("glob", _GLOB_LIMIT)
    commit = asked.commit()
    matches = (world.base if commit == "base" else world.head).grep(words, glob)
    rows = (f"| {show_line(match.path)}:{match.line}: {show_line(match.text, _MATCH_SHOWN)}" for match in matches)
    excerpt = take(rows, MATCHES_AT_ONCE)
    named = f"{', '.join(map(show, words))}{'' if glob is None else f' in {show(glob)}'} at {commit}"
    count = f"{'more than ' if excerpt.is_cut else ''}{len(excerpt.rows)} lines"
    header = f"{named}: {count}{world.reservation()}"
    text = excerpt.under(header, cut="there are more lines; give rarer words or a narrower glob")
    return Found(text, f"grep {named}")


def fetch_url(world: World, asked: Arguments) -> Found:
    """The text of a page."""
    url = asked.text("url")
    if world.fetch is None:
        raise Unanswerable("no page can be fetched")
    try:
        page = world.fetch(url)
    except FetchRefused as refused:
        raise Unanswerable(str(refused)) from refused
    excerpt = bar_lines(world.hide(page))
    return Found(excerpt.under(f"the page {show(url)}", cut="the page is longer"), f"page {show(url)}")
