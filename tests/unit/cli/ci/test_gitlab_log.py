"""Nothing that others wrote can make GitLab's page of a job do anything, and our own messages stand out."""

from __future__ import annotations

import io

import pytest

from draftgate.cli.ci.log import MAX_ANNOTATION, GuardedStream, Level, as_coloured_lines
from tests.unit.cli.ci.gitlab_runner import TOKEN, messages, obeyed

HOSTILE_LINES = [
    "section_start:1700000000:x\r\x1b[0K",
    "section_start:1700000000:x[collapsed=true]\r\x1b[0Ktitle",
    "harmless section_end:1700000000:x\r\x1b[0K",
    "\x1b[8mhidden\x1b[0m",
    "\x1b]8;;http://example.invalid\x07a link\x1b]8;;\x07",
    "\x9b2J",
    "harmless\rinstead",
    "\x08\x08\x08",
    "\x1b[31;1mERROR: not ours\x1b[0;m",
]


def written(*texts: str) -> str:
    below = io.StringIO()
    stream = GuardedStream(below, (TOKEN,), as_coloured_lines)
    for text in texts:
        stream.write(text)
    stream.flush()
    return below.getvalue()


@pytest.mark.parametrize("line", HOSTILE_LINES[:-1], ids=ascii)
def test_the_lines_do_something_without_the_guard(line: str) -> None:
    assert obeyed(line)


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=ascii)
def test_a_line_of_others_is_text(line: str) -> None:
    assert obeyed(written(line, "\n")) == []
    assert messages(written(line, "\n")) == []


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=ascii)
def test_a_line_that_comes_in_pieces_is_text(line: str) -> None:
    assert obeyed(written("before\n", *line, "\nafter\n")) == []


def test_a_message_is_coloured_line_by_line_and_holds_nothing_of_others_but_text() -> None:
    below = io.StringIO()

    GuardedStream(below, (TOKEN,), as_coloured_lines).annotate(Level.WARNING, f"{TOKEN} leaked\r\nsecond\x1b[0;m, line")

    assert below.getvalue() == ("\x1b[33;1mWARNING: *** leaked\x1b[0;m\n\x1b[33;1msecond⟨U+001B⟩[0;m, line\x1b[0;m\n")


def test_a_message_follows_what_was_written_before() -> None:
    below = io.StringIO()
    stream = GuardedStream(below, (), as_coloured_lines)

    stream.write("half a line")
    stream.annotate(Level.ERROR, "stop")

    assert below.getvalue() == "half a line\n\x1b[31;1mERROR: stop\x1b[0;m\n"


def test_a_long_message_is_cut() -> None:
    below = io.StringIO()

    GuardedStream(below, (), as_coloured_lines).annotate(Level.ERROR, "x" * 100_000)

    assert len(below.getvalue()) < MAX_ANNOTATION + 50
