"""``checks``, for the check run, which keeps the seal.

Whether it may be read is seen here; for what may be written see `github.writes`.
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict
from draftgate.doctor.facts.github import GitHubFacts
from draftgate.doctor.judging import judge_permission


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    yield judge_permission(facts, facts.checks.value, "checks: write", "the check run, which keeps the seal")


CHECK = Check(
    "github.checks",
    "checks",
    _judge,
    wrong_if="the token may not read check runs",
    exit_code=CREDENTIALS,
)
