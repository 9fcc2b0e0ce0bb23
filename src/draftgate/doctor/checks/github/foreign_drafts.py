"""GitHub keeps one draft review of an account on a pull request; one of another program is in the way of ours."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import GitHubFacts
from draftgate.doctor.judging import listed
from draftgate.render.wording import counted


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    account = facts.account.value
    foreign = [remark.url for remark in account.remarks if remark.is_draft and not remark.is_ours]
    if foreign:
        yield warning(
            f"{account.login} holds draft reviews that are not Draftgate's: {listed(foreign)}",
            "submit or delete them, or give Draftgate an account of its own",
        )
    else:
        most = " that changed last" if account.more else ""
        yield ok(f"no draft of another program on {counted(account.looked_through, 'open pull request')}{most}")


CHECK = Check(
    "github.foreign-drafts",
    "drafts of others",
    _judge,
    warns_if="on the 20 open pull requests that changed last the account holds a pending review of another program",
)
