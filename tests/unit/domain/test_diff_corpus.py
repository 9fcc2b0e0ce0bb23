"""Every kind of diff that readers got wrong in public reports, each as a small text with its right reading."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from draftgate.domain.diff import FileDiff, FileStatus, LineKind
from draftgate.domain.patch import parse_patch
from draftgate.errors import EvidenceError

CORPUS = Path(__file__).parents[2] / "corpus" / "diffs"

ADDED, DELETED, MODIFIED = FileStatus.ADDED, FileStatus.DELETED, FileStatus.MODIFIED
RENAMED, COPIED, TYPE_CHANGED = FileStatus.RENAMED, FileStatus.COPIED, FileStatus.TYPE_CHANGED

FILE, SCRIPT, LINK, SUBMODULE = "100644", "100755", "120000", "160000"


@dataclass(frozen=True)
class Reading:
    """What must be read of one file; ``hunks`` are the four numbers of each header."""

    status: FileStatus
    old: str | None
    new: str | None
    modes: tuple[str | None, str | None] = (FILE, FILE)
    hunks: tuple[tuple[int, int, int, int], ...] = ()
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    binary: bool = False


def reading_of(file: FileDiff) -> Reading:
    return Reading(
        status=file.status,
        old=file.old_path,
        new=file.new_path,
        modes=(file.old_mode, file.new_mode),
        hunks=tuple((hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) for hunk in file.hunks),
        added=tuple(sorted(file.added_lines)),
        removed=tuple(sorted(file.removed_lines)),
        binary=file.binary,
    )


def modified(path: str, hunk: tuple[int, int, int, int], added: tuple[int, ...], removed: tuple[int, ...]) -> Reading:
    return Reading(MODIFIED, path, path, hunks=(hunk,), added=added, removed=removed)


def replaced_line(path: str) -> Reading:
    """One line, and it was replaced."""
    return modified(path, (1, 1, 1, 1), (1,), (1,))


READINGS: dict[str, list[Reading]] = {
    "renamed-and-edited": [
        Reading(
            RENAMED,
            "maps/rivers.txt",
            "atlas/waters.txt",
            hunks=((2, 7, 2, 7), (20, 6, 20, 7)),
            added=(5, 23),
            removed=(5,),
        )
    ],
    "pure-rename": [Reading(RENAMED, "was.txt", "is é.txt", modes=(None, None))],
    "copied": [
        modified("base.txt", (10, 3, 10, 4), (13,), ()),
        Reading(COPIED, "base.txt", "copy.txt", hunks=((9, 4, 9, 4),), added=(12,), removed=(12,)),
    ],
    "quoted-names": [
        Reading(MODIFIED, "back\\slash", "back\\slash", modes=(FILE, SCRIPT)),
        modified("notes/Übung 練習.txt", (1, 2, 1, 2), (2,), (2,)),
        replaced_line('say "hi".txt'),
        replaced_line("tab\there.txt"),
        Reading(ADDED, None, "two words.txt", modes=(None, FILE), hunks=((0, 0, 1, 1),), added=(1,)),
    ],
    "no-prefix": [replaced_line("b/index.py"), replaced_line("lib/core.py")],
    "mnemonic-prefix": [replaced_line("sql/fill.sql")],
    "marker-like-content": [modified("rules.sql", (1, 4, 1, 4), (1, 3), (1, 3))],
    "line-separators": [modified("say.py", (1, 1, 1, 3), (2, 3), ())],
    "crlf": [modified("dos.txt", (1, 4, 1, 4), (2, 3), (2, 3))],
    "no-final-newline": [
        modified("gains.txt", (1, 2, 1, 4), (2, 3, 4), (2,)),
        modified("keeps.txt", (1, 3, 1, 3), (1,), (1,)),
        modified("loses.txt", (1, 2, 1, 2), (2,), (2,)),
    ],
    "no-context": [
        Reading(MODIFIED, "list.txt", "list.txt", hunks=((2, 0, 3, 1), (6, 2, 6, 0)), added=(3,), removed=(6, 7)),
        replaced_line("one.txt"),
    ],
    "empty-files": [
        Reading(DELETED, "gone file", None, modes=(FILE, None)),
        Reading(ADDED, None, "pkg/__init__.py", modes=(None, FILE)),
        replaced_line("z.py"),
    ],
    "deleted": [Reading(DELETED, "lock.py", None, modes=(FILE, None), hunks=((1, 3, 0, 0),), removed=(1, 2, 3))],
    "modes": [
        Reading(MODIFIED, "bare.sh", "bare.sh", modes=(FILE, SCRIPT)),
        Reading(MODIFIED, "edit.sh", "edit.sh", modes=(FILE, SCRIPT), hunks=((1, 2, 1, 2),), added=(2,), removed=(2,)),
        Reading(
            RENAMED,
            "old name.py",
            "new name.py",
            modes=(FILE, SCRIPT),
            hunks=((6, 7, 6, 7),),
            added=(9,),
            removed=(9,),
        ),
    ],
    "symlinks": [
        Reading(
            TYPE_CHANGED,
            "conf.ini",
            "conf.ini",
            modes=(FILE, LINK),
            hunks=((1, 2, 0, 0), (0, 0, 1, 1)),
            added=(1,),
            removed=(1, 2),
        ),
        Reading(MODIFIED, "latest", "latest", modes=(LINK, LINK), hunks=((1, 1, 1, 1),), added=(1,), removed=(1,)),
        Reading(ADDED, None, "tool", modes=(None, LINK), hunks=((0, 0, 1, 1),), added=(1,)),
    ],
    "unlinked": [
        Reading(
            TYPE_CHANGED,
            "conf.ini",
            "conf.ini",
            modes=(LINK, FILE),
            hunks=((1, 1, 0, 0), (0, 0, 1, 2)),
            added=(1, 2),
            removed=(1,),
        )
    ],
    "submodule": [
        modified("how.txt", (1, 1, 1, 2), (2,), ()),
        Reading(
            MODIFIED,
            "libs/ext",
            "libs/ext",
            modes=(SUBMODULE, SUBMODULE),
            hunks=((1, 1, 1, 1),),
            added=(1,),
            removed=(1,),
        ),
    ],
    "binary-patch": [Reading(MODIFIED, "logo.bin", "logo.bin", binary=True), replaced_line("note.txt")],
    "binary-differ": [
        Reading(MODIFIED, "a b.bin", "a b.bin", binary=True),
        Reading(DELETED, "gone.bin", None, modes=(FILE, None), binary=True),
        Reading(ADDED, None, "new.bin", modes=(None, FILE), binary=True),
        replaced_line("note.txt"),
    ],
    "hunk-header-like": [
        modified("f.py", (5, 5, 5, 5), (8,), (8,)),
        modified("notes.txt", (1, 4, 1, 4), (3,), (3,)),
    ],
    "stripped-context": [modified("w.txt", (1, 6, 1, 6), (4,), (4,))],
    "touching-hunks": [
        Reading(MODIFIED, "steps.txt", "steps.txt", hunks=((2, 7, 2, 7), (9, 7, 9, 7)), added=(5, 12), removed=(5, 12))
    ],
    "anchors": [
        Reading(ADDED, None, "fresh.py", modes=(None, FILE), hunks=((0, 0, 1, 6),), added=(1, 2, 3, 4, 5, 6)),
        Reading(DELETED, "gate.py", None, modes=(FILE, None), hunks=((1, 4, 0, 0),), removed=(1, 2, 3, 4)),
        Reading(MODIFIED, "go.sh", "go.sh", modes=(FILE, SCRIPT)),
        Reading(RENAMED, "old/lane.py", "new/lane.py", hunks=((7, 7, 7, 8),), added=(10, 11), removed=(10,)),
        Reading(
            MODIFIED,
            "ride.py",
            "ride.py",
            hunks=((2, 7, 2, 8), (17, 8, 18, 6), (47, 7, 46, 8)),
            added=(5, 6, 49, 50),
            removed=(5, 20, 21, 50),
        ),
    ],
}
REFUSALS = {
    "coloured": "line 1 of the patch: the diff cannot be read: the text is coloured",
    "combined": "line 1 of the patch: the diff cannot be read: a combined diff of a merge has no single old side",
}


def read_corpus(name: str) -> bytes:
    return (CORPUS / f"{name}.diff").read_bytes()


def only_file(name: str) -> FileDiff:
    (file,) = parse_patch(read_corpus(name))
    return file


@pytest.mark.parametrize("name", READINGS)
def test_reads_exactly_what_the_diff_says(name: str) -> None:
    files = parse_patch(read_corpus(name))

    assert [reading_of(file) for file in files] == READINGS[name]


@pytest.mark.parametrize("name", REFUSALS)
def test_refuses_what_is_not_one_plain_diff(name: str) -> None:
    with pytest.raises(EvidenceError) as refusal:
        parse_patch(read_corpus(name))

    assert str(refusal.value) == REFUSALS[name]
    assert refusal.value.hint


def test_every_corpus_diff_has_an_expectation() -> None:
    assert {path.stem for path in CORPUS.glob("*.diff")} == {*READINGS, *REFUSALS}


def test_a_carriage_return_stays_in_the_content() -> None:
    lines = only_file("crlf").hunks[0].lines

    assert [(line.kind, line.content) for line in lines] == [
        (LineKind.CONTEXT, b"a\r"),
        (LineKind.REMOVED, b"b\r"),
        (LineKind.REMOVED, b"c\r"),
        (LineKind.ADDED, b"B\r"),
        (LineKind.ADDED, b"c"),
        (LineKind.CONTEXT, b"d\r"),
    ]


def test_only_a_newline_ends_a_line() -> None:
    added = [line.content for line in only_file("line-separators").hunks[0].lines if line.kind is LineKind.ADDED]

    assert added == [
        "two = 2  # \u2028diff --git a/forged.py b/forged.py".encode(),
        b"three\x0cfour\xc2\x85\rfive",
    ]


def test_a_stripped_blank_line_is_an_empty_context_line() -> None:
    lines = only_file("stripped-context").hunks[0].lines

    assert [(line.old, line.new, line.content) for line in lines if not line.content] == [(2, 2, b""), (5, 5, b"")]


def test_a_missing_final_newline_is_known_for_each_side() -> None:
    files = parse_patch(read_corpus("no-final-newline"))

    assert {file.path: (file.hunks[0].old_no_newline, file.hunks[0].new_no_newline) for file in files} == {
        "gains.txt": (True, False),
        "keeps.txt": (True, True),
        "loses.txt": (False, True),
    }


def test_a_heading_may_look_like_a_hunk_header() -> None:
    heading = parse_patch(read_corpus("hunk-header-like"))[0].hunks[0].heading

    assert heading == b"def f():  # @@ -1,2 +3,4 @@ no header"


def test_the_mode_and_not_the_text_makes_a_submodule() -> None:
    files = parse_patch(read_corpus("submodule"))

    assert [(file.path, file.is_submodule) for file in files] == [("how.txt", False), ("libs/ext", True)]


def test_a_link_is_known_by_the_mode_at_head() -> None:
    links = parse_patch(read_corpus("symlinks"))

    assert all(file.is_symlink for file in links)
    assert not only_file("unlinked").is_symlink


def test_a_line_of_a_hundred_kilobytes_is_one_line() -> None:
    text = b"x" * 115_000
    patch = (
        b"diff --git a/min.json b/min.json\nnew file mode 100644\nindex 0000000..1111111\n"
        b"--- /dev/null\n+++ b/min.json\n@@ -0,0 +1 @@\n+" + text + b"\n\\ No newline at end of file\n"
    )

    (file,) = parse_patch(patch)

    assert [line.content for line in file.hunks[0].lines] == [text]
