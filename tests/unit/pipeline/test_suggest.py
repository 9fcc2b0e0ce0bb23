"""A suggested change is tried on the file before anybody can apply it with a click; otherwise it is told as prose."""

from __future__ import annotations

import dataclasses

import pytest

from draftgate.checks.grammar.soundness import is_broken_by
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Finding
from draftgate.domain.hiding import HiddenLines
from draftgate.domain.redact import redact
from draftgate.domain.snapshot import Change
from draftgate.pipeline.suggest import LONGEST, offer_suggestion
from tests.builders import finding, line_anchor
from tests.fakes.checks import MemorySnapshot

PYTHON = """\
def pay(card, items):
    if items:
        card.charge(total(items))
    return None

def total(items):
    return sum(items)
"""
TYPESCRIPT = """\
function pay(card: Card): void {
  card.charge(1);
}
"""
WINDOWS = "first\r\nsecond\r\nthird\r\n"
MIXED = "first\r\nsecond\nthird\r\n"
FILES = {"a.py": PYTHON, "a.ts": TYPESCRIPT, "win.txt": WINDOWS, "mixed.txt": MIXED, "end.txt": "one\ntwo"}
HEAD = MemorySnapshot(FILES)


def offered(suggestion: str | None, path: str = "a.py", line: int = 3, *, start_line: int | None = None) -> Finding:
    return offer_suggestion(suggesting(suggestion, line_anchor(path, line, start_line=start_line)), HEAD)


def suggesting(suggestion: str | None, anchor: Anchor) -> Finding:
    return finding(anchor=anchor, suggestion=suggestion, body="It is not tried again.")


# --- What can be applied ---------------------------------------------------------------------------------------------

# The name of a case: file, first and last line, what a model wrote, and what is offered.
APPLIES: dict[str, tuple[str, int, int, str, str]] = {
    "a-line": ("a.py", 3, 3, "        card.charge(1)", "        card.charge(1)\n"),
    "with-a-final-newline": ("a.py", 3, 3, "        card.charge(1)\n", "        card.charge(1)\n"),
    "more-lines": ("a.py", 4, 4, "    x = 1\n    return x", "    x = 1\n    return x\n"),
    "fewer-lines": ("a.py", 2, 4, "    return None", "    return None\n"),
    "the-first-line": ("a.py", 1, 1, "def pay(card, items, /):", "def pay(card, items, /):\n"),
    "the-last-line": ("a.py", 7, 7, "    return sum(items, start=0)", "    return sum(items, start=0)\n"),
    "a-deletion": ("a.py", 5, 7, "", ""),
    "a-blank-line": ("a.py", 3, 3, "        card.charge(1)\n\n", "        card.charge(1)\n\n"),
    "a-blank-line-beside-a-blank-line": ("a.py", 4, 4, "    return 1\n\n", "    return 1\n\n"),
    "typescript": ("a.ts", 2, 2, "  card.charge(2);", "  card.charge(2);\n"),
    "windows": ("win.txt", 2, 2, "zweite\nmehr", "zweite\r\nmehr\r\n"),
    "windows-as-written": ("win.txt", 2, 2, "zweite\r\nmehr\r\n", "zweite\r\nmehr\r\n"),
    "unix-among-windows": ("mixed.txt", 2, 2, "zweite\r", "zweite\n"),
    "no-final-newline": ("end.txt", 2, 2, "zwei", "zwei\n"),
    "unknown-language": ("end.txt", 2, 2, "def (", "def (\n"),
}


@pytest.mark.parametrize("name", APPLIES)
def test_one_that_fits_is_offered_with_the_line_ends_of_the_file(name: str) -> None:
    path, first, last, written, expected = APPLIES[name]

    made = offered(written, path, last, start_line=None if first == last else first)

    assert made.suggestion == expected
    assert made.body == "It is not tried again."


def test_what_is_offered_is_what_was_tried() -> None:
    made = offered("zweite\nmehr", "win.txt", 2)

    assert FILES["win.txt"].replace("second\r\n", made.suggestion or "") == "first\r\nzweite\r\nmehr\r\nthird\r\n"


@pytest.mark.parametrize("suggestion", [None, "        card.charge(total(items))"], ids=["none", "what-is-there"])
def test_what_changes_nothing_is_no_suggestion(suggestion: str | None) -> None:
    made = offered(suggestion)

    assert (made.suggestion, made.body) == (None, "It is not tried again.")


# --- What cannot -----------------------------------------------------------------------------------------------------

# The name of a case: file, first and last line, and what a model wrote.
DOES_NOT: dict[str, tuple[str, int, int, str]] = {
    "other-indentation": ("a.py", 3, 3, "    card.charge(1)"),
    "no-indentation": ("a.py", 3, 3, "card.charge(1)"),
    "tabs-for-blanks": ("a.py", 3, 3, "\t\tcard.charge(1)"),
    "repeats-the-line-before": ("a.py", 3, 3, "    if items:\n        card.charge(1)"),
    "repeats-the-line-before-with-the-same-indentation": ("win.txt", 2, 2, "first\nzweite"),
    "repeats-the-line-behind": ("win.txt", 2, 2, "zweite\nthird"),
    "repeats-the-line-before-and-ends-blank": ("win.txt", 2, 2, "first\nzweite\n\n"),
    "repeats-the-line-behind-and-begins-blank": ("win.txt", 2, 2, "\nzweite\nthird"),
    "breaks-python": ("a.py", 3, 3, "        card.charge((1)]"),
    "breaks-python-by-deletion": ("a.py", 6, 6, "def total(items):\n    x = (\n}"),
    "breaks-typescript": ("a.ts", 2, 2, "  card.charge(1;\n}}) {{"),
    "too-long": ("win.txt", 2, 2, "\n".join(f"line {number}" for number in range(LONGEST + 1))),
}


@pytest.mark.parametrize("name", DOES_NOT)
def test_one_that_does_not_fit_is_told_in_the_text(name: str) -> None:
    path, first, last, written = DOES_NOT[name]

    made = offered(written, path, last, start_line=None if first == last else first)

    assert made.suggestion is None
    assert made.body.startswith("It is not tried again.\n\nSuggested change:\n\n```")
    assert written.strip("\n") in made.body


@pytest.mark.parametrize(
    "anchor",
    [
        Anchor(AnchorKind.FILE, "a.py"),
        Anchor(AnchorKind.NONE),
        Anchor(AnchorKind.LINE, "a.py", Side.LEFT, None, 3),
        line_anchor("gone.py", 3),
    ],
    ids=["a-file", "nothing", "removed-code", "a-file-that-cannot-be-read"],
)
def test_where_no_line_can_be_replaced_it_is_told_in_the_text(anchor: Anchor) -> None:
    made = offer_suggestion(suggesting("        card.charge(1)", anchor), HEAD)

    assert made.suggestion is None
    assert "        card.charge(1)" in made.body


def test_a_deletion_that_cannot_be_applied_is_said_in_words() -> None:
    made = offer_suggestion(suggesting("", Anchor(AnchorKind.FILE, "a.py")), HEAD)

    assert made.body == "It is not tried again.\n\nSuggested change: delete these lines."


def test_a_finding_without_a_text_has_the_suggestion_as_its_text() -> None:
    made = offer_suggestion(dataclasses.replace(suggesting("x", Anchor(AnchorKind.FILE, "a.py")), body=""), HEAD, "de")

    assert made.body == "Vorgeschlagene Änderung:\n\n```python\nx\n```"


def test_a_fence_in_the_suggestion_does_not_end_the_block() -> None:
    made = offer_suggestion(suggesting("```\n@everyone\n```", Anchor(AnchorKind.FILE, "a.md")), HEAD)

    assert "````markdown\n```\n@everyone\n```\n````" in made.body


KEY = "ghp_" + "x" * 24


def test_a_key_goes_neither_into_a_suggestion_nor_into_the_text_that_takes_its_place() -> None:
    def hide(text: str) -> str:
        return text.replace(KEY, "***")

    files = HiddenLines(Change((), MemorySnapshot({}), HEAD), hide)
    for anchor in (line_anchor("a.py", 3), Anchor(AnchorKind.FILE, "a.py")):
        made = offer_suggestion(redact(suggesting(f"        pay('{KEY}')", anchor), hide, files), HEAD)

        assert (made.suggestion, KEY in made.body) == (None, False)


# --- Whether a file can still be parsed ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "before", "after", "is_broken"),
    [
        ("a.py", "x = 1\n", "x = (1]\n", True),
        ("a.py", "x = 1]\n", "x = 1]\ny = 2\n", False),
        ("a.PY", "x = 1\n", "x = (1]\n", True),
        ("a.ts", "let x: number = 1;\n", "let x: = ) 1;\n", True),
        ("a.tsx", "const a = <b>{c}</b>;\n", "const a = <b>{d}</b>;\n", False),
        ("a.json", '{"a": 1}\n', '{"a": 1,, }}\n', True),
        ("a.go", "package a\n", "package a\nfunc f() { }}\n", True),
        ("a.unknown", "x\n", "((((\n", False),
        ("Makefile", "x:\n", "((((\n", False),
    ],
    ids=["python", "no-worse", "large-ending", "typescript", "tsx", "json", "go", "unknown", "no-ending"],
)
def test_only_what_was_not_broken_before_counts(path: str, before: str, after: str, *, is_broken: bool) -> None:
    assert is_broken_by(path, before, after) is is_broken


def test_of_a_huge_file_nothing_is_said() -> None:
    assert not is_broken_by("a.py", "x = 1\n", "(]\n" * 2_000_000)
