"""Looks at the machine, the clone and the configuration: git is started, nothing is written, no server is asked."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from draftgate import __version__
from draftgate.bootstrap.configuration import known_names, load_configuration
from draftgate.bootstrap.doctor.wanted import Wanted
from draftgate.config.load import CANDIDATE_PATHS, Loaded, load
from draftgate.config.show import without_effect
from draftgate.doctor.facts.local import Clone, LocalFacts, Settings, SigningKey, State
from draftgate.doctor.seen import Fact, seen, unseen
from draftgate.errors import ConfigurationError, DraftgateError, Problem, UsageError
from draftgate.forge.local.folder import StateFolder
from draftgate.forge.local.forge import list_sessions
from draftgate.git.repository import Repository, check_version
from draftgate.git.run import Git
from draftgate.git.status import tracks_state


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found, for the areas that build on it.

    Attributes:
        repository: ``None`` where there is none.
        loaded: The configuration; ``None`` where it is broken.
    """

    facts: LocalFacts
    repository: Repository | None
    loaded: Loaded | None


def look_around(wanted: Wanted) -> Surroundings:
    """What there is on this machine."""
    git, git_hint = _look_at_git(wanted)
    repository, why_none, hint = _open(wanted)
    settings, loaded = _look_at_settings(wanted, repository)
    facts = LocalFacts(
        python=platform.python_version(),
        version=__version__,
        git=git,
        git_hint=git_hint,
        clone=unseen(why_none) if repository is None else _look_at_clone(repository),
        clone_hint=hint,
        settings=settings,
        signing_key=_measure(wanted.signing_key),
        key_trouble=wanted.key_trouble,
        state=unseen(why_none) if repository is None else seen(_look_at_state(repository)),
        forge=_look_at_place(wanted),
        forge_hint=wanted.place_hint,
        origin_has_password=wanted.origin_has_password,
        is_job=wanted.is_job,
    )
    return Surroundings(facts, repository, loaded)


def _look_at_place(wanted: Wanted) -> Fact[str]:
    place = wanted.place
    return unseen(wanted.no_place) if place is None else seen(f"{place.repository} on {place.server_url}")


def _look_at_git(wanted: Wanted) -> tuple[Fact[str], str]:
    try:
        return seen(check_version(Git.hardened(wanted.environment))), ""
    except DraftgateError as error:
        return unseen(error.message), error.hint


def _open(wanted: Wanted) -> tuple[Repository | None, str, str]:
    try:
        return Repository.open(wanted.folder, wanted.environment), "", ""
    except DraftgateError as error:
        return None, error.message, error.hint


def _look_at_clone(repository: Repository) -> Fact[Clone]:
    try:
        branch = repository.default_branch()
        meets = branch is not None and bool(
            repository.merge_bases(repository.resolve("HEAD"), repository.resolve(branch.ref))
        )
    except DraftgateError as error:
        return unseen(error.message)
    return seen(
        Clone(
            root=str(repository.root),
            is_shallow=repository.is_shallow,
            is_partial=repository.is_partial,
            default_branch="" if branch is None else branch.label,
            has_merge_base=meets,
        )
    )


def _look_at_settings(wanted: Wanted, repository: Repository | None) -> tuple[Fact[Settings], Loaded | None]:
    file, has_looked = _file(wanted, repository), repository is not None
    try:
        loaded = _load(wanted, repository)
    except ConfigurationError as error:
        return seen(Settings(file, has_looked, error.problems)), None
    except UsageError as error:
        problem = Problem(error.context or file or "the configuration", None, None, "", error.message, error.hint)
        return seen(Settings(file, has_looked, (problem,))), None
    if repository is None and not wanted.is_job:
        return unseen("there is no repository here, so that no file was looked for"), loaded
    return seen(Settings(file, has_looked, (), loaded.warnings, without_effect(loaded))), loaded


def _load(wanted: Wanted, repository: Repository | None) -> Loaded:
    if repository is None:  # a job has its inputs and variables all the same
        return load(None, environment=wanted.environment, known=known_names(), inputs=wanted.inputs)
    path = wanted.config_path and str(repository.root / wanted.config_path)
    return load_configuration(repository.root, wanted.environment, path=path or None, overrides=dict(wanted.inputs))


def _file(wanted: Wanted, repository: Repository | None) -> str:
    if wanted.config_path or repository is None:
        return wanted.config_path
    return next((name for name in CANDIDATE_PATHS if (Path(repository.root) / name).is_file()), "")


def _look_at_state(repository: Repository) -> State:
    folder = StateFolder(repository.root)
    try:
        if folder.exists() and tracks_state(repository):
            hint = "take it out with `git rm -r --cached .draftgate` and a commit, and remove the folder"
            return State(0, "it is part of a commit, so that its content came with a change", hint)
        return State(len(list_sessions(folder)))
    except DraftgateError as error:
        return State(0, str(error), error.hint)


def _measure(key: str) -> SigningKey | None:
    return SigningKey(len(key), len(set(key))) if key else None
