"""Texts that a person never writes, and on which a check must not do more than its share of work.

Where the work is done in Python, its calls are counted for a text and for one of twice the size. Where it is done
inside the parser, a regular expression or a string, the bound is a time: each of these took minutes or did not end.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.checks.base import Change
from draftgate.checks.database.sql_statements import cut_list
from draftgate.checks.lines import LineIndex
from draftgate.checks.registry import load_checks
from tests.unit.checks.changes import change_between

_SECONDS = 10.0
_SIZE = 150
Files = Mapping[str, str]
_MODEL = "class User < ApplicationRecord\n{}end\n"
_SCHEMA = "ActiveRecord::Schema.define do\ncreate_table 'users' do |t|\nt.string 'plan'\nend\nend\n"


def _migration(body: str) -> dict[str, str]:
    text = f"class X < ActiveRecord::Migration[7.1]\ndef change\n{body}end\nend\n"
    return {"db/migrate/1_x.rb": text, "app/models/user.rb": _MODEL.format("")}


def _each(size: int, line: str) -> str:
    return "".join(line.format(number) for number in range(size))


def _changed_method(uses: str) -> tuple[Files, Files]:
    method = "class A:\n    def f(self, a): pass\n"
    return {"m.py": method}, {"m.py": method.replace("a)", "a, b)"), "u.py": f"from m import A\n{uses}"}


def _removed_columns(size: int) -> tuple[Files, Files]:
    readers = {"app/z.rb": _each(size, "User.where(c{}: 1)\n")}
    return readers, readers | _migration(_each(size, "remove_column :users, :c{}\n"))


def _imported_names(size: int) -> tuple[Files, Files]:
    user = {"u.py": "from m import (\n" + _each(size, "    f{},\n") + ")\n"}
    return {"m.py": _each(size, "def f{}(): pass\n"), **user}, {"m.py": "", **user}


def _variables(size: int) -> tuple[Files, Files]:
    return _changed_method("def g():\n" + _each(size, "    x{0} = A()\n    x{0}.f(1)\n"))


def _attributes(size: int) -> tuple[Files, Files]:
    uses = _each(size, "        self.x{0} = A()\n        self.x{0}.f(1)\n")
    return _changed_method(f"class B:\n    def g(self):\n{uses}")


def _functions(size: int) -> tuple[Files, Files]:
    return _changed_method(_each(size, "def g{}(x):\n    x = A()\n    x.f(1)\n"))


def _namesakes(size: int) -> tuple[Files, Files]:
    classes = _each(size, "class C{}:\n    def f(self, a): pass\n    z = 1\n")
    others = _each(size, "class D{}:\n    def f(self, a): pass\n")
    uses = "from m import *\n" + _each(size, "C{}().f(1)\n")
    return {"m.py": classes}, {"m.py": classes.replace("    def f(self, a): pass\n", ""), "d.py": others, "u.py": uses}


def _heredocs(size: int) -> tuple[Files, Files]:
    return {}, _migration(_each(size, "execute <<A\nALTER TABLE users DROP COLUMN c{};\nA\n"))


def _django_rules(size: int) -> tuple[Files, Files]:
    models = _each(size, "class U{}(models.Model):\n    plan = models.CharField()\n")
    return {}, {"a/models.py": models, "a/v.py": _each(size, "U{}.objects.get_or_create(plan=1)\n")}


def _rails_rules(size: int) -> tuple[Files, Files]:
    rules = _each(size, "User.find_or_create_by(c{}: 1)\n")
    return {}, {"app/x.rb": f"class X\ndef x\n{rules}end\nend\n", "db/schema.rb": _SCHEMA}


def _list_entries(size: int) -> tuple[Files, Files]:
    lists = _each(size, "    attributes :plan, :p{}\n")
    files = {"app/user_serializer.rb": f"class UserSerializer\n{lists}end\n"}
    return files, files | _migration("remove_column :users, :plan\n")


@pytest.mark.parametrize(
    "build",
    [
        _removed_columns,
        _imported_names,
        _variables,
        _attributes,
        _functions,
        _namesakes,
        _heredocs,
        _django_rules,
        _rails_rules,
        _list_entries,
    ],
    ids=lambda build: build.__name__.strip("_"),
)
def test_twice_the_text_is_at_most_about_twice_the_work(build: Callable[[int], tuple[Files, Files]]) -> None:
    _count_calls(change_between(*build(10)))  # what is read once and kept for good

    once, twice = (_count_calls(change_between(*build(size))) for size in (_SIZE, 2 * _SIZE))

    assert twice < 2.5 * once


def _count_calls(change: Change) -> int:
    """How many functions all checks call, those written in C included."""
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        _run_all(change)
    finally:
        sys.setprofile(before)
    return count


def _run_all(change: Change) -> None:
    for check in load_checks():
        list(check.run(change))


_REMOVED = _migration("remove_column :users, :plan\n")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(*_changed_method("A()" + ".f(1)" * 100_000 + "\n"), id="a chain of calls on one line"),
        pytest.param(*_changed_method("(A()\n" + ".f(1)\n" * 50_000 + ")\n"), id="a chain of calls on many lines"),
        pytest.param(*_changed_method("def g(x):\n" + "    x = x.f\n" * 5_000), id="a name bound to itself"),
        pytest.param(
            {"m.py": _each(8_000, "def f{}(): pass\n")},
            {"m.py": "def (((\n" + _each(8_000, "g{}\n")},
            id="names gone from a broken file",
        ),
        pytest.param(
            {},
            {"app/models/user.rb": _MODEL.format("validates :plan, uniqueness: true\n" * 5_000)},
            id="one class with many rules",
        ),
        pytest.param(
            {},
            {"a/v.py": "try:\n" + "    User.objects.get_or_create(plan=1)\n" * 10_000 + "except A: pass\n"},
            id="one try with many rules",
        ),
        pytest.param(
            {},
            _migration("execute <<A\n" + "ALTER TABLE users DROP COLUMN plan;\n" * 20_000 + "A\n"),
            id="one text with many statements",
        ),
        pytest.param({}, _migration("execute <<A\n" * 20_000), id="many heredocs that never end"),
        pytest.param(
            {}, _migration("execute <<A\nALTER TABLE a \n" + "ADD UNIQUE (\n" * 20_000 + "A\n"), id="open keys"
        ),
        pytest.param(
            {}, _migration("execute <<A\nCREATE TABLE a (\n" + ",\n" * 100_000 + ")\nA\n"), id="a table of commas"
        ),
        pytest.param(
            {},
            _migration(
                _each(12, "[:c0, :c1, :c2, :c3, :c4, :c5].each do |x{}|\n")
                + "remove_column :users, x1\n"
                + "end\n" * 12
            ),
            id="loops in loops",
        ),
        pytest.param({}, _REMOVED | {"app/v.erb": "<%= \n" * 150_000 + "<%= user.plan %>\n"}, id="open tags"),
        pytest.param(
            {}, _REMOVED | {"app/v.erb": "{# <!-- <%# {% comment\n" * 30_000 + "user.plan\n"}, id="open comments"
        ),
        pytest.param({}, _REMOVED | {"app/v.erb": "<% " + "a[b(plan." * 50_000 + " %>\n"}, id="open brackets"),
        pytest.param({}, _REMOVED | {"app/v.erb": "<% " + "a" * 500_000 + ".plan %>\n"}, id="a long word"),
        pytest.param({}, _REMOVED | {"app/v.haml": "\n" * 500_000 + "user.plan\n"}, id="empty lines"),
        pytest.param({}, _REMOVED | {"app/z.rb": "user.plan\n" * 50_000}, id="many reads of a column"),
        pytest.param(
            {},
            _REMOVED | {"app/models/user.rb": _MODEL.format("def a\n" + "plan\n" * 50_000 + "end\n")},
            id="many reads in one method of the model",
        ),
    ],
)
def test_a_hostile_text_is_read_in_no_time(base: Files, head: Files) -> None:
    change = change_between(base, head)
    begun = time.monotonic()

    _run_all(change)

    assert time.monotonic() - begun < _SECONDS


@given(st.text(alphabet="ab\n\r", max_size=60), st.integers(0, 60), st.integers(1, 9))
def test_the_line_of_a_place_is_the_number_of_line_feeds_before_it(text: str, position: int, first: int) -> None:
    assert LineIndex(text, first).line_at(position) == first + text.count("\n", 0, position)


@given(st.text(alphabet="a,() ", max_size=40))
@settings(max_examples=300)
def test_a_list_is_cut_where_no_parenthesis_closes_before_one_opens(text: str) -> None:
    assert cut_list(text) == re.split(r",(?![^(]*\))", text)
