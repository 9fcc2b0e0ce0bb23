"""What a reader cannot see is spelled out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.render.visible import has_hidden, one_line, terminal, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "⟨U+001B⟩[31mred⟨U+001B⟩[0m"),
        ("\x1b]8;;http://x.example\x07link", "⟨U+001B⟩]8;;http://x.example⟨U+0007⟩link"),
        ("a\x9bb", "a⟨U+009B⟩b"),
        ("pass\u202eword\u2066x\u2069", "pass⟨U+202E⟩word⟨U+2066⟩x⟨U+2069⟩"),
        ("a\u200bb\ufeff\u00ad", "a⟨U+200B⟩b⟨U+FEFF⟩⟨U+00AD⟩"),
        ("line\u2028separator\u2029", "line⟨U+2028⟩separator⟨U+2029⟩"),
        ("\U000e0041tag", "⟨U+E0041⟩tag"),
        ("caf\udce9", "caf⟨byte E9⟩"),
        ("tab\tand\nnewline ⚠️ 説明", "tab\tand\nnewline ⚠️ 説明"),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert has_hidden(text) == (text != shown)


@given(st.text(st.characters(exclude_categories=[])))
def test_nothing_reaches_a_terminal_but_printable_characters_and_newlines(text: str) -> None:
    shown = terminal(text)

    assert all(character == "\n" or (character >= " " and character != "\x7f") for character in shown)
    assert not has_hidden(shown)
    shown.encode()


@given(st.text(), st.integers(1, 50))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)

    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
