"""No secret leaves the run: not in a prompt, a log, a comment or an artifact, not in halves; and no private file does.

The change holds every kind of key, the model reads it piece by piece and says back whatever it could have learned.
"""

from __future__ import annotations

import dataclasses
import random
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.agents.prompt import load_prompts
from tests.fakes.github.scenario import make_scenario
from tests.fakes.github_run import open_runner
from tests.fakes.llm.reviewing import a_finding, agent_answers, calls, cast, critic_answers
from tests.fakes.llm.script import Asked, Fault, Reply, Step
from tests.fakes.llm.seen import (
    KEY,
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

_RANDOM = random.Random(7)  # noqa: S311 - keys of nobody


def _letters(count: int) -> str:
    return "".join(_RANDOM.choices(string.ascii_letters + string.digits, k=count))


REGISTERED = {
    "SOME_SECRET": "correct-horse-battery-staple-21",
    "QUOTED_PASSWORD": "p\"ass\\word'with-marks-22",
    "GITHUB_TOKEN": "a-token-of-no-known-form-23",
}
SHAPES = {
    "openai": "sk-proj-" + _letters(40),
    "anthropic": "sk-ant-" + _letters(40),
    "github": "ghp_" + _letters(36),
    "gitlab": "glpat-" + _letters(20),
    "aws": "AKIA" + _letters(16).upper(),
    "google": "AIza" + _letters(35),
    "slack": "xoxb-" + _letters(24),
    "stripe": "sk_live_" + _letters(24),
    "jwt": f"eyJ{_letters(20)}.eyJ{_letters(20)}.{_letters(30)}",
    "aws-long": "aws_secret_access_key = " + _letters(40),
    "url": "postgres://rooms:" + _letters(18) + "@db.example.com",
}
LONG_LINE, REMOVED, TITLE = ("ghp_" + _letters(36) for _ in range(3))
OLD_PEM = [_letters(64) for _ in range(24)]
NEW_PEM = [*OLD_PEM[:12], _letters(64), *OLD_PEM[13:]]
ADDED_PEM = [_letters(64) for _ in range(24)]

SECRETS = {
    **{name: [value] for name, value in (REGISTERED | SHAPES).items()},
    "key-of-the-model": [KEY],
    "removed": [REMOVED],
    "title": [TITLE],
    "where-a-line-is-cut": [LONG_LINE, LONG_LINE[:20], LONG_LINE[20:]],
    "lines-of-a-key": ADDED_PEM,
    "lines-of-a-key-whose-middle-changed": NEW_PEM,
    "a-removed-line-of-a-key": [OLD_PEM[12]],
}


def _pem(lines: list[str]) -> str:
    return "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"))


SETTINGS = {name.upper().replace("-", "_"): value for name, value in (REGISTERED | SHAPES).items()}
BASE = {
    "deploy/key.pem": f"{_pem(OLD_PEM)}\n",
    "old.py": f"TOKEN = '{REMOVED}'\n\n\ndef old():\n    return TOKEN\n",
    "rooms.py": "def book(rooms):\n    return rooms\n",
}
CHANGE = {
    "deploy/key.pem": f"{_pem(NEW_PEM)}\n",
    "keys.py": f'KEY = """\n{_pem(ADDED_PEM)}\n"""\n',
    "old.py": "def old():\n    return None\n",
    "rooms.py": "def book(rooms):\n    return rooms[0]\n",
    "settings.py": "".join(f"{name} = r'''{value}'''\n" for name, value in SETTINGS.items()),
    "bundle.js": f"{'x' * 985}'{LONG_LINE}'\n{'y' * 985}'{LONG_LINE}'\n",
}
MESSAGE = f"Rotate {TITLE} and {REGISTERED['SOME_SECRET']}"
ECHO = " ".join((*REGISTERED.values(), *SHAPES.values(), KEY, TITLE, f"\\n{_pem(ADDED_PEM)}\\n"))
"""What a model says that has learned everything; of single lines of a key nobody could tell what they are."""


def _read_it_all(asked: Asked) -> Step:
    """Ask for the change line by line, then quote the places of keys and say all secrets."""
    if asked.number == 1:
        lines = range(1, len(ADDED_PEM) + 4, 2)
        every = {"start_line": None, "end_line": None}
        return calls(
            *(("read_file", {"path": "keys.py", "start_line": at, "end_line": at, "commit": "head"}) for at in lines),
            ("read_file", {"path": "settings.py", **every, "commit": "head"}),
            ("read_file", {"path": "bundle.js", **every, "commit": "head"}),
            ("read_file", {"path": "old.py", **every, "commit": "base"}),
            ("read_file", {"path": "deploy/key.pem", "start_line": 10, "end_line": 16, "commit": "base"}),
        )
    if asked.number == 2:
        names = list(SETTINGS)
        return calls(
            ("grep", {"words": names[:10], "glob": None, "commit": "head"}),
            ("grep", {"words": names[10:], "glob": None, "commit": "head"}),
            ("grep", {"words": ["TOKEN"], "glob": None, "commit": "base"}),
            ("grep", {"words": [OLD_PEM[3][:10]], "glob": "*.pem", "commit": "head"}),
            ("blame", {"path": "deploy/key.pem", "start_line": 8, "end_line": 18}),
            ("blame", {"path": "settings.py", "start_line": None, "end_line": None}),
            ("log", {"path": None, "limit": 10}),
            ("log", {"path": "settings.py", "limit": 10}),
            ("list_files", {"glob": None, "commit": "head"}),
        )
    return agent_answers(
        a_finding("keys.py", 8, "[a key, not shown]", "The middle of a key"),
        a_finding("deploy/key.pem", 13, "[a key, not shown]", "The line that changed", start_line=11),
        a_finding("deploy/key.pem", 13, "[a key, not shown]", "The line that went", side="LEFT"),
        a_finding("old.py", 1, "TOKEN = '[a key, not shown]'", "What is gone", side="LEFT"),
        a_finding("settings.py", 2, "QUOTED_PASSWORD = r'''***'''", "A password"),
        a_finding("rooms.py", 2, "    return rooms[0]", f"Says {REGISTERED['SOME_SECRET']}", body=ECHO),
        a_finding("rooms.py", 1, "def book(rooms):", "Suggests", suggestion=f"def book({SHAPES['github']}):"),
        a_finding("rooms.py", 2, "no such line", f"Unsupported {SHAPES['github']} {REGISTERED['SOME_SECRET']}"),
        a_finding(f"no/{SHAPES['github']}/{REGISTERED['SOME_SECRET']}.py", 1, "x", "Nowhere"),
        a_finding("", 1, "x", f"Malformed {SHAPES['github']}"),
    )


CRITIC = critic_answers({"verdict": "refuted", "confidence": 0, "reason": ECHO[:400]}, *["confirmed"] * 6)


def _make(folder: Path) -> Repo:
    repo = Repo.create(folder)
    repo.commit(BASE, "Book rooms")
    repo.branch("work")
    repo.commit(CHANGE, MESSAGE)
    return repo


@pytest.fixture(scope="module")
def in_a_terminal(tmp_path_factory: pytest.TempPathFactory) -> Texts:
    """Everything that is seen of a review in a terminal, in every format, to its end."""
    repo = _make(tmp_path_factory.mktemp("secrets") / "rooms")
    with FakeModel(cast(_read_it_all, CRITIC)) as model:
        environment = asking(model, **REGISTERED)

        def run(*arguments: str) -> Done:
            return draftgate(*arguments, cwd=repo.path, environment=environment, expect=0)

        runs = [
            run("--verbose", "--log-format", "json", "review", "--format", "json"),
            run("--verbose", "review", "--force"),
            *(run("review", "--format", name) for name in ("sarif", "markdown")),
            run("status", "--format", "json"),
            run("do", "/preview-findings"),
        ]
        seen = state_files(repo.path)
        runs.append(run("approve"))
        assert model.violations == []
        assert len(runs[0].document["findings"]) == 6
        assert sorted(each["reason"] for each in runs[0].document["dropped"]) == [
            "malformed",
            "refuted",
            "unsupported",
            "unsupported",
        ]
        return prompts(model) | streams(*runs) | seen | state_files(repo.path)


@pytest.fixture(scope="module")
def in_jobs(tmp_path_factory: pytest.TempPathFactory) -> Texts:
    """The same on GitHub, where the title and the description of the change hold secrets too."""
    root = tmp_path_factory.mktemp("jobs")
    scenario = make_scenario(root / "github", _make(root / "source"), branch="work", title=MESSAGE)
    scenario.pull.body = f"See {SHAPES['github']}\n{_pem(ADDED_PEM)}\n{REGISTERED['SOME_SECRET']}"
    with FakeModel(cast(_read_it_all, CRITIC)) as model, open_runner(scenario, root / "runs") as runner:
        ask_in_jobs(runner, model)
        runner.variables |= REGISTERED | {"RUNNER_DEBUG": "1"}
        reviewed = runner.by_process.review()
        seen = conversation(runner)
        approved = runner.by_process.command("maintainer", "/approve-findings --as comment")
        assert [reviewed.ended, approved.ended] == [(0, "awaiting-approval"), (0, "submitted")]
        assert model.violations == []
        return prompts(model) | jobs(runner, reviewed, approved) | seen | conversation(runner)


def test_the_model_read_every_file_that_holds_one(in_a_terminal: Texts, in_jobs: Texts) -> None:
    for seen in (in_a_terminal, in_jobs):
        assert where("SOME_SECRET = r'''***'''", seen)
        assert where("6| [a key, not shown]", seen)
        assert where("TOKEN = '[a key, not shown]'", seen)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_the_change_is_seen_nowhere(name: str, in_a_terminal: Texts) -> None:
    assert [where(text, in_a_terminal) for text in SECRETS[name]] == [[]] * len(SECRETS[name])


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_the_change_is_seen_nowhere_on_github(name: str, in_jobs: Texts) -> None:
    assert [where(text, in_jobs) for text in SECRETS[name]] == [[]] * len(SECRETS[name])


# --- Agents that fail ------------------------------------------------------------------------------------------------

TWO = "code_review:\n  agents: [correctness, security]\n"


@pytest.fixture
def two_agents(tmp_path: Path) -> Repo:
    repo = Repo.create(tmp_path / "rooms")
    repo.commit({**BASE, "draftgate.yml": TWO}, "Book rooms")
    repo.branch("work")
    repo.commit(CHANGE, "Rotate")
    return repo


def test_what_is_kept_of_the_agents_that_did_not_fail_holds_no_secret(two_agents: Repo) -> None:
    refusal = Reply(refusal=f"I will not read {SHAPES['github']} and {REGISTERED['SOME_SECRET']}")
    with FakeModel(cast(_read_it_all, security=refusal)) as model:
        environment = asking(model, **REGISTERED)
        failed = draftgate("--verbose", "review", cwd=two_agents.path, environment=environment, expect=6)
        seen = streams(failed) | state_files(two_agents.path)

    assert where("The middle of a key", seen)  # it is kept
    assert "security failed: no usable answer, asked twice: the model refused (I will not read" in failed.stderr
    assert [place for texts in SECRETS.values() for text in texts for place in where(text, seen)] == []


ECHOES: dict[str, Step] = {
    "refused-key": Fault(401, message=f"Incorrect API key provided: {KEY}."),
    "refused-request": Fault(400, message=f"The key {KEY} and {REGISTERED['SOME_SECRET']} may not ask"),
    "overloaded": Fault(529, headers={"retry-after": "0"}, message=f"Not now, {KEY}"),
    "another-form": Fault(400, body={"detail": f"Bearer {KEY} {SHAPES['aws']}"}),
    "as-its-name": dataclasses.replace(agent_answers(), model=f"gpt {KEY} {SHAPES['github']}\x1b[31m\n" * 30),
}


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_provider_that_repeats_the_key_is_not_repeated(style: str, two_agents: Repo) -> None:
    """Every agent meets another echo."""
    names = [prompt.name for prompt in load_prompts()]
    roles = dict(zip(names, ECHOES.values(), strict=False))
    with FakeModel(cast("", **roles)) as model:
        done = draftgate(
            *("--verbose", "--log-format", style, "review", "--agents", ",".join(roles)),
            cwd=two_agents.path,
            environment=asking(model, **REGISTERED),
            expect=6,
        )
        seen = streams(done) | state_files(two_agents.path) | prompts(model)

    assert len(roles) == len(ECHOES)
    assert where("Incorrect API key provided: [the key].", seen)
    echoed = {"key": KEY, "registered": REGISTERED["SOME_SECRET"], **SHAPES}
    assert {each: where(value, seen) for each, value in echoed.items() if where(value, seen)} == {}
    assert where("\x1b", seen) == []


def test_a_tool_that_the_model_makes_up_is_not_named_in_the_log(two_agents: Repo) -> None:
    def call_it(asked: Asked) -> Step:
        made_up = f"post_{SHAPES['github']}_{REGISTERED['SOME_SECRET']}\n::set-output name=x::y"
        return calls((made_up, {})) if asked.number == 1 else agent_answers()

    with FakeModel(cast(call_it)) as model:
        environment = asking(model, **REGISTERED)
        done = draftgate("--verbose", "review", cwd=two_agents.path, environment=environment, expect=0)

    assert "a tool that is not offered" in done.stderr
    assert where("post_", streams(done) | state_files(two_agents.path)) == []


def test_a_secret_that_a_model_greps_for_is_not_in_the_log(two_agents: Repo) -> None:
    def grep(asked: Asked) -> Step:
        words = {"words": [REGISTERED["SOME_SECRET"], SHAPES["github"]], "glob": None, "commit": "head"}
        return calls(("grep", words)) if asked.number == 1 else agent_answers()

    with FakeModel(cast(grep)) as model:
        environment = asking(model, **REGISTERED)
        text = draftgate("--verbose", "review", cwd=two_agents.path, environment=environment, expect=0)
        document = draftgate(
            *("--verbose", "--log-format", "json", "review", "--force"),
            cwd=two_agents.path,
            environment=environment,
            expect=0,
        )
        seen = streams(text, document) | state_files(two_agents.path)

    assert where("'grep'", streams(text))
    assert where(REGISTERED["SOME_SECRET"], seen) == []
    assert where(SHAPES["github"], seen) == []


# --- Private files ---------------------------------------------------------------------------------------------------

PRIVATE = "THE-RECIPE"
PRIVATE_SETTINGS = "code_review:\n  agents: [correctness]\n  paths:\n    private: ['vault/**', '*.recipe']\n"
KEPT_IN_VAULT = f"first = '{PRIVATE}-untouched'\n"


@pytest.fixture(scope="module")
def private_repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("private") / "rooms")
    lines = "".join(f"line_{number} = '{PRIVATE}-{number}'\n" for number in range(20))
    repo.commit(
        {
            "draftgate.yml": PRIVATE_SETTINGS,
            "vault/changed.py": f"def mix():\n    return '{PRIVATE}-base'\n",
            "vault/kept.py": KEPT_IN_VAULT,
            "vault/moved_out.py": lines,
            "open/moved_in.py": lines.replace("line", "other"),
            "open/plain.py": "def plain():\n    return 1\n",
            "secret.recipe": f"{PRIVATE}\n",
        },
        "Begin",
    )
    repo.branch("work")
    repo.commit(
        {
            "vault/changed.py": f"def mix(a):\n    return '{PRIVATE}-head'\n",
            "vault/moved_out.py": None,
            "open/moved_out.py": f"{lines}last = '{PRIVATE}-last'\n",
            "open/moved_in.py": None,
            "vault/moved_in.py": f"{lines.replace('line', 'other')}last = '{PRIVATE}-last'\n",
            "open/plain.py": "def plain():\n    return 2\n",
        },
        "Move the vault",
    )
    return repo


SPELLINGS = (
    *("vault/changed.py", "./vault/changed.py", "vault//changed.py", "open/../vault/changed.py", "vault/./changed.py"),
    *("/vault/changed.py", "VAULT/changed.py", "vault\\changed.py", "vault/changed.py ", "b/vault/changed.py"),
    *("vault/kept.py", "secret.recipe", "vault/moved_out.py"),
    *("open/moved_out.py", "open/moved_in.py", "vault/moved_in.py"),
)


def _pry(asked: Asked) -> Step:
    """Ask for private files under all their names, then claim to have read them."""
    every = {"start_line": None, "end_line": None}
    paths = SPELLINGS[(asked.number - 1) * 4 : asked.number * 4]
    if paths:
        return calls(
            *(("read_file", {"path": path, **every, "commit": c}) for path in paths for c in ("head", "base")),
            *(("blame", {"path": path, **every}) for path in paths),
            *(("log", {"path": path, "limit": 5}) for path in paths),
        )
    if asked.number == len(SPELLINGS) // 4 + 1:
        words = ["mix", "last", "first", "line_1", "other_1", "return"]
        return calls(
            *(("grep", {"words": words, "glob": g, "commit": c}) for g in (None, "vault/**") for c in ("head", "base")),
            *(("list_files", {"glob": g, "commit": c}) for g in (None, "vault/**") for c in ("head", "base")),
            ("log", {"path": None, "limit": 10}),
        )
    return agent_answers(
        a_finding("vault/changed.py", 1, "def mix(a):", "Quotes a private file by guessing"),
        a_finding("vault/changed.py", 1, "def mix():", "Quotes what it was", side="LEFT"),
        a_finding("vault/kept.py", 1, KEPT_IN_VAULT.strip(), "Quotes one that did not change"),
        a_finding("open/moved_out.py", 2, "line_1 = 'x'", "Quotes one that was private"),
        a_finding("open/plain.py", 2, "    return 2", "Is fine"),
    )


@pytest.fixture(scope="module")
def pried(private_repo: Repo) -> Iterator[tuple[Texts, Done]]:
    with FakeModel(cast(_pry)) as model:
        done = draftgate("review", "--format", "json", cwd=private_repo.path, environment=asking(model), expect=0)
        assert model.violations == []
        yield prompts(model), done


@pytest.mark.parametrize("what", ["base", "head", "untouched", "last", "1", "19"])
def test_no_line_of_a_private_file_reaches_a_model(what: str, pried: tuple[Texts, Done]) -> None:
    requests, _ = pried
    spoken = f"{PRIVATE}-{what}'"

    guessed = [place for place in where(spoken, requests) if what != "untouched"]  # the model itself said that one

    assert guessed == []


def test_the_names_of_private_files_are_not_listed_for_a_model(pried: tuple[Texts, Done]) -> None:
    requests, _ = pried

    assert where("open/plain.py", requests)
    assert where("vault/changed.py: modified", requests) == []
    assert where("- vault", requests) == []
    assert where("| vault", requests) == []
    assert where("| secret.recipe", requests) == []


def test_what_a_model_claims_of_a_private_file_is_unsupported(pried: tuple[Texts, Done]) -> None:
    _, done = pried

    assert [each["subject"] for each in done.document["findings"]] == ["Is fine"]
    assert [each["reason"] for each in done.document["dropped"]] == ["unsupported"] * 4


def test_private_files_are_told_as_coverage(pried: tuple[Texts, Done]) -> None:
    _, done = pried

    private = {each["path"]: each["reason"] for each in done.document["coverage"]["left_out"]}
    # the built-in checks, which send nothing anywhere, read Python
    assert private == {}


def test_a_private_file_that_no_check_reads_is_left_out_by_name(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "rooms")
    repo.commit({"draftgate.yml": PRIVATE_SETTINGS, "a.recipe": "salt\n", "b.py": "x = 1\n"})
    repo.branch("work")
    repo.commit({"a.recipe": f"{PRIVATE}\n", "b.py": "x = 2\n"})

    with FakeModel(cast(agent_answers())) as model:
        done = draftgate("review", "--format", "json", cwd=repo.path, environment=asking(model), expect=0)

    [left_out] = done.document["coverage"]["left_out"]
    assert left_out["path"] == "a.recipe"
    assert left_out["reason"].startswith("private: not sent to a model")
    assert where(PRIVATE, prompts(model)) == []
