"""Personal tokens end on a day that GitHub tells in each answer."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict
from draftgate.doctor.facts.github import GitHubFacts
from draftgate.doctor.judging import judge_expiry


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    headers = facts.headers.value
    if headers.days_left is not None:
        yield judge_expiry(headers.days_left, headers.expires, f"{facts.page.rsplit('/', 2)[0]}/settings/tokens")


CHECK = Check(
    "github.expiry",
    "end of the token",
    _judge,
    wrong_if="the token has ended",
    warns_if="it ends within two weeks",
    exit_code=CREDENTIALS,
)
