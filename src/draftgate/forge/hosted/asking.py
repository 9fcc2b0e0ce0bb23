"""How anything is asked of a forge: reads are repeated when an answer is lost, writes only after a look.

The platform's client is used inside the calls that are handed in; what the answers hold is for the callers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from draftgate.errors import Unavailable
from draftgate.forge.hosted.answers import Lost, NotNow, Refused
from draftgate.forge.hosted.pace import Pace, Rate, Repetitions

T = TypeVar("T")


@dataclass(slots=True)
class Requests:
    """How many requests were sent, repetitions included."""

    reads: int = 0
    writes: int = 0

    @property
    def sent(self) -> int:
        """All of them."""
        return self.reads + self.writes


class Asking:
    """Repeats what may be repeated, for one run.

    Every method raises `Refused` when the forge declines (a `PermissionDenied` too where it is the token) and
    `Unavailable` when no answer came in spite of waiting.

    Args:
        rate: Of writes.
        wait_s: Seconds that the run may wait in all; see `Pace`.
        clock: POSIX time in seconds.
        sleep: Returns after so many seconds of that clock.

    Attributes:
        requests: How many were sent so far; whoever sends them counts.
    """

    def __init__(
        self, rate: Rate, *, wait_s: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self.requests = Requests()
        self._pace = Pace(rate, wait_s=wait_s, clock=clock, sleep=sleep)

    def allow(self, wait_s: float) -> None:
        """Let the run wait so many seconds in all, once its configuration says how many."""
        self._pace.allow(wait_s)

    def read(self, call: Callable[[], T]) -> T:
        """What ``call`` returns, repeated while the forge does not answer.

        ``call`` writes nothing, and is done when it returns: a list of a client's is read to its end inside.
        """
        repetitions = Repetitions(self._pace)
        while True:
            try:
                return call()
            except NotNow as answer:
                if not repetitions.wait(answer):
                    raise self._give_up(answer) from answer

    def write(
        self, call: Callable[[], T], *, landed: Callable[[], T | None], again: Callable[[], object] = lambda: None
    ) -> T:
        """What ``call`` returns, which writes once: it is repeated only when it surely had no effect.

        Args:
            call: Sends one write. It does not return ``None``.
            landed: Looks for the effect of ``call``, through this object, and returns what ``call`` would have;
                ``None`` if there is none. Asked after every answer that follows a lost one, also a refusal: what
                took effect unseen is often refused the second time.
            again: Called before a repetition, which comes after a wait; raises where the call must not be repeated,
                since others wrote meanwhile.
        """
        repetitions = Repetitions(self._pace)
        may_have_landed = False
        while True:
            self._pace.take_turn()
            try:
                return call()
            except (NotNow, Refused) as answer:
                may_have_landed = may_have_landed or isinstance(answer, Lost)
                may_repeat = isinstance(answer, NotNow) and repetitions.wait(answer)
                effect = landed() if may_have_landed else None
                if effect is not None:
                    return effect
                if isinstance(answer, Refused):
                    raise
                if not may_repeat:
                    raise self._give_up(answer) from answer
            again()

    def delete(self, call: Callable[[], object]) -> None:
        """Run ``call``, which sends one DELETE: it is repeated without a look, and what is not there is gone."""

        def gone() -> bool:
            try:
                call()
            except Refused as refusal:
                if not refusal.is_gone:
                    raise
            return True

        self.write(gone, landed=lambda: None)

    def _give_up(self, answer: NotNow) -> Unavailable:
        return answer.give_up(self._pace.clock())
