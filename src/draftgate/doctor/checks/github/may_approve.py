"""Whether GitHub Actions may approve: without it `approve` as a verdict is refused to the workflow token.

https://docs.github.com/en/rest/actions/permissions#get-default-workflow-permissions-for-a-repository
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import GitHubFacts

_CLICKS = "Settings → Actions → General → Allow GitHub Actions to create and approve pull requests"


def _page(facts: GitHubFacts) -> str:
    return f"{facts.page}/settings/actions ({_CLICKS})"


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    if facts.workflows.workflows.was_seen and facts.workflows.ours and not facts.workflows.shares_account:
        yield ok("it does not matter here: Draftgate acts as an account of its own")
    elif facts.settings.value.may_approve:
        yield ok("GitHub Actions may approve pull requests")
    else:
        yield warning(
            "GitHub Actions may not approve pull requests, so that `--as approve` is refused to the workflow token",
            "tick the setting, or submit with `--as comment`",
            where=_page(facts),
        )


CHECK = Check(
    "github.may-approve",
    "may Actions approve?",
    _judge,
    warns_if="the setting is off, and Draftgate uses the workflow token",
    by_hand=_page,
)
