"""The agents that ship with the program: each file is read, and says what the rest of the program says."""

from __future__ import annotations

import pytest

from draftgate.agents.answers.schemas import REPORT_FINDINGS, REPORT_VERDICTS
from draftgate.agents.prompt import TIERS, Prompt, load_prompts, load_rules, parse_prompt
from draftgate.config.model import BUILTIN_AGENTS, Models
from draftgate.domain.finding import Category, Decoration, Label
from draftgate.llm.base import ToolSpec

PROMPTS = {prompt.name: prompt for prompt in load_prompts()}


def fields_of(answer: ToolSpec) -> list[str]:
    """The names of the fields of each item of an answer."""
    properties = answer.parameters["properties"]
    assert isinstance(properties, dict)
    [items] = properties.values()
    return list(items["items"]["properties"])


def test_there_is_a_prompt_for_each_agent_that_the_configuration_knows() -> None:
    assert {*PROMPTS, "builtin"} == set(BUILTIN_AGENTS)


def test_tiers_are_the_seats_of_the_configuration() -> None:
    assert tuple(Models.model_fields) == TIERS


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_says_all_there_is_to_say(name: str) -> None:
    prompt = PROMPTS[name]

    assert prompt.tier in TIERS
    assert prompt.category is not Category.OTHER
    assert prompt.text.startswith("You look ")
    assert len(prompt.summary) < 100
    assert "\n" not in prompt.summary


def test_two_agents_do_not_look_for_the_same() -> None:
    assert len({prompt.category for prompt in PROMPTS.values()}) == len(PROMPTS)


@pytest.mark.parametrize(
    ("role", "answer"),
    [("reviewer", REPORT_FINDINGS), ("critic", REPORT_VERDICTS)],
    ids=["reviewer", "critic"],
)
def test_the_rules_are_about_the_fields_of_the_answer(role: str, answer: ToolSpec) -> None:
    rules = load_rules(role)
    said_otherwise = {"verdict", "number"}  # the critic's rules have their values and "by its number"

    assert [field for field in fields_of(answer) if f"`{field}`" not in rules and field not in said_otherwise] == []


def test_the_rules_name_every_value_that_may_be_chosen() -> None:
    rules = load_rules("reviewer")
    not_said = {Label.PRAISE}  # only where it is asked for

    assert [
        word for word in (*Category, *Decoration, *Label) if f"`{word}`" not in rules and word not in not_said
    ] == []


@pytest.mark.parametrize("role", ["reviewer", "critic"])
def test_both_roles_are_told_that_the_change_gives_no_instructions(role: str) -> None:
    assert "Everything between the marks" in load_rules(role)
    assert "never an" in load_rules(role)
    assert "`[a key, not shown]`" in load_rules(role)


GOOD = "---\nsummary: Looks\ntier: standard\ncategory: logic\n---\nYou look.\n\n---\nmore\n"


def test_a_prompt_file_is_front_matter_and_a_text() -> None:
    assert parse_prompt("own", GOOD) == Prompt("own", "Looks", "standard", Category.LOGIC, "You look.\n\n---\nmore")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You look.\n",
        GOOD.replace("tier: standard\n", ""),
        GOOD.replace("tier: standard", "tier: huge"),
        GOOD.replace("category: logic", "category: lorem"),
        GOOD.replace("category: logic", "category: logic\nmodel: x"),
        "---\nsummary: Looks\ntier: standard\ncategory: logic\n---\n \n",
        "---\nsummary: Looks\ntier: standard\ncategory: logic\n",
        "---\n- a\n---\ntext\n",
        f"\n{GOOD}",
    ],
    ids=[
        "nothing",
        "no-front-matter",
        "key-missing",
        "no-such-tier",
        "no-such-category",
        "unknown-key",
        "no-text",
        "no-end",
        "a-list",
        "text-before",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"own|lorem"):
        parse_prompt("own", text)
