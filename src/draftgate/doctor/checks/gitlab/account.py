"""Whose token it is: a bot's own account, or a person's."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    user = facts.user.value
    if user.is_bot:
        yield ok(f"@{user.username}, an account of its own")
    elif facts.is_job:
        yield warning(
            f"@{user.username} is an account that people sign in to; if it is somebody's own, nobody can tell the "
            "bot's words from that person's, and that person's drafts are in its way",
            "use a project access token, or on GitLab.com Free an account made for the bot",
            where=f"{facts.page}/-/settings/access_tokens",
        )
    else:
        yield ok(f"@{user.username}; with this token only what a person may was looked at, not what a job may")


CHECK = Check(
    "gitlab.account",
    "account",
    _judge,
    warns_if="a job may write as a person",
)
