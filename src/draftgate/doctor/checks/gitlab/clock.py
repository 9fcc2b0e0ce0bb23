"""Times of comments are held against times of rounds, so this machine's clock must be right."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict
from draftgate.doctor.facts.gitlab import GitLabFacts
from draftgate.doctor.judging import judge_clock


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    yield judge_clock(facts.server.value.skew_s, "GitLab")


CHECK = Check(
    "gitlab.clock",
    "clock",
    _judge,
    warns_if="this machine's clock is more than a minute off the server's",
)
