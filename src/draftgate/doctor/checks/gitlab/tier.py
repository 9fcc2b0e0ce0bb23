"""Whether approval rules count tells Premium from Free; GitLab shows no project its tier."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, could_not_look, ok
from draftgate.doctor.facts.gitlab import GitLabFacts


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    if facts.server.value.is_enterprise is False:
        yield ok("Community Edition: `request-changes` is a mark and blocks nothing, and approvals count for no rule")
    elif facts.approvals.was_seen:
        yield ok("the project has approval settings, as Premium has: `request-changes` blocks a merge")
    else:
        yield could_not_look(
            "GitLab shows no project its tier; on Free `request-changes` is a mark and blocks nothing",
            where=f"{facts.page}/-/settings/merge_requests (Merge request approvals are there on Premium)",
        )


CHECK = Check(
    "gitlab.tier",
    "tier",
    _judge,
)
