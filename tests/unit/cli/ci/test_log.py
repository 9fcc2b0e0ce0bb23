"""Nothing that others wrote can be a command to the runner, and our own commands say what they should."""

from __future__ import annotations

import io

import pytest

from draftgate.cli.ci.log import MAX_ANNOTATION, GuardedStream, Level
from tests.unit.cli.ci.runner import TOKEN, obeyed

HOSTILE_LINES = [
    "::add-mask::x",
    "   ::error::x",
    "\t\u00a0\u3000::error::x",
    "\u200b::error::x",
    ":\u200b:error::x",
    ":\u00ad:error::x",
    "::stop-commands::pause",
    "::set-output name=phase::submitted",
    "##[error]x",
    "said: ##[add-mask]x",
    "#\u200b#[error]x",
    "\x1b[31m::error::x",
    "harmless\r::error::x",
    "harmless\r\n::error::x",
]


def written(*texts: str) -> str:
    below = io.StringIO()
    stream = GuardedStream(below, (TOKEN,))
    for text in texts:
        stream.write(text)
    stream.flush()
    return below.getvalue()


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=ascii)
def test_the_lines_are_commands_without_the_guard(line: str) -> None:
    assert obeyed(line) or "\x1b" in line


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=ascii)
def test_a_line_of_others_is_text(line: str) -> None:
    assert obeyed(written(line, "\n")) == []


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=ascii)
def test_a_line_that_comes_in_pieces_is_text(line: str) -> None:
    assert obeyed(written("before\n", *line, "\nafter\n")) == []


def test_harmless_text_stays_as_it_is() -> None:
    text = "tests/test_x.py::test_y\n  indented\n\nlast # [1] ##"

    assert written(text) == f"{text}\n"


def test_a_secret_is_masked_wherever_it_stands() -> None:
    assert written(f"a {TOKEN} b", f"{TOKEN}\n") == "a *** b***\n"


def test_a_key_of_a_known_form_is_hidden_wherever_it_stands() -> None:
    key, below = "ghp_" + "a1" * 18, io.StringIO()

    GuardedStream(below, ()).annotate(Level.ERROR, f"notes-{key}.txt cannot be read")

    assert written(f"read notes-{key}.txt\n") == "read notes-[a key, not shown].txt\n"
    assert obeyed(below.getvalue()) == [("error", "notes-[a key, not shown].txt cannot be read")]


def test_an_annotation_is_one_line_that_the_runner_reads_as_it_was_meant() -> None:
    below = io.StringIO()

    GuardedStream(below, (TOKEN,)).annotate(Level.WARNING, f"100 % of {TOKEN}\r\n::error::second, line\n%0Athird")

    assert below.getvalue().count("\n") == 1
    assert obeyed(below.getvalue()) == [("warning", "100 % of ***\n::error::second, line\n%0Athird")]


def test_an_annotation_follows_what_was_written_before() -> None:
    below = io.StringIO()
    stream = GuardedStream(below, ())

    stream.write("half a line")
    stream.annotate(Level.ERROR, "stop")

    assert below.getvalue() == "half a line\n::error title=Draftgate::stop\n"


def test_a_long_annotation_is_cut() -> None:
    below = io.StringIO()

    GuardedStream(below, ()).annotate(Level.ERROR, "x" * 100_000)

    [(_, data)] = obeyed(below.getvalue())
    assert len(data) == MAX_ANNOTATION
