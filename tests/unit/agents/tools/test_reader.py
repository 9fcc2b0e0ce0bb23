"""What an agent sees of a commit, and what it does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import pytest

from draftgate.agents.tools.globs import Glob
from draftgate.agents.tools.reader import Reader, split_lines
from draftgate.domain.match import Match
from draftgate.domain.paths import matches_any
from tests.unit.checks.changes import Tree


def _same(text: str) -> str:
    return text


def _reader(files: Mapping[str, str], hide: Callable[[str], str] = _same, **private: Collection[str]) -> Reader:
    return Reader(Tree(files), threading.Lock(), hide=hide, **private)


def _found(reader: Reader, words: list[str], glob: str | None = None) -> list[tuple[str, int, str]]:
    return [(match.path, match.line, match.text) for match in reader.grep(words, glob)]


# --- Private files ---------------------------------------------------------------------------------------------------


def test_a_private_file_does_not_exist() -> None:
    files = {"a.py": "needle\n", "secrets/key": "needle\n", "b/prod.pem": "needle\n"}

    reader = _reader(files, private=["secrets/", "*.pem"])

    assert list(reader.paths()) == ["a.py"]
    assert [reader.read(path) for path in files] == ["needle\n", None, None]
    assert _found(reader, ["needle"]) == [("a.py", 1, "needle")]


def test_the_other_name_of_a_renamed_private_file_is_private_too() -> None:
    reader = _reader({"old.txt": "needle", "new.txt": "needle"}, private_paths=["old.txt"])

    assert reader.read("old.txt") is None
    assert list(reader.paths()) == ["new.txt"]
    assert _found(reader, ["needle"]) == [("new.txt", 1, "needle")]


@pytest.mark.parametrize("path", ["", "\ud800", "caf\udce9", "a\0b", "no", "x" * 100_000], ids=ascii)
def test_a_path_that_can_be_none_is_absent(path: str) -> None:
    assert _reader({"a": "1"}).read(path) is None


# --- Hidden keys -----------------------------------------------------------------------------------------------------


def _without_block(text: str) -> str:
    """Hides what lies between the marks, whole lines of it and of any number."""
    before, _, rest = text.partition("BEGIN")
    _, end, after = rest.partition("END")
    return f"{before}[hidden]{after}" if end else text


def test_keys_are_hidden_in_the_whole_file_and_lines_keep_their_numbers() -> None:
    text = "one\nBEGIN\nkey part\nkey rest\nEND\nlast needle\n"

    reader = _reader({"f": text}, _without_block)

    assert reader.read("f") == "one\n[hidden]\n\n\n\nlast needle\n"
    assert _found(reader, ["needle"]) == [("f", 6, "last needle")]


def test_hiding_that_adds_lines_moves_none_of_the_others() -> None:
    reader = _reader({"f": "one\nkey\nlast"}, lambda text: text.replace("key", "not\nshown\nhere"))

    assert reader.read("f") == "one\nnot\nlast"


@pytest.mark.parametrize("hidden", ["", "\n" * 50, "x"], ids=ascii)
def test_the_number_of_lines_holds_whatever_hides(hidden: str) -> None:
    text = _reader({"f": "1\n2\n3\n4"}, lambda text: hidden if "\n" in text else text).read("f")

    assert text is not None
    assert text.count("\n") == 3


def test_a_search_cannot_tell_whether_a_guess_is_part_of_a_key() -> None:
    reader = _reader({"f": "key = abc-123\nabc\n"}, lambda text: text.replace("abc-123", "[hidden]"))

    assert _found(reader, ["abc"]) == [("f", 2, "abc")]
    assert _found(reader, ["123"]) == []
    assert _found(reader, ["key"]) == [("f", 1, "key = [hidden]")]


# --- Search ----------------------------------------------------------------------------------------------------------


def test_binary_files_and_impossible_words_are_not_found() -> None:
    reader = _reader({"f": "needle", "bin": "\0needle"})

    assert _found(reader, ["needle"]) == [("f", 1, "needle")]
    assert _found(reader, ["\ud800"]) == []
    assert _found(reader, [""]) == []


def test_a_glob_limits_the_search() -> None:
    reader = _reader(dict.fromkeys(["a.py", "d/e/b.py", "d/c.rb"], "needle"))

    assert [path for path, _, _ in _found(reader, ["needle"], "d/**/*.py")] == ["d/e/b.py"]
    assert [path for path, _, _ in _found(reader, ["needle"], "*.py")] == ["a.py", "d/e/b.py"]
    assert [path for path, _, _ in _found(reader, ["needle"], "\ud800/*.py")] == []


PATHS = ("a.py", "b.rb", "src/a.py", "src/x/a.py", "src/x/y/b.rb", "src", "x/src/a.py", "x/[a].py", "größe/a b.py")


@pytest.mark.parametrize(
    "written",
    [
        *("*", "**", "*.py", "a.py", "/a.py", "./src/*.py", "src/", "src/**", "src/*", "src/**/*.py", "**/src/*"),
        *(
            "**/x/**",
            "s?c/a.py",
            "[ab].*",
            "[!a].*",
            "**/**/a.py",
            "src/x/y/b.rb",
            "*/*.py",
            "../a.py",
            "größe/*",
            "no/",
        ),
    ],
)
def test_a_glob_means_what_the_configuration_means_by_it(written: str) -> None:
    glob = Glob.read(written)

    found = [path for path in PATHS if glob.matches(path)]

    assert found == [path for path in PATHS if matches_any(path, [written])]
    assert glob.hint is None or all(matches_any(path, [glob.hint]) for path in found)


@pytest.mark.parametrize("written", ["[z-a]", "[", "a[", "\\", "[]]", "", "//", "***", "\0", "(?:", "a" * 4000])
def test_every_text_is_a_glob(written: str) -> None:
    assert isinstance(Glob.read(written).matches("a/b"), bool)


@pytest.mark.parametrize("written", ["*a" * 60 + "*b", "**/*a/" * 60 + "b", "*?" * 60 + "b", "**a" * 60 + "b"])
def test_no_glob_takes_long(written: str) -> None:
    glob = Glob.read(written)

    assert not glob.matches("a" * 4000)
    assert not glob.matches("a/" * 2000)
    assert not glob.matches("aaaa/" * 800 + "c")


# --- Threads ---------------------------------------------------------------------------------------------------------


class _Single:
    """A snapshot that answers one at a time, as one that reads through a single process does."""

    def __init__(self) -> None:
        self.busy = threading.Lock()
        self.overlaps = 0

    def read(self, path: str) -> str | None:
        self._work()
        return f"needle {path}"

    def paths(self) -> Sequence[str]:
        self._work()
        return ["a"]

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        self._work()
        yield Match("a", 1, "needle a")

    def _work(self) -> None:
        if not self.busy.acquire(blocking=False):
            self.overlaps += 1
            return
        threading.Event().wait(0.002)
        self.busy.release()


def test_a_snapshot_is_asked_by_one_thread_at_a_time() -> None:
    snapshot, lock = _Single(), threading.Lock()
    readers = [Reader(snapshot, lock, hide=_same) for _ in range(4)]

    def work(reader: Reader) -> None:
        for number in range(10):
            reader.read(f"f{number}")
            assert _found(reader, ["needle"])
            assert reader.paths()

    threads = [threading.Thread(target=work, args=(reader,)) for reader in (*readers, *readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert snapshot.overlaps == 0


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("\n", [""]), ("a", ["a"]), ("a\r\nb\n", ["a", "b"]), ("a\x0cb\u2028c\n\n", ["a\x0cb\u2028c", ""])],
    ids=ascii,
)
def test_lines_are_those_that_git_counts(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
