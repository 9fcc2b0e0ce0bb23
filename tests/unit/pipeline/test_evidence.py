"""A finding stands on lines that are there, or it is dropped."""

from __future__ import annotations

import pytest

from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Evidence
from draftgate.domain.hiding import HiddenLines
from draftgate.pipeline.evidence import hold_to_evidence
from draftgate.pipeline.run_checks import CheckOutcome
from tests.builders import finding
from tests.fakes.checks import change_of

CHANGE = change_of({"a.py": "old 1\nold 2\n"}, {"a.py": "1\n2\n3\n4\n5\n", "b.py": "only", "empty.py": ""})


def hold(evidence: Evidence | None, side: Side = Side.RIGHT) -> CheckOutcome:
    anchor = Anchor(AnchorKind.LINE, "a.py", side, None, 1)
    outcome = CheckOutcome((finding(anchor=anchor, evidence=evidence),), (), ())
    return hold_to_evidence(outcome, CHANGE, HiddenLines(CHANGE, str))


UNSUPPORTED = {
    "another-text": Evidence("a.py", 2, ("two",)),
    "another-line": Evidence("a.py", 3, ("2",)),
    "another-space": Evidence("a.py", 2, ("2 ",)),
    "beyond-the-end": Evidence("a.py", 5, ("5", "6")),
    "no-such-file": Evidence("c.py", 1, ("1",)),
    "the-other-side": Evidence("a.py", 1, ("old 1",)),
}


@pytest.mark.parametrize("case", UNSUPPORTED)
def test_a_quote_that_does_not_stand_there_drops_the_finding(case: str) -> None:
    outcome = hold(UNSUPPORTED[case])

    assert outcome.findings == ()
    assert [each.reason for each in outcome.dropped] == ["unsupported"]


def test_removed_code_is_quoted_from_the_base() -> None:
    assert len(hold(Evidence("a.py", 1, ("old 1",)), Side.LEFT).findings) == 1


CONTEXT = {
    "the-middle": (Evidence("a.py", 3, ("3",)), (2, ("2", "3", "4"))),
    "the-first-line": (Evidence("a.py", 1, ("1",)), (1, ("1", "2", "3"))),
    "the-last-line": (Evidence("a.py", 5, ("5",)), (3, ("3", "4", "5"))),
    "two-lines": (Evidence("a.py", 3, ("3", "4")), (2, ("2", "3", "4"))),
    "enough": (Evidence("a.py", 2, ("2", "3", "4", "5")), (2, ("2", "3", "4", "5"))),
    "the-only-line": (Evidence("b.py", 1, ("only",)), (1, ("only",))),
}


@pytest.mark.parametrize("case", CONTEXT)
def test_a_short_quote_gets_its_neighbours_as_context(case: str) -> None:
    evidence, (start, lines) = CONTEXT[case]

    [held] = hold(evidence).findings

    assert held.evidence == evidence
    assert held.context == Evidence(evidence.path, start, lines)


def test_a_finding_without_a_quote_is_kept() -> None:
    assert len(hold(None).findings) == 1
