"""From everything that was found to what is shown, rule by rule."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.domain import fingerprint
from draftgate.domain.consolidate import Consolidated, Policy, consolidate
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Decoration, Finding, Label, Severity
from draftgate.domain.session import Decision, Outcome
from tests.builders import evidence_around, finding, line_anchor

NO_LIMITS = Policy(min_confidence=dict.fromkeys(Severity, 0), max_findings=0)


def at(line: int, subject: str = "it breaks", **changes: object) -> Finding:
    """A model's finding on a line of its own code."""
    anchor = line_anchor(line=line)
    defaults: dict[str, object] = {
        "check": None,
        "sources": ("correctness",),
        "anchor": anchor,
        "evidence": evidence_around(anchor, f"code of line {line}"),
        "fingerprint": "",
        **changes,
    }
    return finding(subject, **defaults)


def subjects(consolidated: Consolidated) -> list[str]:
    return [shown.finding.subject for shown in consolidated.findings]


def reasons(consolidated: Consolidated) -> list[str]:
    return [entry.reason for entry in consolidated.dropped]


def decision(about: Finding, outcome: Outcome, **changes: object) -> Decision:
    """What was decided about a finding in the first round."""
    [named] = fingerprint.assign([about])
    made = Decision(
        named.fingerprint,
        outcome,
        named.anchor.path,
        named.anchor.line,
        str(named.label),
        named.confidence,
        named.subject,
        "",
        1,
        "2026-01-02T10:00:00Z",
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


# --- Merging ---------------------------------------------------------------------------------------------------------

RANGE = line_anchor(line=12, start_line=8)

SAME = {
    "one-line": (at(5), at(5)),
    "a-line-in-a-range": (at(10), at(12, anchor=RANGE)),
    "ranges-that-touch": (at(8, anchor=line_anchor(line=8, start_line=4)), at(12, anchor=RANGE)),
    "whole-files": (
        at(1, anchor=Anchor(AnchorKind.FILE, "a.py")),
        at(1, anchor=Anchor(AnchorKind.FILE, "a.py")),
    ),
    "a-check-and-a-model": (at(5), at(5, check="impact.callers", sources=("builtin",))),
    "one-check-twice": (at(5, check="impact.callers"), at(5, check="impact.callers")),
}

DIFFERENT = {
    "another-line": (at(5), at(6)),
    "beside-a-range": (at(7), at(12, anchor=RANGE)),
    "another-file": (at(5), at(5, anchor=line_anchor("b.py", 5))),
    "another-side": (at(5), at(5, anchor=Anchor(AnchorKind.LINE, "app/models/team.py", Side.LEFT, None, 5))),
    "another-kind": (at(5), at(5, anchor=Anchor(AnchorKind.FILE, "app/models/team.py"))),
    "another-subject": (at(5), at(5, "it is slow")),
    "one-check-on-two-columns": (
        at(5, "`plan` is removed", check="db.column-removed"),
        at(5, "`seats` is removed", check="db.column-removed"),
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_one_concern_is_one_finding_with_all_its_sources(case: str) -> None:
    one, other = SAME[case]

    consolidated = consolidate([one, dataclasses.replace(other, sources=("tests",))], policy=NO_LIMITS)

    [shown] = consolidated.findings
    assert set(shown.finding.sources) == {*one.sources, "tests"}
    assert reasons(consolidated) == ["duplicate"]


@pytest.mark.parametrize("case", DIFFERENT)
def test_two_concerns_stay_two_findings(case: str) -> None:
    consolidated = consolidate(DIFFERENT[case], policy=NO_LIMITS)

    assert len(consolidated.findings) == 2
    assert consolidated.dropped == ()


def test_the_more_severe_and_surer_of_two_is_the_one_that_stays() -> None:
    sure, severe = at(5, confidence=99), at(5, confidence=60, decorations=(Decoration.BLOCKING,))

    [shown] = consolidate([sure, severe], policy=NO_LIMITS).findings

    assert (shown.finding.confidence, shown.finding.severity) == (60, Severity.BLOCKER)


def test_likeness_joins_only_what_lies_on_one_place() -> None:
    found = [at(5, "a"), at(5, "b"), at(6, "a")]

    consolidated = consolidate(found, policy=NO_LIMITS, similar=lambda *_: True)

    assert [shown.finding.anchor.line for shown in consolidated.findings] == [5, 6]


def test_two_subjects_of_one_check_are_never_joined_by_likeness() -> None:
    found = [at(5, "`plan` goes", check="db.column-removed"), at(5, "`plans` goes", check="db.column-removed")]

    assert len(consolidate(found, policy=NO_LIMITS, similar=lambda *_: True).findings) == 2


# --- Remembering -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(Outcome.REJECTED, "rejected before"), (Outcome.LEFT_OUT, "left-out before")],
    ids=["rejected", "left-out"],
)
def test_what_was_decided_against_stays_away(outcome: Outcome, reason: str) -> None:
    consolidated = consolidate([at(5)], policy=NO_LIMITS, decisions=(decision(at(5), outcome),))

    assert consolidated.findings == ()
    assert reasons(consolidated) == [reason]
    assert (consolidated.addressed, consolidated.unresolved) == ((), ())


def test_what_was_published_and_still_stands_is_tagged() -> None:
    consolidated = consolidate(
        [at(5)], policy=NO_LIMITS, decisions=(decision(at(9, evidence=at(5).evidence), Outcome.PUBLISHED),)
    )

    [shown] = consolidated.findings
    assert shown.finding.previously_raised
    assert [entry.subject for entry in consolidated.unresolved] == ["it breaks"]
    assert consolidated.addressed == ()


def test_what_was_published_and_is_gone_is_addressed() -> None:
    consolidated = consolidate([], policy=NO_LIMITS, decisions=(decision(at(5), Outcome.PUBLISHED),))

    [entry] = consolidated.addressed
    assert (entry.subject, entry.path, entry.line, entry.round) == ("it breaks", "app/models/team.py", 5, 1)
    assert consolidated.unresolved == ()


def test_the_later_decision_counts() -> None:
    decisions = (decision(at(5), Outcome.REJECTED), decision(at(5), Outcome.PUBLISHED, round=2))

    [shown] = consolidate([at(5)], policy=NO_LIMITS, decisions=decisions).findings

    assert shown.finding.previously_raised


def test_another_finding_is_not_touched_by_a_decision() -> None:
    consolidated = consolidate([at(5), at(9)], policy=NO_LIMITS, decisions=(decision(at(5), Outcome.REJECTED),))

    assert [shown.finding.anchor.line for shown in consolidated.findings] == [9]


# --- Filtering -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confidence", "is_shown"), [(59, False), (60, True), (100, True)], ids=["below", "at", "above"]
)
def test_confidence_is_held_against_the_threshold_of_the_severity(confidence: int, *, is_shown: bool) -> None:
    policy = dataclasses.replace(NO_LIMITS, min_confidence={**NO_LIMITS.min_confidence, Severity.IMPORTANT: 60})

    consolidated = consolidate([at(5, confidence=confidence), at(6, confidence=1, label=Label.NOTE)], policy=policy)

    assert (len(consolidated.findings) == 2) is is_shown
    assert reasons(consolidated) == ([] if is_shown else ["below min_confidence"])


def test_a_finding_that_was_published_is_shown_however_unsure() -> None:
    policy = dataclasses.replace(NO_LIMITS, min_confidence=dict.fromkeys(Severity, 90))

    consolidated = consolidate([at(5, confidence=10)], policy=policy, decisions=(decision(at(5), Outcome.PUBLISHED),))

    assert len(consolidated.findings) == 1


@pytest.mark.parametrize(("others", "is_shown"), [(4, True), (5, False)], ids=["four-others", "five-others"])
def test_nitpicks_are_shown_beside_few_other_findings_only(others: int, *, is_shown: bool) -> None:
    found = [at(line) for line in range(1, others + 1)]

    consolidated = consolidate([*found, at(90, "spelling", label=Label.NITPICK)], policy=NO_LIMITS)

    assert ("spelling" in subjects(consolidated)) is is_shown
    assert reasons(consolidated) == ([] if is_shown else ["nitpick"])


def test_the_limit_cuts_the_least_of_the_models_findings_and_nothing_else() -> None:
    policy = dataclasses.replace(NO_LIMITS, max_findings=1)
    found = [
        at(1, "sure", confidence=80),
        at(2, "unsure", confidence=70),
        at(3, "blocker", confidence=60, decorations=(Decoration.BLOCKING,)),
        at(4, "by a check", confidence=50, check="impact.callers"),
        at(5, "raised before", confidence=40),
    ]

    consolidated = consolidate(found, policy=policy, decisions=(decision(found[-1], Outcome.PUBLISHED),))

    assert subjects(consolidated) == ["blocker", "sure", "by a check", "raised before"]
    assert reasons(consolidated) == ["max_findings"]


# --- Ranking and numbering -------------------------------------------------------------------------------------------


def test_cards_stand_by_severity_then_confidence_then_place() -> None:
    found = [
        at(7, "nitpick", label=Label.NITPICK, confidence=100),
        at(3, "later line"),
        at(2, "earlier line"),
        at(1, "less sure", confidence=60),
        at(8, "blocker", decorations=(Decoration.BLOCKING,), confidence=50),
    ]

    consolidated = consolidate(found, policy=NO_LIMITS)

    assert subjects(consolidated) == ["blocker", "earlier line", "later line", "less sure", "nitpick"]
    assert [shown.number for shown in consolidated.findings] == [1, 2, 3, 4, 5]


FOUND = st.builds(
    at,
    st.integers(1, 6),
    st.sampled_from(["a", "b"]),
    confidence=st.integers(0, 100),
    label=st.sampled_from(list(Label)),
    check=st.sampled_from([None, "impact.callers"]),
)


@given(found=st.lists(FOUND, max_size=12), order=st.randoms(use_true_random=False))
def test_nothing_vanishes_and_the_order_of_arrival_does_not_matter(found: list[Finding], order: object) -> None:
    policy = Policy(min_confidence=dict.fromkeys(Severity, 50), max_findings=3)
    shuffled = sorted(found, key=lambda _: order.random())  # type: ignore[attr-defined]  # a seeded Random

    consolidated, again = consolidate(found, policy=policy), consolidate(shuffled, policy=policy)

    assert len(consolidated.findings) + len(consolidated.dropped) == len(found)
    assert [(s.number, s.finding.subject, s.finding.anchor) for s in consolidated.findings] == [
        (s.number, s.finding.subject, s.finding.anchor) for s in again.findings
    ]
