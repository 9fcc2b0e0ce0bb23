"""The regular files of a commit: read, listed, searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from draftgate.domain.match import Match
from draftgate.git.objects import MissingObject, open_objects
from draftgate.git.repository import Repository
from draftgate.git.search import search_commit
from draftgate.git.snapshot import CommitSnapshot
from tests.git_builder import Content, Executable, Link, Repo, git_environment

Open = Callable[[Repo], Repository]
LARGE = b"needle\n" + b"x" * (10 * 1024 * 1024)


@contextmanager
def _snapshot(repo: Repo, commit: str = "HEAD") -> Iterator[CommitSnapshot]:
    repository = Repository.open(repo.path, git_environment())
    with open_objects(repository) as objects:
        yield CommitSnapshot(repository, objects, repository.resolve(commit))


def _lines(repo: Repo, words: list[str], globs: tuple[str, ...] = ()) -> list[tuple[str, int]]:
    with _snapshot(repo) as snapshot:
        return [(match.path, match.line) for match in snapshot.grep(words, globs=globs)]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_file_is_read_as_its_commit_has_it(tmp_path: Path, object_format: str) -> None:
    repo = Repo.create(tmp_path / "repo", object_format=object_format)
    repo.commit({"top": "old\n", "a/b/c.py": b"caf\xe9\r\n", "a/run": Executable("x"), "größe 説明": "ü"})
    repo.commit({"top": "new\n"})

    with _snapshot(repo, "HEAD~1") as snapshot:
        assert snapshot.read("top") == "old\n"
        assert snapshot.read("a/b/c.py") == "caf\N{REPLACEMENT CHARACTER}\r\n"
        assert snapshot.read("a/run") == "x"
        assert snapshot.read("größe 説明") == "ü"
        assert snapshot.read("top") == "old\n"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "no",
        "a",
        "a/",
        "a//f",
        "a/f/x",
        "a/no",
        "./a/f",
        "a/../a/f",
        "/a/f",
        "link",
        "dirlink/f",
        "sub",
        ".git/HEAD",
    ],
)
def test_what_is_no_regular_file_of_the_commit_is_absent(repo: Repo, path: str) -> None:
    sha = repo.commit({"a/f": "f", "link": Link("a/f"), "dirlink": Link("a")})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    repo.git("commit", "--quiet", "-m", "submodule")

    with _snapshot(repo) as snapshot:
        assert snapshot.read("a/f") == "f"
        assert snapshot.read(path) is None


def test_names_with_line_ends_and_raw_bytes_are_read(repo: Repo) -> None:
    repo.commit({"line\nbreak": "1", "caf\udce9": "2"})

    with _snapshot(repo) as snapshot:
        assert [snapshot.read(path) for path in snapshot.paths()] == ["2", "1"]


def test_all_regular_files_are_listed_in_order(repo: Repo) -> None:
    sha = repo.commit({"b": "", "a.b": "", "a/b": "", "A": Executable(""), "link": Link("b")})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    repo.git("commit", "--quiet", "-m", "submodule")

    with _snapshot(repo) as snapshot:
        assert snapshot.paths() == ("A", "a.b", "a/b", "b")


def test_a_file_above_the_limit_is_absent_and_named(repo: Repo) -> None:
    repo.commit({"big": LARGE, "small": "needle\n"})

    with _snapshot(repo) as snapshot:
        assert snapshot.read("big") is None
        assert [match.path for match in snapshot.grep(["needle"])] == ["small"]
        assert snapshot.limits == (
            "big was not read: larger than 10 MiB",
            "big was not searched: larger than 10 MiB",
        )


def test_a_missing_blob_is_an_error_and_never_absent(repo: Repo) -> None:
    repo.commit({"a": "a", "b": "needle"})
    blob = repo.sha("HEAD:a")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    with _snapshot(repo) as snapshot:
        with pytest.raises(MissingObject):
            snapshot.read("a")
        with pytest.raises(MissingObject, match=r"^a: "):
            snapshot.grep(["needle"])


def test_texts_that_fill_the_cache_are_read_again(repo: Repo) -> None:
    files: dict[str, Content] = {f"f{number}": chr(97 + number) * (7 * 1024 * 1024) for number in range(4)}
    repo.commit(files)

    with _snapshot(repo) as snapshot:
        for _ in range(2):
            assert {name: snapshot.read(name) for name in files} == files


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("call(foo)", "foo", True),
        ("foobar", "foo", False),
        ("_foo", "foo", False),
        ("foo1", "foo", False),
        ("foo", "Foo", False),
        ("a.b", "a.b", True),
        ("axb", "a.b", False),
        ("valid?(x)", "valid?", True),
        ("@name = 1", "@name", True),
        ("x@name", "@name", False),
        ("$x", "$x", True),
        ("a-b-c", "b", True),
        ("größe = 1", "größe", True),
        ("a\\b", "a\\b", True),
        ("(", "(", True),
    ],
)
def test_a_word_is_found_between_identifier_boundaries(repo: Repo, text: str, word: str, *, found: bool) -> None:
    repo.commit({"f": f"first\n{text}\n"})

    assert _lines(repo, [word]) == ([("f", 2)] if found else [])


def test_a_word_that_begins_with_another_one_is_found(repo: Repo) -> None:
    """`git grep -w` gives up where the first alternative that fits is followed by more of the identifier."""
    repo.commit({"f": "foobar\nfoo\nfoo_bar\nfoobarbaz\n"})

    assert _lines(repo, ["foo", "foobar", "foo_bar"]) == [("f", 1), ("f", 2), ("f", 3)]


def test_more_words_than_fit_one_search_give_each_line_once_in_order(repo: Repo) -> None:
    repo.commit({"b": "word0 word700\nword3\n", "a": "word1199\n"})

    assert _lines(repo, [f"word{number}" for number in range(1200)]) == [("a", 1), ("b", 1), ("b", 2)]


def test_words_that_no_line_can_hold_are_nowhere(repo: Repo) -> None:
    repo.commit({"f": "a\nb\n"})

    assert _lines(repo, ["", "a\nb", "a\0b"]) == []
    assert _lines(repo, []) == []


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        (("*.py",), ["a.py", "d/e/b.py"]),
        (("d/*.py",), []),
        (("d/**/*.py",), ["d/e/b.py"]),
        (("d/",), ["d/c.rb", "d/e/b.py"]),
        (("*.rb", "a.*"), ["a.py", "d/c.rb"]),
        (("[ab].py",), ["a.py", "d/e/b.py"]),
        (("x.py",), []),
        ((":(exclude)a.py",), []),
        (("!a.py",), []),
    ],
    ids=str,
)
def test_globs_limit_the_search(repo: Repo, globs: tuple[str, ...], expected: list[str]) -> None:
    files = ["a.py", "d/c.rb", "d/e/b.py", "x.py/z.txt"]
    repo.commit(dict.fromkeys(files, "needle\n"))

    assert [path for path, _ in _lines(repo, ["needle"], globs)] == expected


def test_a_match_holds_the_line_without_its_end(repo: Repo) -> None:
    repo.commit({"line\nbreak:1:x": b"a\n\t needle: caf\xe9\r\n"})

    with _snapshot(repo) as snapshot:
        assert list(snapshot.grep(["needle"])) == [
            Match("line\nbreak:1:x", 2, "\t needle: caf\N{REPLACEMENT CHARACTER}")
        ]


def test_binary_files_links_and_attributes_are_not_searched_or_obeyed(repo: Repo) -> None:
    repo.commit({"bin": b"\0needle\n", "link": Link("needle"), "a.py": "needle\n", ".gitattributes": "*.py -diff\n"})

    assert _lines(repo, ["needle"]) == [("a.py", 1)]


def test_the_commit_is_searched_and_not_what_is_checked_out(repo: Repo) -> None:
    repo.commit({"a": "needle\n"})
    repo.write({"a": "changed\n", "b": "needle\n"})
    repo.git("config", "grep.patternType", "fixed")
    repo.git("config", "grep.fullName", "false")
    repo.git("config", "grep.column", "true")

    assert _lines(repo, ["needle"]) == [("a", 1)]


def test_a_search_that_finds_too_much_is_cut_and_says_so(repo: Repo) -> None:
    repo.commit({"a": "needle\n" * 60_000})

    with _snapshot(repo) as snapshot:
        assert len(list(snapshot.grep(["needle"]))) == 50_000
        assert snapshot.limits == ("the search for needle was cut after 50,000 lines",)


def test_a_very_long_line_is_cut(repo: Repo) -> None:
    repo.commit({"min.js": "needle;" + "x" * 1_000_000})

    with _snapshot(repo) as snapshot:
        (match,) = snapshot.grep(["needle"])

    assert match.text.startswith("needle;x")
    assert len(match.text) == 4096


def test_a_git_without_pcre_finds_the_same(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"f": "foobar\nfoo\nvalid?(x)\nfoobarbaz\na.b\naxb\n"})
    words = ["foo", "foobar", "valid?", "a.b"]
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git"
    refusal = "fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE"
    path = git_environment()["PATH"]
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *" -P "*) echo "{refusal}" >&2; exit 128;; *) PATH={path} exec git "$@";; esac\n'
    )
    program.chmod(0o755)
    repository = Repository.open(repo.path, {"PATH": f"{program.parent}:{path}"})

    result = search_commit(repository.git, repository.resolve("HEAD"), words)

    assert [match.line for match in result.matches] == [1, 2, 3, 5]
