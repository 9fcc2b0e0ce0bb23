"""The tools of an agent, asked by a model that means no good."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.agents.tools.fetch import FetchRefused
from draftgate.agents.tools.lookups import World
from draftgate.agents.tools.reader import Reader
from draftgate.agents.tools.toolbox import Toolbox
from draftgate.domain.change import CommitSha
from draftgate.domain.history import BlamedLine, LoggedCommit
from draftgate.errors import DraftgateError
from draftgate.git.history import GitHistory
from draftgate.git.objects import open_objects
from draftgate.git.repository import Repository
from draftgate.git.run import GitFailed, GitTimedOut
from draftgate.git.snapshot import CommitSnapshot
from draftgate.llm.base import ToolCall
from tests.git_builder import Link, Repo, git_environment
from tests.unit.checks.changes import Tree

SECRET = "TOPSECRET"  # noqa: S105 - stands in private files
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEfirst\nMIIEsecond\n-----END PRIVATE KEY-----"


def hide(text: str) -> str:
    """Every line of a key block is hidden, if the whole block is there to be seen."""
    return re.sub(
        "-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----",
        lambda block: "\n".join("[a key]" for _ in block[0].split("\n")),
        text,
        flags=re.DOTALL,
    )


@dataclass(frozen=True)
class Past:
    """A history in memory."""

    commits: tuple[LoggedCommit, ...] = ()
    lines: tuple[BlamedLine, ...] = ()
    is_cut: bool = False
    failure: DraftgateError | None = None

    def log(self, path: str | None, limit: int) -> tuple[LoggedCommit, ...] | None:
        if self.failure is not None:
            raise self.failure
        return self.commits[:limit]

    def blame(self, path: str, first: int, last: int) -> tuple[BlamedLine, ...] | None:
        if self.failure is not None:
            raise self.failure
        return tuple(line for line in self.lines if first <= line.line <= last)


def toolbox(
    head: Mapping[str, str],
    base: Mapping[str, str] | None = None,
    *,
    history: Past | None = Past(),
    fetch: Callable[[str], str] | None = None,
    private: tuple[str, ...] = ("secret/",),
) -> Toolbox:
    lock = threading.Lock()
    after, before = (Reader(Tree(files), lock, hide=hide, private=private) for files in (head, base or {}))
    return Toolbox(World(after, before, history, hide, fetch))


def ask(tools: Toolbox, name: str, **arguments: object) -> str:
    return tools.run(ToolCall("1", name, json.dumps(arguments)))


# --- What a model is offered -----------------------------------------------------------------------------------------


def test_the_same_tools_are_offered_with_and_without_a_clone() -> None:
    assert [spec.name for spec in toolbox({}).specs] == ["read_file", "list_files", "grep", "blame", "log"]
    assert toolbox({}, history=None).specs == toolbox({}).specs
    assert [spec.name for spec in toolbox({}, fetch=str).specs][-1] == "fetch_url"


def test_schemas_are_closed_and_require_everything() -> None:
    for spec in toolbox({}, fetch=str).specs:
        properties = spec.parameters["properties"]
        assert isinstance(properties, dict)
        assert spec.parameters["required"] == list(properties)
        assert spec.parameters["additionalProperties"] is False
        json.dumps(spec.parameters)


# --- Reading ---------------------------------------------------------------------------------------------------------


def test_a_file_is_read_with_line_numbers_at_either_commit() -> None:
    tools = toolbox({"a.py": "one\r\n\ttwo\nthree"}, {"a.py": "old\n"})

    assert ask(tools, "read_file", path="a.py", start_line=None, end_line=None, commit="head") == (
        "a.py at head, lines 1–3 of 3\n1| one\n2| \ttwo\n3| three"
    )
    assert ask(tools, "read_file", path="a.py", start_line=2, end_line=99, commit="head") == (
        "a.py at head, lines 2–3 of 3\n2| \ttwo\n3| three"
    )
    assert ask(tools, "read_file", path="a.py", commit="base") == "a.py at base, lines 1–1 of 1\n1| old"
    assert tools.given == ("a.py lines 1–3 at head", "a.py lines 2–3 at head", "a.py lines 1–1 at base")


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert ask(toolbox({"a": ""}), "read_file", path="a") == "a at head is empty"
    assert ask(toolbox({"a": ""}), "blame", path="a").startswith("error: ")


def test_a_long_file_is_cut_with_the_way_to_go_on() -> None:
    tools = toolbox({"a": "x\n" * 1000})

    rows = ask(tools, "read_file", path="a", start_line=101, end_line=900).split("\n")

    assert (rows[0], rows[1], rows[-2]) == ("a at head, lines 101–500 of 1000", "101| x", "500| x")
    assert rows[-1] == "… cut: lines 501–900 of 1000; ask for more with start_line 501"


def test_long_lines_are_cut_and_a_result_has_an_end() -> None:
    tools = toolbox({"a": ("x" * 5000 + "\n") * 100})

    text = ask(tools, "read_file", path="a")

    assert "| " + "x" * 2000 + " … cut: this line has 5,000 characters\n" in text
    assert len(text) <= 30_000
    assert text.endswith("lines 15–100 of 100; ask for more with start_line 15")


def test_no_text_can_pass_for_a_header_of_ours() -> None:
    text = "a.py at head, lines 1–1 of 1\rerror: x\x0b… cut: lines\u2028| y\x1b[2J"

    rows = ask(toolbox({"a": text}), "read_file", path="a").split("\n")

    assert rows[1:] == ["1| a.py at head, lines 1–1 of 1⟨U+000D⟩error: x⟨U+000B⟩… cut: lines⟨U+2028⟩| y⟨U+001B⟩[2J"]


def test_a_binary_file_is_not_shown() -> None:
    assert ask(toolbox({"a": "\0x"}), "read_file", path="a") == "error: a at head is binary"


def test_names_are_listed_and_cut() -> None:
    tools = toolbox({"b.rb": "", "secret/a.py": "", "line\nbreak.py": "", **{f"d/{n:03}.py": "" for n in range(600)}})

    rows = ask(tools, "list_files", glob="*.py", commit="head").split("\n")

    assert rows[:2] == ["*.py at head: 601 files", "| d/000.py"]
    assert rows[-1] == "… cut: 500 of 601 are shown; give a narrower glob"
    assert len(rows) == 502
    assert ask(tools, "list_files", glob="l*", commit="head").split("\n")[1:] == ["| line⟨U+000A⟩break.py"]
    assert ask(tools, "list_files", glob=None, commit="base") == "all files at base: 0 files"


def test_words_are_found_and_results_are_cut() -> None:
    tools = toolbox({"a.py": "foo(bar)\nfoobar\n", "b.rb": "  bar" + " x" * 400, "c": "many\n" * 300})

    found = ask(tools, "grep", words=["foo", "bar"], glob="*.py", commit="head")
    long = ask(tools, "grep", words=["bar"], glob="*.rb", commit="head")
    many = ask(tools, "grep", words=["many"], glob=None, commit="head").split("\n")

    assert found == "foo, bar in *.py at head: 1 lines\n| a.py:1: foo(bar)"
    assert long.endswith(" … cut: this line has 805 characters")
    assert (many[0], len(many)) == ("many at head: more than 200 lines", 202)
    assert many[-1] == "… cut: there are more lines; give rarer words or a narrower glob"
    assert tools.given[0] == "grep foo, bar in *.py at head"


# --- History ---------------------------------------------------------------------------------------------------------


def _commit(number: int, message: str = "") -> LoggedCommit:
    return LoggedCommit(CommitSha(f"{number:040}"), "Nobody", "2026-01-02T03:04:05+00:00", f"Step {number}", message)


def test_the_log_shows_messages_behind_bars() -> None:
    tools = toolbox({"a": "x"}, history=Past((_commit(1, "why\n" * 30), _commit(2)), is_cut=True))

    rows = ask(tools, "log", path="a", limit=5).split("\n")

    assert rows[0].startswith("log of a: 2 commits up to head, newest first; older history is missing here")
    assert rows[1:3] == ["| 0000000000 2026-01-02 Nobody: Step 1", "|   why"]
    assert rows[22] == "|   … cut: the message has 31 lines"
    assert rows[-1] == "| 0000000000 2026-01-02 Nobody: Step 2"


def test_no_more_commits_are_asked_for_than_may_be() -> None:
    tools = toolbox({}, history=Past(tuple(map(_commit, range(100)))))

    assert ask(tools, "log", path=None, limit=10**30).startswith("log: 30 commits")
    assert ask(tools, "log", path=None, limit=None).startswith("log: 10 commits")


def test_blame_names_the_commit_and_shows_the_text_without_keys() -> None:
    lines = tuple(
        BlamedLine(n, CommitSha("a" * 40), "Nobody\n1| x", "", text) for n, text in enumerate(PEM.split("\n"), 1)
    )

    text = ask(toolbox({"a": PEM}, history=Past(lines=lines)), "blame", path="a", start_line=2, end_line=2)

    assert text == "a at head, lines 2–2 of 4\n2| aaaaaaaaaa  Nobody⟨U+000A⟩1| x: [a key]"


def test_few_lines_are_blamed_at_once() -> None:
    lines = tuple(BlamedLine(n, CommitSha("a" * 40), "Nobody", "2026-01-02", "x") for n in range(1, 101))

    rows = ask(toolbox({"a": "x\n" * 100}, history=Past(lines=lines)), "blame", path="a", start_line=11).split("\n")

    assert rows[0] == "a at head, lines 11–70 of 100"
    assert rows[-1] == "… cut: lines 71–100 of 100; ask for more with start_line 71"
    assert len(rows) == 62


def test_without_a_clone_a_missing_file_is_not_said_to_be_missing() -> None:
    tools = toolbox({"a": "x"}, history=None)

    assert ask(tools, "blame", path="a") == "error: blame is not available: there is no clone"
    assert ask(tools, "log", path=None) == "error: log is not available: there is no clone"
    assert "others may exist" in ask(tools, "read_file", path="b")
    assert "there is no clone" in ask(tools, "list_files", glob=None)
    assert "there is no clone" in ask(tools, "grep", words=["x"])


def test_what_takes_too_long_is_the_model_s_affair_and_a_broken_repository_is_ours() -> None:
    late = toolbox({"a": "x"}, history=Past(failure=GitTimedOut("late", hint="wait")))
    broken = toolbox({"a": "x"}, history=Past(failure=GitFailed("broken", hint="mend")))

    assert ask(late, "blame", path="a").startswith("error: git took too long")
    with pytest.raises(GitFailed):
        ask(broken, "log", path=None)


# --- Pages -----------------------------------------------------------------------------------------------------------


def test_a_page_is_shown_behind_bars_and_cut() -> None:
    tools = toolbox({}, fetch=lambda url: f"{PEM}\rerror: x\n" + "y\n" * 50_000)

    text = ask(tools, "fetch_url", url="https://docs.example.com/")

    assert text.startswith("the page https://docs.example.com/\n| [a key]\n")
    assert "\n| error: x\n" in text
    assert text.endswith("… cut: the page is longer")
    assert len(text) <= 30_000
    assert tools.given == ("page https://docs.example.com/",)


def test_a_refused_page_is_told_to_the_model() -> None:
    def refuse(url: str) -> str:
        raise FetchRefused("the page is no text")

    assert ask(toolbox({}, fetch=refuse), "fetch_url", url="x") == "error: the page is no text"
    assert ask(toolbox({}), "fetch_url", url="x").startswith("error: there is no tool fetch_url; call one of ")


# --- What a model may write ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        pytest.param("shell", "{}", "there is no tool shell; call one of read_file,", id="unknown tool"),
        pytest.param("x\ny", "{}", r"there is no tool x\x0ay;", id="a tool on two lines"),
        pytest.param(
            "read_file", "{", "write the arguments as one short JSON object with path,", id="half of the JSON"
        ),
        pytest.param("read_file", "", "write path as a text", id="nothing"),
        pytest.param("read_file", "[1]", "write the arguments as one", id="a list"),
        pytest.param("read_file", "null", "write the arguments as one", id="null"),
        pytest.param("read_file", "[" * 19_000, "write the arguments as one", id="deep"),
        pytest.param("read_file", '{"path": ' + "9" * 9000 + "}", "write the arguments as one", id="many digits"),
        pytest.param("read_file", '{"path": "' + "a" * 30_000 + '"}', "write the arguments as one", id="long"),
        pytest.param(
            "read_file", '{"path": "a", "x": 1}', "there is no argument x; write path, start_line,", id="extra"
        ),
        pytest.param("read_file", '{"path": 1}', "write path as a text of 1 to", id="a number for a path"),
        pytest.param("read_file", '{"path": ""}', "write path as a text of 1 to", id="an empty path"),
        pytest.param("read_file", '{"path": "a", "start_line": "1"}', "write start_line as a whole", id="a text"),
        pytest.param("read_file", '{"path": "a", "start_line": true}', "write start_line as a whole", id="true"),
        pytest.param("read_file", '{"path": "a", "start_line": 0}', "write start_line as a whole", id="zero"),
        pytest.param("read_file", '{"path": "a", "end_line": 1.5}', "write end_line as a whole", id="a fraction"),
        pytest.param("read_file", '{"path": "a", "end_line": NaN}', "write end_line as a whole", id="NaN"),
        pytest.param(
            "read_file", '{"path": "a", "start_line": 9}', "there is no line 9: the file has 2", id="past the end"
        ),
        pytest.param("read_file", '{"path": "a", "start_line": 2, "end_line": 1}', "end_line must not", id="backwards"),
        pytest.param(
            "read_file", '{"path": "a", "commit": "HEAD~1"}', "write commit as head or base", id="other commit"
        ),
        pytest.param(
            "read_file", '{"path": "a", "commit": ["head"]}', "write commit as head or base", id="list of commits"
        ),
        pytest.param("read_file", '{"path": "\\ud800"}', r"there is no file \xd800 at head", id="half a character"),
        pytest.param("grep", '{"words": []}', "write words as a list of 1 to 10 short", id="no words"),
        pytest.param(
            "list_files", json.dumps({"glob": "[" * 301}), "write glob as a text of 1 to 300", id="a long glob"
        ),
        pytest.param("grep", '{"words": "foo"}', "write words as a list of 1 to 10 short", id="one word"),
        pytest.param("grep", '{"words": ["a", 1]}', "write words as a list of 1 to 10 short", id="a number for a word"),
        pytest.param("grep", '{"words": ["a\\u0000"]}', "write words as a list of 1 to 10 short", id="NUL"),
        pytest.param("grep", json.dumps({"words": list("abcdefghijk")}), "write words as a list", id="eleven words"),
        pytest.param("blame", '{"path": "a", "start_line": 1e99}', "write start_line as a whole", id="huge fraction"),
        pytest.param("log", '{"path": "/", "limit": 1}', "there is no file / at head", id="root"),
    ],
)
def test_a_wrong_call_is_answered_with_what_to_write(name: str, arguments: str, says: str) -> None:
    tools = toolbox({"a": "x\ny\n"})

    text = tools.run(ToolCall("1", name, arguments))

    assert text.startswith(f"error: {says}")
    assert "\n" not in text
    assert len(text) < 800
    assert tools.given == ()
    assert tools.characters == len(text)


def test_the_record_holds_no_key_and_does_not_grow_without_end() -> None:
    tools = toolbox({"a": "x"})
    ask(tools, "list_files", glob=PEM.replace("\n", " "))
    for _ in range(300):
        ask(tools, "read_file", path="a")

    assert tools.given[0] == "list of [a key] at head"
    assert tools.given[-1] == "and 101 more"
    assert len(tools.given) == 201


TREE = {"a.py": "foo = 1\n", "d/b.rb": "bar\n" * 5, "secret/key": f"{SECRET} foo\n", "moved": f"{SECRET} bar\n"}
PATHS = st.sampled_from([*TREE, "secret", "./secret/key", "secret//key", "d/../secret/key", "SECRET/KEY", "*", "/", ""])
TEXTS = st.one_of(
    PATHS, st.text(max_size=20), st.sampled_from(["foo", "**", "secret/", "*key*", "[z-a]", "a\0/b", "\ud800/b", "-e"])
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.sampled_from(["head", "base"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
NAMES = ("path", "start_line", "end_line", "commit", "glob", "words", "limit", "url")
GOOD = st.fixed_dictionaries(
    {},
    optional={
        "path": TEXTS,
        "start_line": st.one_of(st.none(), st.integers(-2, 9)),
        "end_line": st.one_of(st.none(), st.integers(-2, 9)),
        "commit": st.sampled_from(["head", "base"]),
        "glob": st.one_of(st.none(), TEXTS),
        "words": st.lists(TEXTS, max_size=5),
        "limit": st.one_of(st.none(), st.integers()),
        "url": TEXTS,
    },
)
TOOLS = ("read_file", "list_files", "grep", "blame", "log", "fetch_url")
USED = {
    "read_file": ("path", "start_line", "end_line", "commit"),
    "list_files": ("glob", "commit"),
    "grep": ("words", "glob", "commit"),
    "blame": ("path", "start_line", "end_line"),
    "log": ("path", "limit"),
    "fetch_url": ("url",),
}


@st.composite
def calls(draw: st.DrawFn) -> ToolCall:
    name = draw(st.one_of(st.sampled_from(TOOLS), st.text(max_size=10)))
    good = GOOD.map(lambda given: {key: given[key] for key in USED.get(name, NAMES) if key in given})
    values = draw(st.one_of(good, good, st.dictionaries(st.sampled_from(NAMES), VALUES), VALUES))
    return ToolCall("1", name, draw(st.one_of(st.just(json.dumps(values)), st.text(max_size=50))))


@settings(max_examples=300, deadline=None)
@given(st.lists(calls(), max_size=4), st.booleans())
def test_no_call_raises_or_shows_a_private_file(asked: list[ToolCall], has_clone: bool) -> None:  # noqa: FBT001 - drawn
    lock = threading.Lock()
    head = Reader(Tree(TREE), lock, hide=hide, private=["secret/"], private_paths=["moved"])
    base = Reader(Tree(TREE), lock, hide=hide, private=["secret/"], private_paths=["moved"])
    lines = tuple(BlamedLine(n, CommitSha("a" * 40), "Nobody", "", SECRET) for n in range(1, 6))
    past = Past((_commit(1),), lines) if has_clone else None
    tools = Toolbox(World(head, base, past, hide, str.upper))

    for call in asked:
        text = tools.run(call)

        assert text.startswith("error: ") or text.split("\n")[0]
        # A model may write it itself, as a word to look for.
        assert SECRET not in text or SECRET.lower() in call.arguments.lower()
        text.encode()


# --- Attacks on a real repository ------------------------------------------------------------------------------------


@contextmanager
def tools_for(repo: Repo, *, private: tuple[str, ...] = (), private_paths: tuple[str, ...] = ()) -> Iterator[Toolbox]:
    repository = Repository.open(repo.path, git_environment())
    head, base = repository.resolve("HEAD"), repository.resolve("HEAD~1")
    lock = threading.Lock()
    with open_objects(repository) as objects:
        after, before = (
            Reader(
                CommitSnapshot(repository, objects, commit),
                lock,
                hide=hide,
                private=private,
                private_paths=private_paths,
            )
            for commit in (head, base)
        )
        yield Toolbox(World(after, before, GitHistory(repository, head), hide))


ATTACKS = {
    "the password file by a way up": "../../etc/passwd",
    "the password file": "/etc/passwd",
    "a way up from inside": "src/../../../../etc/passwd",
    "the environment": "/proc/self/environ",
    "the environment by a way up": "../../../../proc/self/environ",
    "git's configuration": ".git/config",
    "a link to the password file": "passwd",
    "a file through a linked folder": "root/etc/passwd",
    "a submodule": "sub",
    "a file of a submodule": "sub/README",
    "a folder": "src",
    "a backslash": "src\\a.py",
    "NUL": "src/a.py\0",
    "NUL in a folder": "src\0/a.py",
    "half of a character": "\ud800/a.py",
    "half of a character in a name": "a.\ud800",
    "a pathspec": ":(glob)**",
    "an object": "HEAD:src/a.py",
    "an option": "--help",
    "a home folder": "~/.netrc",
    "a URL": "file:///etc/passwd",
}


@pytest.mark.parametrize("path", ATTACKS.values(), ids=ATTACKS.keys())
def test_nothing_but_files_of_the_commit_can_be_reached(tmp_path: Path, path: str) -> None:
    repo = Repo.create(tmp_path / "repo")
    sha = repo.commit({"src/a.py": "needle\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    repo.commit({"passwd": Link("/etc/passwd"), "root": Link("/")}, "links")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    repo.git("commit", "--quiet", "--amend", "--no-edit")

    with tools_for(repo) as tools:
        for name in ("read_file", "blame", "log"):
            answer = ask(tools, name, path=path)
            assert answer.startswith("error: there is no file"), answer
        assert "needle" not in ask(tools, "list_files", glob=path)
        assert ask(tools, "grep", words=["root", "x"], glob=path, commit="head").endswith(": 0 lines")
        assert tools.run(ToolCall("1", "list_files", '{"glob": null}')) == "all files at head: 1 files\n| src/a.py"


@pytest.fixture(scope="module")
def hostile_repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("hostile") / "repo")
    repo.commit({**TREE, "passwd": Link("/etc/passwd")})
    repo.commit({"a.py": "foo = 2\n", "line\nbreak": "foo\n", "caf\udce9": "bar\n"}, "two")
    return repo


@settings(max_examples=60, deadline=None)
@given(st.lists(calls(), min_size=1, max_size=4))
def test_no_call_raises_or_shows_a_private_file_of_a_real_repository(hostile_repo: Repo, asked: list[ToolCall]) -> None:
    with tools_for(hostile_repo, private=("secret/",), private_paths=("moved",)) as tools:
        for call in asked:
            text = tools.run(call)

            assert SECRET not in text or SECRET.lower() in call.arguments.lower()
            assert "root:" not in text
            text.encode()


def test_a_private_file_that_was_renamed_is_private_under_its_old_name_too(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"config/prod.txt": f"{SECRET}\n", "a": "x\n"}, "one")
    (repo.path / "secret").mkdir()
    repo.git("mv", "config/prod.txt", "secret/prod.txt")
    repo.commit(message="two")

    with tools_for(repo, private=("secret/",), private_paths=("config/prod.txt",)) as tools:
        answers = [
            ask(tools, name, path=path, **({"commit": commit} if name == "read_file" else {}))
            for name in ("read_file", "blame", "log")
            for path in ("config/prod.txt", "secret/prod.txt")
            for commit in ("head", "base")
        ]
        answers += [ask(tools, "grep", words=["TOPSECRET"], commit=commit) for commit in ("head", "base")]
        answers += [ask(tools, "list_files", glob=None, commit=commit) for commit in ("head", "base")]

    assert [answer for answer in answers[:-4] if not answer.startswith("error: there is no file")] == []
    assert answers[-4:] == [
        "TOPSECRET at head: 0 lines",
        "TOPSECRET at base: 0 lines",
        "all files at head: 1 files\n| a",
        "all files at base: 1 files\n| a",
    ]


def test_a_private_file_is_refused_in_the_words_for_one_that_is_not_there(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"a": "x"})
    repo.commit({"secret/real": SECRET})

    with tools_for(repo, private=("secret/",)) as tools:
        for name in ("read_file", "blame", "log"):
            real, none = (ask(tools, name, path=path) for path in ("secret/real", "secret/none"))
            assert real.replace("real", "none") == none


def test_a_key_cannot_be_read_in_two_halves(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"f": "before\n"}, f"Add\n\n{PEM}")
    repo.commit({"f": f"before\n{PEM}\nafter\n"}, f"Add a key\n\n{PEM}")

    with tools_for(repo) as tools:
        answers = [ask(tools, "read_file", path="f", start_line=n, end_line=n) for n in range(1, 7)]
        answers += [ask(tools, "blame", path="f", start_line=n, end_line=n) for n in range(1, 7)]
        answers += [ask(tools, "grep", words=["MIIEfirst", "MIIEsecond", "PRIVATE"])]
        answers += [ask(tools, "log", path=None, limit=1), ask(tools, "log", path="f")]

    assert [answer for answer in answers if re.search("MIIE(?!first, )|KEY--", answer.partition("\n")[2])] == []
    assert answers[0].endswith("\n1| before")
    assert answers[2].endswith("\n3| [a key]")
    assert answers[5].endswith("\n6| after")


def test_history_of_a_real_file_is_told(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    first = repo.commit({"f": "one\n"}, "one")
    second = repo.commit({"f": "one\ntwo\n"}, "two\n\nBecause.")

    with tools_for(repo) as tools:
        blamed, logged = ask(tools, "blame", path="f"), ask(tools, "log", path="f")

    assert blamed == (
        "f at head, lines 1–2 of 2\n"
        f"1| {first[:10]} 2023-11-14 draftgate-test: one\n"
        f"2| {second[:10]} 2023-11-14 draftgate-test: two"
    )
    assert logged == (
        "log of f: 2 commits up to head, newest first\n"
        f"| {second[:10]} 2023-11-14 draftgate-test: two\n"
        "|   Because.\n"
        f"| {first[:10]} 2023-11-14 draftgate-test: one"
    )
