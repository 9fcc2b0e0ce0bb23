"""What the checks do not read, and that they say so."""

from __future__ import annotations

import dataclasses

import pytest

from draftgate.checks.base import Check
from draftgate.checks.bounds import BoundedSnapshot, Effort, within_bounds
from draftgate.checks.database.migration_files import MAX_OPERATIONS
from draftgate.checks.grammar.tree import MAX_ARGUMENTS, MAX_DEPTH, MAX_LINE_CHARACTERS, MAX_SOURCE_CHARACTERS
from draftgate.checks.python.candidates import MAX_WORDS
from draftgate.checks.registry import load_checks
from draftgate.checks.rules.db_column_removed import MAX_COLUMNS
from tests.unit.checks.changes import Tree, change_between

_CALL = "f(\n" + "a,\n" * MAX_ARGUMENTS
_REFUSED = [
    pytest.param("a.py", "#\n" * (MAX_SOURCE_CHARACTERS // 2 + 1), "1,000,000 characters", id="large"),
    pytest.param("a.py", "#" * (MAX_LINE_CHARACTERS + 1), "10,000 characters", id="a long line"),
    pytest.param("a.py", "x = " + "(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH, "200 levels", id="deep"),
    pytest.param("a.py", "(A()\n" + ".f(1)\n" * MAX_DEPTH + ")", "200 levels", id="a long chain"),
    pytest.param("a.py", "(\n# )\n" * MAX_DEPTH + "1" + ")" * MAX_DEPTH, "200 levels", id="deep behind comments"),
    pytest.param("a.py", "x = (\n" + "lambda:\n" * MAX_DEPTH + "1)\n", "200 levels", id="deep without brackets"),
    pytest.param("a.rb", "begin\n" * MAX_DEPTH + "end\n" * MAX_DEPTH, "200 levels", id="deep blocks"),
    pytest.param("a.py", f"{_CALL}a)\n", "1,000 arguments", id="many arguments"),
    pytest.param("a.erb", "\n" * (MAX_SOURCE_CHARACTERS + 1), "1,000,000 characters", id="a large template"),
]
_READ = [
    pytest.param("a.py", "#\n" * (MAX_SOURCE_CHARACTERS // 2), id="as large as allowed"),
    pytest.param("a.py", "#" * MAX_LINE_CHARACTERS, id="a line as long as allowed"),
    pytest.param("a.py", f"{_CALL})\n", id="as many arguments as allowed"),
    pytest.param("a.py", "x = [\n" + "1,\n" * 5 * MAX_ARGUMENTS + "]\n", id="a long list"),
    pytest.param("a.erb", "x" * (MAX_LINE_CHARACTERS + 1), id="a template's long line"),
    pytest.param("structure.sql", "\n" * (MAX_SOURCE_CHARACTERS + 1), id="a dump of a schema"),
]


@pytest.mark.parametrize(("path", "text", "reason"), _REFUSED)
def test_a_text_that_no_person_writes_counts_as_absent(path: str, text: str, reason: str) -> None:
    refused: list[tuple[str, str]] = []
    snapshot = BoundedSnapshot(Tree({path: text}), lambda *found: refused.append(found))

    assert [snapshot.read(path), snapshot.read(path)] == [None, None]
    assert [where for where, _ in refused] == [path]
    assert reason in refused[0][1]


@pytest.mark.parametrize(("path", "text"), _READ)
def test_a_text_within_the_bounds_is_read(path: str, text: str) -> None:
    snapshot = BoundedSnapshot(Tree({path: text}), lambda *_: pytest.fail("it is within the bounds"))

    assert snapshot.read(path) == text


def test_many_refused_files_are_summed_up() -> None:
    said: list[str] = []
    files = {f"f{number:03}.py": "#" * (MAX_LINE_CHARACTERS + 1) + "\n" for number in range(100)}
    change = within_bounds(dataclasses.replace(change_between({}, files), limited=said.append), "some.check")

    assert all(change.head.read(path) is None for path in files)
    assert said[0] == "some.check: f000.py was not read: a line of it is longer than 10,000 characters"
    assert said[-1] == "some.check: more files than these were not read"
    assert len(said) == 21


def test_an_effort_is_spent_when_more_is_asked_than_is_left() -> None:
    effort = Effort(3)

    assert effort.spend(3)
    assert not effort.is_spent
    assert not effort.spend(1)
    assert effort.is_spent


_MIGRATION = "class X < ActiveRecord::Migration[7.1]\n  def change\n{}  end\nend\n"
_MANY_COLUMNS = "".join(f"    remove_column :users, :c{number}\n" for number in range(MAX_COLUMNS + 1))
_MANY_OPERATIONS = "    remove_column :users, :plan\n" * (MAX_OPERATIONS + 1)
_FUNCTIONS = "".join(f"def f{number}(a): pass\n" for number in range(MAX_WORDS + 1))


@pytest.mark.parametrize(
    ("check_id", "base", "head", "sentence"),
    [
        pytest.param(
            "impact.callers",
            {"m.py": "def f(a): pass\n"},
            {"m.py": "def f(a, b): pass\n" + "#\n" * MAX_SOURCE_CHARACTERS},
            "impact.callers: m.py was not read: it is longer than 1,000,000 characters",
            id="a changed file over the size limit",
        ),
        pytest.param(
            "impact.callers",
            {"m.py": _FUNCTIONS},
            {"m.py": _FUNCTIONS.replace("(a)", "(a, b)")},
            f"impact.callers: 1 changed Python names beyond the first {MAX_WORDS:,} were not searched",
            id="many changed names",
        ),
        pytest.param(
            "db.column-removed",
            {},
            {"db/migrate/1_x.rb": _MIGRATION.format(_MANY_COLUMNS)},
            f"db.column-removed: only the first {MAX_COLUMNS} of {MAX_COLUMNS + 1} removed columns were looked for",
            id="many removed columns",
        ),
        pytest.param(
            "db.column-removed",
            {},
            {"db/migrate/1_x.rb": _MIGRATION.format(_MANY_OPERATIONS)},
            f"db/migrate/1_x.rb: only the first {MAX_OPERATIONS:,} operations of this migration were read",
            id="many operations",
        ),
    ],
)
def test_a_check_says_what_it_left_out(
    check_id: str, base: dict[str, str], head: dict[str, str], sentence: str
) -> None:
    said: list[str] = []

    list(_check(check_id).run(dataclasses.replace(change_between(base, head), limited=said.append)))

    assert sentence in said


def _check(check_id: str) -> Check:
    return next(check for check in load_checks() if check.id == check_id)
