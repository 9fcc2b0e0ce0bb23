"""What changed between two commits, whatever the repository's configuration would rather show."""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileStatus
from draftgate.domain.reconstruct import reconstruct
from draftgate.domain.round import LeftOut
from draftgate.errors import EvidenceError, Limit
from draftgate.git.diff import CommitDiff, diff_commits
from draftgate.git.objects import MissingObject, open_objects
from draftgate.git.repository import Repository
from tests.git_builder import Content, Executable, Link, Repo, git_environment

Open = Callable[[Repo], Repository]

LARGE = b"x" * (10 * 1024 * 1024 + 1)


def _diff(repo: Repo, **options: Limit) -> CommitDiff:
    """The difference that the newest commit made."""
    repository = Repository.open(repo.path, git_environment())
    return diff_commits(repository, repository.resolve("HEAD~1"), repository.resolve("HEAD"), **options)


def test_each_kind_of_change_is_told_apart(repo: Repo) -> None:
    body = "".join(f"line {number}\n" for number in range(20))
    repo.commit({"gone": "x\n", "old/name.py": body, "link": "to\n", "script": "#!/bin/sh\n", "same": "s\n"})
    repo.commit(
        {
            "gone": None,
            "old/name.py": None,
            "new/name.py": body.replace("line 3", "line three"),
            "link": Link("to"),
            "script": Executable("#!/bin/sh\n"),
            "added": "a\n",
            "binary": b"\0\1\2",
        }
    )

    diff = _diff(repo)

    assert [(file.path, file.status) for file in diff.files] == [
        ("added", FileStatus.ADDED),
        ("binary", FileStatus.ADDED),
        ("gone", FileStatus.DELETED),
        ("link", FileStatus.TYPE_CHANGED),
        ("new/name.py", FileStatus.RENAMED),
        ("script", FileStatus.MODIFIED),
    ]
    assert [(file.additions, file.deletions) for file in diff.listed] == [
        (1, 0),
        (None, None),
        (0, 1),
        (1, 1),
        (1, 1),
        (0, 0),
    ]
    assert [file.path for file in diff.listed] == [file.path for file in diff.files]
    assert diff.left_out == ()
    assert diff.is_complete


def test_commits_with_the_same_tree_have_no_difference(repo: Repo) -> None:
    repo.commit({"a": "a\n"})
    repo.commit()

    diff = _diff(repo)

    assert (diff.files, diff.listed, diff.patch_sha256) == ((), (), hashlib.sha256().hexdigest())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("diff.noprefix", "true"),  # D08
        ("diff.mnemonicPrefix", "true"),  # D09
        ("color.ui", "always"),  # D34
        ("color.diff", "always"),
        ("diff.algorithm", "patience"),
        ("diff.colorMoved", "zebra"),
        ("diff.context", "0"),
        ("diff.indentHeuristic", "false"),
        ("diff.interHunkContext", "30"),
        ("diff.orderFile", "order"),
        ("diff.relative", "true"),
        ("diff.renameLimit", "0"),
        ("diff.renames", "copies"),
        ("diff.submodule", "log"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.wsErrorHighlight", "all"),
        ("core.abbrev", "5"),
        ("core.quotePath", "false"),
        ("core.bigFileThreshold", "1"),
    ],
)
def test_configuration_of_the_repository_changes_nothing(repo: Repo, name: str, value: str) -> None:
    repo.commit({"src/app.py": "a\n\nb\nc\n" * 9, "b/main.py": "x\n", "größe": "1\n", "m": "moved\n" * 9})
    repo.commit({"src/app.py": "a\n\nB\nc\n" * 9, "b/main.py": "y\n", "größe": "2\n", "m": None, "n": "moved\n" * 9})
    (repo.path / "order").write_text("b/*\n")
    before = _diff(repo)

    repo.git("config", name, value)

    assert _diff(repo) == before


@pytest.mark.parametrize("bare", [False, True], ids=["checked out", "bare"])
def test_attributes_of_the_change_cannot_hide_its_lines(repo: Repo, tmp_path: Path, *, bare: bool) -> None:
    repo.commit({"a.py": "old\n"})
    repo.commit({"a.py": "new\n", ".gitattributes": "*.py -diff\n* binary\n"})
    built = repo.clone(tmp_path / "bare.git", "--bare") if bare else repo

    assert [(file.path, file.binary) for file in _diff(built).files] == [(".gitattributes", False), ("a.py", False)]


def test_gitmodules_of_the_change_cannot_hide_a_submodule(repo: Repo) -> None:
    first = repo.commit({"a": "a\n"})
    second = repo.commit({".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ./x\n\tignore = all\n'})
    for sha in (first, second):
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},lib")
        repo.git("commit", "--quiet", "-m", "bump")

    (file,) = _diff(repo).files

    assert (file.path, file.is_submodule, file.old_blob, file.new_blob) == ("lib", True, first, second)


@pytest.mark.parametrize("attributes", ["", "*.txt diff\n"], ids=["plain", "asking to be diffed"])
def test_a_file_above_the_limit_is_listed_and_not_diffed(repo: Repo, attributes: str) -> None:
    repo.commit({"shrinks.txt": LARGE, "grows.txt": "small\n", "goes.txt": LARGE + b"1", ".gitattributes": attributes})
    repo.commit({"shrinks.txt": "small\n", "grows.txt": LARGE, "goes.txt": None, "comes.txt": LARGE + b"2", "z": "z"})

    diff = _diff(repo)

    named = ["comes.txt", "goes.txt", "grows.txt", "shrinks.txt"]
    assert diff.left_out == tuple(LeftOut(path, "larger than 10 MiB") for path in named)
    assert [(file.path, len(file.hunks)) for file in diff.files] == [*((path, 0) for path in named), ("z", 1)]
    assert [file.additions for file in diff.listed] == [None, None, None, None, 1]


def test_a_file_of_exactly_the_limit_is_diffed(repo: Repo) -> None:
    repo.commit({"a": "a"})
    repo.commit({"whole.txt": LARGE[:-1]})

    diff = _diff(repo)

    assert diff.left_out == ()
    assert diff.files[0].added_lines == {1}


def test_a_patch_above_its_limit_is_cut_between_files_and_the_rest_is_named(repo: Repo) -> None:
    repo.commit({"a": "a\n", "link": "x\n" * 100})
    repo.commit({"a": "b\n", "link": Link("a"), "y": "y\n" * 200, "z": "z\n"})
    whole = _diff(repo)

    diff = _diff(repo, patch_limit=Limit("patch size", 400, "bytes"))

    assert [file.path for file in diff.files] == ["a", "link", "y", "z"]
    assert [left.path for left in diff.left_out] == ["link", "y", "z"]
    assert [bool(file.hunks) for file in diff.files] == [True, False, False, False]
    assert diff.listed == whole.listed
    assert not diff.is_complete
    assert whole.is_complete


def test_wherever_a_patch_is_cut_no_file_is_lost(repo: Repo) -> None:
    repo.commit({"a": "a\n", "link": "x\n" * 100})
    repo.commit({"a": "b\n", "link": Link("a"), "y": "y\n" * 200, "z": "z\n"})

    for limit in range(0, 1400, 100):
        diff = _diff(repo, patch_limit=Limit("patch size", limit, "bytes"))

        left_out = {left.path for left in diff.left_out}
        assert [file.path for file in diff.files] == ["a", "link", "y", "z"]
        assert all(bool(file.hunks) != (file.path in left_out) for file in diff.files)


def test_a_path_that_is_not_utf8_stops_with_its_bytes(repo: Repo) -> None:
    repo.commit({"a": "a\n"})
    repo.commit({"caf\udce9.py": "x\n"})

    with pytest.raises(EvidenceError, match=r"caf\\xe9\.py.*not UTF-8"):
        _diff(repo)


def test_names_that_git_quotes_are_read_exactly(repo: Repo) -> None:
    names = [
        ' "quoted"',
        "a b",
        "back\\slash",
        "b/b/b",
        "line\nbreak",
        "tab\there",
        "x => y",
        ":(top)x",
        "größe 説明",
        "\u2028",
    ]
    repo.commit({"start": "s\n"})
    repo.commit(dict.fromkeys(names, "x\n"))

    assert [file.path for file in _diff(repo).files] == sorted(names, key=str.encode)


def test_a_missing_object_is_an_error_that_names_the_file(repo: Repo) -> None:
    repo.commit({"a.py": "a\n"})
    repo.commit({"a.py": "b\n"})
    blob = repo.sha("HEAD:a.py")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(MissingObject, match=r"^a\.py: "):
        _diff(repo)


def _content() -> st.SearchStrategy[Content]:
    rows = st.lists(st.sampled_from([b"a", b"", b"-- b", b"++ c", b"\r", b"diff --git a/x b/x", b"@@ -1 +1 @@"]))
    text = st.builds(lambda lines, end: b"\n".join(lines) + end, rows, st.sampled_from([b"", b"\n"]))
    return st.one_of(st.none(), text, text, text.map(Executable), st.sampled_from([Link("p"), b"\0binary"]))


TREES = st.dictionaries(st.sampled_from(["p", "q é", "d/r", "d/s\tt"]), _content(), min_size=1)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=TREES, second=TREES)
def test_the_new_file_follows_from_the_old_one_and_the_difference(
    first: dict[str, Content], second: dict[str, Content]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.create(Path(folder))
        repo.commit(first)
        repo.commit(second)
        repository = Repository.open(repo.path, git_environment())
        old, new = CommitSha(repo.sha("HEAD~1")), CommitSha(repo.head)

        with open_objects(repository) as objects:
            for file in diff_commits(repository, old, new).files:
                before = objects.read_blob(file.old_blob) if file.old_blob else b""
                after = objects.read_blob(file.new_blob) if file.new_blob else b""
                assert file.binary or reconstruct(before, file) == after


def test_unrelated_random_text_stays_whole(repo: Repo) -> None:
    """Line counts of list and patch agree also where git's heuristics give up."""
    dice = random.Random(1)  # noqa: S311 - test data
    texts = ["".join(f"{dice.randrange(40)}\n" for _ in range(3000)) for _ in range(2)]
    repo.commit({"a": texts[0]})
    repo.commit({"a": texts[1]})

    diff = _diff(repo)

    assert len(diff.files[0].added_lines) == diff.listed[0].additions
