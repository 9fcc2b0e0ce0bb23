"""Sets of findings and replies, as written and held against those that exist."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.domain.selection import (
    ALL,
    MAX_NUMBER,
    NONE,
    Kind,
    Letters,
    Range,
    Selection,
    check,
    check_letters,
    check_number,
    parse_letter,
    parse_letters,
    parse_number,
    parse_numbers,
    parse_selection,
    spell,
)
from draftgate.errors import CommandRefused

NUMBERS = st.integers(1, MAX_NUMBER)


def some(*ranges: tuple[int, int]) -> Selection:
    return Selection(Kind.SOME, tuple(Range(*ends) for ends in ranges))


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("all", ALL),
        ("NONE", NONE),
        ("Checked", Selection(Kind.CHECKED)),
        ("all except 2,4-5", Selection(Kind.ALL_EXCEPT, (Range(2, 2), Range(4, 5)))),
        ("1", some((1, 1))),
        ("3,1,1", some((1, 1), (3, 3))),
        ("#1 and #3", some((1, 1), (3, 3))),
        ("1,and 3", some((1, 1), (3, 3))),
        ("1 &3;5", some((1, 1), (3, 3), (5, 5))),
        ("2-#4", some((2, 4))),
        ("2 - 4", some((2, 4))),
        ("9999", some((9999, 9999))),
    ],
)
def test_understood(text: str, selection: Selection) -> None:
    assert parse_selection(text) == selection


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "01", "-1", "+1", "1.5", "1e3", "0x1", "10000", "9" * 5000, "#", "# 1", "one", "1a", "a1", "1_000"),
        *("1-", "-3", "1..3", "1--3", "1-3-5", "3-1", "1 -3", "1- 3", "1-10000", "0-3", "1 3", "1,", ",1", "1,,3"),
        *("1 and", "and 1", "1and3", "1 or 3", "1,all", "all 1", "all,none", "all except", "all except all"),
        *("except 2", "all but 2", "checked,1", "alls", "1:", "\u0661", "1\n3"),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(CommandRefused) as refusal:
        parse_selection(text)

    assert refusal.value.hint


@given(st.lists(st.tuples(NUMBERS, NUMBERS).map(sorted).map(tuple), min_size=1, max_size=30), st.data())
def test_every_spelling_of_ranges_is_the_same_set(ranges: list[tuple[int, int]], data: st.DataObject) -> None:
    text = ""
    for first, last in ranges:
        text += (
            data.draw(st.sampled_from([",", ", ", " , ", ";", "&", " & ", " and ", ", and ", " AND "])) if text else ""
        )
        text += data.draw(st.sampled_from(["#", ""])) + str(first)
        text += data.draw(st.sampled_from(["-", " - ", "-#"])) + str(last) if first != last else ""

    assert parse_selection(text) == some(*sorted(set(ranges)))


class TestCheck:
    PRESENT = (1, 2, 3, 5, 8)

    @pytest.mark.parametrize(
        ("text", "numbers"),
        [
            ("all", (1, 2, 3, 5, 8)),
            ("none", ()),
            ("2", (2,)),
            ("8,1-3", (1, 2, 3, 8)),
            ("3-8", (3, 5, 8)),
            ("all except 1-3", (5, 8)),
        ],
    )
    def test_gives_the_numbers_in_order(self, text: str, numbers: tuple[int, ...]) -> None:
        assert check(parse_selection(text), self.PRESENT) == numbers

    @pytest.mark.parametrize("text", ["4", "1,4", "1-4", "4-5", "1-3,4-5", "9", "all except 4", "all except 1-8"])
    def test_refuses_a_number_that_is_not_there_or_an_empty_set(self, text: str) -> None:
        with pytest.raises(CommandRefused):
            check(parse_selection(text), self.PRESENT)

    def test_says_which_numbers_are_there(self) -> None:
        with pytest.raises(CommandRefused) as refusal:
            check(parse_selection("2-9"), self.PRESENT)

        assert (refusal.value.message, refusal.value.hint) == (
            "there is no finding 9",
            "the findings here are 1-3,5,8",
        )

    def test_takes_the_boxes_as_they_are(self) -> None:
        checked = parse_selection("checked")

        assert check(checked, self.PRESENT, ticked=(8, 2, 99)) == (2, 8)
        for ticked in (None, (), (99,)):
            with pytest.raises(CommandRefused):
                check(checked, self.PRESENT, ticked=ticked)

    @pytest.mark.parametrize("text", ["all", "1", "checked"])
    def test_nothing_but_none_is_possible_without_findings(self, text: str) -> None:
        with pytest.raises(CommandRefused):
            check(parse_selection(text), (), ticked=())

        assert check(NONE, ()) == ()

    @given(st.sets(NUMBERS, max_size=50), NUMBERS, NUMBERS)
    def test_reaches_nothing_outside_the_written_range(self, present: set[int], one: int, other: int) -> None:
        first, last = sorted((one, other))

        numbers = check(parse_selection(f"{first}-{last}"), present | {first, last})

        assert set(numbers) == {number for number in present | {first, last} if first <= number <= last}

    def test_of_one_number(self) -> None:
        check_number(5, self.PRESENT)
        with pytest.raises(CommandRefused):
            check_number(4, self.PRESENT)


class TestLetters:
    @pytest.mark.parametrize(
        ("text", "letters"),
        [
            ("all", Letters(Kind.ALL)),
            ("None", Letters(Kind.NONE)),
            ("b,A and c", Letters(Kind.SOME, ("A", "B", "C"))),
            ("AA", Letters(Kind.SOME, ("AA",))),
        ],
    )
    def test_understood(self, text: str, letters: Letters) -> None:
        assert parse_letters(text) == letters

    @pytest.mark.parametrize("text", ["", "A,", "A-C", "A B", "1", "AAA", "all,A", "\u00e4", "\u0131"])
    def test_refused(self, text: str) -> None:
        with pytest.raises(CommandRefused):
            parse_letters(text)

    def test_are_held_against_those_that_exist(self) -> None:
        assert check_letters(parse_letters("b"), ("A", "B")) == ("B",)
        assert check_letters(parse_letters("all"), ("B", "A")) == ("A", "B")
        assert check_letters(parse_letters("none"), ("A",)) == ()
        with pytest.raises(CommandRefused):
            check_letters(parse_letters("A,C"), ("A", "B"))

    def test_of_one_reply(self) -> None:
        assert parse_letter("a") == "A"
        with pytest.raises(CommandRefused):
            parse_letter("A,B")


def test_one_number_is_one_number() -> None:
    assert parse_number("#12") == 12
    for text in ("", "1,2", "1-2", "0", "all", "1 "):
        with pytest.raises(CommandRefused):
            parse_number(text)


def test_numbers_of_resolutions_have_no_boxes() -> None:
    assert parse_numbers("1,2") == some((1, 1), (2, 2))
    for text in ("checked", "all except 2"):
        with pytest.raises(CommandRefused):
            parse_numbers(text)


@given(st.sets(NUMBERS, min_size=1, max_size=15))
def test_spelled_numbers_read_back_as_they_were(numbers: set[int]) -> None:
    assert check(parse_selection(spell(numbers)), numbers) == tuple(sorted(numbers))


def test_a_long_spelling_is_cut() -> None:
    assert spell(range(1, 100, 2)).endswith("39,…")
