"""What a Python file defines, read from source that may be old, odd or broken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.checks.grammar.python import (
    DefinitionKind,
    Imported,
    Outline,
    Parameter,
    ParameterKind,
    read_outline,
)

PYTHON_2 = """\
def greet(name, (x, y), punctuation='!'):
    print "hello", name
    try:
        exec "x = 1"
    except ValueError, e:
        raise KeyError, `e`


class Old:
    def method(self): return 0777
"""


def outline_of(text: str) -> Outline:
    return read_outline(text)


def test_a_signature_keeps_kinds_and_defaults() -> None:
    outline = outline_of("async def f(a, /, b: int, c='x', *rest: str, d, e: int = 3, **more): pass\n")

    assert outline.definitions["f"].signature == (
        Parameter("a", ParameterKind.POSITIONAL_ONLY, required=True),
        Parameter("b", ParameterKind.EITHER, required=True),
        Parameter("c", ParameterKind.EITHER, required=False),
        Parameter("rest", ParameterKind.REST, required=False),
        Parameter("d", ParameterKind.KEYWORD_ONLY, required=True),
        Parameter("e", ParameterKind.KEYWORD_ONLY, required=False),
        Parameter("more", ParameterKind.KEYWORDS, required=False),
    )


def test_lines_are_those_of_the_definition_without_its_decorators() -> None:
    outline = outline_of("@login_required\n@other(1)\ndef f(\n    a,\n    b,\n):\n    return a\n")

    definition = outline.definitions["f"]

    assert (definition.line, definition.header_end, definition.last_line) == (3, 6, 7)
    assert definition.decorators == ("login_required", "other(1)")
    assert [p.line for p in definition.signature or ()] == [4, 5]


def test_python_2_is_read_like_python_3() -> None:
    outline = outline_of(PYTHON_2)

    assert not outline.is_broken
    assert [p.name for p in outline.definitions["greet"].signature or ()] == ["name", "(x, y)", "punctuation"]
    assert outline.definitions["Old"].members.keys() == {"method"}


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        pytest.param("a = b = 1", {"a", "b"}, id="chained assignment"),
        pytest.param("a, (b, *c) = x", {"a", "b", "c"}, id="unpacking"),
        pytest.param("a: int", {"a"}, id="annotation"),
        pytest.param("for a, b in x: c = 1", {"a", "b", "c"}, id="loop"),
        pytest.param("with x as a, y as (b, c): pass", {"a", "b", "c"}, id="with"),
        pytest.param(
            "try: a = 1\nexcept E as e: b = 1\nelse: c = 1\nfinally: d = 1", {"a", "b", "c", "d", "e"}, id="try"
        ),
        pytest.param("if x: a = 1\nelif y: b = 1\nelse: c = 1", {"a", "b", "c"}, id="if"),
        pytest.param("def f():\n    global a\n    a = b = 1", {"f", "a"}, id="global"),
        pytest.param("(a := 1)", set(), id="walrus in parentheses is not looked for"),
        pytest.param("x.a = 1\nx[b] = 2", set(), id="attributes and items bind nothing"),
        pytest.param("import a.b, c as d", {"a", "d"}, id="import"),
        pytest.param("from a import (b,\n  c as d)", {"b", "d"}, id="import from"),
    ],
)
def test_a_statement_binds_its_names(statement: str, names: set[str]) -> None:
    assert outline_of(statement + "\n").definitions.keys() == names


def test_imports_say_what_they_take_and_from_where() -> None:
    outline = outline_of("from ..a.b import c as d\nfrom . import e\nimport f.g\nimport h.i as j\nfrom k import *\n")

    imported = {name: definition.imported for name, definition in outline.definitions.items()}

    assert imported == {
        "d": Imported("a.b", 2, "c"),
        "e": Imported("", 1, "e"),
        "f": Imported("f.g", 0, None, whole=False),
        "j": Imported("h.i", 0, None),
    }
    assert outline.stars == (Imported("k", 0, None),)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(a): pass\ndef f(a, b): pass\n", id="defined twice"),
        pytest.param("if x:\n    def f(a): pass\n", id="defined under a condition"),
        pytest.param("try:\n    from a import f\nexcept ImportError:\n    f = None\n", id="a fallback"),
    ],
)
def test_a_name_with_more_than_one_meaning_is_ambiguous(text: str) -> None:
    assert outline_of(text).definitions["f"].ambiguous


def test_accessors_and_overloads_are_one_definition() -> None:
    outline = outline_of(
        "class C:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, value): pass\n"
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): return a\n"
    )

    assert outline.definitions["C"].members["x"].decorators == ("property",)
    assert not outline.definitions["f"].ambiguous


def test_a_class_knows_its_bases_and_members() -> None:
    definition = outline_of("class C(Base[int], metaclass=M):\n    LIMIT = 3\n    def m(self): pass\n").definitions["C"]

    assert definition.kind is DefinitionKind.CLASS
    assert definition.bases == ("Base[int]", "metaclass=M")
    assert definition.members.keys() == {"LIMIT", "m"}


def test_a_broken_file_gives_what_can_be_read() -> None:
    outline = outline_of("def good(a): pass\n\ndef bad(a, %: pass\n")

    assert outline.is_broken
    assert "good" in outline.definitions


def test_deep_nesting_is_no_matter_of_the_stack() -> None:
    text = "".join(f"{' ' * depth}if x:\n" for depth in range(700)) + " " * 700 + "deep = 1\n"

    assert "deep" in outline_of(text).definitions


@given(st.text(alphabet=st.sampled_from(list("def class(a,*=:)\n\t @.import from'\"\x0c\u2028é")), max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read(text: str) -> None:
    outline = outline_of(text)

    assert all(1 <= d.line <= d.header_end <= d.last_line for d in outline.definitions.values())
