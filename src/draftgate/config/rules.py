"""Rules that look at more than one key, or at names that only the program knows.

They run on settings whose single values are right; a rule yields complaints and never stops at the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from draftgate.config.complaints import Complaint, Path, nearest, shorten
from draftgate.config.default_models import PROVIDERS
from draftgate.config.model import BUILTIN_AGENTS, CommandAgent, Config, Models, ModelSettings, Who


@dataclass(frozen=True, slots=True)
class Known:
    """What the rules compare names with.

    Attributes:
        check_ids: The ids of the built-in checks.
        always_on: Those that cannot be switched off.
        file_exists: Whether a path is a file where the settings come from; ``None`` if that is not known.
        languages: Those that fixed sentences are spoken in; none if that is not known.
        forge: The one that this run is on; "" in a terminal, where every change is a local one.
    """

    check_ids: frozenset[str]
    always_on: frozenset[str] = frozenset()
    file_exists: Callable[[str], bool] | None = None
    languages: frozenset[str] = frozenset()
    forge: str = ""


def judge(config: Config, known: Known, other_agents: tuple[str, ...] = ()) -> Iterator[Complaint]:
    """Everything that does not fit together.

    Args:
        config: Settings whose single values are right.
        known: What their names are compared with.
        other_agents: The names of agents that are defined, and left out of ``config`` since they are wrong.
    """
    yield from _unknown_checks(config, known)
    yield from _switched_off(config, known)
    yield from _unknown_providers(config)
    own = (*_own_agents(config), *other_agents)
    yield from _agents(config, own)
    yield from _agents_by_name(config, own)
    yield from _nobody_approves(config)
    yield from _waits_longer_than_it_runs(config)
    yield from _another_forge(config, known)
    yield from _unspoken_language(config, known)
    yield from _unreachable_files(config, known)


def _another_forge(config: Config, known: Known) -> Iterator[Complaint]:
    if known.forge and config.forge not in {"auto", known.forge}:
        wrong = f"the file is for {config.forge}, and this run is on {known.forge}"
        yield Complaint(("forge",), wrong, f"write `forge: auto` or `forge: {known.forge}`")


def _unspoken_language(config: Config, known: Known) -> Iterator[Complaint]:
    """A region (``pt-BR``) may be named; the language alone counts."""
    primary = config.language.replace("_", "-").partition("-")[0].lower()
    if known.languages and primary not in known.languages:
        yield _no_such("language", ("language",), config.language, tuple(sorted(known.languages)))


def _unknown_checks(config: Config, known: Known) -> Iterator[Complaint]:
    for check in config.checks:
        if check not in known.check_ids:
            yield _no_such("check", ("checks", check), check, tuple(sorted(known.check_ids)), at_key=True)


def _switched_off(config: Config, known: Known) -> Iterator[Complaint]:
    for check in known.always_on & config.checks.keys():
        settings = config.checks[check]
        wrong = "the impact analysis cannot be switched off"
        if settings.enabled is False:
            yield Complaint(("checks", check, "enabled"), wrong, "delete the key")
        if settings.paths.exclude:
            yield Complaint(("checks", check, "paths", "exclude"), wrong, "delete the key")


def _unknown_providers(config: Config) -> Iterator[Complaint]:
    for tier in Models.model_fields:
        model = getattr(config.models, tier)
        name = model.model if isinstance(model, ModelSettings) else model
        path: Path = ("models", tier, "model") if isinstance(model, ModelSettings) else ("models", tier)
        provider = None if name is None else name.partition(":")[0]
        if provider is not None and provider not in PROVIDERS:
            yield _no_such("provider", path, provider, tuple(PROVIDERS))


def _agents(config: Config, own: tuple[str, ...]) -> Iterator[Complaint]:
    names = (*BUILTIN_AGENTS, *own)
    seen: set[str] = set()
    for index, agent in enumerate(config.code_review.agents or ()):
        path: Path = ("code_review", "agents", index)
        if isinstance(agent, CommandAgent):
            name, path, taken = agent.name, (*path, "name"), {*seen, *BUILTIN_AGENTS}
        else:
            name, taken = agent, seen
        if name in taken:
            yield Complaint(path, f"the agent name '{shorten(name)}' is taken", "give each agent its own name")
        elif name not in names:
            yield _no_such("agent", path, name, names)
        seen.add(name)


def _agents_by_name(config: Config, own: tuple[str, ...]) -> Iterator[Complaint]:
    review = config.code_review
    names = (*BUILTIN_AGENTS, *own)
    always = {*own, *(agent for agent in review.agents or () if isinstance(agent, str))}
    for index, optional in enumerate(review.optional_agents):
        path = ("code_review", "optional_agents", index, "use")
        if optional.use not in names:
            yield _no_such("agent", path, optional.use, names)
        elif optional.use in always:
            yield Complaint(path, f"the agent '{shorten(optional.use)}' always runs", "delete one of the two")
    if review.impact_analysis is not None and review.impact_analysis not in names:
        yield _no_such("agent", ("code_review", "impact_analysis"), review.impact_analysis, names)


def _own_agents(config: Config) -> tuple[str, ...]:
    return tuple(agent.name for agent in config.code_review.agents or () if isinstance(agent, CommandAgent))


def _nobody_approves(config: Config) -> Iterator[Complaint]:
    who = config.approval.who
    if isinstance(who, Who) and not (who.users or who.teams or who.codeowners):
        yield Complaint(("approval", "who"), "nobody may approve", "name users or teams, or write `codeowners: true`")


def _waits_longer_than_it_runs(config: Config) -> Iterator[Complaint]:
    budgets = config.budgets
    if budgets.wait_s > budgets.minutes * 60:
        wrong = f"a wait of {budgets.wait_s} seconds is longer than the whole run of {budgets.minutes * 60} seconds"
        yield Complaint(("budgets", "wait_s"), wrong, "wait less, or raise `minutes`")


def _unreachable_files(config: Config, known: Known) -> Iterator[Complaint]:
    review = config.code_review
    files: tuple[tuple[Path, str | None], ...] = (
        (("code_review", "instructions"), review.instructions),
        (("code_review", "evaluation", "prompt"), review.evaluation.prompt if review.evaluation else None),
        (("commits", "writer"), config.commits.writer),
    )
    for path, file in files:
        if file is not None and known.file_exists is not None and not known.file_exists(file):
            yield Complaint(path, f"there is no file '{shorten(file)}'", "write its path from the repository's root")


def _no_such(kind: str, path: Path, name: str, known: tuple[str, ...], *, at_key: bool = False) -> Complaint:
    meant = nearest(name, known)
    write = f"did you mean `{meant}`?" if meant else f"write one of: {', '.join(known)}"
    return Complaint(path, f"there is no {kind} '{shorten(name)}'", write, at_key)
