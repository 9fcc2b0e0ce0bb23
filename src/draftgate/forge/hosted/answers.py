"""What a forge's answer means when it is not what was asked for, whichever forge it is.

An answer either declines the request (`Refused`) or says nothing about it: it was not looked at (`Limited`), or what
became of it is unknown (`Lost`). Each forge's own module tells its answers apart; nothing here sends or waits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import ClassVar

from draftgate.errors import ForgeRefused, PermissionDenied, Unavailable
from draftgate.render.visible import one_line

_GO_ON = "try again later: what was done is stored, and the same command goes on from there"
_GONE = frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked of a forge: an HTTP method and a path, or ``query``/``mutation`` and a document's name."""

    verb: str
    place: str

    @property
    def is_write(self) -> bool:
        """Whether it may change anything."""
        return self.verb not in {"GET", "query"}

    def __str__(self) -> str:
        return f"{self.verb} {one_line(self.place)}"


class Refused(ForgeRefused):
    """The forge declined the request; repeating it as it is will not help.

    Attributes:
        forge: Its name.
        status: The HTTP status, or the one that REST has for a GraphQL error.
        messages: The forge's words: others' text, one bounded line each.
    """

    forge: ClassVar[str]

    def __init__(self, call: Call, reason: str, status: int, messages: tuple[str, ...], *, hint: str) -> None:
        words = "; ".join(messages)
        super().__init__(
            f"{reason} ({status}{': ' if words else ''}{words})", context=f"{self.forge}, {call}", hint=hint
        )
        self.status = status
        self.messages = messages

    @property
    def is_gone(self) -> bool:
        """There is nothing at the address, or the token may not see it: forges tell these apart for nobody."""
        return self.status in _GONE

    @property
    def is_denied(self) -> bool:
        """It is about the token: who it is, or what it may do."""
        return isinstance(self, PermissionDenied)


class NotNow(Exception):
    """An answer that says nothing about the request; it ends as a repetition or as `Unavailable`.

    Attributes:
        forge: Its name.
        pauses_s: How long to wait before the first and the second repetition when the answer does not say.
    """

    forge: ClassVar[str]
    pauses_s: ClassVar[tuple[float, float]]

    def __init__(self, call: Call, why: str, headers: Mapping[str, str]) -> None:
        super().__init__(why)
        self.call = call
        self.why = why
        self._headers = headers

    def told_s(self, now: float) -> float | None:
        """The seconds to wait that the answer names; ``None`` if it names none. ``now`` is POSIX time."""
        told = self._headers.get("retry-after", "").strip()
        if re.fullmatch(r"\d{1,9}", told):
            return float(told)
        try:
            return max(0.0, parsedate_to_datetime(told).timestamp() - now)
        except (ValueError, OverflowError):
            return None

    def give_up(self, now: float) -> Unavailable:
        """The error for the reader, once there is no more waiting."""
        told = self.told_s(now)
        when = f"; it asks to wait until {_utc(now + told)}" if told else ""
        return Unavailable(f"{self.forge} {self.why}{when}", context=str(self.call), hint=_GO_ON)


class Limited(NotNow):
    """The forge did not look at the request, which therefore certainly had no effect: it came too soon."""

    pauses_s = (60.0, 120.0)  # "at least one minute", then "an exponentially increasing amount of time", says GitHub


class Lost(NotNow):
    """Nobody knows whether the request took effect: it failed on the way, in the server, or on the way back."""

    pauses_s = (1.0, 5.0)


def _utc(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
