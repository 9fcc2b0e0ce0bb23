"""A plan of what goes wrong on the way: refused, lost, held or fatal, before or after a request took effect.

A fault is counted against the requests it matches, so a test can say "the third write" without knowing what
that is. Which rules of a forge a request breaks is not this module's affair.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.forge_http.messages import Answer

CLOSE, HOLD, KILL = "close", "hold", "kill"
"""Effects that are no answer: hang up; wait for `FaultPlan.release` and go on; kill `Fault.pid` and hang up."""
LONGEST_HOLD = 30.0
"""Seconds after which a held request goes on by itself, so that a failing test ends."""

Shapes = Callable[[int], Mapping[str, Answer]]
"""The answers of a forge that a fault can put in place of the real one, at a time in seconds since 1970."""


@dataclass
class Fault:
    """Something that goes wrong with certain requests.

    Attributes:
        effect: A name among the forge's `Shapes`, or one of `CLOSE`, `HOLD`, `KILL`.
        match: A pattern searched for in ``METHOD /path operation``; the path is without the prefix of the API, the
            operation is GraphQL's (``POST /graphql mutation SubmitReview submitPullRequestReview``).
        writes_only: Count writes alone.
        skip: How many of them go through first.
        times: How many are hit then; ``None`` is all.
        when: Before the request takes effect, or after.
        name: By which to wait for a held request and to release it.
        pid: Who dies.
    """

    effect: str
    match: str = ""
    writes_only: bool = False
    skip: int = 0
    times: int | None = 1
    when: Literal["before", "after"] = "before"
    name: str = "held"
    pid: int | None = None
    seen: int = field(default=0, init=False)

    def strikes(self, line: str, *, is_write: bool) -> bool:
        """Count a request; whether it is hit."""
        if (self.writes_only and not is_write) or not re.search(self.match, line):
            return False
        self.seen += 1
        return self.seen > self.skip and (self.times is None or self.seen <= self.skip + self.times)


class FaultPlan:
    """The faults that are set; safe to change while requests run.

    Attributes:
        shapes: The answers that can be put in place of the real ones.
        clock: The time for reset headers, which clients hold against their own clock.
    """

    def __init__(self, shapes: Shapes, clock: Callable[[], float] = time.time) -> None:
        self.shapes = shapes
        self.clock = clock
        self._faults: list[Fault] = []
        self._changed = threading.Condition()
        self._waiting: set[str] = set()
        self._released: set[str] = set()

    def add(self, effect: str, **fields: Any) -> Fault:  # noqa: ANN401, the fields of `Fault`, checked there
        """Set a fault; earlier ones strike first.

        Raises:
            ValueError: There is no such effect.
        """
        if effect not in {CLOSE, HOLD, KILL, *self.shapes(0)}:
            raise ValueError(f"no such fault: {effect}")
        fault = Fault(effect, **fields)
        with self._changed:
            self._faults.append(fault)
            self._released.discard(fault.name)
        return fault

    def clear(self) -> None:
        """Drop all faults and let go whoever is held."""
        with self._changed:
            self._released |= {fault.name for fault in self._faults}
            self._faults.clear()
            self._changed.notify_all()

    def meet(self, line: str, ask: Callable[[], Answer], *, is_write: bool) -> tuple[Answer | None, Answer | None]:
        """What the forge did about a request, if it got that far, and what the client is told.

        Args:
            line: As `Fault.match` sees it.
            ask: Lets the forge answer.
            is_write: Whether it changes something.
        """
        fault = self._take(line, is_write=is_write)
        if fault is None:
            done = ask()
            return done, done
        if fault.effect != HOLD:
            return ask() if fault.when == "after" else None, self._carry_out(fault)
        if fault.when == "before":
            self._hold(fault)
        held = ask()
        if fault.when == "after":
            self._hold(fault)
        return held, held

    def wait_until_held(self, name: str = "held", timeout: float = LONGEST_HOLD) -> bool:
        """Wait until a request is held under this name; whether it came to that."""
        with self._changed:
            return self._changed.wait_for(lambda: name in self._waiting, timeout)

    def release(self, name: str = "held") -> None:
        """Let the request that is held under this name go on, and those to come."""
        with self._changed:
            self._released.add(name)
            self._changed.notify_all()

    def _take(self, line: str, *, is_write: bool) -> Fault | None:
        """The fault that hits this request; every fault counts it."""
        with self._changed:
            struck = [fault for fault in self._faults if fault.strikes(line, is_write=is_write)]
            return struck[0] if struck else None

    def _carry_out(self, fault: Fault) -> Answer | None:
        """Do what a fault says: its answer, ``None`` if there is to be none. Not for `HOLD`."""
        if fault.effect == KILL and fault.pid is not None:
            os.kill(fault.pid, signal.SIGKILL)
        return self.shapes(int(self.clock())).get(fault.effect)

    def _hold(self, fault: Fault) -> None:
        """Keep this thread until the fault is released."""
        with self._changed:
            self._waiting.add(fault.name)
            self._changed.notify_all()
            self._changed.wait_for(lambda: fault.name in self._released, LONGEST_HOLD)
            self._waiting.discard(fault.name)
