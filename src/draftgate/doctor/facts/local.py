"""The machine, the clone and the configuration, as they were found."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.doctor.seen import Fact
from draftgate.errors import Problem


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository in a folder.

    Attributes:
        root: Its top folder.
        is_shallow: Its history is cut off.
        is_partial: It lacks files of its commits, which a clone with ``--filter`` leaves at the server.
        default_branch: As it is called here (``origin/main``); "" if none is known.
        has_merge_base: Whether HEAD and that branch have a commit in common; ``False`` where there is no such branch.
    """

    root: str
    is_shallow: bool
    is_partial: bool
    default_branch: str
    has_merge_base: bool


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration in force here.

    Attributes:
        file: Its path; "" if there is none.
        has_looked: Whether there was a work tree to look for one.
        problems: Everything wrong with it; empty if it is in force.
        warnings: What stops nothing.
        without_effect: Keys that are set and that this release does not heed.
    """

    file: str
    has_looked: bool
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    without_effect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The measure of a key, which is all that is kept of it."""

    length: int
    different: int


@dataclass(frozen=True, slots=True)
class State:
    """What ``.draftgate/`` holds.

    Attributes:
        sessions: That can be read; 0 where there is no such folder.
        trouble: Why it cannot be read; "" if it can.
        hint: What to do then.
    """

    sessions: int
    trouble: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class LocalFacts:
    """All of it.

    Attributes:
        python: Of the interpreter: ``3.12.4``.
        version: Of Draftgate.
        git: The version of git.
        clone: The repository; not seen where there is none.
        clone_hint: What to do about that.
        settings: The configuration; not seen without a repository.
        signing_key: ``None`` where none was given.
        key_trouble: Why what was given cannot be a key; "" if it can.
        state: Not seen without a repository.
        forge: The repository on a forge that is looked at; not seen where there is none.
        forge_hint: How to name one; "" where there need be none.
        origin_has_password: The address of ``origin`` holds one.
        is_job: This is a CI job.
    """

    python: str
    version: str
    git: Fact[str]
    git_hint: str
    clone: Fact[Clone]
    clone_hint: str
    settings: Fact[Settings]
    signing_key: SigningKey | None
    key_trouble: str
    state: Fact[State]
    forge: Fact[str]
    forge_hint: str
    origin_has_password: bool
    is_job: bool
