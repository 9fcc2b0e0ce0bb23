"""What a review may spend on models: tokens, money, requests and time, counted over all its agents at once.

Tokens and requests are reserved before a request and settled after it, so that agents side by side cannot spend the
same rest twice. Money can only be counted where the price of a model is known.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

from draftgate.domain.agent_run import Spent

CHARACTERS_PER_TOKEN = 3.5
"""An estimate that no tokenizer is needed for; what the provider counts takes its place once it is known."""


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
        self._lock = threading.Lock()
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
        return self.allowance.tokens - self._tokens

    def close(self) -> None:
        """Let nothing begin any more."""
        self._is_closed = True

    def reserve(self, tokens: int) -> None:
        """Take so many tokens and a request out of what is left, before a request is made.

        Raises:
            BudgetSpent: there is not so much left.
        """
        with self._lock:
            reason = self._why_not(tokens)
            if reason:
                raise BudgetSpent(reason)
            self._tokens += tokens
            self._requests += 1

    def settle(self, reserved: int, spent: Spent) -> None:
        """Put what a request really took in the place of what was reserved for it."""
        with self._lock:
            self._tokens += spent.tokens - reserved
            self._requests += spent.requests - 1
            self._usd += spent.usd or 0.0

    def why_nearly_spent(self, tokens: int) -> str:
        """Why a further request of so many tokens should be the last; "" if there is room for more."""
        allowance = self.allowance
        if self.tokens_left < 2 * tokens:
            return f"the token budget of {allowance.tokens:,} (`budgets.tokens`) was nearly spent"
        if allowance.requests - self._requests <= 1:
            return f"the request budget of {allowance.requests} (`budgets.requests`) was nearly spent"
        if self._usd > 0.9 * allowance.usd:
            return f"the money budget of ${allowance.usd:g} (`budgets.usd`) was nearly spent"
        return ""

    def _why_not(self, tokens: int) -> str:
        allowance = self.allowance
        if self.time_left_s <= 0:
            return f"not done after {round(allowance.time_s / 60)} min (`budgets.minutes`)"
        if self._requests >= allowance.requests:
            return f"the request budget of {allowance.requests} is spent (raise `budgets.requests`)"
        if tokens > self.tokens_left:
            room = f"{max(self.tokens_left, 0):,} are left, and the next request may take {tokens:,}"
            return f"the token budget of {allowance.tokens:,} is too small: {room} (raise `budgets.tokens`)"
        if self._usd >= allowance.usd:
            return f"the money budget of ${allowance.usd:g} is spent (raise `budgets.usd`)"
        return ""


def room_for(tokens: int, agents: int) -> int:
    """Characters that each of so many agents can be shown at the start, if half of the tokens are for what follows."""
    return int(tokens * CHARACTERS_PER_TOKEN / 2 / max(agents, 1))


def estimate_tokens(characters: int) -> int:
    """Tokens of a text of so many characters, about, rather more than less."""
    return math.ceil(characters / CHARACTERS_PER_TOKEN)
