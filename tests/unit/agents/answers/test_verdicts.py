"""What the critic says of each claim; only what it says plainly confirms or refutes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.agents.answers.claim import UnusableAnswer
from draftgate.agents.answers.verdicts import LONGEST_REASON, Judgement, Ruling, Verdicts, fill, read_verdicts, unsaid

NOT_SAID = Judgement(Ruling.UNCERTAIN, None, "the critic did not say")


def read(*items: object, count: int = 1) -> Verdicts:
    return read_verdicts(json.dumps({"verdicts": items}), count)


def verdict(number: object = 1, word: object = "confirmed", **more: object) -> dict[str, object]:
    return {"number": number, "verdict": word, "reason": "r", **more}


def test_verdicts_come_out_in_the_order_of_the_claims() -> None:
    read_ones = read(verdict(3, "uncertain"), verdict(1, confidence=90), verdict(2, "refuted"), count=3)

    assert read_ones == (
        Judgement(Ruling.CONFIRMED, 90, "r"),
        Judgement(Ruling.REFUTED, None, "r"),
        Judgement(Ruling.UNCERTAIN, None, "r"),
    )


def test_a_list_of_verdicts_may_stand_alone_and_in_a_fence() -> None:
    text = f"```json\n{json.dumps([verdict()])}\n```"

    assert read_verdicts(text, 1) == (Judgement(Ruling.CONFIRMED, None, "r"),)


@pytest.mark.parametrize(
    ("word", "ruling"),
    [
        ("Confirmed", Ruling.CONFIRMED),
        (" REFUTED ", Ruling.REFUTED),
        ("uncertain", Ruling.UNCERTAIN),
        ("rejected", Ruling.UNCERTAIN),
        ("not confirmed", Ruling.UNCERTAIN),
        ("", Ruling.UNCERTAIN),
        (None, Ruling.UNCERTAIN),
        (True, Ruling.UNCERTAIN),
        (["refuted"], Ruling.UNCERTAIN),
    ],
    ids=repr,
)
def test_a_word_that_is_not_known_settles_nothing(word: object, ruling: Ruling) -> None:
    assert read(verdict(word=word))[0].ruling is ruling


def test_a_claim_that_was_passed_over_is_uncertain() -> None:
    assert read(verdict(2), count=3)[0::2] == (NOT_SAID, NOT_SAID)


def test_what_was_passed_over_can_be_asked_for_by_number() -> None:
    assert unsaid(read(verdict(2), verdict(4, "nonsense"), verdict(5), verdict(5, "refuted"), count=6)) == (1, 3, 6)


def test_a_later_answer_goes_before_an_earlier_one_and_leaves_what_it_does_not_speak_of() -> None:
    earlier = read(verdict(1), verdict(2), count=4)

    filled = fill(read(verdict(2, "refuted"), verdict(3), count=4), earlier)

    assert [each.ruling for each in filled] == [Ruling.CONFIRMED, Ruling.REFUTED, Ruling.CONFIRMED, Ruling.UNCERTAIN]
    assert unsaid(filled) == (4,)
    assert fill(earlier, ()) == earlier


def test_two_verdicts_that_disagree_settle_nothing() -> None:
    [judgement] = read(verdict(), verdict(word="refuted"), verdict())

    assert (judgement.ruling, judgement.confidence) == (Ruling.UNCERTAIN, None)


def test_two_verdicts_that_agree_are_one() -> None:
    assert read(verdict(confidence=80), verdict(confidence=70)) == (Judgement(Ruling.CONFIRMED, 80, "r"),)


@pytest.mark.parametrize("number", [0, -1, 2, True, None, "two", 1.5, [1], 10**40], ids=repr)
def test_a_verdict_on_no_claim_is_passed_over(number: object) -> None:
    assert read(verdict(number, "refuted"), verdict("1"), "x") == (Judgement(Ruling.CONFIRMED, None, "r"),)


def test_a_reason_is_one_short_clean_line() -> None:
    [judgement] = read(verdict(reason="a\n\x1b[31m " + "b" * 600))

    assert judgement.reason == "a [31m " + "b" * (LONGEST_REASON - 8) + "…"


UNUSABLE = {
    "nothing": "",
    "prose": "All claims hold.",
    "no-list": "{}",
    "another-list": '{"findings": []}',
    "no-verdict": '{"verdicts": []}',
    "no-object": '{"verdicts": ["confirmed"]}',
    "no-claim": '{"verdicts": [{"number": 7, "verdict": "refuted"}]}',
    "cut-off": '{"verdicts": [{"number": 1, "verdict": "refuted"}',
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_answer_about_no_claim_is_no_answer(name: str) -> None:
    with pytest.raises(UnusableAnswer, match=r"^[A-Z].*\.$"):
        read_verdicts(UNUSABLE[name], 2)


def test_no_claims_need_no_verdicts() -> None:
    assert read(count=0) == ()


VALUES = st.none() | st.booleans() | st.integers(-1, 4) | st.text(max_size=5) | st.sampled_from(list(Ruling))
ITEMS = st.dictionaries(st.sampled_from(["number", "verdict", "confidence", "reason"]), VALUES) | VALUES


@given(st.lists(ITEMS, max_size=5), st.integers(0, 3))
def test_every_claim_has_one_judgement_or_the_answer_is_unusable(items: list[object], count: int) -> None:
    try:
        judgements = read(*items, count=count)
    except UnusableAnswer:
        return
    assert len(judgements) == count
