"""Where a remark hangs is decided by the diff alone, the same for every forge.

The texts are in `tests/corpus/diffs`; `anchors.diff` holds a new, a deleted, a renamed, a re-moded
and an edited file (hunks at new lines 2-9, 18-23 and 46-53).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.domain.anchor import Resolution, Wanted, commentable_lines, line_pair, resolve
from draftgate.domain.diff import FileDiff, FileStatus, Side
from draftgate.domain.finding import Anchor, AnchorKind, Scope
from draftgate.domain.patch import parse_patch

CORPUS = Path(__file__).parents[2] / "corpus" / "diffs"
LEFT, RIGHT = Side.LEFT, Side.RIGHT


def read_corpus(name: str) -> tuple[FileDiff, ...]:
    return parse_patch((CORPUS / f"{name}.diff").read_bytes())


FILES = read_corpus("anchors")
CHANGES = [
    read_corpus(path.stem) for path in sorted(CORPUS.glob("*.diff")) if path.stem not in {"coloured", "combined"}
]


def file_named(path: str) -> FileDiff:
    return next(file for file in FILES if path in (file.old_path, file.new_path))


def on_line(path: str, side: Side, line: int, start_line: int | None = None) -> Anchor:
    return Anchor(AnchorKind.LINE, path=path, side=side, start_line=start_line, line=line)


SHOWN = {
    "an added line": (Wanted("ride.py", line=6), on_line("ride.py", RIGHT, 6)),
    "a context line": (Wanted("ride.py", line=4), on_line("ride.py", RIGHT, 4)),
    "a line of a new file": (Wanted("fresh.py", line=1), on_line("fresh.py", RIGHT, 1)),
    "a removed line": (Wanted("ride.py", LEFT, line=21), on_line("ride.py", LEFT, 21)),
    "removed lines": (Wanted("ride.py", LEFT, 20, 21), on_line("ride.py", LEFT, 21, 20)),
    "a line of a deleted file": (Wanted("gate.py", LEFT, line=3), on_line("gate.py", LEFT, 3)),
    "a deleted file, no side named": (Wanted("gate.py", line=3), on_line("gate.py", LEFT, 3)),
    "a deleted file, the new side named": (Wanted("gate.py", RIGHT, line=3), on_line("gate.py", LEFT, 3)),
    "a renamed file": (Wanted("new/lane.py", line=10), on_line("new/lane.py", RIGHT, 10)),
    "a renamed file by its old path": (Wanted("old/lane.py", line=10), on_line("new/lane.py", RIGHT, 10)),
    "a removed line by its old path": (Wanted("old/lane.py", LEFT, line=10), on_line("new/lane.py", LEFT, 10)),
    "a range": (Wanted("ride.py", RIGHT, 5, 6), on_line("ride.py", RIGHT, 6, 5)),
    "a range from context into added": (Wanted("ride.py", None, 4, 6), on_line("ride.py", RIGHT, 6, 4)),
    "a range of one line": (Wanted("ride.py", None, 5, 5), on_line("ride.py", RIGHT, 5)),
    "a range with its start only": (Wanted("ride.py", None, 5), on_line("ride.py", RIGHT, 5)),
    "a reversed range": (Wanted("ride.py", None, 6, 5), on_line("ride.py", RIGHT, 6, 5)),
    "a range from zero": (Wanted("ride.py", None, 0, 5), on_line("ride.py", RIGHT, 5)),
    "a range from below zero": (Wanted("ride.py", None, -3, 6), on_line("ride.py", RIGHT, 6)),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_line_that_the_diff_shows_is_the_anchor(name: str) -> None:
    wanted, anchor = SHOWN[name]

    assert resolve(FILES, wanted) == Resolution(anchor, Scope.IN_DIFF, "")


CLIPPED = {
    "over two hunks": (Wanted("ride.py", None, 9, 19), on_line("ride.py", RIGHT, 19, 18)),
    "the end on the first line of a hunk": (Wanted("ride.py", None, 9, 18), on_line("ride.py", RIGHT, 18)),
    "the end outside": (Wanted("ride.py", None, 2, 17), on_line("ride.py", RIGHT, 9, 2)),
    "both ends outside": (Wanted("ride.py", None, 10, 30), on_line("ride.py", RIGHT, 23, 18)),
    "removed lines with context around": (Wanted("ride.py", LEFT, 19, 22), on_line("ride.py", LEFT, 21, 20)),
    "a huge end": (Wanted("ride.py", None, 53, 10**12), on_line("ride.py", RIGHT, 53)),
}


@pytest.mark.parametrize("name", CLIPPED)
def test_a_range_is_cut_to_what_one_hunk_shows(name: str) -> None:
    wanted, anchor = CLIPPED[name]

    resolution = resolve(FILES, wanted)

    assert (resolution.anchor, resolution.scope) == (anchor, Scope.IN_DIFF)
    assert "is not shown in one hunk" in resolution.note


def test_an_unchanged_line_named_by_its_old_number_hangs_on_the_right() -> None:
    resolution = resolve(FILES, Wanted("ride.py", LEFT, line=22))

    assert resolution.anchor == on_line("ride.py", RIGHT, 21)
    assert "unchanged" in resolution.note


ON_THE_FILE = {
    "between hunks": (Wanted("ride.py", line=30), "line 30 is not shown in the diff"),
    "behind the end": (Wanted("ride.py", line=9999), "line 9999 is not shown in the diff"),
    "a range between hunks": (Wanted("ride.py", None, 30, 31), "range 30-31 is not shown in the diff"),
    "an old line between hunks": (Wanted("ride.py", LEFT, line=30), "old line 30 is not shown in the diff"),
    "the old side of a new file": (Wanted("fresh.py", LEFT, line=1), "old line 1 is not shown in the diff"),
    "only the mode changed": (Wanted("go.sh", line=1), "no line of the file was changed"),
    "no line wanted": (Wanted("ride.py"), ""),
    "line zero": (Wanted("ride.py", line=0), "there is no such line"),
}


@pytest.mark.parametrize("name", ON_THE_FILE)
def test_a_line_that_no_hunk_shows_leaves_the_file(name: str) -> None:
    wanted, note = ON_THE_FILE[name]

    assert resolve(FILES, wanted) == Resolution(Anchor(AnchorKind.FILE, path=wanted.path), Scope.FILE, note)


@pytest.mark.parametrize(
    ("corpus", "path", "note"),
    [
        ("binary-patch", "logo.bin", "a binary file has no lines to hang on"),
        ("symlinks", "latest", "the text of a symbolic link is its target, not source"),
        ("symlinks", "conf.ini", "the text of a symbolic link is its target, not source"),
        ("submodule", "libs/ext", "the text of a submodule is a commit, not source"),
        ("pure-rename", "is é.txt", "no line of the file was changed"),
        ("empty-files", "pkg/__init__.py", "no line of the file was changed"),
    ],
)
def test_what_is_not_source_has_no_lines(corpus: str, path: str, note: str) -> None:
    files = read_corpus(corpus)
    file = next(file for file in files if file.path == path)

    resolution = resolve(files, Wanted(path, line=1))

    assert resolution == Resolution(Anchor(AnchorKind.FILE, path=path), Scope.FILE, note)
    assert not commentable_lines(file, LEFT)
    assert not commentable_lines(file, RIGHT)


def test_a_link_that_became_a_file_has_the_lines_of_the_file() -> None:
    resolution = resolve(read_corpus("unlinked"), Wanted("conf.ini", line=2))

    assert resolution.anchor == on_line("conf.ini", RIGHT, 2)


@pytest.mark.parametrize("path", ["readme.md", "b/ride.py", ""])
def test_a_file_outside_the_change_is_no_anchor(path: str) -> None:
    resolution = resolve(FILES, Wanted(path, line=2))

    assert resolution == Resolution(Anchor(AnchorKind.NONE), Scope.OUT_OF_DIFF, "the file is not part of the change")


def test_the_source_of_a_copy_is_not_part_of_the_change() -> None:
    copied = next(file for file in read_corpus("copied") if file.status is FileStatus.COPIED)

    assert resolve([copied], Wanted("base.txt", line=9)).anchor == Anchor(AnchorKind.NONE)
    assert resolve([copied], Wanted("copy.txt", line=9)).anchor == on_line("copy.txt", RIGHT, 9)


def test_two_files_that_swapped_names_are_told_apart_by_the_side() -> None:
    swap = (
        b"diff --git a/b b/a\nsimilarity index 50%\nrename from b\nrename to a\n--- a/b\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"
        b"diff --git a/a b/b\nsimilarity index 50%\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -7 +7 @@\n-3\n+4\n"
    )
    files = parse_patch(swap)

    assert resolve(files, Wanted("a", line=1)).anchor == on_line("a", RIGHT, 1)
    assert resolve(files, Wanted("a", LEFT, line=7)).anchor == on_line("b", LEFT, 7)


def test_the_lines_one_can_comment_on_are_known() -> None:
    ride = file_named("ride.py")

    assert commentable_lines(ride, RIGHT) == {*range(2, 10), *range(18, 24), *range(46, 54)}
    assert commentable_lines(ride, LEFT) == {5, 20, 21, 50}
    assert commentable_lines(file_named("gate.py"), RIGHT) == frozenset()
    assert commentable_lines(file_named("gate.py"), LEFT) == {1, 2, 3, 4}


PAIRS = [
    ("ride.py", RIGHT, 5, (6, 5)),  # added behind the removed old line 5
    ("ride.py", RIGHT, 6, (6, 6)),
    ("ride.py", RIGHT, 4, (4, 4)),
    ("ride.py", LEFT, 4, (4, 4)),
    ("ride.py", RIGHT, 7, (6, 7)),
    ("ride.py", LEFT, 20, (20, 21)),
    ("ride.py", LEFT, 21, (21, 21)),
    ("ride.py", RIGHT, 21, (22, 21)),
    ("ride.py", RIGHT, 30, None),
    ("ride.py", LEFT, 1, None),
    ("new/lane.py", RIGHT, 10, (11, 10)),
    ("new/lane.py", RIGHT, 11, (11, 11)),
    ("fresh.py", RIGHT, 2, (0, 2)),  # the header says -0,0
    ("fresh.py", LEFT, 1, None),
    ("gate.py", LEFT, 3, (3, 0)),
    ("gate.py", RIGHT, 1, None),
    ("go.sh", RIGHT, 1, None),
]


@pytest.mark.parametrize(("path", "side", "line", "pair"), PAIRS)
def test_both_counters_of_a_shown_line_are_known(
    path: str, side: Side, line: int, pair: tuple[int, int] | None
) -> None:
    assert line_pair(file_named(path), side, line) == pair


NUMBERS = st.one_of(st.none(), st.integers(-3, 60))


@given(
    named=st.sampled_from(
        [(files, path) for files in CHANGES for file in files for path in (file.path, file.old_path)]
    ),
    side=st.sampled_from([None, LEFT, RIGHT]),
    start_line=NUMBERS,
    line=NUMBERS,
)
def test_no_anchor_ever_leaves_the_diff(
    named: tuple[tuple[FileDiff, ...], str | None], side: Side | None, start_line: int | None, line: int | None
) -> None:
    """Both ends can be commented on, on one side of one hunk."""
    files, path = named

    anchor = resolve(files, Wanted(path or "", side, start_line, line)).anchor

    assert (anchor.path is None) == (anchor.kind is AnchorKind.NONE)
    assert (anchor.line is None) == (anchor.side is None) == (anchor.kind is not AnchorKind.LINE)
    if anchor.side is not None and anchor.line is not None:
        file = next(file for file in files if file.path == anchor.path)
        first = anchor.line if anchor.start_line is None else anchor.start_line
        assert {first, anchor.line} <= commentable_lines(file, anchor.side)
        assert anchor.start_line is None or anchor.start_line < anchor.line
        assert any(first in shown and anchor.line in shown for shown in shown_ranges(file, anchor.side))


def shown_ranges(file: FileDiff, side: Side) -> list[range]:
    counts = ((h.old_start, h.old_count) if side is LEFT else (h.new_start, h.new_count) for h in file.hunks)
    return [range(start, start + count) for start, count in counts]
