"""What the crash suite needs of a simulated forge: a world with one change, the acts of people, and what stands there.

Flows and assertions know these values alone. What forges differ in is data of a `Forge`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import RLock
from typing import Any, Protocol

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.domain.event import Event
from draftgate.domain.outcome import RunOutcome
from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import RequestLog
from tests.fakes.github_run import Ran
from tests.git_builder import Content, Repo


@dataclass(frozen=True)
class Remark:
    """A text with its author.

    Attributes:
        is_bots: An account of a program wrote it.
        reactions: The bots' ones.
        is_minimized: Readers do not see it any more, and why; ``None`` if they do.
    """

    id: int
    author: str
    is_bots: bool
    body: str
    reactions: tuple[str, ...] = ()
    is_minimized: str | None = None


@dataclass(frozen=True)
class Placed:
    """A remark in a review: where it stands, as the forge says it, and what it is on."""

    remark: Remark
    place: tuple[str, ...]


@dataclass(frozen=True)
class Review:
    """A review, or a draft of one.

    Attributes:
        remark: Its body; on GitLab the note that sums it up, and without one nothing at all.
        verdict: As it was given, in the words of the commands.
        state: As it is now, in the forge's words.
        commit: What it is about.
    """

    remark: Remark
    verdict: str
    state: str
    commit: str
    comments: tuple[Placed, ...] = ()


@dataclass(frozen=True)
class Status:
    """The last word about a round beside the conversation: a check run or a commit status.

    Attributes:
        title: Its words, as far as the forges share them.
        shown: All that readers see of it.
        seal: What it says of the seal of its round.
        is_seal_cut: There is room for the beginning of the seal alone.
    """

    name: str
    commit: str
    title: str
    shown: tuple[str, ...]
    seal: str
    is_seal_cut: bool = False


@dataclass(frozen=True)
class Seen:
    """Everything on a change that the bot may have to do with.

    Attributes:
        comments: At the top level, reviews apart.
        loose: Findings that are public and belong to no review.
        statuses: The newest of each name and commit, oldest first.
        beside: What else must end alike, as the forge has it.
        leaks: What texts of the bot made the forge do.
    """

    comments: tuple[Remark, ...]
    reviews: tuple[Review, ...]
    drafts: tuple[Review, ...]
    statuses: tuple[Status, ...]
    loose: tuple[Placed, ...] = ()
    beside: Mapping[str, object] = field(default_factory=dict)
    leaks: tuple[str, ...] = ()


class Simulator(Protocol):
    """A running simulator of either forge."""

    world: Any
    faults: FaultPlan
    log: RequestLog
    lock: RLock
    violations: list[str]


class World(Protocol):
    """One simulated forge with one change; a deep copy of it is another one, over the same repositories."""

    @property
    def number(self) -> int:
        """Of the change."""

    @property
    def head(self) -> str:
        """The head of the change now."""

    @property
    def clock(self) -> Any:  # noqa: ANN401 - either simulator's world
        """What the simulator serves; it has the time."""

    def put_back(self) -> None:
        """Let the repositories say what the world says."""

    def say(self, text: str, login: str) -> Remark:
        """Somebody writes a comment."""

    def edit(self, remark: Remark, text: str, login: str) -> None:
        """Somebody changes one."""

    def delete(self, remark: Remark, login: str) -> None:
        """Somebody deletes one."""

    def push(self, files: Mapping[str, Content]) -> str:
        """The author moves the head."""

    def close(self) -> None:
        """The change is closed."""

    def lose_draft(self) -> None:
        """What the bot holds for later is gone."""

    def seen(self) -> Seen:
        """What stands there."""

    def hosted(self, event: Event, job: Job) -> HostedRun:
        """A run for an event, as the platform would hand it over."""


@dataclass(frozen=True)
class Job:
    """What a run has of its own.

    Attributes:
        simulator: The one that it asks.
        is_signed: It has a signing key.
    """

    simulator: Any
    temp: Path
    settings: Mapping[str, str]
    environment: Mapping[str, str]
    is_signed: bool


@dataclass(frozen=True)
class Opening:
    """How a world begins.

    Attributes:
        may_approve: The bot may.
        traits: What else is particular about the world, in the forge's own words.
    """

    source: Repo
    may_approve: bool = True
    traits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Forge:
    """A forge.

    Attributes:
        transport: The name of the logger that says what was asked, right after the answer.
        edits: The verb that a comment is edited with.
        handle: The composition.
        open: Makes a world in a folder.
        serve: Runs it.
        run_process: Lets a process of the program handle an event of this world; told its id as it starts.
        many: Of how many functions the change with many findings is made.
        needs_key_just_in_time: Runs that hold no draft need a signing key.
        gets_over: Writes whose refusal does not end a run, with the reason: a pattern of the request.
        forgets: Flows in which a run can be cut off where nothing vouches any more for what earlier rounds decided,
            with the reason: the next one begins anew then, in a checkpoint of its own.
    """

    name: str
    transport: str
    edits: str
    handle: Callable[[HostedRun, Clocks], RunOutcome]
    open: Callable[[Path, Opening], World]
    serve: Callable[[World], AbstractContextManager[Any]]
    run_process: Callable[[World, Any, Path, Event, Callable[[int], object]], Ran]
    many: int
    needs_key_just_in_time: bool = False
    gets_over: Mapping[str, str] = field(default_factory=dict)
    forgets: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.name


def wait(clock: Any, time: timedelta) -> None:  # noqa: ANN401 - either simulator's world
    """Let time pass at a forge."""
    clock.step, step = time, clock.step
    clock.tick()
    clock.step = step
