"""One change on the simulated GitHub, and runs of the program on it that can be disturbed at any write.

The world is kept as it was before the flow and put back as often as a test asks. A run is the composition itself, in
this process, so that hundreds of them take seconds; nothing of one run is left for the next but what GitHub holds.
"""

from __future__ import annotations

import copy
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from draftgate.bootstrap.github import handle
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.domain.event import ChangeClosed, CommentMade, Event, ReviewAsked, SweepDue
from draftgate.domain.people import Person
from draftgate.errors import DraftgateError
from tests.fakes.github import comments
from tests.fakes.github.entities import IssueComment, PullRequest
from tests.fakes.github.faults import CLOSE
from tests.fakes.github.log import RequestLog
from tests.fakes.github.scenario import APP, Scenario, push
from tests.fakes.github.server import Simulator, serve
from tests.git_builder import Content, git_environment

DIED = -9
_TRANSPORT = logging.getLogger("draftgate.forge.github.transport")


class Died(BaseException):
    """Ends a run where it stands; nothing in the program catches it."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended: its exit code (`DIED` if it was killed) and what it said."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Something that goes wrong at the write ``at``, counted from 0."""

    name: str
    set_up: Callable[[Simulator, int], None] = lambda _simulator, _at: None
    dies: bool = False


def _refuse(times: int) -> Callable[[Simulator, int], None]:
    return lambda simulator, at: _add(simulator, "500", at, times=times)


def _add(simulator: Simulator, effect: str, at: int, **fields: object) -> None:
    simulator.faults.add(effect, writes_only=True, skip=at, **fields)


def _cut_off(simulator: Simulator, at: int) -> None:
    """The answer is lost, and from then on nothing gets through."""
    _add(simulator, CLOSE, at, when="after")
    simulator.faults.add(CLOSE, times=None, after=simulator.faults)


REFUSED_ONCE = Stop("refused once", _refuse(1))
REFUSED = Stop("refused until the run gives up", _refuse(3))
LOST = Stop("answer lost", lambda simulator, at: _add(simulator, "502", at, when="after"))
HUNG_UP = Stop("connection closed", lambda simulator, at: _add(simulator, CLOSE, at, when="after"))
DEAD = Stop("dead right after", dies=True)
