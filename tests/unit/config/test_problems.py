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
