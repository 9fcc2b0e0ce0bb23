"""The identity of a finding over rounds."""

from __future__ import annotations

import dataclasses

import pytest

from draftgate.domain.finding import Category, Decoration, Evidence, Finding, Label
from draftgate.domain.fingerprint import assign
from tests.builders import finding, line_anchor

QUOTED = Evidence("lib.py", 44, ("def join(team, role):",))


def one(finding_: Finding) -> str:
    [named] = assign([finding_])
    return named.fingerprint


BY_A_CHECK = finding(evidence=QUOTED, about="join")
BY_A_MODEL = finding("the guest has no role", check=None, evidence=QUOTED, category=Category.LOGIC)

SURVIVES: dict[str, dict[str, object]] = {
    "moved-lines": {"anchor": line_anchor(line=90), "evidence": dataclasses.replace(QUOTED, start_line=90)},
    "a-rename": {
        "anchor": line_anchor("new/place.py"),
        "evidence": dataclasses.replace(QUOTED, path="new/place.py"),
    },
    "indentation": {"evidence": dataclasses.replace(QUOTED, lines=("\t  def  join(team,  role):  ",))},
    "another-wording": {"subject": "three callers still pass the old argument", "body": "x"},
    "another-label": {"label": Label.NOTE, "decorations": (Decoration.BLOCKING,), "confidence": 1},
    "another-neighbour": {"context": Evidence("lib.py", 43, ("# new", "def join(team, role):", "pass"))},
}

CHANGES: dict[str, dict[str, object]] = {
    "other-code": {"evidence": dataclasses.replace(QUOTED, lines=("def join(team, role, by):",))},
    "more-code": {"evidence": dataclasses.replace(QUOTED, lines=(*QUOTED.lines, "    pass"))},
    "another-check": {"check": "db.column-removed"},
}


@pytest.mark.parametrize("case", SURVIVES)
def test_it_survives_what_does_not_change_the_code(case: str) -> None:
    assert one(dataclasses.replace(BY_A_CHECK, **SURVIVES[case])) == one(BY_A_CHECK)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CHANGES)
def test_it_changes_with_what_the_finding_rests_on(case: str) -> None:
    assert one(dataclasses.replace(BY_A_CHECK, **CHANGES[case])) != one(BY_A_CHECK)  # type: ignore[arg-type]


def test_a_models_findings_are_told_apart_by_category_and_subject() -> None:
    others = [
        dataclasses.replace(BY_A_MODEL, subject="the team has no role"),
        dataclasses.replace(BY_A_MODEL, category=Category.SECURITY),
    ]

    assert len({one(each) for each in [BY_A_MODEL, *others]}) == 3
    assert one(dataclasses.replace(BY_A_MODEL, subject="  the guest  has no role ")) == one(BY_A_MODEL)


def test_equal_ones_are_told_apart_by_their_order() -> None:
    first, second = assign([BY_A_CHECK, BY_A_CHECK])

    assert first.fingerprint != second.fingerprint
    assert first.fingerprint == one(BY_A_CHECK)


def test_it_is_sixteen_hex_digits_and_needs_no_evidence() -> None:
    named = one(dataclasses.replace(BY_A_CHECK, evidence=None))

    assert len(named) == 16
    assert int(named, 16) >= 0


def test_two_findings_on_one_line_keep_their_identity_when_one_of_them_is_fixed() -> None:
    """`remove_columns :teams, :plan, :seats` is one line with two findings of one check."""
    plan = finding("`teams.plan` is removed but still read in 1 place", check="db.column-removed")
    seats = dataclasses.replace(plan, subject="`teams.seats` is removed but still read in 2 places")

    both, alone = assign([plan, seats]), assign([seats])

    assert alone[0].fingerprint == both[1].fingerprint
