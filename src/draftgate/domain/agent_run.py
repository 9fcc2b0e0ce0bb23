"""What an agent did in a round: which model was asked, what was sent, what it cost.

A run is a record for the audit and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CRITIC = "critic"
"""The name that the critic answers to in commands, beside the agents."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used.

    Attributes:
        requests: Requests made of models, repeated ones too.
        input_tokens: Tokens read by them, cached ones too.
        output_tokens: Tokens written by them.
        cached_tokens: Those of the input that came out of the provider's cache.
        usd: US dollars; ``None`` if the price of anything in it is unknown.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Spent) -> Spent:
        """Both together; an unknown price makes the sum unknown."""
        return Spent(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            None if self.usd is None or other.usd is None else round(self.usd + other.usd, 6),
        )


NOTHING_SPENT = Spent()


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One agent's part in a round.

    Attributes:
        name: What commands call it by.
        tier: The seat: ``standard``, ``capable`` or ``frontier``.
        model: As configured: ``provider:model``.
        host: The host that was asked.
        effort: As configured; "" for the provider's own default.
        answered_as: How the provider spelled the model that answered; "" where it did not say.
        spent: See `Spent`.
        seconds: From its start to its end.
        findings: How many it reported.
        kept: How many of these are shown.
        sent: What it was shown and what it read, one entry each.
        sent_characters: Characters of these; resending them with every request does not count.
        stopped_early: Why it had to answer before it was done, as a sentence part; "" if it was not.
        failure: Why there is no answer; "" if there is one.
    """

    name: str
    tier: str
    model: str
    host: str
    effort: str = ""
    answered_as: str = ""
    spent: Spent = NOTHING_SPENT
    seconds: float = 0.0
    findings: int = 0
    kept: int = 0
    sent: tuple[str, ...] = ()
    sent_characters: int = 0
    stopped_early: str = ""
    failure: str = ""


def sum_spent(runs: Iterable[AgentRun]) -> Spent:
    """What all of them used."""
    total = NOTHING_SPENT
    for run in runs:
        total += run.spent
    return total
