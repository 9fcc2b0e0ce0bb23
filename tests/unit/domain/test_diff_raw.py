"""The file list of git decides paths and statuses, and a patch that tells another story is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from draftgate.domain.change import BlobId
from draftgate.domain.diff import FileStatus, Side
from draftgate.domain.patch import parse_hunks, parse_patch
from draftgate.domain.raw_diff import RawEntry, join, parse_raw_z
from draftgate.domain.reconstruct import reconstruct
from draftgate.errors import EvidenceError

ONE, TWO, NONE = b"1" * 40, b"2" * 40, b"0" * 40
RENAME = b":100644 100755 %b %b R087\0old \xff\0new\tname\0" % (ONE, TWO)
MODIFIED = b":100644 100644 %b %b M\0f\0" % (ONE, TWO)
PATCH = b"diff --git a/f b/f\nindex %b..%b 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" % (ONE, TWO)


def test_paths_are_taken_as_they_are() -> None:
    (entry,) = parse_raw_z(RENAME)

    assert entry == RawEntry(
        status=FileStatus.RENAMED,
        score=87,
        old_mode="100644",
        new_mode="100755",
        old_blob=BlobId("1" * 40),
        new_blob=BlobId("2" * 40),
        old_path="old \udcff",
        new_path="new\tname",
    )
    assert entry.path == "new\tname"


@pytest.mark.parametrize(
    ("letter", "old", "new", "old_path", "new_path"),
    [("A", NONE, TWO, None, "f"), ("D", ONE, NONE, "f", None), ("T", ONE, TWO, "f", "f")],
    ids=["added", "deleted", "type-changed"],
)
def test_a_missing_side_has_no_path_no_mode_and_no_blob(
    letter: str, old: bytes, new: bytes, old_path: str | None, new_path: str | None
) -> None:
    modes = (b"000000" if old == NONE else b"100644", b"000000" if new == NONE else b"120000")

    (entry,) = parse_raw_z(b":%b %b %b %b %b\0f\0" % (*modes, old, new, letter.encode()))

    assert (entry.old_path, entry.new_path) == (old_path, new_path)
    assert [entry.old_path is None, entry.new_path is None] == [entry.old_mode is None, entry.new_mode is None]
    assert [entry.old_path is None, entry.new_path is None] == [entry.old_blob is None, entry.new_blob is None]


@pytest.mark.parametrize(
    "raw",
    [
        MODIFIED[:-1],
        MODIFIED.replace(ONE, b"1111111"),
        MODIFIED.replace(b" M\0", b" U\0"),
        MODIFIED.replace(b":", b"::100644 "),
        MODIFIED[:-2],
        RENAME[: RENAME.index(b"new")],
        MODIFIED + b"1\t1\tf\0",
        PATCH,
    ],
    ids=["cut", "abbreviated", "unmerged", "merge", "no path", "one path of two", "numstat", "patch"],
)
def test_an_unreadable_list_is_refused(raw: bytes) -> None:
    with pytest.raises(EvidenceError):
        parse_raw_z(raw)


def test_modes_and_blobs_come_from_the_list() -> None:
    abbreviated = PATCH.replace(ONE, b"1111111").replace(TWO, b"2222222")

    (file,) = join(parse_raw_z(MODIFIED), parse_patch(abbreviated))

    assert (file.old_blob, file.new_blob) == ("1" * 40, "2" * 40)
    assert file.hunks == parse_patch(PATCH)[0].hunks


@pytest.mark.parametrize(
    ("raw", "patch", "words"),
    [
        (MODIFIED, b"", "missing from the patch"),
        (b"", PATCH, "missing from the file list"),
        (MODIFIED + MODIFIED, PATCH, "missing from the patch"),
        (MODIFIED.replace(b"f\0", b"g\0"), PATCH, "the patch says modified 'f'"),
        (MODIFIED.replace(b" M\0", b" T\0"), PATCH, "the file list says type-changed"),
        (MODIFIED.replace(b":100644", b":100755"), PATCH, "differ in old mode"),
        (MODIFIED.replace(TWO, b"3" * 40), PATCH, "differ in new blob"),
    ],
    ids=["no patch", "no list", "too few", "path", "status", "mode", "blob"],
)
def test_a_list_and_a_patch_that_disagree_are_refused(raw: bytes, patch: bytes, words: str) -> None:
    with pytest.raises(EvidenceError, match="disagree") as refusal:
        join(parse_raw_z(raw), parse_patch(patch))

    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("old", "patch", "new"),
    [
        (b"a\nb\nz\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"a\nc\nz\n"),
        (b"a\nb", b"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", b"a\nb\n"),
        (b"a\nb\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", b"a\nb"),
        (b"a\n", b"@@ -1 +0,0 @@\n-a\n", b""),
        (b"", b"@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", b"a"),
        (b"a\r\rb\x0c\n\n", b"@@ -2 +2,2 @@\n-\n+\r\n+x\n", b"a\r\rb\x0c\n\r\nx\n"),
        (b"a\nb\nc\n", b"@@ -1,0 +2 @@\n+x\n@@ -3 +4 @@\n-c\n+d\n", b"a\nx\nb\nd\n"),
    ],
    ids=["edit", "gains newline", "loses newline", "emptied", "filled", "odd rows", "no context"],
)
def test_the_new_file_follows_from_the_old_one(old: bytes, patch: bytes, new: bytes) -> None:
    file = replace(parse_patch(PATCH)[0], hunks=parse_hunks(patch))

    assert reconstruct(old, file) == new


@pytest.mark.parametrize(
    ("old", "patch", "words"),
    [
        (b"a\nx\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "shows other lines"),
        (b"a\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "shows other lines"),
        (b"a\nb", b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "shows other lines"),
        (b"a\nb\n", b"@@ -1,2 +3,2 @@\n a\n-b\n+c\n", "lands on another line"),
        (b"a\nb\n", b"@@ -1 +1 @@\n-a\n+x\n\\ No newline at end of file\n", "is not the last one"),
        (b"a", b"@@ -1,0 +2 @@\n+x\n", "is not the last one"),
    ],
    ids=["other text", "shorter file", "no newline", "shifted", "newline lost inside", "joined lines"],
)
def test_a_diff_of_another_file_is_refused(old: bytes, patch: bytes, words: str) -> None:
    file = replace(parse_patch(PATCH)[0], hunks=parse_hunks(patch))

    with pytest.raises(EvidenceError, match=words):
        reconstruct(old, file)


def test_a_binary_file_cannot_be_rebuilt() -> None:
    with pytest.raises(EvidenceError, match="binary"):
        reconstruct(b"", replace(parse_patch(PATCH)[0], binary=True, hunks=()))


def test_a_hunk_gives_back_the_text_of_each_side() -> None:
    (hunk,) = parse_hunks(b"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n")

    assert hunk.text(Side.LEFT) == b"a\nb"
    assert hunk.text(Side.RIGHT) == b"a\nc\n"
