"""What accepted commands make of a round."""

from __future__ import annotations

from draftgate.domain.amend import (
    AmendedRound,
    Amendment,
    Authored,
    Drop,
    EditBody,
    EditText,
    Recategorize,
    Relabel,
    amend,
    unamended,
)
from draftgate.domain.finding import Category, Decoration, Label, Severity
from tests.builders import blocker, finding, result

RESULT = result([blocker(), finding(), finding("a third")])


def amended(*amendments: Amendment) -> AmendedRound:
    round_ = unamended(RESULT)
    for amendment in amendments:
        round_ = amend(round_, Authored("a maintainer", amendment))
    return round_


def test_a_dropped_finding_leaves_a_gap() -> None:
    round_ = amended(Drop((2,), "known"))

    assert [entry.number for entry in round_.kept] == [1, 3]
    assert (round_.findings[1].dropped, round_.findings[1].reason) == (True, "known")
    assert round_.findings[1].changed_by == "a maintainer"


def test_several_are_dropped_at_once() -> None:
    assert [entry.number for entry in amended(Drop((1, 3), "")).kept] == [2]


def test_a_text_is_replaced_and_the_finding_stays_what_it_was() -> None:
    round_ = amended(EditText(1, "one"), EditText(1, "two"))

    assert round_.findings[0].text == "two"
    assert round_.findings[0].finding == RESULT.findings[0].finding


def test_a_label_brings_its_severity_and_takes_the_old_decorations_away() -> None:
    round_ = amended(Relabel(1, Label.NITPICK, ()), Relabel(2, Label.NOTE, (Decoration.BLOCKING,)))

    assert [entry.finding.severity for entry in round_.findings] == [
        Severity.NITPICK,
        Severity.BLOCKER,
        Severity.IMPORTANT,
    ]


def test_a_category_is_replaced() -> None:
    assert amended(Recategorize(3, Category.SECURITY)).findings[2].finding.category is Category.SECURITY


def test_the_body_is_replaced_and_no_finding() -> None:
    round_ = amended(EditBody("Two things."))

    assert round_.body == "Two things."
    assert round_.findings == unamended(RESULT).findings


def test_untouched_findings_have_no_author() -> None:
    assert [entry.changed_by for entry in amended(Drop((2,), "")).findings] == ["", "a maintainer", ""]


def test_the_result_itself_never_changes() -> None:
    before = RESULT.findings

    amended(Drop((1,), ""), EditText(2, "text"), Relabel(3, Label.NOTE, ()))

    assert RESULT.findings == before
