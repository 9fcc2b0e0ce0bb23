"""How fast writes follow each other, and how often and how long a run waits for a forge.

The allowance of seconds is one for the whole run, whatever asks for it. What an answer means is for `answers`;
who asks again is for `asking`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from draftgate.forge.hosted.answers import NotNow

_REPETITIONS = 2

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rate:
    """What a forge asks of those who write.

    Attributes:
        burst: Writes that may follow each other at once.
        per_second: Writes in a second after those.
    """

    burst: int
    per_second: float


class Pace:
    """The turns of writes and the allowance for waiting, shared by all calls of one run.

    Args:
        rate: Of writes.
        wait_s: Seconds that the run may wait in all for an answer that says "not now".
        clock: POSIX time in seconds.
        sleep: Returns after so many seconds of that clock.
    """

    def __init__(
        self, rate: Rate, *, wait_s: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._rate = rate
        self.clock = clock
        self._sleep = sleep
        self._total_s = self._allowance_s = wait_s
        self._turns = float(self._rate.burst)
        self._counted_at = clock()

    def allow(self, wait_s: float) -> None:
        """Change what the run may wait in all; what it has waited counts."""
        self._allowance_s = max(0.0, self._allowance_s + wait_s - self._total_s)
        self._total_s = wait_s

    def take_turn(self) -> None:
        """Return when one more write may be sent."""
        self._count_turns()
        if self._turns < 1:
            self._sleep((1 - self._turns) / self._rate.per_second)
            self._count_turns()
        self._turns = max(0.0, self._turns - 1)

    def _count_turns(self) -> None:
        now = self.clock()
        passed = max(0.0, now - self._counted_at)  # the machine's clock may be set back
        self._turns = min(float(self._rate.burst), self._turns + passed * self._rate.per_second)
        self._counted_at = now

    def wait(self, least_s: float, most_s: float, why: str) -> bool:
        """Wait ``most_s``, or as long as the allowance lasts; ``False`` at once if that is under ``least_s``."""
        if self._allowance_s < least_s or self._allowance_s <= 0:
            return False
        seconds = min(most_s, self._allowance_s)
        self._allowance_s -= seconds
        _log.info("waiting for the forge", extra={"why": why, "seconds": round(seconds, 3)})
        self._sleep(seconds)
        return True


class Repetitions:
    """How often one call may still be repeated."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._used = 0

    def wait(self, answer: NotNow) -> bool:
        """Wait before the next repetition as the answer says; ``False`` at once if there is none to come."""
        if self._used == _REPETITIONS:
            return False
        told = answer.told_s(self._pace.clock())
        least_s = answer.pauses_s[0] if told is None else told
        most_s = answer.pauses_s[self._used] if told is None else told
        self._used += 1
        return self._pace.wait(least_s, most_s, f"{answer.call}: it {answer.why}")
