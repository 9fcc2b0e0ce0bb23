"""One line as it is folded for reading, and its flags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.domain.command_line import CommandLine, Options, Takes, find_deception, one_of, read_agent, read_options
from draftgate.errors import CommandRefused

FLAGS = {"as": Takes.WORD, "replies": Takes.LIST, "full": Takes.NOTHING}


def options(text: str) -> Options:
    return read_options(CommandLine.of(text), FLAGS)


class TestFolding:
    @pytest.mark.parametrize(
        ("written", "folded"),
        [
            ("\uff11\uff0c\uff13\uff1b\uff03\uff14\uff06\uff15", "1,3;#4&5"),
            ("a\tb\u00a0c\u202fd\u3000e", "a b c d e"),
            ("1\u20132\u20143\u22124\u20115", "1-2-3-4-5"),
            ("\u201ca\u201d \u00abb\u00bb \u2018c\u2019", '"a" "b" "c"'),
            ("\ufeffa\u200bb\u200ec\u00add", "abcd"),
            ("\u0661\u00b2\u2460 \u00e9\u0430", "\u0661\u00b2\u2460 \u00e9\u0430"),
        ],
        ids=["full-width", "blanks", "dashes", "quotes", "invisible", "nothing-else"],
    )
    def test_of_what_people_type(self, written: str, folded: str) -> None:
        assert CommandLine.of(written).text == folded

    def test_what_follows_is_given_as_it_was_written(self) -> None:
        line = CommandLine.of("\u200bdrop\u00a02 \u2014 \u201cno\u201d\u200d, see it")

        assert line.after(len("drop 2 -")) == CommandLine('"no", see it', "\u201cno\u201d\u200d, see it")

    @given(st.text(alphabet="ab \u200b\u00a0\u2014\uff11", max_size=20), st.integers(0, 20))
    def test_of_the_rest_is_the_rest_of_the_folding(self, source: str, position: int) -> None:
        line = CommandLine.of(source)

        rest = line.after(position)

        assert rest.text == line.text[position:].strip() == CommandLine.of(rest.source).text.strip()

    @pytest.mark.parametrize(("source", "deceives"), [("1\u200b2", True), ("1\u202e2", True), ("1,\u200b2", False)])
    def test_finds_what_shows_another_number_than_it_holds(self, source: str, *, deceives: bool) -> None:
        assert bool(find_deception(CommandLine.of(source))) is deceives


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", Options("", {})),
            ("1,2", Options("1,2", {})),
            ("1 , 2 --as comment", Options("1 , 2", {"as": "comment"})),
            ("--as comment 1", Options("1", {"as": "comment"})),
            ("--as=comment 1 \u2014full", Options("1", {"as": "comment", "full": ""})),
            ("-AS \u201ccomment\u201d", Options("", {"as": "comment"})),
            ("--replies A, B --full", Options("", {"replies": "A, B", "full": ""})),
            ("-3", Options("-3", {})),
        ],
    )
    def test_understood(self, text: str, expected: Options) -> None:
        assert options(text) == expected

    @pytest.mark.parametrize(
        "text", ["--ful", "--other", "--as", "--as --full", "--as=", "--full=1", "--full --full", "1 --full 2"]
    )
    def test_refused_rather_than_ignored(self, text: str) -> None:
        with pytest.raises(CommandRefused):
            options(text)


@pytest.mark.parametrize("word", ["comm", "comments", "", "\u212aomment"])
def test_a_word_is_not_completed(word: str) -> None:
    with pytest.raises(CommandRefused) as refusal:
        one_of(word, ["comment", "approve"], "verdict")

    assert refusal.value.hint == "write one of comment, approve"


@pytest.mark.parametrize("name", ["", "a b", "-a", "../a", "a" * 65, "a;b"])
def test_an_agent_has_a_plain_name(name: str) -> None:
    with pytest.raises(CommandRefused):
        read_agent(CommandLine.of(name))
