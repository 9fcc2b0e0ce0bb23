"""What else the account writes on pull requests shows whether another program, or a person, uses it too."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import GitHubFacts
from draftgate.doctor.judging import listed


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    account = facts.account.value
    if not account.login.endswith("[bot]") and not facts.is_job:
        return  # a person at a machine writes comments
    foreign = [remark.url for remark in account.remarks if not remark.is_draft and not remark.is_ours]
    if foreign:
        yield warning(
            f"another program writes as {account.login} too: {listed(foreign)}",
            "give Draftgate an account of its own, as examples/github/recommended.yml does with a GitHub App",
        )
    else:
        yield ok(f"nothing on these pull requests is by {account.login} and not Draftgate's")


CHECK = Check(
    "github.other-bots",
    "other bots on the account",
    _judge,
    warns_if="a comment or review of the account is not Draftgate's",
)
