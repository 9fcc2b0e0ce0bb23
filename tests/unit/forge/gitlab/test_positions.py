"""Where a finding stands in GitLab's terms; the numbers are those that GitLab's own reader of diffs counts.

`anchors.diff` holds a new, a deleted, a renamed, a re-moded and an edited file (hunks at new lines 2-9, 18-23, 46-53).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from draftgate.domain.anchor import Wanted, commentable_lines, resolve
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileDiff, Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.patch import parse_patch
from draftgate.forge.gitlab.facts import DiffRefs
from draftgate.forge.gitlab.positions import Positions
from tests.fakes.gitlab.drafts import read_position
from tests.fakes.gitlab.positions import find_line_code, is_placed
from tests.git_builder import Repo
from tests.unit.forge.github.change_on_github import flawed_source
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab

FILES = parse_patch((Path(__file__).parents[3] / "corpus" / "diffs" / "anchors.diff").read_bytes())
REFS = DiffRefs(base=CommitSha("a" * 40), start=CommitSha("b" * 40), head=CommitSha("c" * 40))
LEFT, RIGHT = Side.LEFT, Side.RIGHT
RIDE, LANE = "26401e1c03a7cbfe3b55e2c158c4a5e561c1d0a5", "6516a6b0968640224b3ffd6e8f99a9a333ca0b20"
"""SHA-1 of ``ride.py`` and of ``new/lane.py``."""


def line(path: str, line: int, *, side: Side = RIGHT, start: int | None = None) -> Anchor:
    return Anchor(AnchorKind.LINE, path, side, start, line)


def at(old_path: str, new_path: str | None = None, **numbers: object) -> Mapping[str, object]:
    refs = {"base_sha": "a" * 40, "start_sha": "b" * 40, "head_sha": "c" * 40}
    return {**refs, "position_type": "text", "old_path": old_path, "new_path": new_path or old_path, **numbers}


def end(code: str, **more: object) -> Mapping[str, object]:
    return {"line_code": code, **more}


PLACED = {
    "an added line": (line("ride.py", 6), at("ride.py", new_line=6)),
    "a line of a new file": (line("fresh.py", 1), at("fresh.py", new_line=1)),
    "a removed line": (line("ride.py", 21, side=LEFT), at("ride.py", old_line=21)),
    "a line of a deleted file": (line("gate.py", 3, side=LEFT), at("gate.py", old_line=3)),
    "context before any change": (line("ride.py", 4), at("ride.py", old_line=4, new_line=4)),
    "context after one more line": (line("ride.py", 7), at("ride.py", old_line=6, new_line=7)),
    "context after two fewer lines": (line("ride.py", 21), at("ride.py", old_line=22, new_line=21)),
    "context by its old number": (line("ride.py", 22, side=LEFT), at("ride.py", old_line=22, new_line=21)),
    "a line of a renamed file": (line("new/lane.py", 10), at("old/lane.py", "new/lane.py", new_line=10)),
    "a removed line of a renamed file": (
        line("new/lane.py", 10, side=LEFT),
        at("old/lane.py", "new/lane.py", old_line=10),
    ),
    "a range over added lines": (
        line("ride.py", 6, start=5),
        at(
            "ride.py",
            new_line=6,
            line_range={
                "start": end(f"{RIDE}_6_5", type="new", new_line=5),
                "end": end(f"{RIDE}_6_6", type="new", new_line=6),
            },
        ),
    ),
    "a range of one line": (line("ride.py", 5, start=5), at("ride.py", new_line=5)),
    "a range over removed lines": (
        line("ride.py", 21, side=LEFT, start=20),
        at(
            "ride.py",
            old_line=21,
            line_range={
                "start": end(f"{RIDE}_20_21", type="old", old_line=20),
                "end": end(f"{RIDE}_21_21", type="old", old_line=21),
            },
        ),
    ),
    "a range from context into added lines": (
        line("ride.py", 6, start=4),
        at(
            "ride.py",
            new_line=6,
            line_range={
                "start": end(f"{RIDE}_4_4", old_line=4, new_line=4),
                "end": end(f"{RIDE}_6_6", type="new", new_line=6),
            },
        ),
    ),
    "a range from added lines into context": (
        line("ride.py", 7, start=6),
        at(
            "ride.py",
            old_line=6,
            new_line=7,
            line_range={
                "start": end(f"{RIDE}_6_6", type="new", new_line=6),
                "end": end(f"{RIDE}_6_7", old_line=6, new_line=7),
            },
        ),
    ),
    "a range in a renamed file": (
        line("new/lane.py", 11, start=10),
        at(
            "old/lane.py",
            "new/lane.py",
            new_line=11,
            line_range={
                "start": end(f"{LANE}_11_10", type="new", new_line=10),
                "end": end(f"{LANE}_11_11", type="new", new_line=11),
            },
        ),
    ),
}


@pytest.mark.parametrize("name", PLACED)
def test_a_line_has_the_numbers_that_gitlab_counts(name: str) -> None:
    anchor, position = PLACED[name]

    assert Positions(REFS, FILES).of(anchor) == position


@pytest.mark.parametrize(
    ("path", "old_path"),
    [("ride.py", "ride.py"), ("new/lane.py", "old/lane.py"), ("gate.py", "gate.py"), ("fresh.py", "fresh.py")],
)
def test_a_file_stands_under_both_its_names(path: str, old_path: str) -> None:
    position = Positions(REFS, FILES).of(Anchor(AnchorKind.FILE, path))

    assert position == {**at(old_path, path), "position_type": "file"}


@pytest.mark.parametrize(
    "anchor",
    [
        line("ride.py", 30),
        line("ride.py", 9999),
        line("ride.py", 6, start=30),
        line("README.md", 2),
        line("run.sh", 1),
        line("gate.py", 3),
        line("fresh.py", 1, side=LEFT),
        Anchor(AnchorKind.FILE, "README.md"),
        Anchor(AnchorKind.LINE, "ride.py", RIGHT),
        Anchor(AnchorKind.NONE),
    ],
    ids=[
        "between hunks",
        "after the end",
        "a range from outside",
        "a file that did not change",
        "a change of mode",
        "the new side of a deleted file",
        "the old side of a new file",
        "an unchanged file as a whole",
        "no line",
        "no place",
    ],
)
def test_what_the_diff_does_not_show_has_no_position(anchor: Anchor) -> None:
    assert Positions(REFS, FILES).of(anchor) is None


def _renamed(old: str, new: str, hunk: str) -> bytes:
    names = f"similarity index 90%\nrename from {old}\nrename to {new}\n"
    index = f"index 1111111..2222222 100644\n--- a/{old}\n+++ b/{new}\n"
    return f"diff --git a/{old} b/{new}\n{names}{index}{hunk}".encode()


def test_files_that_swap_names_are_not_taken_for_each_other() -> None:
    """An anchor names the path at head, on the old side too."""
    swapped = parse_patch(
        _renamed("a.py", "b.py", "@@ -1 +0,0 @@\n-x\n") + _renamed("b.py", "a.py", "@@ -7 +6,0 @@\n-y\n")
    )
    places = Positions(REFS, swapped)

    assert places.of(line("b.py", 1, side=LEFT)) == at("a.py", "b.py", old_line=1)
    assert places.of(line("a.py", 7, side=LEFT)) == at("b.py", "a.py", old_line=7)


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    with on_gitlab(tmp_path / "gitlab", _edited_source(tmp_path / "source")) as found:
        yield found


def _edited_source(path: Path) -> Repo:
    source = flawed_source(path)
    source.switch("feature")
    moved = "".join(f"row {number}\n" for number in range(1, 31) if number not in {9, 10}) + "there\nonce more\n"
    source.commit({"there.py": moved})
    source.switch("main")
    return source


def test_every_line_of_a_real_change_is_where_gitlab_finds_it(gitlab: OnGitLab) -> None:
    files, one = gitlab.diff().shown(), gitlab.scenario.merge_request
    places = Positions(gitlab.view().now().refs, files)
    anchors = list(_anchors(files))

    for anchor in anchors:
        position = read_position(places.of(anchor))
        assert position is not None, anchor
        assert is_placed(one, position), anchor
        code = None if position.line_range is None else position.line_range["end"]["line_code"]
        assert code in {None, find_line_code(one, position)}, anchor

    assert {anchor.path for anchor in anchors} >= {"app.py", "gone.py", "there.py", "new.py", "docs/Größe 1.md"}
    assert len(anchors) > 60


def _anchors(files: tuple[FileDiff, ...]) -> Iterator[Anchor]:
    for file in files:
        for side in Side:
            lines = sorted(commentable_lines(file, side))
            for start, last in zip([None, *lines], lines, strict=False):
                wanted = (Wanted(file.path, side, None, last), Wanted(file.path, side, start, last))
                yield from (resolve(files, one).anchor for one in wanted)
