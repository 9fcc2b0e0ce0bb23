"""Joins agents, models and bounds: who is asked in a review, by the configuration and by the keys that are there.

The only place that names the wire formats. Nothing is asked of a provider here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import sleep
from typing import TYPE_CHECKING

from draftgate.agents.ask import Seat
from draftgate.agents.budget import Allowance
from draftgate.agents.crew import Member
from draftgate.agents.prompt import TIERS, Prompt, load_prompts
from draftgate.bootstrap.model_access import KEY_NAMES, OWN_KEY_NAMES, ModelAccess
from draftgate.config.default_models import DEFAULT_MODELS, PROVIDERS
from draftgate.config.model import CommandAgent, Config, ModelSettings
from draftgate.domain.agent_run import CRITIC
from draftgate.errors import CredentialsMissing, Problem
from draftgate.llm import prices
from draftgate.llm.base import OutputMode, Usage
from draftgate.pipeline.request import AgentSettings

if TYPE_CHECKING:
    from draftgate.llm.conversation import HttpModel

BY_DEFAULT = ("correctness",)
"""The agents that are asked where the configuration names none and a key is there."""

_CHECKS_ALONE = "builtin"


@dataclass(frozen=True, slots=True)
class Plan:
    """Who is asked.

    Attributes:
        settings: For the pipeline.
        identity: What decides about the answers: names, models, efforts, addresses; never a key.
    """

    settings: AgentSettings
    identity: tuple[tuple[str, ...], ...]


def plan_agents(
    config: Config, access: ModelAccess, hide: Callable[[str], str], *, without_key_is_fine: bool = False
) -> Plan:
    """Who is asked in a review.

    Args:
        config: In force.
        access: The keys.
        hide: Takes keys out of a text.
        without_key_is_fine: A missing key leaves the agents out and says so, for runs that are never given one.

    Raises:
        CredentialsMissing: the configuration names agents, and there is no key for their models.
    """
    names = tuple(_names(config, access))
    prompts = tuple(prompt for prompt in load_prompts() if prompt.name in names)
    notes = tuple(_notes(config, access, names))
    if not prompts:
        return Plan(AgentSettings(notes=notes), ())
    chosen = _choose(config, access)
    tiers = {prompt.tier for prompt in prompts} | ({"capable"} if config.code_review.critic else set())
    problems = tuple(_missing_keys(chosen, access, sorted(tiers)))
    if problems and without_key_is_fine:
        left_out = f"limited: {', '.join(names)} not asked, since this run is given no key for a model"
        return Plan(AgentSettings(notes=(*notes, left_out)), ())
    if problems:
        raise CredentialsMissing(problems)
    return _plan(config, access, hide, prompts, notes)


def _plan(
    config: Config, access: ModelAccess, hide: Callable[[str], str], prompts: tuple[Prompt, ...], notes: tuple[str, ...]
) -> Plan:
    chosen = _choose(config, access)
    seats = {tier: _seat(tier, chosen[tier], access, hide) for tier in TIERS}
    order = {name: index for index, name in enumerate(_names(config, access))}
    members = [Member(prompt, seats[prompt.tier]) for prompt in sorted(prompts, key=lambda each: order[each.name])]
    critic = seats["capable"] if config.code_review.critic else None
    budgets = config.budgets
    settings = AgentSettings(
        members=tuple(members),
        critic=critic,
        allowance=Allowance(
            tokens=budgets.tokens,
            usd=budgets.usd,
            requests=budgets.requests,
            time_s=budgets.minutes * 60,
            wait_s=budgets.wait_s,
        ),
        at_once=budgets.concurrency,
        praise=config.code_review.praise,
        private=config.code_review.paths.private,
        fetch=_fetch(config, access),
        notes=notes,
    )
    asked = [(member.prompt.name, member.seat) for member in members] + ([(CRITIC, critic)] if critic else [])
    return Plan(settings, tuple((name, seat.model.name, seat.model.effort, seat.model.host) for name, seat in asked))


def open_models(config: Config, access: ModelAccess, hide: Callable[[str], str]) -> tuple[HttpModel, ...]:
    """The models that a review would ask, each once; nothing is sent. `plan_agents` says whether there are any."""
    names = tuple(_names(config, access))
    tiers = {prompt.tier for prompt in load_prompts() if prompt.name in names}
    tiers |= {"capable"} if config.code_review.critic else set()
    chosen = _choose(config, access)
    models = (_model(chosen[tier], access, hide) for tier in sorted(tiers))
    return tuple({(model.name, model.address): model for model in models}.values())


def _names(config: Config, access: ModelAccess) -> Iterator[str]:
    agents = config.code_review.agents
    if agents is None:
        yield from BY_DEFAULT if access.is_there or (access.base_url and config.models.standard) else ()
        return
    yield from (agent for agent in agents if isinstance(agent, str) and agent != _CHECKS_ALONE)


def _notes(config: Config, access: ModelAccess, names: tuple[str, ...]) -> Iterator[str]:
    """What the configuration names and this release does not run, and how more can be had."""
    review = config.code_review
    programs = [agent.name for agent in review.agents or () if isinstance(agent, CommandAgent)]
    if programs:
        yield f"Not run: {', '.join(programs)}; programs as agents are not in this release"
    if review.optional_agents:
        optional = ", ".join(agent.use for agent in review.optional_agents)
        yield f"Not asked: {optional}; optional agents are not in this release, those under `agents` are always asked"
    if review.agents is None and names:
        others = ", ".join(prompt.name for prompt in load_prompts() if prompt.name not in names)
        yield f"By default {', '.join(names)} alone was asked; `code_review.agents` can add {others}"
    if review.agents is None and not names and access.base_url:
        yield "No model was asked: there is a base URL for one, and neither a key nor `models.standard`"


def _choose(config: Config, access: ModelAccess) -> dict[str, ModelSettings]:
    """The model of each seat; one that is not configured takes that of the nearest seat that is."""
    configured = {tier: model for tier in TIERS if (model := getattr(config.models, tier)) is not None}
    if not configured:
        return {tier: ModelSettings(model=name) for tier, name in DEFAULT_MODELS[access.preferred].items()}
    nearest = {tier: next(configured[other] for other in _from_nearest(tier) if other in configured) for tier in TIERS}
    return {
        tier: model if isinstance(model, ModelSettings) else ModelSettings(model=model)
        for tier, model in nearest.items()
    }


def _from_nearest(tier: str) -> list[str]:
    return sorted(TIERS, key=lambda other: (abs(TIERS.index(other) - TIERS.index(tier)), -TIERS.index(other)))


def _missing_keys(chosen: dict[str, ModelSettings], access: ModelAccess, tiers: list[str]) -> Iterator[Problem]:
    for tier in tiers:
        settings = chosen[tier]
        maker = PROVIDERS[settings.model.partition(":")[0]]
        base_url = settings.base_url or access.base_url_for(maker)
        if not access.key_for(maker, base_url) and not base_url:
            names = f"{KEY_NAMES[1]} or {OWN_KEY_NAMES[maker]}"
            wrong = f"there is no key for {settings.model}"
            write = (
                f"set {names} (or the action's `llm-api-key`); `agents: [builtin]` or `--agents builtin` asks nobody"
            )
            yield Problem("environment", None, None, f"models.{tier}", wrong, write)


def _seat(tier: str, settings: ModelSettings, access: ModelAccess, hide: Callable[[str], str]) -> Seat:
    model = _model(settings, access, hide)
    return Seat(tier, model, partial(_price, model.model, model.base_url or model.wire.base_url))


def _model(settings: ModelSettings, access: ModelAccess, hide: Callable[[str], str]) -> HttpModel:
    from draftgate.llm import anthropic, openai_chat, openai_responses  # noqa: PLC0415 - only where a model is asked
    from draftgate.llm.conversation import HttpModel  # noqa: PLC0415 - it loads the HTTP library
    from draftgate.llm.http import Http  # noqa: PLC0415 - the same

    wires = {"openai": openai_chat.WIRE, "openai-responses": openai_responses.WIRE, "anthropic": anthropic.WIRE}
    provider, _, name = settings.model.partition(":")
    maker = PROVIDERS[provider]
    base_url = settings.base_url or access.base_url_for(maker)
    return HttpModel(
        wire=wires[provider],
        provider=provider,
        model=name,
        base_url=base_url,
        key=access.key_for(maker, base_url),
        effort=settings.effort or "",
        output=OutputMode(settings.output or "tool"),
        hide=hide,
        http=Http(sleep, access.ca_file),
    )


def _price(model: str, base_url: str, usage: Usage) -> float | None:
    price = prices.price(model, base_url, usage)
    return None if price is None else float(price)


def _fetch(config: Config, access: ModelAccess) -> Callable[[str], str] | None:
    if not config.network.fetch_allow:
        return None
    from draftgate.agents.tools.fetch import Fetcher  # noqa: PLC0415 - it loads the HTTP library

    return Fetcher(config.network.fetch_allow, ca_file=access.ca_file).fetch
