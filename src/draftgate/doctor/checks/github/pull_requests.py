"""``pull-requests``, for checkpoint, draft and review.

Whether it may be read is seen here; for what may be written see `github.writes`.
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict
from draftgate.doctor.facts.github import GitHubFacts
from draftgate.doctor.judging import judge_permission


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    yield judge_permission(facts, facts.pull_requests.value, "pull-requests: write", "checkpoint, draft and review")


CHECK = Check(
    "github.pull-requests",
    "pull-requests",
    _judge,
    wrong_if="the token may not read pull requests",
    exit_code=CREDENTIALS,
)
