"""A diff that does not read to its end is refused with its line, and hostile text costs no more than its length."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.domain.patch import parse_hunks, parse_patch
from draftgate.domain.raw_diff import parse_raw_z
from draftgate.errors import EvidenceError

HEADER = b"diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n"
HUNK = b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n"

MALFORMED = {
    "text without a file": (b"fatal: bad revision\n", 1, "`diff --git` was expected here"),
    "only a newline": (b"\n", 1, "`diff --git` was expected here"),
    "mail around the patch": (b"From 1111111\nSubject: x\n\n" + HEADER + HUNK, 1, "`diff --git` was expected here"),
    "a signature behind it": (HEADER + HUNK + b"-- \n2.39.5\n", 9, "`diff --git` was expected here"),
    "more lines than announced": (HEADER + HUNK + b"+d\n", 9, "`diff --git` was expected here"),
    "an added line too many": (
        HEADER + b"@@ -1,2 +1 @@\n-a\n+b\n+c\n-d\n",
        8,
        "a hunk has other lines than its header announces",
    ),
    "fewer lines than announced": (HEADER + b"@@ -1,3 +1,3 @@\n a\n-b\n+c\n", 9, "it ends where a line of the hunk"),
    "the next file before the hunk is over": (HEADER + b"@@ -1,3 +1,3 @@\n a\n" + HEADER, 7, "a line of the hunk"),
    "no hunk under the names": (HEADER, 5, "it ends where a hunk was expected"),
    "a hunk header cut short": (HEADER + b"@@ -1,2 +1", 5, "the hunk header is not"),
    "a number of thousands of digits": (HEADER + b"@@ -" + b"9" * 5000 + b" +1 @@\n", 5, "the hunk header is not"),
    "a hunk of a merge": (HEADER + b"@@@ -1 -1 +1 @@@\n", 5, "a combined diff of a merge"),
    "line zero": (HEADER + b"@@ -0,1 +0,1 @@\n-a\n+b\n", 5, "a hunk begins before the end of the one above it"),
    "hunks that overlap": (HEADER + HUNK + b"@@ -2 +9 @@\n-a\n+b\n", 9, "a hunk begins before the end"),
    "a newline remark first in a hunk": (HEADER + b"@@ -1 +1 @@\n\\ No newline\n-a\n+b\n", 6, "remark does not follow"),
    "a newline remark before the end": (
        HEADER + b"@@ -1,2 +1 @@\n-a\n\\ No newline\n-b\n+c\n",
        7,
        "remark does not follow the last line",
    ),
    "two paths without a rename": (HEADER.replace(b" b/f\n", b" b/g\n", 1), 1, "the two sides name different paths"),
    "one path": (b"diff --git a/f\n", 1, "does not hold two paths"),
    "a label of another file": (HEADER.replace(b"+++ b/f", b"+++ b/g") + HUNK, 4, "names another path"),
    "an added file with an old name": (
        HEADER.replace(b"index", b"new file mode 100644\nindex") + HUNK,
        4,
        "names another path",
    ),
    "half a rename": (b"diff --git a/f b/g\nrename from f\n", 1, "belong together"),
    "a header row twice": (b"diff --git a/f b/f\nold mode 100644\nold mode 100644\n", 3, "stands twice"),
    "added and deleted at once": (
        b"diff --git a/f b/f\nnew file mode 100644\ndeleted file mode 100644\n",
        1,
        "both added and deleted",
    ),
    "an unknown header row": (b"diff --git a/f b/f\nshiny 1\n", 2, "`---` was expected here"),
    "a mode that is none": (b"diff --git a/f b/f\nnew file mode 1006449\n", 2, "`---` was expected here"),
    "broken quotes": (b'diff --git "a/\\9" "b/\\9"\n', 1, "not written as git writes it"),
    "a null byte in a path": (b'diff --git "a/\\000" "b/\\000"\n', 1, "not written as git writes it"),
    "a carriage return behind the paths": (b"diff --git a/f b/f\r\n", 1, "does not hold two paths"),
    "a broken index row": (HEADER.replace(b"..", b"-") + HUNK, 1, "the `index` row"),
    "the same path twice": (2 * (HEADER + HUNK), 9, "a second section for the same path"),
    "a binary patch cut off": (b"diff --git a/f b/f\nGIT binary patch\nliteral 3\nKabc\n", 3, "a binary patch is cut"),
    "a log of a submodule": (b"Submodule libs/ext 1111111..2222222:\n", 1, "`diff --git` was expected here"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_text_is_refused_with_its_line(name: str) -> None:
    patch, line, words = MALFORMED[name]

    with pytest.raises(EvidenceError) as refusal:
        parse_patch(patch)

    assert refusal.value.context == f"line {line} of the patch"
    assert words in refusal.value.message
    assert refusal.value.hint


def test_no_text_is_no_change() -> None:
    assert parse_patch(b"") == ()
    assert parse_hunks(b"") == ()
    assert parse_raw_z(b"") == ()


def test_a_forge_patch_has_no_header_and_no_last_newline() -> None:
    hunks = parse_hunks(HUNK + b"@@ -9 +9,2 @@ def f():\n x\n+y")

    assert [(hunk.new_start, hunk.new_count, hunk.heading) for hunk in hunks] == [(1, 2, b""), (9, 2, b"def f():")]
    assert [line.content for line in hunks[1].lines] == [b"x", b"y"]


@pytest.mark.parametrize("patch", [HEADER + HUNK, b"\n" + HUNK, HUNK + b"\n", HUNK + b"rest", b"\x1b[36m@@ -1 +1 @@"])
def test_a_forge_patch_is_hunks_and_nothing_else(patch: bytes) -> None:
    with pytest.raises(EvidenceError):
        parse_hunks(patch)


FRAGMENTS = st.sampled_from(
    [
        b"diff --git a/f b/f\n",
        b'diff --git "a/\\303\\251" "b/\\303\\251"\n',
        b"index 1111111..2222222 100644\n",
        b"new file mode 100644\n",
        b"deleted file mode 100644\n",
        b"rename from f\n",
        b"rename to g\n",
        b"--- a/f\n",
        b"+++ b/f\n",
        b"--- /dev/null\n",
        b"@@ -1 +1 @@\n",
        b"@@ -1,2 +1,2 @@ f\n",
        b"@@ -0,0 +1 @@\n",
        b"-a\n",
        b"+b\n",
        b" c\n",
        b"\n",
        b"\\ No newline at end of file\n",
        b"GIT binary patch\n",
        b"literal 1\n",
        b"Binary files a/f and b/f differ\n",
        b":100644 100644 " + b"1" * 40 + b" " + b"2" * 40 + b" M\0f\0",
        b"\0",
    ]
)


@given(st.one_of(st.binary(max_size=300), st.lists(FRAGMENTS, max_size=25).map(b"".join)))
def test_no_bytes_do_worse_than_a_refusal(text: bytes) -> None:
    for parse in (parse_patch, parse_hunks, parse_raw_z):
        try:
            result = parse(text)
        except EvidenceError:
            continue
        assert bool(result) == bool(text)  # a text is never read as an empty change


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "quotes never closed": lambda size: b'diff --git "a/' + b"\\\\" * size,
    "escapes to the end": lambda size: b'diff --git "' + b"\\303" * size + b"\n",
    "header rows": lambda size: b"diff --git a/f b/f\n" + b"index 1\n" * size,
    "newline remarks": lambda size: HEADER + b"@@ -1 +1 @@\n-a\n" + b"\\ No\n" * size,
    "empty hunks": lambda size: HEADER + b"@@ -0,0 +0,0 @@\n" * size + b"x",
    "binary blocks": lambda size: b"diff --git a/f b/f\nGIT binary patch\n" + b"literal 1\n\n" * size + b"x",
    "blank lines owed": lambda size: HEADER + b"@@ -1,999999 +1,999999 @@\n" + b"\n" * size,
    "hunks of one line": lambda size: HEADER + b"@@ -1 +1 @@\n-\n+\n" + b"@@ -2 +2 @@\n-\n+\n" * size,
    "a heading without end": lambda size: HEADER + b"@@ -1 +1 @@ " + b"@@ " * size,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_in_time_that_grows_with_its_length(name: str) -> None:
    """Quadratic work would keep the test busy for minutes; no bound is asserted, since machines differ."""
    patch = HOSTILE[name](200_000)

    with pytest.raises(EvidenceError):
        parse_patch(patch)
