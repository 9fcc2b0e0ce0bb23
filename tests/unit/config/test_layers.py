"""Which source wins, where a value came from, and what is said about variables that mean nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from draftgate.config.load import CANDIDATE_PATHS, Loaded, find_file
from draftgate.config.model import Config
from draftgate.config.show import describe, without_effect
from draftgate.domain.finding import Severity
from draftgate.errors import ConfigurationError
from tests.unit.config.loading import load_text, problems_of


def _origins(loaded: Loaded) -> dict[str, tuple[str, str]]:
    return {row.key: (row.value, row.origin) for row in describe(loaded)}


def test_a_later_source_wins_and_is_named_as_origin() -> None:
    loaded = load_text(
        "code_review:\n  max_findings: 1\n  min_confidence: {default: 10, blocker: 5}\n",
        environment={
            "DRAFTGATE_CODE_REVIEW__MAX_FINDINGS": "2",
            "DRAFTGATE_CODE_REVIEW__MIN_CONFIDENCE__DEFAULT": "20",
        },
        inputs={"code_review.max_findings": "3", "language": "en"},
        overrides={"code_review.max_findings": 4},
    )

    origins = _origins(loaded)
    assert origins["code_review.max_findings"] == ("4", "command line")
    assert origins["code_review.min_confidence.default"] == ("20", "DRAFTGATE_CODE_REVIEW__MIN_CONFIDENCE__DEFAULT")
    assert origins["code_review.min_confidence.blocker"] == ("5", "draftgate.yml:3")
    assert origins["language"] == ("en", "input language")
    assert origins["draft"] == ("held", "default")
    assert loaded.config.code_review.max_findings == 4


def test_a_mistake_is_not_hidden_by_a_source_that_overrides_it() -> None:
    problems = problems_of("code_review: {max_findings: ten}", environment={"DRAFTGATE_CODE_REVIEW__MAX_FINDINGS": "5"})

    (problem,) = problems
    assert problem.startswith("draftgate.yml:1:29  code_review.max_findings: expected a whole number")


def test_a_key_that_one_source_lacks_may_stand_in_another() -> None:
    environment = {"DRAFTGATE_MODELS__FRONTIER__EFFORT": "high"}

    loaded = load_text("models: {frontier: {model: 'openai:b'}}", environment=environment)

    assert _origins(loaded)["models.frontier.effort"] == ("high", "DRAFTGATE_MODELS__FRONTIER__EFFORT")
    assert problems_of("", environment=environment) == [
        "DRAFTGATE_MODELS__FRONTIER__EFFORT  models.frontier: the key `model` is missing — write `anthropic:NAME`"
    ]


@pytest.mark.parametrize(
    ("name", "value", "key", "shown"),
    [
        ("DRAFTGATE_SKIP__LABELS", "[a, b]", "skip.labels", "[a, b]"),
        ("DRAFTGATE_SKIP__DRAFTS", "false", "skip.drafts", "false"),
        ("DRAFTGATE_MODELS__STANDARD", "openai:gpt", "models.standard", "openai:gpt"),
        ("DRAFTGATE_TESTING__COMMAND", "[ -f x ] && y", "testing.command", '"[ -f x ] && y"'),
        ("DRAFTGATE_CHECKS__DB_UNIQUE_INDEX__ENABLED", "false", "checks.db.unique-index.enabled", "false"),
        ("DRAFTGATE_GATES__POLICY__PRE_PR", "hard", "gates.policy.pre-pr", "hard"),
        ("DRAFTGATE_WORKTREE__ENV__Path", "1", "worktree.env.Path", '"1"'),
        ("DRAFTGATE_BUDGETS", "{minutes: 3}", "budgets.minutes", "3"),
    ],
)
def test_a_variable_sets_its_key(name: str, value: str, key: str, shown: str) -> None:
    loaded = load_text(environment={name: value})

    assert _origins(loaded)[key] == (shown, name)
    assert loaded.warnings == ()


def test_a_variable_of_another_purpose_and_an_empty_one_are_left_alone() -> None:
    names = ("DRAFTGATE_LLM_API_KEY", "DRAFTGATE_LLM_BASE_URL", "DRAFTGATE_GITLAB_TOKEN", "DRAFTGATE_MODE", "PATH")

    loaded = load_text(environment=dict.fromkeys(names, "x") | {"DRAFTGATE_LANGUAGE": ""})

    assert loaded.config == Config()
    assert loaded.warnings == ()


def test_an_unknown_variable_warns_and_says_what_was_probably_meant() -> None:
    loaded = load_text(environment={"DRAFTGATE_BUDGETS__TOKNS": "5", "DRAFTGATE_ZZZZ": "1"})

    assert loaded.warnings == (
        "DRAFTGATE_BUDGETS__TOKNS is no setting of Draftgate; did you mean DRAFTGATE_BUDGETS__TOKENS?",
        "DRAFTGATE_ZZZZ is no setting of Draftgate; it is not used",
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("DRAFTGATE_LLM_API_KY", "did you mean DRAFTGATE_LLM_API_KEY?"),
        ("DRAFTGATE_MODES", "did you mean DRAFTGATE_MODE"),
        ("DRAFTGATE_VERSION", "it is not used"),
        ("DRAFTGATE_", "it is not used"),
        ("DRAFTGATE_SKIP__", "is no setting"),
        ("DRAFTGATE_CHECKS__NO_SUCH__ENABLED", "is no setting"),
    ],
)
def test_a_variable_that_means_nothing_is_never_an_error(name: str, said: str) -> None:
    (warning,) = load_text(environment={name: "0.3.1"}).warnings

    assert said in warning


def test_every_problem_of_every_source_is_reported_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_text(
            "draft: hold\nskip:\n  drafts: 1\n",
            environment={"DRAFTGATE_BUDGETS__MINUTES": "many", "DRAFTGATE_MODELS__STANDARD": "x"},
            inputs={"language": "xx"},
            overrides={"code_review.max_findings": -1},
        )

    assert [str(problem).split(":  ")[0].split(": ")[0] for problem in caught.value.problems] == [
        "draftgate.yml:1:8  draft",
        "draftgate.yml:3:11  skip.drafts",
        "DRAFTGATE_MODELS__STANDARD  models.standard",
        "DRAFTGATE_BUDGETS__MINUTES  budgets.minutes",
        "command line  code_review.max_findings",
        "input language",
    ]


def test_a_broken_value_of_a_variable_names_the_variable() -> None:
    environment = {"DRAFTGATE_SKIP__LABELS": "a, b", "DRAFTGATE_SKIP__AUTHORS": "[x"}

    assert problems_of(environment=environment) == [
        "DRAFTGATE_SKIP__AUTHORS  skip.authors: the list that opens at 1:1 is not closed — write `]` or a comma",
        "DRAFTGATE_SKIP__LABELS  skip.labels: expected a list, got the text 'a, b' — write `[a, b]`",
    ]


def test_keys_that_do_nothing_yet_are_named() -> None:
    loaded = load_text("gates: {max_rounds: 3}\ncode_review: {past_reviews: true, max_findings: 5}\ndraft: held\n")

    assert without_effect(loaded) == ("gates", "code_review.past_reviews")


def test_a_program_as_an_agent_does_nothing_yet_and_is_named() -> None:
    loaded = load_text("code_review: {agents: [docs, {name: a, command: [b], format: json}]}")

    assert without_effect(loaded) == ("code_review.agents[1]",)


def test_each_entry_of_a_mapping_has_its_own_origin() -> None:
    loaded = load_text(
        "worktree:\n  env:\n    A: '1'\n    B: '2'\nskip: {labels: [a, b]}\n",
        environment={"DRAFTGATE_WORKTREE__ENV__B": "3", "DRAFTGATE_SKIP__LABELS": "[c]"},
    )

    origins = _origins(loaded)
    assert origins["worktree.env.A"] == ('"1"', "draftgate.yml:3")
    assert origins["worktree.env.B"] == ('"3"', "DRAFTGATE_WORKTREE__ENV__B")
    assert origins["skip.labels"] == ("[c]", "DRAFTGATE_SKIP__LABELS")


def test_a_value_under_the_name_of_a_secret_is_not_shown() -> None:
    loaded = load_text(environment={"DRAFTGATE_WORKTREE__ENV__MY_TOKEN": "hunter22"})

    assert _origins(loaded)["worktree.env.MY_TOKEN"][0] == "(a secret)"
    assert [row.plain for row in describe(loaded) if row.key == "worktree.env.MY_TOKEN"] == ["(a secret)"]


def test_a_secret_is_not_shown() -> None:
    key = "sk-ant-" + "a" * 30

    loaded = load_text(environment={"DRAFTGATE_TESTING__COMMAND": f"curl -H {key}"})

    assert _origins(loaded)["testing.command"][0] == "(a secret)"


@pytest.mark.parametrize("path", CANDIDATE_PATHS)
def test_the_file_is_found_where_it_may_be(path: str) -> None:
    file = find_file({path: b"version: 1"}.get)

    assert file is not None
    assert file.name == path


def test_no_file_is_no_error() -> None:
    assert find_file({}.get) is None


def test_two_files_and_a_file_of_another_name_are_errors() -> None:
    tree = {"draftgate.yml": b"", ".github/draftgate.yml": b"", ".gitlab/draftgate.yaml": b""}

    with pytest.raises(ConfigurationError) as caught:
        find_file(tree.get)

    assert [str(problem) for problem in caught.value.problems] == [
        ".github/draftgate.yml: there is a second file, draftgate.yml — keep one of them",
        ".gitlab/draftgate.yaml: a file of this name is not read — rename it to .gitlab/draftgate.yml",
    ]


def test_loading_imports_nothing_heavy() -> None:
    """A terminal command that needs the configuration must start quickly."""
    heavy = {"pydantic_settings", "rich", "typer", "jinja2", "ast_grep_py", "asyncio", "subprocess"}
    code = "import sys, draftgate.config.load, draftgate.config.show; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert heavy.isdisjoint(loaded)


def test_a_severity_without_a_confidence_of_its_own_takes_the_default() -> None:
    review = load_text("code_review: {min_confidence: {default: 40, blocker: 0}}").config.code_review

    assert [review.min_confidence.of(severity) for severity in Severity] == [0, 40, 40, 40, 40]
