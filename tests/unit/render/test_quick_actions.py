"""No line that is posted begins with a slash, but in code that a forge surely takes for code."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.render.quick_actions import escape_commands, without_leading_slashes

OBEYED = re.compile(r"(?P<code>^```.+?\n```$)|^[ \t]*/(?P<command>\w+)", re.MULTILINE | re.DOTALL)
"""How GitLab looks for commands, and for code in which it leaves them alone."""


def obeyed(text: str) -> list[str]:
    return [found["command"] for found in OBEYED.finditer(text) if found["command"]]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("/merge", "\\/merge"),
        ("Fine.\n/close\n", "Fine.\n\\/close\n"),
        ("  /label ~bug", "  \\/label ~bug"),
        ("\u00a0/approve", "\u00a0\\/approve"),
        ("a /merge b", "a /merge b"),
        ("http://a/b", "http://a/b"),
        ("//two", "\\//two"),
        ("a\r/merge", "a\r\\/merge"),
        ("/merge\r\n/close\r\n", "\\/merge\r\n\\/close\r\n"),
    ],
)
def test_a_line_that_begins_with_a_slash_gets_a_backslash(text: str, escaped: str) -> None:
    assert escape_commands(text) == escaped


def test_plain_code_stays_as_it_is() -> None:
    text = "```suggestion\n/* a comment */\n// another\n```\n"

    assert escape_commands(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "````\n```\n/merge\n````",  # GitLab ends the code at the inner line
        "~~~\n/merge\n~~~",
        "  ```\n/merge\n  ```",
        "```\n/merge",  # never closed
        "```\ncode\n``` \n/merge\n```",
        "```a`b\n/merge\n```",
    ],
)
def test_code_that_gitlab_may_not_take_for_code_is_no_refuge(text: str) -> None:
    assert obeyed(escape_commands(text)) == []


@given(st.text(st.sampled_from("/`~\n \tmerge>-"), max_size=60))
def test_nothing_is_obeyed_whatever_was_written(text: str) -> None:
    escaped = escape_commands(text)

    assert obeyed(escaped) == []
    assert escape_commands(escaped) == escaped
    assert escaped.replace("\\", "") == text


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("/merge", "\\/merge"),
        ("```\n/merge\n```", "```\n /merge\n```"),
        ("<details>\n```\n</details>\n\n/approve\n```", "<details>\n```\n</details>\n\n /approve\n```"),
        ("```\ncode\n   ```\n/close", "```\ncode\n   ```\n\\/close"),
        ("```suggestion\n/* a comment */\n```", "```\n /* a comment */\n```"),
        ("```suggestion:-1+0\nx = 1\n```", "```suggestion:-1+0\nx = 1\n```"),
        ("````\n```\n/merge\n````", "````\n```\n /merge\n````"),
        ("~~~\n/merge\n~~~\n/close", "~~~\n /merge\n~~~\n\\/close"),
    ],
)
def test_where_lines_are_obeyed_none_begins_with_a_slash(text: str, inert: str) -> None:
    assert without_leading_slashes(text) == inert


@given(st.text(st.sampled_from("/`~\n \tmerge>-<"), max_size=60))
def test_no_line_begins_with_a_slash_whatever_was_written(text: str) -> None:
    inert = without_leading_slashes(text)

    assert not any(line.startswith("/") for line in inert.split("\n"))
    assert without_leading_slashes(inert) == inert
