"""Tokens of GitLab end after a year at most, and the job then ends with exit 3."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok
from draftgate.doctor.facts.gitlab import GitLabFacts
from draftgate.doctor.judging import judge_expiry


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/settings/access_tokens"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    token = facts.token.value
    if token.days_left is None:
        yield ok("the token has no end")
    else:
        yield judge_expiry(token.days_left, token.expires, _page(facts))


CHECK = Check(
    "gitlab.expiry",
    "end of the token",
    _judge,
    wrong_if="the token has ended",
    warns_if="it ends within two weeks",
    exit_code=CREDENTIALS,
    by_hand=_page,
)
