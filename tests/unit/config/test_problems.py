"""What is wrong with a value, in words: the golden file holds one of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.config.keys import documented_paths
from draftgate.config.load import ConfigFile, load
from draftgate.config.rules import Known
from draftgate.errors import ConfigurationError, Problem
from tests.unit.config.loading import KNOWN, load_text, problems_of
from tests.unit.config.writing import as_yaml

CORPUS = Path(__file__).parents[2] / "corpus" / "config"


def test_every_problem_of_a_file_is_reported_at_once() -> None:
    problems = problems_of((CORPUS / "problems.yml").read_bytes())

    assert problems == (CORPUS / "problems.txt").read_text(encoding="utf-8").splitlines()


def test_the_documented_file_is_valid() -> None:
    config = load_text((CORPUS / "complete.yml").read_bytes()).config

    assert config.code_review.agents is not None
    assert len(config.code_review.agents) == 3


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param("code_review: {agents: []}", "1:23  code_review.agents: a review without agents", id="empty"),
        pytest.param("code_review: {agents: null}", "1:15  code_review.agents: a review without agents", id="null"),
        pytest.param("code_review:\n  agents:\n", "2:3  code_review.agents: a review without agents", id="nothing"),
        pytest.param(
            "checks: {db.unique: {}}",
            "1:10  checks.db.unique: there is no check 'db.unique' — did you mean `db.unique-index`?",
            id="check",
        ),
        pytest.param(
            "checks: {impact.callers: {paths: {exclude: [a]}}}",
            "1:44  checks.impact.callers.paths.exclude: the impact analysis cannot be switched off",
            id="impact-by-path",
        ),
        pytest.param(
            "code_review: {impact_analysis: rufff}",
            "1:32  code_review.impact_analysis: there is no agent 'rufff'",
            id="agent",
        ),
        pytest.param("approval: {who: {}}", "1:17  approval.who: nobody may approve", id="nobody"),
        pytest.param(
            "budgets: {minutes: 1}",
            "1:10  budgets.wait_s: a wait of 120 seconds is longer than the whole run of 60 seconds",
            id="wait",
        ),
        pytest.param(
            "labels: [a]", "1:1  labels: there is no key 'labels' here — write it as `skip.labels`", id="moved"
        ),
        pytest.param(
            "skip: {label: [a]}",
            "1:8  skip.label: there is no key 'label' here — did you mean `labels`?",
            id="misspelt",
        ),
        pytest.param(
            "models: {standard: sk-ant-api03-abcdefghijklmnopqrst}",
            "1:20  models.standard: a secret stands in the file",
            id="key-shape",
        ),
        pytest.param(
            "checkpoint: {visibility: titles}",
            "1:26  checkpoint.visibility: the text 'titles' is not in this release — write `visibility: full`",
            id="not-in-this-release",
        ),
        pytest.param(
            "models: {standard: antropic:large}",
            "1:20  models.standard: there is no provider 'antropic' — did you mean `anthropic`?",
            id="provider",
        ),
        pytest.param(
            "models: {capable: {model: openai-response:large}}",
            "1:27  models.capable.model: there is no provider 'openai-response' — did you mean `openai-responses`?",
            id="provider-of-a-mapping",
        ),
        pytest.param(
            "models: {frontier: mistral:large}",
            "1:20  models.frontier: there is no provider 'mistral' — write one of: openai, openai-responses, anthropic",
            id="provider-like-none",
        ),
        pytest.param(
            "code_review: {paths: {private: ['[z-a].py']}}",
            "1:33  code_review.paths.private[0]: expected a glob whose ranges go upwards",
            id="glob-that-matches-nothing",
        ),
        pytest.param("language: xx", "1:11  language: there is no language 'xx'", id="language"),
        pytest.param("llm_api_key: whatever", "1:14  llm_api_key: a secret stands in the file", id="key-name"),
    ],
)
def test_one_mistake_gives_one_problem(content: str, problem: str) -> None:
    (found,) = problems_of(content)

    assert found.startswith(f"draftgate.yml:{problem}")


@pytest.mark.parametrize(
    ("content", "write"),
    [
        pytest.param("budgets: {minutes: 5.0}", "got the number 5.0 — write `minutes: 5`", id="whole-float"),
        pytest.param("budgets: {tokens: 1e5}", "write `tokens: 100000`", id="exponent"),
        pytest.param("budgets: {tokens: 400_000}", "write `tokens: 400000`", id="underscore"),
        pytest.param("budgets: {tokens: 0x10}", "write `tokens: 16`", id="hexadecimal"),
        pytest.param("budgets: {minutes: 1:30}", "write `minutes: 15`", id="sexagesimal"),
        pytest.param("budgets: {usd: .inf}", "expected a number, got the number inf — write `usd: 2`", id="infinity"),
        pytest.param("skip: {drafts: off}", "write `drafts: false`", id="norway"),
        pytest.param("skip: {labels: 'a, b'}", "write `labels: [a, b]`", id="commas"),
        pytest.param("skip: {labels: ' , '}", "write `labels: [no-review]`", id="commas-alone"),
        pytest.param('code_review: {paths: {exclude: "*.{a,b}"}}', 'write `exclude: ["*.{a,b}"]`', id="braces"),
        pytest.param("skip: {labels: [5]}", 'write `"5"`', id="number-in-a-list"),
        pytest.param("skip: {labels: [no, true]}", 'expected text, got true — write `"true"`', id="switch-in-a-list"),
        pytest.param(
            "code_review: {agents: [{name: a, command: 'a -b \"c d\"', format: json}]}",
            'write `command: [a, "-b", c d]`',
            id="command-line",
        ),
        pytest.param(
            'code_review: {agents: [{name: a, command: "it\'s", format: json}]}',
            'write `command: [ruff, check, "--output-format", sarif]`',
            id="command-line-with-an-open-quotation",
        ),
        pytest.param("code_review: {min_confidence: 70}", "write `min_confidence: {default: 70}`", id="one-for-all"),
        pytest.param("network: {fetch_allow: ['http://a.org:80/b']}", "write `a.org`", id="address-for-a-host"),
        pytest.param("models: {standard: claude-x}", "write `standard: anthropic:claude-x`", id="model-alone"),
        pytest.param("models: {standard: gpt-x}", "write `standard: openai:gpt-x`", id="another-model-alone"),
        pytest.param("forge: gihub", "write `forge: github`", id="misspelt-choice"),
        pytest.param("version: 2", "write `version: 1`, or run a release that reads it", id="newer-format"),
        pytest.param("approval: {who: [a]}", "or the keys users, teams, codeowners, got a list", id="people-as-a-list"),
        pytest.param("language: no", "there is no language 'no'", id="a-language-and-no-switch"),
        pytest.param("language: 5", 'write `language: "5"`', id="number-as-text"),
    ],
)
def test_what_was_probably_meant_is_what_to_write(content: str, write: str) -> None:
    (problem,) = problems_of(content)

    assert write in problem


def test_a_wrong_entry_of_a_list_hides_no_other_problem() -> None:
    agents = "{name: own, command: [a], format: xml}"
    content = (
        f"code_review:\n  agents: [tset, 5, {agents}, docs, docs]\n"
        "  optional_agents: [{use: tests}, {use: 1}, {use: dosc}]\n"
    )

    problems = problems_of(content)

    assert [problem.split(": ")[0] for problem in problems] == [
        "draftgate.yml:2:12  code_review.agents[0]",
        "draftgate.yml:2:18  code_review.agents[1]",
        "draftgate.yml:2:55  code_review.agents[2].format",
        "draftgate.yml:2:67  code_review.agents[4]",
        "draftgate.yml:3:41  code_review.optional_agents[1].use",
        "draftgate.yml:3:51  code_review.optional_agents[2].use",
    ]


def test_another_forges_file_is_refused_on_a_forge_and_taken_in_a_terminal() -> None:
    on_gitlab = Known(KNOWN.check_ids, forge="gitlab")

    (problem,) = problems_of("forge: github", known=on_gitlab)

    assert problem.startswith("draftgate.yml:1:8  forge: the file is for github, and this run is on gitlab — write")
    assert load_text("forge: gitlab", known=on_gitlab).config.forge == "gitlab"
    assert load_text("forge: github").config.forge == "github"


GITHUB_KEY = "ghp_" + "a1" * 18


@pytest.mark.parametrize(
    ("content", "place"),
    [
        pytest.param(f"# was {GITHUB_KEY}\ndraft: held\n", "1:7", id="comment"),
        pytest.param(f"draft: held  # {GITHUB_KEY}\n", "1:16", id="comment-behind-a-value"),
        pytest.param(f"skip:\n  labels:\n  - |\n    {GITHUB_KEY}\n", "3:5", id="block"),
        pytest.param(f"skip: {{labels: ['x {GITHUB_KEY}']}}\n", "1:17", id="inside-a-text"),
        pytest.param("worktree: {env: {API_KEY: 12345678}}\n", "1:27", id="number-under-the-name-of-one"),
        pytest.param("worktree: {env: {MY_TOKEN: hunter22}}\n", "1:28", id="text-under-the-name-of-one"),
        pytest.param("worktree: {env: {MY_TOKEN: [hunter22]}}\n", "1:29", id="list-under-the-name-of-one"),
    ],
)
def test_a_secret_anywhere_in_the_file_is_found_and_not_shown(content: str, place: str) -> None:
    problems = problems_of(content)

    assert any(
        problem.startswith(f"draftgate.yml:{place}") and "a secret stands in the file" in problem
        for problem in problems
    )
    assert not [problem for problem in problems if "a1a1" in problem or "hunter" in problem or "1234" in problem]


def test_a_secret_as_a_key_is_found_and_not_shown() -> None:
    secret, key = problems_of(f"{GITHUB_KEY}: 1\n")

    assert secret.startswith("draftgate.yml:1:1: a secret stands in the file — revoke it")
    assert key.startswith("draftgate.yml:1:1  (a secret): there is no key '(a secret)' here")


def test_a_secret_of_a_variable_is_not_shown_whatever_its_type() -> None:
    environment = {"DRAFTGATE_WORKTREE": "{env: {API_KEY: 12345678}, setup: 5}"}

    problems = problems_of(environment=environment)

    assert len(problems) == 2
    assert "1234" not in "\n".join(problems)


def test_a_secret_is_never_repeated() -> None:
    key = "ghp_" + "a1" * 18

    problems = problems_of(f"models: {{standard: {key}}}\nskip: {{drafts: {key}, labels: {key}}}\ndraft: {key}\n")

    assert len(problems) == 4
    assert key[:12] not in "\n".join(problems)


def test_a_section_with_all_its_keys_commented_out_means_its_defaults() -> None:
    assert load_text("skip:\n  # drafts: false\nchecks:\n").config.skip.drafts is True


def test_a_file_that_agents_are_told_to_read_must_be_there() -> None:
    known = Known(KNOWN.check_ids, file_exists=lambda path: path == "docs/here.md")

    problems = problems_of("code_review: {instructions: docs/gone.md}\ncommits: {writer: docs/here.md}", known=known)

    (problem,) = problems
    assert problem.startswith("draftgate.yml:1:29  code_review.instructions: there is no file 'docs/gone.md'")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(documented_paths())), VALUES)
def test_any_value_of_any_key_loads_or_gives_problems_with_a_place(path: tuple[str, ...], value: object) -> None:
    lines = [f"{'  ' * depth}{step}:" for depth, step in enumerate(path)]
    file = ConfigFile("draftgate.yml", ("\n".join(lines) + " " + as_yaml(value)).encode())
    problems: tuple[Problem, ...] = ()

    try:
        load(file, environment={}, known=KNOWN)
    except ConfigurationError as error:
        problems = error.problems
    assert all(problem.line and problem.column for problem in problems)
    assert all("something else" not in problem.wrong and str(problem).isprintable() for problem in problems)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text("{}[]:,-&*!?|>'\"#%@` \t\nab<0.~", max_size=60).map(str.encode))
def test_any_bytes_load_or_give_a_configuration_error(content: bytes) -> None:
    problems: tuple[Problem, ...] = ()

    try:
        load(ConfigFile("draftgate.yml", content), environment={}, known=KNOWN)
    except ConfigurationError as error:
        problems = error.problems

    assert all(str(problem).isprintable() for problem in problems)
