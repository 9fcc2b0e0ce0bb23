"""Times of comments are held against times of rounds, and tokens of Apps against this clock, so it must be right."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict
from draftgate.doctor.facts.github import GitHubFacts
from draftgate.doctor.judging import judge_clock


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    yield judge_clock(facts.headers.value.skew_s, "GitHub")


CHECK = Check(
    "github.clock",
    "clock",
    _judge,
    warns_if="this machine's clock is more than a minute off the server's",
)
