"""What a review may spend on models: tokens, money, requests and time, counted over all its agents at once.

All but time is reserved before a request and settled after it, so that agents side by side cannot spend the same rest
twice. What others have reserved and will mostly give back fails nobody: a request that finds too little because of it
is made smaller, or waits. Money can only be counted where the price of a model is known.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from draftgate.agents.estimate import CHARACTERS_PER_TOKEN
from draftgate.domain.agent_run import Spent

_EXACT_USD = 0.1
"""Amounts below it are told to a hundredth of a cent."""


class BudgetSpent(Exception):
    """A request does not fit into what is left; the message is a sentence part that names the setting."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a review may spend; see `budgets` of the configuration."""

    tokens: int
    usd: float
    requests: int
    time_s: float
    wait_s: float


NO_ALLOWANCE = Allowance(tokens=0, usd=0.0, requests=0, time_s=0.0, wait_s=0.0)


def _free(_output: int) -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Need:
    """What a request may take.

    Attributes:
        prompt: Tokens that it carries, about.
        least: Tokens of output without which it is not made.
        enough: Tokens of output below which it rather waits for what others give back.
        most: Tokens of output beyond which it has no use for more.
        usd: The most that it can cost if so many tokens are written, in dollars; it grows with them.
        likely_usd: What it should cost with the least output, without caution.
    """

    prompt: int
    least: int = 0
    enough: int = 0
    most: int = 0
    usd: Callable[[int], float] = _free
    likely_usd: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Reserved:
    """What is held back for a request until it is settled.

    Attributes:
        output: The most tokens that it may write.
        tokens: In and out.
        usd: The most that it can cost.
        need: What it was reserved for.
    """

    output: int
    tokens: int
    usd: float
    need: Need


class Budget:
    """What is left of an allowance. Several threads use it.

    Args:
        allowance: What there is at the start, which is now.
        clock: Seconds, monotonic.
    """

    def __init__(self, allowance: Allowance, clock: Callable[[], float]) -> None:
        self.allowance = allowance
        self._clock = clock
        self._ends_at = clock() + allowance.time_s
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()
        self._in_flight: list[Reserved] = []
        self._tokens = 0
        self._usd = 0.0
        self._requests = 0
        self._is_closed = False

    @property
    def time_left_s(self) -> float:
        """Seconds until everything must be done."""
        return 0.0 if self._is_closed else self._ends_at - self._clock()

    @property
    def tokens_left(self) -> int:
        """Tokens that are neither used nor reserved."""
        return self.allowance.tokens - self._tokens - sum(each.tokens for each in self._in_flight)

    @property
    def usd_left(self) -> float:
        """Dollars that are neither spent nor reserved."""
        return self.allowance.usd - self._usd - sum(each.usd for each in self._in_flight)

    def close(self) -> None:
        """Let nothing begin any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def reserve(self, need: Need, waits: Callable[[], None] = lambda: None) -> Reserved:
        """Take what a request may need, and the request, out of what is left, before it is made.

        Whoever came first is served first: otherwise small requests of others could keep a large one waiting until
        nothing is left for it.

        Args:
            need: Of the request.
            waits: Called once if others have to give something back first; it must not use the budget.

        Raises:
            BudgetSpent: there is not so much left, and nothing in flight that could give something back.
        """
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                has_to_wait = False
                while (reserved := self._try(need, is_next=self._waiting[0] is ticket)) is None:
                    if not has_to_wait:
                        waits()
                    has_to_wait = True
                    self._changed.wait(min(max(self.time_left_s, 0.0), threading.TIMEOUT_MAX))
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
            self._in_flight.append(reserved)
            self._requests += 1
            return reserved

    def settle(self, reserved: Reserved, spent: Spent) -> None:
        """Put what a request really took in the place of what was reserved for it; an unknown price is the whole."""
        with self._changed:
            self._in_flight.remove(reserved)
            self._tokens += spent.tokens
            self._usd += reserved.usd if spent.usd is None else spent.usd
            self._requests += spent.requests - 1
            self._changed.notify_all()

    def why_nearly_spent(self, need: Need) -> str:
        """Why a further request should be the last; "" if there is room for one more after it.

        What others have reserved counts with what it should come to, for their output limits are hardly ever reached.
        """
        allowance = self.allowance
        with self._changed:
            others = [each.need for each in self._in_flight]
            tokens_left = allowance.tokens - self._tokens - sum(each.prompt + each.least for each in others)
            usd_left = allowance.usd - self._usd - sum(each.likely_usd for each in others)
            requests_left = allowance.requests - self._requests
        if tokens_left < 2 * (need.prompt + need.least):
            return f"the token budget of {allowance.tokens:,} (`budgets.tokens`) was nearly spent"
        if requests_left <= 1:
            return f"the request budget of {allowance.requests} (`budgets.requests`) was nearly spent"
        if usd_left < 2 * need.usd(need.least):
            return f"the money budget of ${allowance.usd:g} (`budgets.usd`) was nearly spent"
        return ""

    def _try(self, need: Need, *, is_next: bool) -> Reserved | None:
        """The reservation; ``None`` to wait for others."""
        reason = self._why_over()
        if reason:
            raise BudgetSpent(reason)
        if not is_next:
            return None
        output = self._output_that_fits(need, need.enough if self._in_flight else need.least)
        if output is not None:
            return Reserved(output, need.prompt + output, need.usd(output), need)
        if self._in_flight:
            return None
        raise BudgetSpent(self._why_too_small(need))

    def _output_that_fits(self, need: Need, least: int) -> int | None:
        """No more than half of what the prompt leaves, so that others find something too; but so much at least."""
        tokens_left, usd_left = self.tokens_left - need.prompt, self.usd_left
        if tokens_left < least or usd_left < need.usd(least):
            return None
        by_tokens = min(need.most, max(least, tokens_left // 2))
        half = (usd_left + need.usd(0)) / 2
        by_usd = max(least, least + bisect_right(range(least, need.most + 1), half, key=need.usd) - 1)
        return min(by_tokens, by_usd)

    def _why_over(self) -> str:
        allowance = self.allowance
        if self.time_left_s <= 0:
            return f"not done after {round(allowance.time_s / 60)} min (`budgets.minutes`)"
        if self._requests >= allowance.requests:
            return f"the request budget of {allowance.requests} is spent (raise `budgets.requests`)"
        return ""

    def _why_too_small(self, need: Need) -> str:
        allowance, tokens = self.allowance, need.prompt + need.least
        if tokens > self.tokens_left:
            room = f"{max(self.tokens_left, 0):,} are left, and the next request may take {tokens:,}"
            return f"the token budget of {allowance.tokens:,} is too small: {room} (raise `budgets.tokens`)"
        room = f"{_dollars(self.usd_left)} are left, and the next request may cost {_dollars(need.usd(need.least))}"
        return f"the money budget of ${allowance.usd:g} is too small: {room} (raise `budgets.usd`)"


def room_for(tokens: int, agents: int) -> int:
    """Characters that each of so many agents can be shown at the start, if half of the tokens are for what follows."""
    return int(tokens * CHARACTERS_PER_TOKEN / 2 / max(agents, 1))


def _dollars(usd: float) -> str:
    usd = max(usd, 0.0)
    return f"${usd:.2f}" if usd >= _EXACT_USD else f"${usd:.4f}"
