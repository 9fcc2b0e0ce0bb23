"""Whose token it is: a bot's own account, that of all workflows, or a person's."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import WORKFLOW_ACCOUNT, GitHubFacts


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    login = facts.account.value.login
    if login == WORKFLOW_ACCOUNT:
        yield ok(f"{login}, which every workflow of the repository shares: whoever may push one may write as it")
    elif login.endswith("[bot]"):
        yield ok(f"{login}, an account of its own")
    elif facts.is_job:
        yield warning(
            f"@{login} is an account that people sign in to: GitHub keeps no check run for it, so that the seal stands "
            "in the draft alone, and nobody can tell the bot's words from that person's",
            "use a GitHub App, as examples/github/recommended.yml does",
        )
    else:
        yield ok(f"@{login}; with this token only what a person may see was looked at, not what a job may do")


CHECK = Check(
    "github.account",
    "account",
    _judge,
    warns_if="a job writes as a person",
)
