"""Asks the servers of the models that a review would ask for their lists: no prompt, no token spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from draftgate.bootstrap.doctor.wanted import Wanted
from draftgate.bootstrap.model_access import ModelAccess, read_access
from draftgate.bootstrap.models import open_models, plan_agents
from draftgate.config.key_shapes import hider
from draftgate.config.model import Config
from draftgate.doctor.base import Area
from draftgate.doctor.examine import Section, examine
from draftgate.doctor.facts.models import ModelFacts, Server
from draftgate.doctor.seen import Stop, seen, unseen
from draftgate.domain.agent_run import CRITIC
from draftgate.errors import CredentialsMissing, DraftgateError, Problem, UsageError
from draftgate.llm.base import Limits, ModelError, NothingThere
from draftgate.llm.conversation import HttpModel

_WAIT_S = 0.0
"""One request to each server, and no second one."""


def examine_models(wanted: Wanted, config: Config) -> tuple[Section, int]:
    """What there is to say about models, and how many requests that took."""
    asked = _Asked(wanted.timeout_s)
    facts = _facts(wanted, config, asked)
    return examine(Area.MODEL, ", ".join(asked.hosts) or "no server is asked", facts), asked.requests


@dataclass(slots=True)
class _Asked:
    """What was asked so far."""

    timeout_s: int
    requests: int = 0
    hosts: list[str] = field(default_factory=list)


def _facts(wanted: Wanted, config: Config, asked: _Asked) -> ModelFacts:
    try:
        access = read_access(wanted.environment)
        hide = hider(wanted.environment)
        plan = plan_agents(config, access, hide)
    except CredentialsMissing as missing:
        return ModelFacts((), has_key=False, missing=missing.problems, servers=unseen("there is no key"))
    except UsageError as error:
        problem = Problem("environment", None, None, error.context, error.message, error.hint)
        return ModelFacts((), has_key=True, missing=(problem,), servers=unseen("the key cannot be used"))
    names = [member.prompt.name for member in plan.settings.members]
    agents = (*names, CRITIC) if plan.settings.critic is not None else tuple(names)
    has_key = access.is_there or bool(access.base_url)
    if not agents:
        return ModelFacts((), has_key=has_key, missing=(), servers=seen(()), notes=plan.settings.notes)
    if not wanted.asks_models:
        not_asked = unseen("no model's server was asked, because of `--no-model`")
        return ModelFacts(agents, has_key=has_key, missing=(), servers=not_asked, notes=plan.settings.notes)
    servers = _ask_all(config, access, hide, asked)
    return ModelFacts(agents, has_key=has_key, missing=(), servers=seen(servers), notes=plan.settings.notes)


def _ask_all(config: Config, access: ModelAccess, hide: Callable[[str], str], asked: _Asked) -> tuple[Server, ...]:
    """One list for each address; models of one address share it."""
    by_address: dict[tuple[str, str], list[HttpModel]] = {}
    for model in open_models(config, access, hide):
        by_address.setdefault((model.wire.catalogue(model.address), model.key), []).append(model)
    return tuple(_ask(models, asked) for models in by_address.values())


def _ask(models: list[HttpModel], asked: _Asked) -> Server:
    first = models[0]
    names = {model.name: model.model for model in models}
    asked.hosts.append(first.host)
    asked.requests += 1
    listed, stop, is_absent = unseen("it did not say"), None, False
    try:
        listed = seen(first.list_models(Limits(0, asked.timeout_s, _WAIT_S)))
    except ModelError as error:
        stop, is_absent = _stop(error), isinstance(error, NothingThere)
    return Server(first.host, tuple(names), tuple(names.values()), listed, stop, is_absent)


def _stop(error: DraftgateError) -> Stop:
    return Stop(error.message, error.hint, error.exit_code)
