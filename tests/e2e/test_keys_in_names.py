"""A key in the name of a file or branch leaves the run as little as one in a file: no output, prompt or state names it.

The change adds, removes, renames and edits files whose names hold keys, beside one that is reviewed as ever and that
files with such names call. A model tries to read and to accuse all of them.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes.github.scenario import make_scenario
from tests.fakes.github_forgery import stored_session
from tests.fakes.github_run import open_runner
from tests.fakes.llm.reviewing import a_finding, agent_answers, calls, cast
from tests.fakes.llm.script import Asked, Step
from tests.fakes.llm.seen import (
    Texts,
    ask_in_jobs,
    asking,
    conversation,
    jobs,
    prompts,
    state_files,
    streams,
    where,
)
from tests.fakes.llm.server import FakeModel
from tests.git_builder import Repo
from tests.program import Done, draftgate

_RANDOM = random.Random(11)  # noqa: S311 - keys of nobody


def _key() -> str:
    return "ghp_" + "".join(_RANDOM.choices(string.ascii_letters + string.digits, k=36))


REGISTERED = {"SOME_SECRET": "correct-horse-battery-staple-31"}
KEYS = {name: _key() for name in "added deleted renamed-from renamed-to folder edited caller base title body".split()}
KEYS["registered"] = REGISTERED["SOME_SECRET"]
BRANCH_KEYS = (_key(), "correct-horse-battery-staple-31")
BRANCH = f"work/{BRANCH_KEYS[0]}/{BRANCH_KEYS[1]}"
BASE_BRANCH = f"release-{KEYS['base']}"

LINES = "".join(f"line {number}\n" for number in range(30))
CALLS = "from rooms import book\n\nbook([])\n"
BASE = {
    "rooms.py": "def book(rooms):\n    return rooms\n",
    f"caller_{KEYS['caller']}.py": CALLS,
    f"{KEYS['folder']}/edited.py": CALLS,
    f"edited-{KEYS['edited']}.py": CALLS,
    f"deleted-{KEYS['deleted']}.txt": "gone\n",
    f"from-{KEYS['renamed-from']}.txt": LINES,
    "to.txt": LINES.replace("line", "other"),
}
CHANGE = {
    "rooms.py": "def book(rooms, night):\n    return rooms[0]\n",
    f"{KEYS['folder']}/edited.py": f"{CALLS}# edited\n",
    f"edited-{KEYS['edited']}.py": f"{CALLS}# edited\n",
    f"notes-{KEYS['added']}.txt": "hello\n",
    f"notes.{KEYS['registered']}": "hello\n",
    f"deleted-{KEYS['deleted']}.txt": None,
    f"from-{KEYS['renamed-from']}.txt": None,
    "from.txt": LINES,
    "to.txt": None,
    f"to-{KEYS['renamed-to']}.txt": LINES.replace("line", "other"),
}
NOT_READ = {
    "[a key, not shown]/edited.py",
    "edited-[a key, not shown].py",
    "notes-[a key, not shown].txt",
    "notes.***",
    "deleted-[a key, not shown].txt",
    "from.txt",
    "to-[a key, not shown].txt",
}
TITLE = f"Rotate {KEYS['title']} and {KEYS['registered']}"


@dataclass
class Heard:
    """What the model was told when it asked for the files, by number of its request."""

    told: list[str] = field(default_factory=list)

    def accuse(self, asked: Asked) -> Step:
        self.told.append(asked.text)
        every = {"start_line": None, "end_line": None}
        named = [path for path in (*BASE, *CHANGE) if any(key in path for key in KEYS.values())]
        if asked.number == 1:
            return calls(
                ("list_files", {"glob": None, "commit": "head"}),
                ("list_files", {"glob": None, "commit": "base"}),
                ("grep", {"words": ["book", "hello", "gone", "line"], "glob": None, "commit": "head"}),
                ("log", {"path": None, "limit": 10}),
                *(("read_file", {"path": path, **every, "commit": "head"}) for path in named[:12]),
            )
        return agent_answers(
            a_finding("rooms.py", 2, "    return rooms[0]", "Fails where there is no room"),
            a_finding(f"caller_{KEYS['caller']}.py", 3, "book([])", "Is not changed and cannot be read"),
            a_finding(f"edited-{KEYS['edited']}.py", 4, "# edited", "Is changed and cannot be read"),
            a_finding(f"deleted-{KEYS['deleted']}.txt", 1, "gone", "Is gone and cannot be read", side="LEFT"),
        )


def _make(folder: Path) -> Repo:
    repo = Repo.create(folder)
    repo.commit(BASE, "Book rooms")
    repo.branch(BRANCH)
    repo.commit(CHANGE, TITLE)
    return repo


def _places(needles: dict[str, str], *seen: Texts) -> dict[str, list[str]]:
    return {name: found for name, needle in needles.items() if (found := where(needle, *seen))}


# --- In a terminal ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    shown: Texts
    state: Texts
    asked: Texts
    heard: Heard
    runs: dict[str, Done]


@pytest.fixture(scope="module")
def in_a_terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    repo, heard = _make(tmp_path_factory.mktemp("names") / "rooms"), Heard()
    repo.git("branch", BASE_BRANCH, "main")
    with FakeModel(cast(heard.accuse)) as model:
        environment = asking(model, **REGISTERED)

        def run(*arguments: str) -> Done:
            return draftgate(*arguments, cwd=repo.path, environment=environment, expect=0)

        base = ("--base", BASE_BRANCH)
        (repo.path / f"uncommitted-{KEYS['added']}.txt").write_text("x\n")
        runs = {
            "json": run("--verbose", "--log-format", "json", "review", *base, "--format", "json"),
            "cards": run("--verbose", "review", *base, "--force"),
            **{name: run("review", *base, "--format", name) for name in ("sarif", "markdown")},
            "file": run("review", *base, "--format", "json", "--output", "result.json"),
            "status": run("status"),
            "status-json": run("status", "--format", "json"),
            "elsewhere": run("status", "--head", "main"),
            "preview": run("do", "/preview-findings"),
        }
        state = state_files(repo.path)
        runs |= {"approve": run("approve"), "again": run("review", *base), "end": run("finalize", "--head", BRANCH)}
        runs["nothing"] = run("review", "--base", BRANCH, "--format", "json")
        runs["unknown"] = draftgate("review", "--base", f"x{BASE_BRANCH}", cwd=repo.path, environment=environment)
        assert model.violations == []
        shown = streams(*runs.values()) | {"result.json": (repo.path / "result.json").read_text()}
        yield Seen(shown, state | state_files(repo.path), prompts(model), heard, runs)


def test_no_name_is_shown_in_a_terminal(in_a_terminal: Seen) -> None:
    keys = KEYS | dict(zip(("branch", "branch, registered"), BRANCH_KEYS, strict=True))

    assert _places(keys, in_a_terminal.shown) == {}


def test_no_name_is_told_to_a_model(in_a_terminal: Seen) -> None:
    """But those that it wrote itself, which its provider has to be sent back."""
    first, second = in_a_terminal.heard.told[:2]
    keys = KEYS | dict(zip(("branch", "branch, registered"), BRANCH_KEYS, strict=True))

    assert _places(keys, {"the change": first, "the answers": second.partition("[tool]")[2]}) == {}
    assert "Changed files (1):\n- rooms.py: modified" in first
    assert "all files at head: 2 files\n| from.txt\n| rooms.py\n" in second
    assert "all files at base: 2 files\n| rooms.py\n| to.txt\n" in second
    assert "[a key, not shown].txt:" not in second
    assert "there is no file edited-[a key, not shown].py at head" in second


def test_no_name_of_a_file_is_in_the_state(in_a_terminal: Seen) -> None:
    files = {name: key for name, key in KEYS.items() if name not in {"base", "registered"}}

    assert _places(files, in_a_terminal.state) == {}


def test_only_the_session_knows_what_the_branches_are_called(in_a_terminal: Seen) -> None:
    """It is found again by them; beside it, in ``.git``, they have the same name."""
    branches = {"branch": BRANCH_KEYS[0], "base": KEYS["base"]}
    places = {place for found in _places(branches, in_a_terminal.state).values() for place in found}

    assert {place.partition("-")[0] for place in places} == {"session"}
    assert not any(BRANCH_KEYS[0] in place for place in in_a_terminal.state)


def test_the_files_are_left_out_by_masked_names_and_the_reader_is_told_what_to_do(in_a_terminal: Seen) -> None:
    coverage = in_a_terminal.runs["json"].document["coverage"]
    left_out = {each["path"]: each["reason"] for each in coverage["left_out"]}
    advice = "7 files were not read for a key, or a secret of this run, in their names: rename them, and revoke the key"

    assert left_out == dict.fromkeys(NOT_READ, "its name holds a key, or did")
    assert (coverage["files"], coverage["reviewed"]) == (8, 1)
    assert advice in " ".join(in_a_terminal.runs["cards"].stdout.split())
    assert advice in in_a_terminal.runs["markdown"].stdout


def test_what_is_found_in_other_files_stands_and_mentions_them_masked(in_a_terminal: Seen) -> None:
    document = in_a_terminal.runs["json"].document
    by_check = next(each for each in document["findings"] if each["check"] == "impact.callers")

    assert [each["anchor"]["path"] for each in document["findings"]] == ["rooms.py"] * 2
    assert "caller_[a key, not shown].py:3" in by_check["body"]
    assert by_check["related"] == []
    assert [each["reason"] for each in document["dropped"]] == ["unsupported"] * 3


def test_the_same_head_is_not_reviewed_twice(in_a_terminal: Seen) -> None:
    assert "this head was reviewed and submitted" in in_a_terminal.runs["again"].stderr


# --- On GitHub -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def in_jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Texts, Texts, dict[str, object]]]:
    root = tmp_path_factory.mktemp("jobs")
    scenario = make_scenario(root / "github", _make(root / "source"), branch=BRANCH, title=TITLE)
    scenario.pull.body = f"See {KEYS['body']} and {KEYS['registered']}"
    heard = Heard()
    with FakeModel(cast(heard.accuse)) as model, open_runner(scenario, root / "runs") as runner:
        ask_in_jobs(runner, model)
        runner.variables |= REGISTERED | {"RUNNER_DEBUG": "1"}
        reviewed = runner.by_process.review()
        held, session = conversation(runner), stored_session(runner)
        again = runner.by_process.review()
        approved = runner.by_process.command("maintainer", "/approve-findings --as comment")
        assert [reviewed.ended, again.ended] == [(0, "awaiting-approval")] * 2
        assert approved.ended == (0, "submitted")
        assert again.writes == []
        assert model.violations == []
        yield jobs(runner, reviewed, again, approved) | held | conversation(runner), prompts(model), session


def test_no_name_is_seen_on_github(in_jobs: tuple[Texts, Texts, dict[str, object]]) -> None:
    seen, _, _ = in_jobs
    keys = KEYS | dict(zip(("branch", "branch, registered"), BRANCH_KEYS, strict=True))

    assert where("Fails where there is no room", seen)
    assert where("caller_[a key, not shown].py:3", seen)
    assert _places(keys, seen) == {}


def test_the_state_on_github_has_the_files_and_the_branch_masked(
    in_jobs: tuple[Texts, Texts, dict[str, object]],
) -> None:
    seen, _, session = in_jobs
    change, scope = session["change"], session["scope"]
    assert isinstance(change, dict)
    assert isinstance(scope, dict)

    assert change["head_ref"] == "work/[a key, not shown]/***"
    assert scope["head_named"].startswith("refs/pull/")
    assert where("its name holds a key, or did", seen)


def test_a_target_branch_that_is_named_for_a_key_is_fetched_and_named_nowhere(tmp_path: Path) -> None:
    scenario = make_scenario(tmp_path / "github", _make(tmp_path / "source"), branch=BRANCH, title="Rotate")
    scenario.repository.git.git("branch", BASE_BRANCH, "main")
    scenario.pull.base_ref = BASE_BRANCH
    with open_runner(scenario, tmp_path / "runs") as runner:
        runner.variables |= REGISTERED | {"RUNNER_DEBUG": "1"}
        reviewed = runner.by_process.review()
        seen, session = jobs(runner, reviewed) | conversation(runner), stored_session(runner)

    assert reviewed.ended == (0, "awaiting-approval")
    assert session["scope"]["base_named"] == "refs/heads/release-[a key, not shown]"
    assert _places(KEYS, seen) == {}


def test_without_a_clone_the_names_are_masked_too(tmp_path: Path) -> None:
    scenario = make_scenario(tmp_path / "github", _make(tmp_path / "source"), branch=BRANCH, title="Rotate")
    with open_runner(scenario, tmp_path / "runs") as runner:
        runner.variables |= REGISTERED | {"RUNNER_DEBUG": "1", "GITHUB_SERVER_URL": "http://127.0.0.1:1"}
        reviewed = runner.by_process.review()
        seen = jobs(runner, reviewed) | conversation(runner)

    assert reviewed.ended == (0, "awaiting-approval")
    assert where("limited: no clone", seen)
    assert where("its name holds a key, or did", seen)
    assert _places(KEYS, seen) == {}
