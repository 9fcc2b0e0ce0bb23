"""Built-in checks run, each isolated, and coverage says who read what."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from draftgate.checks.base import Change, Check
from draftgate.domain.diff import FileDiff, FileStatus
from draftgate.domain.finding import Finding
from draftgate.pipeline.run_checks import CheckOutcome, CheckSettings, language_hints, measure_coverage, run_checks
from tests.builders import finding, line_anchor
from tests.fakes.checks import change_of, make_check

LIB = "app/models/team.py"
HEAD = {
    LIB: """\
one
two  # draftgate: ignore[a.check] on purpose
three
four  # noqa
five  # noqa: E501
# draftgate: ignore[a.check] on purpose
seven
"""
}


def on_line(line: int, **changes: object) -> Finding:
    return finding(f"line {line}", check="a.check", anchor=line_anchor(LIB, line), sources=(), **changes)


def run(*checks: Check, settings: dict[str, CheckSettings] | None = None) -> CheckOutcome:
    return run_checks(
        checks, change_of({}, HEAD), settings or {}, clock=iter(range(99)).__next__, started=lambda _: None
    )


def test_findings_are_kept_with_their_source_and_counted() -> None:
    outcome = run(make_check("a.check", on_line(1), on_line(5)))

    assert [(each.subject, each.sources) for each in outcome.findings] == [
        ("line 1", ("builtin",)),
        ("line 5", ("builtin",)),
    ]
    [check] = outcome.runs
    assert (check.id, check.findings, check.kept, check.seconds, check.failure) == ("a.check", 2, 2, 1, "")


def test_a_check_that_breaks_is_a_failed_check_and_the_others_go_on() -> None:
    def fail(_change: Change) -> Iterator[Finding]:
        yield on_line(1)
        raise KeyError("x")

    broken = dataclasses.replace(make_check("b.check"), run=fail)

    outcome = run(broken, make_check("a.check", on_line(5)))

    assert [each.subject for each in outcome.findings] == ["line 5"]
    assert [(each.id, each.failure) for each in outcome.runs] == [("b.check", "KeyError: 'x'"), ("a.check", "")]


@pytest.mark.parametrize(
    ("check", "enabled", "runs"),
    [
        (make_check("a.check"), None, True),
        (make_check("a.check"), False, False),
        (dataclasses.replace(make_check("a.check"), on_by_default=False), None, False),
        (dataclasses.replace(make_check("a.check"), on_by_default=False), True, True),
        (dataclasses.replace(make_check("a.check"), can_be_disabled=False), False, True),
    ],
    ids=["default", "turned-off", "off-by-default", "turned-on", "always-on"],
)
def test_the_configuration_turns_a_check_on_or_off(check: Check, *, enabled: bool | None, runs: bool) -> None:
    outcome = run(check, settings={"a.check": CheckSettings(enabled=enabled)})

    assert bool(outcome.runs) is runs


@pytest.mark.parametrize(
    ("line", "is_silenced"),
    [(1, False), (2, True), (3, False), (4, True), (5, False), (7, True)],
    ids=["plain", "ignored", "below-ignored-code", "noqa", "noqa-of-a-linter", "below-a-comment"],
)
def test_a_comment_silences_a_finding_and_is_counted(line: int, *, is_silenced: bool) -> None:
    outcome = run(make_check("a.check", on_line(line)))

    assert (outcome.findings == ()) is is_silenced
    assert [each.reason for each in outcome.dropped] == (["ignored by a comment"] if is_silenced else [])


def test_a_comment_that_names_another_check_silences_nothing() -> None:
    outcome = run(make_check("b.check", dataclasses.replace(on_line(2), check="b.check")))

    assert len(outcome.findings) == 1


def test_findings_in_excluded_paths_are_dropped_and_counted() -> None:
    outcome = run(make_check("a.check", on_line(1)), settings={"a.check": CheckSettings(excluded=("app/**",))})

    assert outcome.findings == ()
    assert [(each.reason, each.path) for each in outcome.dropped] == [("excluded by configuration", LIB)]
    assert (outcome.runs[0].findings, outcome.runs[0].kept) == (1, 0)


# --- Coverage --------------------------------------------------------------------------------------------------------


def file(path: str, **changes: object) -> FileDiff:
    made = FileDiff(path, path, FileStatus.MODIFIED, "100644", "100644", None, None, binary=False, hunks=())
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


LEFT_OUT = {
    "binary": (file("a.py", binary=True), "binary"),
    "symlink": (file("a.py", new_mode="120000"), "symbolic link"),
    "submodule": (file("a.py", new_mode="160000"), "submodule"),
    "not-covered": (file("a.txt"), "not covered: no built-in check reads this kind of file"),
    "unread": (file("huge.py"), "larger than 10 MiB"),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_a_file_that_nobody_read_is_named_with_the_reason(case: str) -> None:
    changed, reason = LEFT_OUT[case]

    coverage = measure_coverage(
        [changed, file("read.py")], [make_check("a.check")], {"huge.py": "larger than 10 MiB"}, limits=("a limit",)
    )

    assert (coverage.files, coverage.reviewed, coverage.limits) == (2, 1, ("a limit",))
    assert [(each.path, each.reason) for each in coverage.left_out] == [(changed.path, reason)]


def test_without_a_check_nothing_is_read() -> None:
    assert measure_coverage([file("a.py")], [], {}).reviewed == 0


def test_language_hints_are_the_endings_most_frequent_first() -> None:
    files = [file("a.py"), file("b.rb"), file("c/d.PY"), file("Makefile"), file("e.f/g")]

    assert language_hints(files) == ("py", "rb")
