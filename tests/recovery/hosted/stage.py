"""One change on a simulated forge, and runs of the program on it that are disturbed at a chosen write.

The world is kept as it was before a flow and put back as often as a test asks. A run is the composition itself, in
this process, so that hundreds of them take seconds; nothing of a run is left for the next but what the forge holds.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.domain.change import CommitSha
from draftgate.domain.event import CommentMade, Event, ReviewAsked
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.people import Person
from draftgate.errors import DraftgateError
from tests.fakes.forge_http.faults import CLOSE, FaultPlan
from tests.fakes.forge_http.log import LogEntry, RequestLog
from tests.fakes.llm.server import FakeModel
from tests.flawed_change import WELCOME_FIXED
from tests.git_builder import Content, git_environment
from tests.recovery.hosted import forge as forges
from tests.recovery.hosted.forge import Forge, Job, Remark, Seen, Simulator, World

DIED = -9


class How(StrEnum):
    """What goes wrong at a write."""

    REFUSED_ONCE = "refused once"
    REFUSED = "refused until the run gives up"
    LOST = "done, and the answer lost"
    HUNG_UP = "done, and the connection closed"
    CUT_OFF = "done, and nothing gets through from then on"
    DEAD = "done, and the run dead right after"


@dataclass(frozen=True, slots=True)
class Stop:
    """A write, counted from 0, and what goes wrong there.

    Attributes:
        request: The same write, counted among all requests of the undisturbed run.
    """

    write: int
    request: int
    how: How


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended.

    Attributes:
        code: The exit code; `DIED` if it died.
        said: The sentence for the log, or the error.
        log: Its requests.
    """

    code: int
    said: str
    log: tuple[LogEntry, ...] = field(repr=False)

    def stops(self, how: How) -> Iterator[Stop]:
        """A stop at each of its writes."""
        places = [place for place, entry in enumerate(self.log) if entry.is_write]
        return (Stop(write, place, how) for write, place in enumerate(places))

    def write(self, stop: Stop) -> str:
        """The write that a stop is at."""
        return self.log[stop.request].line


class Stage:
    """One change, its simulator, and the runs on it.

    Args:
        forge: Where it is.
        world: As it is before the flow is prepared.
        simulator: Serves it.
        temp: The folder of the jobs.
        settings: Of the configuration, by dotted key.
        is_signed: The runs have a signing key.
        model: Asked by the agents; nobody is if there is none.

    Attributes:
        world: As it is now.
        event: What begins the flow.
    """

    event: Event

    def __init__(
        self,
        forge: Forge,
        world: World,
        simulator: Simulator,
        temp: Path,
        settings: Mapping[str, str],
        *,
        is_signed: bool = False,
        model: FakeModel | None = None,
    ) -> None:
        self.forge = forge
        self.world = world
        self.simulator = simulator
        self._temp = temp
        self._settings = settings
        self._is_signed = is_signed
        self._kept = world
        self.model = model

    @property
    def seen(self) -> Seen:
        """What stands there now."""
        return self.world.seen()

    def keep(self, event: Event) -> None:
        """The flow begins here, with this event; `begin` puts everything back to it."""
        self.event = event
        self._kept = self.world
        self.begin()

    def begin(self) -> None:
        """Put the world back to where it was kept, with nothing wrong."""
        self.world = copy.deepcopy(self._kept)
        self.world.put_back()
        self.simulator.world = self.world.clock
        self.simulator.faults.clear()
        self.simulator.log.clear()

    def say(self, text: str, login: str = "maintainer") -> CommentMade:
        """Write a comment; returns its event."""
        made = self.world.say(text, login)
        return comment_event(self.world.number, made)

    def push(self, files: Mapping[str, Content] = WELCOME_FIXED) -> ReviewAsked:
        """Move the head; returns the event."""
        return ReviewAsked(self.world.number, CommitSha(self.world.push(files)))

    def wait(self, time: timedelta) -> None:
        """Let time pass at the forge."""
        forges.wait(self.world.clock, time)

    def opened(self) -> ReviewAsked:
        """The event of a change that was opened."""
        return ReviewAsked(self.world.number)

    def run(self, event: Event, stop: Stop | None = None) -> Ran:
        """Handle an event in a run of its own, undisturbed or stopped once, and then with nothing wrong any more."""
        if stop is not None:
            _set_faults(self.simulator.faults, stop)
        dies_at = len(self.simulator.log) + stop.request if stop is not None and stop.how is How.DEAD else None
        with _dying(logging.getLogger(self.forge.transport), self.simulator.log, dies_at):
            ran = self.handle(event)
        self.simulator.faults.clear()
        return ran

    def handle(self, event: Event, in_wait: Callable[[], object] = lambda: None) -> Ran:
        """Handle an event, whatever is wrong; ``in_wait`` happens when the run waits for the first time."""
        begun = len(self.simulator.log)
        code, said = _handle(self.forge.handle, self._hosted(event), self.world.clock.now.timestamp(), in_wait)
        return Ran(code, said, tuple(self.simulator.log[begun:]))

    def start(self, event: Event, workers: Executor) -> Future[tuple[int, str]]:
        """Begin to handle an event in another process; its exit code and what it said come later."""
        return workers.submit(_handle, self.forge.handle, self._hosted(event), self.world.clock.now.timestamp())

    def _hosted(self, event: Event) -> HostedRun:
        environment = {**git_environment(), "HOME": str(self._temp), **self._model_access()}
        job = Job(self.simulator, self._temp, self._settings, environment, self._is_signed)
        return self.world.hosted(event, job)

    def _model_access(self) -> dict[str, str]:
        if self.model is None:
            return {}
        return {"DRAFTGATE_LLM_API_KEY": "made-up-for-this", "DRAFTGATE_LLM_BASE_URL": self.model.base_url}


def _handle(
    handle: Callable[[HostedRun, Clocks], RunOutcome],
    run: HostedRun,
    now: float,
    in_wait: Callable[[], object] | None = None,
) -> tuple[int, str]:
    """Do what a run is for; the clock stands still but for its own waits."""
    waited = [now]

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        is_first = waited[1:] == [seconds]
        if in_wait is not None and is_first:
            in_wait()

    try:
        outcome = handle(run, Clocks(lambda: sum(waited), sleep))
    except DraftgateError as error:
        return error.exit_code, str(error)
    except Died:
        return DIED, ""
    return outcome.exit_code, outcome.sentence


@contextmanager
def staged(
    forge: Forge,
    world: World,
    temp: Path,
    settings: Mapping[str, str],
    *,
    is_signed: bool = False,
    model: FakeModel | None = None,
) -> Iterator[Stage]:
    """Serve a world; at the end every request and answer was as the forge and the model's provider describe it."""
    with forge.serve(world) as simulator:
        yield Stage(forge, world, simulator, temp, settings, is_signed=is_signed, model=model)
        assert simulator.violations == []
        assert model is None or model.violations == []


def comment_event(number: int, comment: Remark) -> CommentMade:
    """The event of a comment that was written."""
    return CommentMade(number, str(comment.id), Person(comment.author), comment.body)


def _set_faults(faults: FaultPlan, stop: Stop) -> None:
    match stop.how:
        case How.REFUSED_ONCE:
            faults.add("500", writes_only=True, skip=stop.write)
        case How.REFUSED:
            faults.add("500", writes_only=True, skip=stop.write, times=3)
        case How.LOST:
            faults.add("502", writes_only=True, skip=stop.write, when="after")
        case How.HUNG_UP:
            faults.add(CLOSE, writes_only=True, skip=stop.write, when="after")
        case How.CUT_OFF:
            faults.add(CLOSE, writes_only=True, skip=stop.write, when="after")
            faults.add(CLOSE, skip=stop.request + 1, times=None)


class Died(BaseException):
    """Ends a run where it stands; the program catches no such thing."""


class _Death(logging.Handler):
    """Listens to the transport, which says what it asked as soon as it has the answer, and dies after one request."""

    def __init__(self, log: RequestLog, at: int) -> None:
        super().__init__()
        self._log = log
        self._at = at

    def emit(self, record: logging.LogRecord) -> None:
        del record
        if len(self._log) == self._at + 1:
            raise Died


@contextmanager
def _dying(transport: logging.Logger, log: RequestLog, at: int | None) -> Iterator[None]:
    if at is None:
        yield
        return
    death, level = _Death(log, at), transport.level
    transport.setLevel(logging.DEBUG)
    transport.addHandler(death)
    try:
        yield
    finally:
        transport.removeHandler(death)
        transport.setLevel(level)
