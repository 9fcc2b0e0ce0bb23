"""Looks at one thing after another on a forge, for somebody who wants to know what can be seen, and writes nothing.

What a forge declines is a fact by itself. A server that does not answer is not asked for everything that is left.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from draftgate.doctor.seen import Fact, NotSeen, Stop, seen, unseen
from draftgate.errors import DraftgateError, Unavailable
from draftgate.forge.hosted.answers import Refused

T = TypeVar("T")

WAIT_S = 1.0
"""That a look may wait in all: enough to repeat one request whose answer was lost."""

_UNAUTHORIZED = 401


class Looker:
    """What was seen so far.

    Args:
        forge: Its name, for sentences.

    Attributes:
        stop: Why nothing more is asked; ``None`` as long as it is.
    """

    def __init__(self, forge: str) -> None:
        self.stop: Stop | None = None
        self._forge = forge
        self._lost = 0

    def begin(self, call: Callable[[], T]) -> Fact[T]:
        """What ``call`` returns, without which there is nothing else to look at."""
        return self._ask(call, is_first=True)

    def look(self, call: Callable[[], T]) -> Fact[T]:
        """What ``call`` returns, or why it returns nothing."""
        return self._ask(call, is_first=False)

    def _ask(self, call: Callable[[], T], *, is_first: bool) -> Fact[T]:
        if self.stop is not None:
            return unseen(f"{self._forge} was not asked any more")
        try:
            return seen(call())
        except Refused as refused:
            if is_first or refused.status == _UNAUTHORIZED:
                self.stop = Stop(refused.message, refused.hint, refused.exit_code)
            return unseen(refused.message, is_refused=True)
        except Unavailable as error:
            self._lost += 1
            if is_first or self._lost > 1:
                self.stop = Stop(str(error), "try again later, and see the address and the proxy", error.exit_code)
            return unseen(str(error))
        except NotSeen as missing:
            return unseen(str(missing))
        except DraftgateError as error:
            self.stop = Stop(str(error), error.hint, error.exit_code)
            return unseen(str(error))


def skew_of(date: str, now: float) -> float | None:
    """Seconds that ``now`` is ahead of a ``Date`` header, which counts whole seconds; ``None`` if it is none."""
    try:
        ahead = now - parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, ahead - 1) if ahead > 0 else ahead


def days_until(day: str, now: float) -> int | None:
    """Days from ``now`` to the end of a token; ``day`` begins with an ISO date. ``None`` if it does not."""
    try:
        return (datetime.fromisoformat(day[:10]).date() - datetime.fromtimestamp(now, UTC).date()).days
    except (ValueError, OverflowError):
        return None
