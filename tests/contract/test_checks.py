"""The contract of every built-in check, from its own examples, in a real repository through the real snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from draftgate.bootstrap.configuration import ALWAYS_ON
from draftgate.checks.base import Change, Check, Example
from draftgate.checks.registry import check_ids, load_checks
from draftgate.domain.diff import FileDiff, Side
from draftgate.domain.finding import AnchorKind, Finding
from draftgate.domain.hiding import HiddenLines
from draftgate.domain.paths import matches_any
from draftgate.git.diff import diff_commits
from draftgate.git.objects import open_objects
from draftgate.git.repository import Repository
from draftgate.git.snapshot import CommitSnapshot
from draftgate.pipeline.evidence import hold_to_evidence
from draftgate.pipeline.run_checks import run_checks
from tests.git_builder import Repo, git_environment

MAX_QUOTED_LINES = 7
MIN_EXAMPLES = 4
"""Of either kind: what is found, and what looks like it and is not."""

CHECKS = load_checks()
EXAMPLES = [
    pytest.param(check, example, id=f"{check.id}: {example.name}") for check in CHECKS for example in check.examples
]


@contextmanager
def open_change(folder: Path, example: Example) -> Iterator[Change]:
    """The example as a commit on top of another."""
    repo = Repo.create(folder)
    base = repo.commit(example.base)
    gone = dict.fromkeys(set(example.base) - set(example.head))
    head = repo.commit({**gone, **example.head})
    repository = Repository.open(folder, git_environment())
    diff = diff_commits(repository, repository.resolve(base), repository.resolve(head))
    with open_objects(repository) as objects:
        yield Change(
            diff.files,
            CommitSnapshot(repository, objects, repository.resolve(base)),
            CommitSnapshot(repository, objects, repository.resolve(head)),
        )


def shown_lines(files: tuple[FileDiff, ...]) -> set[tuple[str, Side, int]]:
    """Every line that the diff shows, on each of its sides."""
    return {
        (file.path, side, number)
        for file in files
        for hunk in file.hunks
        for line in hunk.lines
        for side, number in ((Side.LEFT, line.old), (Side.RIGHT, line.new))
        if number is not None
    }


def places(findings: list[Finding]) -> tuple[str, ...]:
    return tuple(f"{finding.anchor.path}:{finding.anchor.line}" for finding in findings)


@pytest.mark.parametrize(("check", "example"), EXAMPLES)
def test_an_example_is_found_as_declared_and_can_be_posted(check: Check, example: Example, tmp_path: Path) -> None:
    with open_change(tmp_path, example) as change:
        findings = list(check.run(change))

        outcome = run_checks([check], change, {}, clock=lambda: 0.0, started=lambda _: None)
        held = hold_to_evidence(outcome, change, HiddenLines(change, str))

    assert places(findings) == example.findings
    assert tuple(f"{place.path}:{place.line}" for each in findings for place in each.related) == example.related
    assert held.findings != () or example.findings == ()
    assert held.dropped == ()
    assert all(matches_any(str(finding.anchor.path), check.covers) for finding in findings)
    assert_on_lines_of_the_diff(findings, change.files)


def assert_on_lines_of_the_diff(findings: list[Finding], files: tuple[FileDiff, ...]) -> None:
    shown = shown_lines(files)
    added = {(file.path, line) for file in files for line in file.added_lines}
    for finding in findings:
        anchor, evidence = finding.anchor, finding.evidence
        assert anchor.kind is AnchorKind.LINE
        assert (anchor.path, anchor.side, anchor.line) in shown
        assert (anchor.path, anchor.side, anchor.start_line or anchor.line) in shown
        assert anchor.side is Side.LEFT or (anchor.path, anchor.line) in added
        assert evidence is not None
        assert evidence.start_line <= (anchor.line or 0) < evidence.start_line + len(evidence.lines)
        assert len(evidence.lines) <= MAX_QUOTED_LINES


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_has_examples_of_both_kinds_and_says_what_it_is(check: Check) -> None:
    positive = [example for example in check.examples if example.findings]

    assert len(positive) >= MIN_EXAMPLES
    assert len(check.examples) - len(positive) >= MIN_EXAMPLES
    assert check.summary
    assert check.covers
    assert 0 < check.confidence <= 100


def test_losing_a_check_is_seen() -> None:
    assert [check.id for check in CHECKS] == ["db.column-removed", "db.unique-validation", "impact.callers"]


def test_ids_are_those_of_the_file_names() -> None:
    assert {check.id for check in CHECKS} == check_ids()


def test_what_the_configuration_cannot_turn_off_is_what_cannot_be_disabled() -> None:
    assert {check.id for check in CHECKS if not check.can_be_disabled} == ALWAYS_ON
