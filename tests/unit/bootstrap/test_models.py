"""Who is asked in a review, by the configuration and by the keys that are there."""

from __future__ import annotations

import dataclasses

import pytest

from draftgate.agents.ask import Seat
from draftgate.agents.budget import Allowance
from draftgate.bootstrap.model_access import read_access
from draftgate.bootstrap.models import Plan, plan_agents
from draftgate.config.default_models import DEFAULT_MODELS, PROVIDERS
from draftgate.config.model import BUILTIN_AGENTS
from draftgate.errors import CredentialsMissing
from draftgate.llm.base import OutputMode, Usage
from draftgate.llm.conversation import HttpModel
from tests.unit.config.loading import load_text

ANTHROPIC = "sk-ant-api03-" + "a" * 20
OPENAI = "sk-proj-" + "o" * 20


def plan(content: str = "", *, without_key_is_fine: bool = False, **environment: str) -> Plan:
    """Who is asked under a configuration, in an environment."""
    config = load_text(content).config
    return plan_agents(config, read_access(environment), str, without_key_is_fine=without_key_is_fine)


def asked(made: Plan) -> dict[str, str]:
    """The model of every agent, and of the critic."""
    models = {member.prompt.name: member.seat.model.name for member in made.settings.members}
    return models | ({"critic": made.settings.critic.model.name} if made.settings.critic else {})


def model_of(seat: Seat | None) -> HttpModel:
    assert seat is not None
    assert isinstance(seat.model, HttpModel)
    return seat.model


# --- Who -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "key", "maker"),
    [
        ("DRAFTGATE_LLM_API_KEY", ANTHROPIC, "anthropic"),
        ("DRAFTGATE_LLM_API_KEY", OPENAI, "openai"),
        ("ANTHROPIC_API_KEY", ANTHROPIC, "anthropic"),
        ("OPENAI_API_KEY", OPENAI, "openai"),
    ],
    ids=["form-of-anthropic", "form-of-openai", "anthropics-name", "openais-name"],
)
def test_with_a_key_alone_its_makers_models_are_asked(name: str, key: str, maker: str) -> None:
    made = plan(**{name: key})

    assert asked(made) == {
        "correctness": DEFAULT_MODELS[maker]["standard"],
        "critic": DEFAULT_MODELS[maker]["capable"],
    }
    assert model_of(made.settings.critic).key == key
    [note] = made.settings.notes
    assert note == (
        "By default correctness alone was asked; `code_review.agents` can add api-design, docs, performance, security, "
        "tests"
    )


@pytest.mark.parametrize(
    "content",
    ["", "code_review: {agents: [builtin]}", "models: {standard: openai:small}"],
    ids=["nothing-said", "checks-alone", "a-model-alone"],
)
def test_without_a_key_and_an_agent_nobody_is_asked(content: str) -> None:
    made = plan(content)

    assert (asked(made), made.identity, made.settings.notes) == ({}, (), ())


def test_checks_alone_ask_nobody_even_with_a_key() -> None:
    assert asked(plan("code_review: {agents: [builtin]}", OPENAI_API_KEY=OPENAI)) == {}


def test_named_agents_are_asked_in_their_order_each_at_its_tier() -> None:
    made = plan("code_review: {agents: [security, builtin, correctness]}", OPENAI_API_KEY=OPENAI)

    assert list(asked(made)) == ["security", "correctness", "critic"]
    assert [member.seat.tier for member in made.settings.members] == ["standard", "standard"]
    assert made.settings.critic is not None
    assert made.settings.critic.tier == "capable"
    assert made.settings.notes == ()


def test_every_agent_of_the_configuration_can_be_asked() -> None:
    made = plan(f"code_review: {{agents: [{', '.join(BUILTIN_AGENTS)}]}}", OPENAI_API_KEY=OPENAI)

    assert {*asked(made), "builtin"} == {*BUILTIN_AGENTS, "critic"}


def test_the_critic_can_be_left_out() -> None:
    made = plan("code_review: {critic: false}", OPENAI_API_KEY=OPENAI)

    assert list(asked(made)) == ["correctness"]
    assert made.settings.critic is None


def test_a_server_of_ones_own_needs_no_key() -> None:
    content = "models: {standard: openai:llama}"

    assert list(asked(plan(content, DRAFTGATE_LLM_BASE_URL="http://localhost:8080/v1"))) == ["correctness", "critic"]
    nobody = plan("", DRAFTGATE_LLM_BASE_URL="http://localhost:8080/v1")
    assert (asked(nobody), nobody.settings.notes) == (
        {},
        ("No model was asked: there is a base URL for one, and neither a key nor `models.standard`",),
    )


def test_checks_alone_need_no_note_about_a_server_that_is_there() -> None:
    made = plan("code_review: {agents: [builtin]}", DRAFTGATE_LLM_BASE_URL="http://localhost:8080/v1")

    assert made.settings.notes == ()


def test_programs_and_optional_agents_are_said_not_to_be_asked() -> None:
    made = plan(
        "code_review:\n"
        "  agents: [correctness, {name: ruff, command: [ruff], format: sarif}]\n"
        "  optional_agents: [{use: performance}, {use: docs}]\n",
        OPENAI_API_KEY=OPENAI,
    )

    assert list(asked(made)) == ["correctness", "critic"]
    assert [note.partition(";")[0] for note in made.settings.notes] == [
        "Not run: ruff",
        "Not asked: performance, docs",
    ]


# --- Which model -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", DEFAULT_MODELS)
def test_the_default_table_has_a_model_with_a_price_in_every_seat(maker: str) -> None:
    made = plan("code_review: {agents: [correctness]}", **{f"{maker.upper()}_API_KEY": "sk-" + "x" * 20})
    seats = [made.settings.members[0].seat, made.settings.critic]

    assert all(PROVIDERS[name.partition(":")[0]] == maker for name in DEFAULT_MODELS[maker].values())
    for seat in seats:
        assert seat is not None
        assert (seat.price(Usage(input=1_000_000)) or 0) > 0


@pytest.mark.parametrize(
    ("models", "agent", "critic"),
    [
        ("{standard: openai:s}", "openai:s", "openai:s"),
        ("{capable: openai:c}", "openai:c", "openai:c"),
        ("{frontier: openai:f}", "openai:f", "openai:f"),
        ("{standard: openai:s, frontier: openai:f}", "openai:s", "openai:f"),
        ("{standard: openai:s, capable: {model: openai:c}}", "openai:s", "openai:c"),
        ("{capable: openai:c, frontier: openai:f}", "openai:c", "openai:c"),
    ],
    ids=["standard", "capable", "frontier", "no-capable", "both", "no-standard"],
)
def test_a_seat_without_a_model_takes_that_of_the_nearest(models: str, agent: str, critic: str) -> None:
    assert asked(plan(f"models: {models}", OPENAI_API_KEY=OPENAI)) == {"correctness": agent, "critic": critic}


def test_a_model_is_asked_as_it_is_configured() -> None:
    made = plan(
        "models:\n"
        "  standard: {model: openai-responses:o, effort: high, output: native, base_url: https://gateway.example.com/v1}\n"
        "  capable: anthropic:a\n",
        OPENAI_API_KEY=OPENAI,
        ANTHROPIC_API_KEY=ANTHROPIC,
        ANTHROPIC_BASE_URL="https://proxy.example.com",
    )
    one, two = model_of(made.settings.members[0].seat), model_of(made.settings.critic)

    assert (one.name, one.host, one.effort, one.output, one.key) == (
        "openai-responses:o",
        "gateway.example.com",
        "high",
        OutputMode.NATIVE,
        OPENAI,
    )
    assert (two.name, two.host, two.effort, two.output, two.key) == (
        "anthropic:a",
        "proxy.example.com",
        "",
        OutputMode.TOOL,
        ANTHROPIC,
    )


def test_an_address_of_the_configuration_goes_before_that_of_the_environment() -> None:
    made = plan(
        "models: {standard: {model: openai:o, base_url: https://one.example.com/v1}, capable: openai:c}",
        OPENAI_API_KEY=OPENAI,
        DRAFTGATE_LLM_BASE_URL="https://two.example.com/v1",
    )

    assert model_of(made.settings.members[0].seat).host == "one.example.com"
    assert model_of(made.settings.critic).host == "two.example.com"


@pytest.mark.parametrize(
    "content",
    [
        "models: {standard: {model: openai:gpt-6.1-terra, base_url: https://llm.example.com/v1}}",
        "models: {standard: openai:no-such-model}",
    ],
    ids=["another-server", "another-model"],
)
def test_without_a_known_price_there_is_none(content: str) -> None:
    made = plan(content, OPENAI_API_KEY=OPENAI)

    assert made.settings.members[0].seat.price(Usage(input=1_000)) is None


def test_the_settings_of_the_configuration_hold() -> None:
    made = plan(
        "code_review: {praise: true, paths: {private: [secrets/**]}}\n"
        "budgets: {tokens: 1000, usd: 1.5, requests: 7, minutes: 2, wait_s: 9, concurrency: 3}\n",
        OPENAI_API_KEY=OPENAI,
    ).settings

    assert made.allowance == Allowance(tokens=1000, usd=1.5, requests=7, time_s=120, wait_s=9)
    assert (made.at_once, made.praise, made.private, made.fetch) == (3, True, ("secrets/**",), None)


def test_pages_can_be_fetched_where_hosts_are_listed() -> None:
    made = plan("network: {fetch_allow: [docs.example.com]}", OPENAI_API_KEY=OPENAI)

    assert made.settings.fetch is not None


# --- Missing keys ----------------------------------------------------------------------------------------------------

TWO_MAKERS = "code_review: {agents: [correctness]}\nmodels: {standard: openai:o, capable: anthropic:a}\n"


def test_missing_keys_are_all_listed() -> None:
    with pytest.raises(CredentialsMissing) as caught:
        plan(TWO_MAKERS)

    assert caught.value.exit_code == 3
    assert str(caught.value) == "2 problems with the keys for models"
    assert "no new review begins without it" in caught.value.hint
    assert [(problem.key, problem.wrong) for problem in caught.value.problems] == [
        ("models.capable", "there is no key for anthropic:a"),
        ("models.standard", "there is no key for openai:o"),
    ]
    assert "`llm-api-key`" in caught.value.problems[0].write
    assert "DRAFTGATE_LLM_API_KEY or ANTHROPIC_API_KEY" in caught.value.problems[0].write
    assert "DRAFTGATE_LLM_API_KEY or OPENAI_API_KEY" in caught.value.problems[1].write


@pytest.mark.parametrize(
    ("name", "key", "seat"),
    [
        ("OPENAI_API_KEY", OPENAI, "models.capable"),
        ("DRAFTGATE_LLM_API_KEY", OPENAI, "models.capable"),
        ("DRAFTGATE_LLM_API_KEY", ANTHROPIC, "models.standard"),
    ],
    ids=["openais-own", "general-of-openai", "general-of-anthropic"],
)
def test_the_key_of_one_maker_does_not_stand_in_for_that_of_another(name: str, key: str, seat: str) -> None:
    with pytest.raises(CredentialsMissing) as caught:
        plan(TWO_MAKERS, **{name: key})

    assert [problem.key for problem in caught.value.problems] == [seat]


def test_a_seat_that_nobody_takes_needs_no_key() -> None:
    content = TWO_MAKERS.replace("agents: [correctness]", "agents: [correctness], critic: false")

    assert list(asked(plan(content, OPENAI_API_KEY=OPENAI))) == ["correctness"]


def test_a_run_that_is_never_given_a_key_goes_on_and_says_so() -> None:
    made = plan(TWO_MAKERS, without_key_is_fine=True)

    assert (asked(made), made.identity) == ({}, ())
    assert made.settings.notes == ("limited: correctness not asked, since this run is given no key for a model",)


def test_a_run_that_may_go_without_a_key_asks_where_there_is_one() -> None:
    made = plan("code_review: {agents: [correctness]}", without_key_is_fine=True, OPENAI_API_KEY=OPENAI)

    assert list(asked(made)) == ["correctness", "critic"]


# --- What identifies a plan, and what is never printed ---------------------------------------------------------------


def test_whoever_answers_decides_about_the_identity_and_the_key_does_not() -> None:
    one = plan(OPENAI_API_KEY=OPENAI).identity

    assert plan(OPENAI_API_KEY="sk-proj-" + "p" * 20).identity == one
    others = [
        plan("code_review: {agents: [security]}", OPENAI_API_KEY=OPENAI),
        plan("code_review: {critic: false}", OPENAI_API_KEY=OPENAI),
        plan("models: {standard: openai:o}", OPENAI_API_KEY=OPENAI),
        plan(OPENAI_API_KEY=OPENAI, OPENAI_BASE_URL="https://llm.example.com"),
        plan(ANTHROPIC_API_KEY=ANTHROPIC),
    ]
    assert len({one, *(other.identity for other in others)}) == 1 + len(others)


def test_the_key_is_in_nothing_that_is_printed() -> None:
    made = plan(TWO_MAKERS, OPENAI_API_KEY=OPENAI, ANTHROPIC_API_KEY=ANTHROPIC)
    settings = made.settings
    things = (
        made,
        settings,
        settings.critic,
        *settings.members,
        *(seat.model for seat in (settings.members[0].seat, settings.critic) if seat),
        dataclasses.asdict(settings.allowance),
    )

    assert all(OPENAI not in repr(thing) and ANTHROPIC not in repr(thing) for thing in things)
