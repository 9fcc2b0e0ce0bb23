"""How many requests each user may send in a period: all of them, and those that make notes on top of that."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.refusals import TooMany

_NOTES = {"message": {"error": "This endpoint has been requested too many times. Try again later."}}


@dataclass
class Limits:
    """Counts requests by user; off until a number is set.

    Attributes:
        requests: How many requests a user may send in a period.
        notes: How many notes a user may make in a period; drafts do not count.
        period_s: How long a period is.
        clock: By which periods are told apart.
    """

    requests: int | None = None
    notes: int | None = None
    period_s: float = 60.0
    clock: Callable[[], float] = time.time
    _counts: dict[tuple[str, int | None], tuple[float, int]] = field(
        default_factory=lambda: defaultdict(lambda: (0, 0))
    )

    def count_request(self, user: User | None) -> None:
        """Count a request.

        Raises:
            TooMany: It is one more than may be; the body is text, as of what stands in front of GitLab.
        """
        self._count("requests", user, self.requests, b"Retry later\n")

    def count_note(self, user: User | None) -> None:
        """Count a note that is about to be made.

        Raises:
            TooMany: It is one more than may be.
        """
        self._count("notes", user, self.notes, _NOTES)

    def _count(self, what: str, user: User | None, most: int | None, body: object) -> None:
        key = (what, None if user is None else user.id)
        began, count = self._counts[key]
        if self.clock() >= began + self.period_s:
            began, count = self.clock(), 0
        self._counts[key] = (began, count + 1)
        if most is not None and count >= most:
            raise TooMany(max(1, round(began + self.period_s - self.clock())), body)
