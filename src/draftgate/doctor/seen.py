"""A fact that somebody tried to see: its value, or why it could not be seen; never a value in place of the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class NotSeen(Exception):
    """Somebody needs a fact that could not be seen; the text is the reason, without a full stop."""


@dataclass(frozen=True, slots=True)
class Fact(Generic[T_co]):
    """Made by `seen` or `unseen`.

    Attributes:
        reason: Why it could not be seen; "" if it was.
        is_refused: Somebody who was asked declined, which says something by itself.
    """

    _value: T_co | None
    reason: str
    is_refused: bool = False

    @property
    def value(self) -> T_co:
        """What was seen.

        Raises:
            NotSeen: it was not.
        """
        if self.reason:
            raise NotSeen(self.reason)
        return self._value  # type: ignore[return-value]  # `seen` alone makes one without a reason

    @property
    def was_seen(self) -> bool:
        """Whether there is a value."""
        return not self.reason


def seen(value: T) -> Fact[T]:
    """A fact with its value."""
    return Fact(value, "")


def unseen(reason: str, *, is_refused: bool = False) -> Fact[Any]:
    """A fact without one."""
    return Fact(None, reason or "nobody knows why", is_refused)


@dataclass(frozen=True, slots=True)
class Stop:
    """Why nothing more was asked of a server.

    Attributes:
        says: What happened.
        change: What to do about it.
        exit_code: Of what happened.
    """

    says: str
    change: str
    exit_code: int
