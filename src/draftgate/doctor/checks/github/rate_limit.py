"""A review takes some dozens of requests of the hour's quota, which everything with this token shares."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import GitHubFacts

_FEW = 100


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    rate = facts.headers.value.rate
    if rate is None:
        yield ok("this server tells of no limit")
    elif rate.left < _FEW:
        says = f"{rate.left} of {rate.limit} requests are left until {rate.resets_at}"
        yield warning(says, "wait until then, or see what else uses the token")
    else:
        yield ok(f"{rate.left} of {rate.limit} requests are left until {rate.resets_at}")


CHECK = Check(
    "github.rate-limit",
    "rate limit",
    _judge,
    warns_if="fewer than 100 requests of the hour are left",
)
