"""The one way to a model's server: JSON goes there and JSON comes back, tried again while there is time and patience.

What is sent and what the answer means is for the wire formats.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from draftgate.llm.base import Limits, ModelUnavailable
from draftgate.llm.exchange import Exchange
from draftgate.llm.loose import Json
from draftgate.llm.troubles import NotNow, judge

_PAUSES_S = (0.5, 1.0)
"""Before the second and the third request, where the server names no time."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Http:
    """What requests to models need from outside.

    Attributes:
        sleep: Returns after so many seconds.
        ca_file: Certificate authorities to trust in place of the usual ones; "" for those.
        clock: Monotonic seconds.
        now: POSIX time in seconds.
        chance: A number from 0 to 1, so that several that were turned away do not come back together.
    """

    sleep: Callable[[float], None]
    ca_file: str = ""
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Address:
    """Where a wire format is spoken.

    Attributes:
        url: The whole of it.
        host: For messages.
    """

    url: str
    host: str


class Sender:
    """Posts the requests of one conversation.

    Args:
        http: The clock, and how to connect.
        address: Where to.
        headers: With the key.
        hide: Masks secrets in words of the provider.

    Attributes:
        requests: Sent so far, repeated ones too.
        clock: Monotonic seconds.
    """

    def __init__(self, http: Http, address: Address, headers: Mapping[str, str], hide: Callable[[str], str]) -> None:
        self.requests = 0
        self.clock = http.clock
        self._http = http
        self._host = address.host
        self._hide = hide
        self._exchange = Exchange(address.url, headers, http.ca_file, http.clock)

    def post(self, body: Mapping[str, object], limits: Limits) -> Json:
        """The JSON object that answers ``body``.

        Raises:
            ModelError: there is none.
        """
        return self._exchange_until(_encode(body), limits)

    def get(self, limits: Limits) -> Json:
        """The JSON object at the address.

        Raises:
            ModelError: there is none.
        """
        return self._exchange_until(None, limits)

    def _exchange_until(self, payload: bytes | None, limits: Limits) -> Json:
        patience = _Patience(self._http, self._host, limits)
        while True:
            outcome = self._try(payload, patience.left_s())
            if not isinstance(outcome, NotNow):
                return outcome
            patience.wait(outcome)

    def _try(self, payload: bytes | None, seconds: float) -> Json | NotNow:
        if seconds <= 0:
            return NotNow("was not asked: there is no time left")
        self.requests += 1
        begun = self.clock()
        answer = self._exchange.send(payload, seconds)
        outcome = "none" if isinstance(answer, NotNow) else answer.status
        took_s = round(self.clock() - begun, 3)
        _log.debug("asked a model", extra={"host": self._host, "status": outcome, "seconds": took_s})
        if isinstance(answer, NotNow):
            return answer
        return judge(answer, self._host, self._hide, self._http.now())


class _Patience:
    """How long one turn may still take, and how often and how long it may wait."""

    def __init__(self, http: Http, host: str, limits: Limits) -> None:
        self._http = http
        self._host = host
        self._end = http.clock() + limits.time_s
        self._wait_s = limits.wait_s
        self._tries = 0

    def left_s(self) -> float:
        """Seconds until the turn must be over."""
        return self._end - self._http.clock()

    def wait(self, trouble: NotNow) -> None:
        """Wait before the next request.

        Raises:
            ModelUnavailable: there is none to come.
        """
        self._tries += 1
        if self._tries > len(_PAUSES_S):
            raise self._give_up(f"it {trouble.why}; {self._tries} requests were sent")
        pause_s = self._pause_s(trouble)
        if pause_s > min(self._wait_s, self.left_s()):
            when = "" if trouble.told_s is None else f", and asks to wait {_span(trouble.told_s, self._http.now())}"
            raise self._give_up(f"it {trouble.why}{when}")
        self._wait_s -= pause_s
        _log.info("waiting for a model", extra={"host": self._host, "why": trouble.why, "seconds": round(pause_s, 3)})
        self._http.sleep(pause_s)

    def _pause_s(self, trouble: NotNow) -> float:
        if trouble.told_s is not None:
            return trouble.told_s
        return _PAUSES_S[self._tries - 1] * (0.75 + 0.5 * self._http.chance())

    def _give_up(self, why: str) -> ModelUnavailable:
        return ModelUnavailable(why, context=self._host, hint="try again later, or let the run wait longer")


def _span(seconds: float, now: float) -> str:
    """``312 s, until 2026-11-02 14:05:09 UTC``."""
    try:
        until = datetime.fromtimestamp(now, UTC) + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return f"{seconds:.0f} s"
    return f"{seconds:.0f} s, until {until:%Y-%m-%d %H:%M:%S} UTC"


def _encode(body: Mapping[str, object]) -> bytes:
    """UTF-8, in which half of a surrogate pair has no place; it becomes a question mark."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
