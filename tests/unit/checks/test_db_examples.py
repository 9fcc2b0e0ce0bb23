"""The examples of the database checks are true, and every finding hangs on a line that the diff shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.checks.base import Check, Example
from draftgate.checks.rules import db_column_removed, db_unique_validation
from draftgate.domain.diff import Side
from draftgate.domain.finding import Finding
from tests.unit.checks.changes import change_in_git

CHECKS = (db_column_removed.CHECK, db_unique_validation.CHECK)
EXAMPLES = [
    pytest.param(check, example, id=f"{check.id}: {example.name}") for check in CHECKS for example in check.examples
]


@pytest.mark.parametrize(("check", "example"), EXAMPLES)
def test_an_example_is_true_and_its_findings_can_be_placed(check: Check, example: Example, tmp_path: Path) -> None:
    with change_in_git(tmp_path, example.base, example.head) as change:
        findings = list(check.run(change))

    assert tuple(f"{f.anchor.path}:{f.anchor.line}" for f in findings) == example.findings
    assert tuple(f"{place.path}:{place.line}" for f in findings for place in f.related) == example.related
    added = {(file.new_path, line) for file in change.files for line in file.added_lines}
    for finding in findings:
        assert finding.anchor.side is Side.RIGHT
        assert (finding.anchor.path, finding.anchor.line) in added
        assert_quotes_the_code(finding, example)


def assert_quotes_the_code(finding: Finding, example: Example) -> None:
    """The evidence is the code at head, and the anchor lies in it."""
    assert finding.evidence is not None
    assert finding.anchor.line is not None
    start, lines = finding.evidence.start_line, finding.evidence.lines
    assert example.head[finding.evidence.path].split("\n")[start - 1 : start - 1 + len(lines)] == list(lines)
    assert start <= finding.anchor.line < start + len(lines) <= start + 7


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_each_check_has_examples_of_both_kinds(check: Check) -> None:
    positive = [example for example in check.examples if example.findings]

    assert len(positive) >= 4
    assert len(check.examples) - len(positive) >= 4
