"""What the parser reads of real git's output is held against git itself: its list, its counts, its blobs."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftgate.domain.diff import FileDiff, FileStatus
from draftgate.domain.patch import parse_patch
from draftgate.domain.raw_diff import join, parse_raw_z
from draftgate.domain.reconstruct import reconstruct
from tests.git_builder import Content, Executable, Link, Repo

FLAGS = (
    *("--raw", "-p", "-z", "--no-abbrev", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"),
)
Counts = dict[str, tuple[str, str]]


def diff(repo: Repo, old: str, new: str, *options: str) -> tuple[FileDiff, ...]:
    return read(repo.git("diff", *FLAGS, *options, old, new))


def read(output: bytes) -> tuple[FileDiff, ...]:
    """List and patch of one call; no path is empty, so the first two NULs part them."""
    raw, separator, patch = output.partition(b"\0\0")
    return join(parse_raw_z(raw + separator[:1]), parse_patch(patch))


def counts_by_git(repo: Repo, old: str, new: str, *options: str) -> Counts:
    """``git diff --numstat -z``, where the two paths of a rename stand in fields of their own."""
    pairing = [option for option in options if option in {"-M", "-C", "--no-renames"}]  # the others ask for a patch
    output = repo.git("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", *pairing, old, new)
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0")[:-1])
    counts = {}
    for field in fields:
        added, removed, path = field.split("\t", 2)
        counts[path or [next(fields), next(fields)][1]] = (added, removed)
    return counts


def counts_by_us(files: tuple[FileDiff, ...]) -> Counts:
    return {
        file.path: ("-", "-") if file.binary else (str(len(file.added_lines)), str(len(file.removed_lines)))
        for file in files
    }


def blob(repo: Repo, commit: str, path: str | None) -> bytes:
    return b"" if path is None else repo.git("cat-file", "blob", f"{commit}:{path}")


ROWS = st.one_of(
    st.sampled_from(
        [
            *(b"", b" ", b"a", b"b", b"c", b"\r", b"a\r", b"\t", b"\\", b"\\ No newline at end of file"),
            *(b"--- a/f0", b"+++ b/f0", b"-- x", b"++ x", b"@@ -1 +1 @@", b"@@ -1,2 +3,4 @@ f", b"diff --git a/x b/x"),
            *(b"\x0c", b"\x1b[31m", "\u2028".encode(), b"x\x85y", b"\xff\xfe", b"GIT binary patch", b"index 1..2"),
        ]
    ),
    st.binary(max_size=4).map(lambda row: row.replace(b"\n", b"").replace(b"\0", b"")),
)
TEXTS = st.one_of(
    st.none(),
    st.tuples(st.lists(ROWS, max_size=12), st.sampled_from([b"\n", b""])).map(
        lambda text: b"\n".join(text[0]) + text[1] if text[0] else b""
    ),
)


@st.composite
def edits(draw: st.DrawFn) -> tuple[bytes | None, bytes | None]:
    """Two texts; the new one is another text, or the old one with some rows replaced."""
    old = draw(TEXTS)
    if old is None or draw(st.booleans()):
        return old, draw(TEXTS)
    rows = old.split(b"\n")
    for _ in range(draw(st.integers(0, 4))):
        rows[draw(st.integers(0, len(rows) - 1))] = draw(ROWS)
    return old, b"\n".join(rows)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo.create(tmp_path_factory.mktemp("history") / "repo")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pairs=st.lists(edits(), min_size=20, max_size=40),
    options=st.sampled_from([("-M",), ("--no-renames",), ("-M", "-U0"), ("-C", "-C"), ("-M", "-W"), ("-M", "-U1")]),
)
def test_any_texts_are_rebuilt_from_gits_diff(
    repo: Repo, pairs: list[tuple[bytes | None, bytes | None]], options: tuple[str, ...]
) -> None:
    old_files: Mapping[str, Content] = {f"f{i}": old for i, (old, _) in enumerate(pairs)}
    new_files: Mapping[str, Content] = {f"f{i}": new for i, (_, new) in enumerate(pairs)}
    repo.write({f"f{i}": None for i in range(40)})
    old_commit, new_commit = repo.commit(old_files), repo.commit(new_files)

    files = diff(repo, old_commit, new_commit, *options)

    assert counts_by_us(files) == counts_by_git(repo, old_commit, new_commit, *options)
    assert {file.path for file in files} <= {name for name in old_files if old_files[name] != new_files[name]}
    for file in files:
        old = old_files[file.old_path] if file.old_path else b""
        new = new_files[file.new_path] if file.new_path else b""
        assert file.binary or reconstruct(old, file) == new  # type: ignore[arg-type]  # this test writes bytes only


WORDS = [f"word {i}\n" for i in range(30)]
TEXT = "".join(WORDS)
OLD_EDGES: dict[str, Content] = {
    "renamed and edited": TEXT,
    "pure é": "x" + TEXT,
    "copied": "y" + TEXT,
    "deleted": "a\n",
    "emptied": "a\n",
    "filled": "",
    'tab\t"quote\\': "a\n",
    "new\nline": "a\n",
    "latin-1 \udce9": "a\n",
    " spaces ": "a\n",
    "b/a/b": "a\n",
    "two b/words": "a\n",
    "no newline": "a\nb",
    "becomes binary": "a\n",
    "late zero": "a\n" * 5000 + "\0\n",
    "mode": "a\n",
    "file to link": "a\nb\n",
    "link to file": Link("target"),
    "binary to link": b"\0\1",
    "link": Link("target"),
    "file to folder": "a\n",
    "folder to file/x": "a\n",
    "markers": "-- a/x\nkeep\n++ b/x\n",
    "windows": "a\r\nb\r\n",
    "separators": "a\x0cb\u2028c\x85d\n",
    "a diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
}
NEW_EDGES: dict[str, Content] = {
    "renamed and edited": None,
    "renamed/and edited": TEXT.replace("word 7", "word seven"),
    "pure é": None,
    "pure ü": "x" + TEXT,
    "copied": "y" + TEXT + "more\n",
    "copy": "y" + TEXT.replace("word 7", "word seven"),
    "deleted": None,
    "added": "a\n",
    "added empty": "",
    "emptied": "",
    "filled": "a\n",
    'tab\t"quote\\': "b\n",
    "new\nline": "b\n",
    "latin-1 \udce9": "b\n",
    " spaces ": "b\n",
    "b/a/b": "b\n",
    "two b/words": "b\n",
    "no newline": "a\nb\nc",
    "becomes binary": b"\0\1",
    "late zero": "a\n" * 5000 + "\0\0\n",
    "mode": Executable("a\n"),
    "file to link": Link("other"),
    "link to file": "a\nb\n",
    "binary to link": Link("other"),
    "link": Link("other"),
    "file to folder": None,
    "file to folder/x": "a\nb\n",
    "folder to file": "a\nb\nc\n",
    "markers": "++ b/x\nkeep\n-- a/x\n",
    "windows": "a\r\nB\n",
    "separators": "a\x0cb\u2028c\x85e\n",
    "a diff": "diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+c\n\\ No newline at end of file\n",
}


def commit_edges(repo: Repo) -> tuple[str, str]:
    old = repo.commit(OLD_EDGES)
    shutil.rmtree(repo.path / "folder to file")
    return old, repo.commit(NEW_EDGES)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize(
    "options", [("-M",), ("--no-renames",), ("-C", "-C"), ("-M", "-U0"), ("-M", "--binary")], ids=str
)
def test_every_kind_of_change_agrees_with_git(tmp_path: Path, object_format: str, options: tuple[str, ...]) -> None:
    repo = Repo.create(tmp_path, object_format=object_format)
    old, new = commit_edges(repo)

    files = diff(repo, old, new, *options)

    assert counts_by_us(files) == counts_by_git(repo, old, new, *options)
    for file in files:
        assert file.binary or reconstruct(blob(repo, old, file.old_path), file) == blob(repo, new, file.new_path)
    assert not any(file.hunks for file in files if file.binary)
    statuses = {file.path: file.status for file in files}
    assert statuses["file to link"] is statuses["link to file"] is FileStatus.TYPE_CHANGED
    assert statuses["file to folder"] is FileStatus.DELETED


def test_a_submodule_keeps_its_mode_through_every_change(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    ids = ["1" * 40, "2" * 40]
    commits = []
    for content in (ids[0], ids[1], None):
        repo.git("rm", "--quiet", "--cached", "--ignore-unmatch", "ext")
        repo.write({"ext": None if content else "now a file\n"})
        if content:
            repo.git("update-index", "--add", "--cacheinfo", f"160000,{content},ext")
        else:
            repo.git("add", "ext")
        repo.git("commit", "--quiet", "-m", "change")
        commits.append(repo.head)

    (bumped,), (replaced,) = (diff(repo, old, new) for old, new in itertools.pairwise(commits))

    assert bumped.is_submodule
    assert (bumped.old_blob, bumped.new_blob) == (ids[0], ids[1])
    assert (replaced.status, replaced.old_mode, replaced.new_mode) == (FileStatus.TYPE_CHANGED, "160000", "100644")
    assert not replaced.is_submodule


@pytest.mark.parametrize(
    "configuration",
    ["diff.noprefix=true", "diff.mnemonicPrefix=true", "core.quotePath=false", "diff.algorithm=histogram"],
)
def test_a_plain_diff_under_the_users_configuration_names_the_same_files(tmp_path: Path, configuration: str) -> None:
    repo = Repo.create(tmp_path)
    old, new = commit_edges(repo)
    options = ("--raw", "-p", "-z", "--no-abbrev", "--full-index")

    files = read(repo.git("-c", configuration, "diff", *options, old, new))

    assert files == diff(repo, old, new)


def test_a_reversed_diff_swaps_the_sides(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    old, new = commit_edges(repo)

    assert diff(repo, old, new, "-R", "--no-renames") == diff(repo, new, old, "--no-renames")
