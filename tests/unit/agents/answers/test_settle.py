"""A claim is held to the two commits: its file, its quote and its lines must be there, or nothing is left of it.

The change renames a file, deletes one, adds one and edits some; `docs/guide.md` is in the repository and unchanged.
"""

from __future__ import annotations

import dataclasses
import difflib
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.agents.answers.claim import Claim
from draftgate.agents.answers.settle import MOST_LINES, settle
from draftgate.domain.anchor import Wanted, resolve
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Decoration, Evidence, Finding, Label
from draftgate.domain.patch import parse_patch
from draftgate.domain.round import Dropped
from draftgate.domain.snapshot import Change
from tests.fakes.checks import MemorySnapshot

LEFT, RIGHT = Side.LEFT, Side.RIGHT
KEY = "ghp_" + "x" * 24
MASK = "[a key, not shown]"


def hide(text: str) -> str:
    return text.replace(KEY, MASK)


APP = """\
import os

def total(items):
    result = 0
    for item in items:
        result += item.price
    return result

def pay(items, card):
    card.charge(total(items))
    return None

def refund(items, card):
    token = "ghp_xxxxxxxxxxxxxxxxxxxxxxxx"
    card.refund(total(items))
    if items:
        log("refunded", items)
    return None
"""
OLD_APP = APP.replace("card.charge(total(items))", "card.charge(total(items), retry=True)").replace(
    "    return None\n", "", 1
)
ROWS = "".join(f"row {number}\n" for number in range(1, 31))
WINDOWS = "first\r\nsecond\r\nthird\r\n"

BASE = {
    "src/app.py": OLD_APP,
    "svc/old_name.py": ROWS,
    "auth/guard.py": "check 1\ncheck 2\n",
    "a/real.py": "x = 1\n",
    ".github/workflows/ci.yml": "on: push\n",
    "win.txt": WINDOWS.replace("second", "zwei"),
    "docs/guide.md": "# Guide\n\nRead it.\n",
}
HEAD = {
    "src/app.py": APP,
    "src/App.py": "y = 1\n",
    "lib/new_name.py": ROWS.replace("row 10\n", "row ten\nrow ten b\n"),
    "a/real.py": "x = 2\n",
    ".github/workflows/ci.yml": "on: [push]\n",
    "win.txt": WINDOWS,
    "docs/guide.md": "# Guide\n\nRead it.\n",
}
RENAMED = {"lib/new_name.py": "svc/old_name.py"}


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def make_change(base: Mapping[str, str], head: Mapping[str, str], renamed: Mapping[str, str] | None = None) -> Change:
    """The change from one tree to the other; ``renamed`` has the old path under the new one."""
    old_paths = {path: path for path in base.keys() - (renamed or {}).values()} | dict(renamed or {})
    paths = sorted(old_paths.keys() | head.keys())
    patches = (make_patch(old_paths.get(path), path, base, head) for path in paths)
    return Change(parse_patch("".join(patches).encode()), MemorySnapshot(base), MemorySnapshot(head))


def make_patch(old_path: str | None, path: str, base: Mapping[str, str], head: Mapping[str, str]) -> str:
    old, new = base.get(old_path or ""), head.get(path)
    if old == new:
        return ""
    header = f"diff --git a/{old_path or path} b/{path}\n"
    header += "new file mode 100644\n" if old is None else "deleted file mode 100644\n" if new is None else ""
    if old_path not in {None, path}:
        header += f"similarity index 90%\nrename from {old_path}\nrename to {path}\n"
    before = "/dev/null" if old is None else f"a/{old_path}"
    after = "/dev/null" if new is None else f"b/{path}"
    rows = difflib.unified_diff(lines_of(old or ""), lines_of(new or ""), before, after, lineterm="")
    return header + "".join(f"{row}\n" for row in rows)


CHANGE = make_change(BASE, HEAD, RENAMED)


def claim(path: str = "src/app.py", line: int | None = 10, **changes: object) -> Claim:
    made = Claim(
        path=path,
        line=line,
        start_line=None,
        side=None,
        label=Label.ISSUE,
        decorations=(Decoration.BLOCKING,),
        subject="a failed charge is not tried again",
        body="B",
        quote=("    card.charge(total(items))",),
        confidence=80,
        category=Category.LOGIC,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def settled(made: Claim, change: Change = CHANGE, *roots: str) -> Finding:
    finding = settle(made, change, "correctness", hide=hide, roots=roots)
    assert isinstance(finding, Finding)
    return finding


def lines_under(finding: Finding) -> tuple[int | None, int | None]:
    return finding.anchor.start_line, finding.anchor.line


def test_a_claim_that_is_as_it_says_becomes_a_finding() -> None:
    assert settled(claim()) == Finding(
        check=None,
        sources=("correctness",),
        label=Label.ISSUE,
        decorations=(Decoration.BLOCKING,),
        confidence=80,
        category=Category.LOGIC,
        subject="a failed charge is not tried again",
        body="B",
        anchor=Anchor(AnchorKind.LINE, "src/app.py", RIGHT, None, 10),
        evidence=Evidence("src/app.py", 10, ("    card.charge(total(items))",)),
    )


PATHS = {
    "exact": ("src/app.py", "src/app.py"),
    "here": ("./src/app.py", "src/app.py"),
    "a-of-the-diff": ("a/src/app.py", "src/app.py"),
    "b-of-the-diff": ("b/src/app.py", "src/app.py"),
    "backslashes": ("src\\app.py", "src/app.py"),
    "in-the-container": ("/github/workspace/src/app.py", "src/app.py"),
    "in-a-given-root": ("/home/runner/work/shop/shop/src/app.py", "src/app.py"),
    "blanks": (" src/app.py\n", "src/app.py"),
    "as-a-json-string": ('"src/app.py"', "src/app.py"),
    "with-a-line": ("src/app.py:12", "src/app.py"),
    "with-a-line-and-a-column": ("src/app.py:12:3", "src/app.py"),
    "with-a-range": ("src/app.py#L12-L15", "src/app.py"),
    "several-at-once": ("./b/src\\app.py:12", "src/app.py"),
    "a-folder-with-a-dot": ("./.github/workflows/ci.yml", ".github/workflows/ci.yml"),
    "a-folder-named-a": ("a/real.py", "a/real.py"),
    "a-folder-named-a-in-the-diff": ("b/a/real.py", "a/real.py"),
    "unchanged": ("docs/guide.md", "docs/guide.md"),
    "another-case-that-is-a-file": ("src/App.py", "src/App.py"),
    "the-old-name": ("svc/old_name.py", "lib/new_name.py"),
    "the-old-name-in-the-diff": ("a/svc/old_name.py", "lib/new_name.py"),
    "deleted": ("auth/guard.py", "auth/guard.py"),
    "another-case": ("SRC/APP.PY", None),
    "traversal": ("../../etc/passwd", None),
    "traversal-to-a-changed-file": ("docs/../src/app.py", None),
    "absolute": ("/etc/passwd", None),
    "another-root": ("/tmp/clone/src/app.py", None),  # noqa: S108
    "invented": ("src/none.py", None),
    "only-the-name": ("app.py", None),
    "twice-a": ("a/a/src/app.py", None),
    "unchanged-and-spelled-differently": ("./docs/guide.md", None),
    "a-folder": ("src", None),
    "empty": ("", None),
    "only-a-line": (":12", None),
    "a-root": ("/github/workspace/", None),
    "half-a-character": ("src/app.py\ud83d", None),
}
A_LINE = {
    "src/app.py": "import os",
    "src/App.py": "y = 1",
    ".github/workflows/ci.yml": "on: [push]",
    "a/real.py": "x = 2",
    "docs/guide.md": "Read it.",
    "lib/new_name.py": "row ten",
    "auth/guard.py": "check 1",
}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_means_a_file_or_the_claim_is_unsupported(name: str) -> None:
    path, expected = PATHS[name]
    made = claim(path, 1, quote=(A_LINE.get(expected or "", "import os"),))

    outcome = settle(made, CHANGE, "x", hide=hide, roots=("/home/runner/work/shop/shop",))

    if expected is None:
        assert isinstance(outcome, Dropped)
        assert (outcome.reason, outcome.subject) == ("unsupported", made.subject)
    else:
        assert isinstance(outcome, Finding)
        assert outcome.anchor.path == expected


def test_a_path_that_means_nothing_is_kept_for_display() -> None:
    outcomes = [settle(claim(path), CHANGE, "x", hide=hide) for path in ("no\x1b[31m\nthing", " ", "x" * 999)]

    assert [outcome.path for outcome in outcomes if isinstance(outcome, Dropped)] == [
        "no[31m thing",
        None,
        "x" * 299 + "…",
    ]


def test_the_source_of_a_copy_is_not_the_copy() -> None:
    copy = parse_patch(b"diff --git a/one.py b/two.py\nsimilarity index 100%\ncopy from one.py\ncopy to two.py\n")
    change = Change(copy, MemorySnapshot({"one.py": "x = 1\n"}), MemorySnapshot({"two.py": "x = 1\n"}))

    assert isinstance(settle(claim("one.py", 1, quote=("x = 1",)), change, "x", hide=hide), Dropped)


# The named line, the quote, and the line where it stands.
QUOTES = {
    "as-it-stands": (10, ("    card.charge(total(items))",), 10),
    "several-lines": (5, ("    for item in items:", "        result += item.price"), 5),
    "twice-and-named-first": (11, ("    return None",), 11),
    "twice-and-named-second": (18, ("    return None",), 18),
    "twice-and-nearest": (16, ("    return None",), 18),
    "twice-and-beyond-the-end": (10**9, ("    return None",), 18),
    "twice-and-no-line": (None, ("    return None",), 11),
    "elsewhere": (3, ("    card.charge(total(items))",), 10),
    "no-line": (None, ("    card.charge(total(items))",), 10),
    "blanks-at-the-end": (10, ("    card.charge(total(items))  \t",), 10),
    "blank-lines-around": (10, ("", "    card.charge(total(items))", " ", ""), 10),
    "no-indentation": (10, ("card.charge(total(items))",), 10),
    "other-blanks-inside": (6, ("result  +=\titem.price",), 6),
    "marks-of-a-diff": (10, ("+    card.charge(total(items))", "+    return None", " "), 10),
    "marks-and-removed-lines": (
        9,
        (" def pay(items, card):", "-    card.charge(total(items), retry=True)", "+    card.charge(total(items))"),
        9,
    ),
    "rows-of-a-diff": (
        10,
        (
            "     9      9   def pay(items, card):",
            "    10        -     card.charge(total(items), retry=True)",
            "           10 +     card.charge(total(items))",
        ),
        9,
    ),
    "a-row-of-an-added-line": (10, ("          10 +     card.charge(total(items))",), 10),
    "numbers-and-bars": (9, ("  9 | def pay(items, card):", " 10 |     card.charge(total(items))"), 9),
    "numbers-and-colons": (9, ("9: def pay(items, card):", "10:     card.charge(total(items))"), 9),
    "numbers-and-tabs": (7, ("7\t    return result", "8\t", "9\tdef pay(items, card):"), 7),
    "numbers-and-marks": (10, ("10 |+    card.charge(total(items))",), 10),
    "a-part-of-a-line": (10, ("charge(total(items))",), 10),
    "a-part-of-a-line-elsewhere": (None, ("refund(total(",), 15),
    "the-shown-form-of-a-key": (14, (f'    token = "{MASK}"',), 14),
    "the-shown-form-of-a-key-among-lines": (13, ("def refund(items, card):", f'token = "{MASK}"'), 13),
    "a-key-itself": (14, (f'    token = "{KEY}"',), 14),
}


@pytest.mark.parametrize("name", QUOTES)
def test_a_quote_is_found_and_shown_as_the_file_has_it(name: str) -> None:
    line, quote, first = QUOTES[name]

    evidence = settled(claim(line=line, quote=quote)).evidence

    assert evidence is not None
    assert evidence.start_line == first
    assert evidence.lines == tuple(APP.split("\n")[first - 1 :][: len(evidence.lines)])


UNSUPPORTED = {
    "no-quote": (),
    "blank-quote": ("", " "),
    "other-words": ("    card.charge(total(items), twice=True)",),
    "lines-apart": ("def pay(items, card):", "    return None"),
    "one-line-that-is-not-there": ("def pay(items, card):", "    card.charge(total(items))", "    return True"),
    "beyond-the-end": ("    return None", "", "def more():"),
    "part-of-a-line-among-lines": ("def pay(items", "    card.charge(total(items))"),
    "a-part-that-could-be-anywhere": ("(items",),
    "removed": ("card.charge(total(items), retry=True)",),
    "only-removed-lines-of-a-diff": ("-    card.charge(total(items), retry=True)",),
    "half-numbered": ("9: def pay(items, card):", "    card.charge(total(items))"),
    "half-marked": ("+    card.charge(total(items))", "\treturn None"),
    "far-too-long": ("    return None",) * 500,
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_a_quote_that_is_not_in_the_file_leaves_nothing(name: str) -> None:
    made = claim(quote=UNSUPPORTED[name], side=RIGHT)

    assert settle(made, CHANGE, "x", hide=hide) == Dropped("unsupported", made.subject, "src/app.py")


@pytest.mark.parametrize(("line", "expected"), [(4, 4), (2, 1), (9, 1), (None, 1)], ids=repr)
def test_the_named_place_goes_before_a_more_exact_copy(line: int | None, expected: int) -> None:
    change = make_change({}, {"a.py": "return None\n\ndef f():\n    return None\n"})

    evidence = settled(claim("a.py", line, quote=("return None",)), change).evidence

    assert evidence is not None
    assert evidence.start_line == expected


def test_a_quote_among_many_equal_lines_takes_no_more_than_its_share_of_time() -> None:
    change = make_change({}, {"a.py": "x = 1\n" * 100_000})
    start = time.perf_counter()

    outcome = settle(claim("a.py", 5, quote=("x = 1",) * 199 + ("y = 1",)), change, "x", hide=hide)

    assert isinstance(outcome, Dropped)
    assert time.perf_counter() - start < 10


BRACES = make_change({}, {"a.c": "f() {\n}\n\ng() {\n}\n"})


@pytest.mark.parametrize("quote", ["}", "+}", "2 | }"])
@pytest.mark.parametrize(("line", "stands"), [(2, True), (5, True), (1, False), (3, False), (None, False)], ids=repr)
def test_a_brace_stands_only_where_it_was_named(line: int | None, stands: bool, quote: str) -> None:  # noqa: FBT001 - a case
    outcome = settle(claim("a.c", line, quote=(quote,)), BRACES, "x", hide=hide)

    assert isinstance(outcome, Finding) is stands


def test_quoted_lines_of_a_file_with_carriage_returns_keep_them() -> None:
    evidence = settled(claim("win.txt", 2, quote=("second", "third"))).evidence

    assert evidence == Evidence("win.txt", 2, ("second\r", "third\r"))


def test_an_empty_file_supports_nothing() -> None:
    change = make_change({"a.py": "x = 1\n"}, {"a.py": ""})

    assert isinstance(settle(claim("a.py", 1, side=RIGHT, quote=("x = 1",)), change, "x", hide=hide), Dropped)


def test_a_file_that_nobody_can_read_supports_nothing() -> None:
    unread = dataclasses.replace(CHANGE, head=MemorySnapshot({}))

    assert isinstance(settle(claim(), unread, "x", hide=hide), Dropped)


def test_the_form_of_a_hidden_text_with_other_lines_is_passed_over() -> None:
    finding = settle(claim(), CHANGE, "x", hide=lambda text: f"{text}\n")

    assert isinstance(finding, Finding)


SIDES = {
    "removed-and-said-so": ("src/app.py", LEFT, "card.charge(total(items), retry=True)", "src/app.py", LEFT, 10),
    "removed-and-not-said": ("src/app.py", None, "card.charge(total(items), retry=True)", "src/app.py", LEFT, 10),
    "removed-in-a-diff": ("src/app.py", None, "-    card.charge(total(items), retry=True)", "src/app.py", LEFT, 10),
    "on-both-sides": ("src/app.py", None, "def total(items):", "src/app.py", RIGHT, 3),
    "on-both-sides-and-left": ("src/app.py", LEFT, "def refund(items, card):", "src/app.py", LEFT, 12),
    "deleted": ("auth/guard.py", None, "check 2", "auth/guard.py", LEFT, 2),
    "deleted-and-said-new": ("auth/guard.py", RIGHT, "check 2", "auth/guard.py", LEFT, 2),
    "added-and-said-old": ("src/App.py", LEFT, "y = 1", "src/App.py", RIGHT, 1),
    "renamed": ("lib/new_name.py", LEFT, "row 10", "svc/old_name.py", LEFT, 10),
    "renamed-by-its-old-name": ("svc/old_name.py", None, "row ten b", "lib/new_name.py", RIGHT, 11),
    "unchanged": ("docs/guide.md", LEFT, "Read it.", "docs/guide.md", LEFT, 3),
}


@pytest.mark.parametrize("name", SIDES)
def test_the_quote_is_looked_for_on_the_side_that_can_have_it(name: str) -> None:
    path, said, line, file, side, number = SIDES[name]

    finding = settled(claim(path, None, side=said, quote=(line,)))

    at_head = "lib/new_name.py" if path == "svc/old_name.py" else path
    assert finding.anchor == Anchor(AnchorKind.LINE, at_head, side, None, number)
    assert finding.evidence is not None
    assert (finding.evidence.path, finding.evidence.start_line) == (file, number)


PAY = ("def pay(items, card):", "    card.charge(total(items))", "    return None")  # lines 9 to 11
ANCHORS = {
    "the-line": (None, 10, (None, 10)),
    "the-range": (9, 10, (9, 10)),
    "the-range-backwards": (11, 9, (9, 11)),
    "a-range-from-zero": (0, 10, (None, 10)),
    "a-range-from-below-zero": (-3, 10, (None, 10)),
    "a-range-of-one": (10, 10, (None, 10)),
    "the-start-alone": (10, None, (None, 10)),
    "just-before": (None, 8, (9, 11)),
    "just-behind": (None, 12, (9, 11)),
    "around": (6, 14, (6, 14)),
    "a-range-that-reaches-into-it": (5, 10, (5, 10)),
    "no-line": (None, None, (9, 11)),
    "zero": (None, 0, (9, 11)),
    "no-such-line": (None, 10**9, (9, 11)),
    "a-range-with-no-such-end": (9, 10**9, (9, 11)),
}


@pytest.mark.parametrize("name", ANCHORS)
def test_a_finding_hangs_on_the_named_lines_or_on_the_quoted_ones(name: str) -> None:
    start_line, line, expected = ANCHORS[name]

    assert lines_under(settled(claim(line=line, start_line=start_line, quote=PAY))) == expected


def test_a_line_next_to_the_quote_must_exist() -> None:
    made = claim(line=19, quote=('        log("refunded", items)', "    return None"))

    assert lines_under(settled(made)) == (17, 18)


LONG = tuple(f"row {number}" for number in range(12, 27))  # in the new file one line further down
NARROWED = {
    "its-middle": (None, 20, 17, (None, 20)),
    "its-start": (None, 14, 13, (None, 14)),
    "its-end": (None, 27, 21, (None, 27)),
    "a-range-in-it": (16, 20, 15, (16, 20)),
    "elsewhere": (None, 2, 13, (13, 19)),
    "nothing": (None, None, 13, (13, 19)),
}


@pytest.mark.parametrize("name", NARROWED)
def test_of_a_long_quote_the_lines_around_the_named_one_are_kept(name: str) -> None:
    start_line, line, first, hangs = NARROWED[name]

    finding = settled(claim("lib/new_name.py", line, start_line=start_line, quote=LONG))

    assert finding.evidence is not None
    assert (finding.evidence.start_line, len(finding.evidence.lines)) == (first, MOST_LINES)
    assert lines_under(finding) == hangs


CHARGE = ("    card.charge(total(items))",)
OFFERS = {
    "a-replacement": (claim(), "    card.charge(total(items), retry=True)"),
    "a-deletion": (claim(), ""),
    "of-a-range": (claim(start_line=9, quote=PAY), "def pay(items, card):\n    pass\n"),
    "of-a-line-in-the-quote": (claim(quote=PAY), "    pass"),
    "where-the-number-was-wrong": (claim(line=2), "    pass"),
    "where-the-number-was-wrong-by-little": (claim(line=12), "    pass"),
}
NO_OFFERS = {
    "none": (claim(), None),
    "the-present-text": (claim(), CHARGE[0]),
    "the-present-text-with-a-newline": (claim(), f"{CHARGE[0]}\n"),
    "the-present-text-with-carriage-returns": (claim("win.txt", 2, quote=("second",)), "second"),
    "removed-code": (claim(side=LEFT, quote=("    card.charge(total(items), retry=True)",)), "    pass"),
    "a-range-that-is-quoted-in-part": (claim(start_line=10, line=11), "    pass"),
    "no-line": (claim(line=None), "    pass"),
    "where-nobody-knows-which-line": (claim(line=2, quote=PAY), "    pass"),
    "of-too-many-lines": (claim("lib/new_name.py", 10**9, quote=LONG), "row"),
    "a-hidden-key": (claim(line=14, quote=(f'    token = "{MASK}"',)), f'    password = "{MASK}"'),
    "unchanged-file": (claim("docs/guide.md", 3, quote=("Read it.",)), "Read all of it."),
    "line-that-the-diff-does-not-show": (claim("lib/new_name.py", 31, quote=("row 30",)), "row"),
}


@pytest.mark.parametrize("name", OFFERS)
def test_a_suggestion_replaces_the_lines_it_hangs_on(name: str) -> None:
    made, suggestion = OFFERS[name]

    assert settled(dataclasses.replace(made, suggestion=suggestion)).suggestion == suggestion


@pytest.mark.parametrize("name", NO_OFFERS)
def test_a_suggestion_that_would_replace_other_lines_or_nothing_is_not_offered(name: str) -> None:
    made, suggestion = NO_OFFERS[name]

    assert settled(dataclasses.replace(made, suggestion=suggestion)).suggestion is None


def test_to_delete_an_empty_line_is_a_change() -> None:
    change = make_change({}, {"a.py": "x = 1\n\ny = 2\n"})

    assert settled(claim("a.py", 2, quote=("x = 1", "", "y = 2"), suggestion=""), change).suggestion == ""


TEXT = st.lists(st.sampled_from(["", "}", "  a = 1", "a = 1", "b(a)  ", "+ c", "12: d", f"k = {KEY}", "\te\r"])).map(
    "\n".join
)
QUOTE = st.lists(
    st.sampled_from(["", "}", "a = 1", "+a = 1", "- c", "1 | a = 1", "b(a)", "12: d", f"k = {MASK}", "e", "zz"])
    | st.text(max_size=4)
)


@given(
    old=TEXT,
    new=TEXT,
    path=st.sampled_from(["a.py", "./b/a.py", "b.py", "a.py:3"]) | st.text(max_size=6),
    quote=QUOTE,
    lines=st.tuples(st.none() | st.integers(-2, 12), st.none() | st.integers(-2, 12) | st.just(10**9)),
    side=st.none() | st.sampled_from(Side),
    suggestion=st.none() | st.sampled_from(["", "a = 1", "zz"]),
)
def test_whatever_is_claimed_the_evidence_is_what_the_file_has(  # noqa: PLR0917
    old: str,
    new: str,
    path: str,
    quote: list[str],
    lines: tuple[int | None, int | None],
    side: Side | None,
    suggestion: str | None,
) -> None:
    change = make_change({"a.py": old, "b.py": old}, {"a.py": new})
    made = claim(path, lines[1], start_line=lines[0], side=side, quote=tuple(quote), suggestion=suggestion)

    outcome = settle(made, change, "x", hide=hide)

    if isinstance(outcome, Dropped):
        assert outcome.reason == "unsupported"
        return
    anchor, evidence = outcome.anchor, outcome.evidence
    assert evidence is not None
    assert anchor.line is not None
    text = (change.base if anchor.side is Side.LEFT else change.head).read(evidence.path)
    assert text is not None
    present = lines_of(text)
    first = evidence.start_line - 1
    assert 1 <= len(evidence.lines) <= MOST_LINES
    assert tuple(present[first : first + len(evidence.lines)]) == evidence.lines
    assert 1 <= (anchor.start_line or 1) <= anchor.line <= len(present)
    if outcome.suggestion is not None:
        assert (
            resolve(change.files, Wanted(anchor.path or "", anchor.side, anchor.start_line, anchor.line)).anchor
            == anchor
        )
