"""A plan of what goes wrong on the way: refused, lost, held or fatal, before or after a request took effect.

A fault is counted against the requests it matches, so a test can say "the third write" without knowing what
that is. Which rules of GitHub a request breaks is not this module's affair.
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

from tests.fakes.github.exchange import Answer

CLOSE, HOLD, KILL = "close", "hold", "kill"
"""Effects that are no answer: hang up; wait for `FaultPlan.release` and go on; kill `Fault.pid` and hang up."""

_PRIMARY = "API rate limit exceeded for installation ID 1."
_SECONDARY = (
    "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. "
    "Please retry your request again later."
)
_DOCUMENTATION = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
LONGEST_HOLD = 30.0
"""Seconds after which a held request goes on by itself, so that a failing test ends."""


def _error(status: int, message: str, headers: Mapping[str, str] | None = None, **more: object) -> Answer:
    return Answer(status, {"message": message, "documentation_url": _DOCUMENTATION, **more}, headers or {})


def shapes(now: int) -> Mapping[str, Answer]:
    """The answers a fault can put in place of the real one; `now` is the time in seconds since 1970."""
    abuse = {"resource": "IssueComment", "code": "abuse", "field": "base", "message": "was submitted too quickly"}
    exhausted = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(now + 2)}
    in_an_hour = {**exhausted, "X-RateLimit-Reset": str(now + 3600)}
    limited = {"type": "RATE_LIMITED", "message": _PRIMARY}
    return {
        "500": _error(500, "Server Error"),
        "502": Answer(502, b"<html><body>502 Bad Gateway</body></html>", {"Content-Type": "text/html"}),
        "503": _error(503, "Service Unavailable"),
        "429": _error(429, _SECONDARY, {"Retry-After": "1"}),
        "primary": _error(403, _PRIMARY, exhausted),
        "primary-in-an-hour": _error(403, _PRIMARY, in_an_hour),
        "secondary": _error(403, _SECONDARY),
        "secondary-retry-after": _error(403, _SECONDARY, {"Retry-After": "1"}),
        "abuse": _error(422, "Validation Failed", errors=[abuse]),
        "forbidden": _error(403, "Resource not accessible by integration"),
        "422": _error(422, "Unprocessable Entity", errors=["Something went wrong"]),
        "graphql-limited": Answer(200, {"errors": [limited]}, exhausted),
        "graphql-timeout": Answer(502, {"errors": [{"message": "Something went wrong while executing your query."}]}),
    }


@dataclass
class Fault:
    """Something that goes wrong with certain requests.

    Attributes:
        effect: A name of `shapes`, or one of `CLOSE`, `HOLD`, `KILL`.
        match: A pattern searched for in ``METHOD /path operation``; the path is without ``/api/v3``, the operation
            is GraphQL's (``POST /graphql mutation SubmitReview submitPullRequestReview``).
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
        clock: The time for reset headers, which clients hold against their own clock.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
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
        if effect not in {CLOSE, HOLD, KILL, *shapes(0)}:
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

    def take(self, line: str, *, is_write: bool) -> Fault | None:
        """The fault that hits this request; every fault counts it."""
        with self._changed:
            struck = [fault for fault in self._faults if fault.strikes(line, is_write=is_write)]
            return struck[0] if struck else None

    def carry_out(self, fault: Fault) -> Answer | None:
        """Do what a fault says: its answer, ``None`` if there is to be none. Not for `HOLD`."""
        if fault.effect == KILL and fault.pid is not None:
            os.kill(fault.pid, signal.SIGKILL)
        return shapes(int(self.clock())).get(fault.effect)

    def hold(self, fault: Fault) -> None:
        """Keep this thread until the fault is released."""
        with self._changed:
            self._waiting.add(fault.name)
            self._changed.notify_all()
            self._changed.wait_for(lambda: fault.name in self._released, LONGEST_HOLD)
            self._waiting.discard(fault.name)

    def wait_until_held(self, name: str = "held", timeout: float = LONGEST_HOLD) -> bool:
        """Wait until a request is held under this name; whether it came to that."""
        with self._changed:
            return self._changed.wait_for(lambda: name in self._waiting, timeout)

    def release(self, name: str = "held") -> None:
        """Let the request that is held under this name go on, and those to come."""
        with self._changed:
            self._released.add(name)
            self._changed.notify_all()
