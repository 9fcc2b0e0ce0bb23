"""The approval settings that decide whether an approval of the bot's stands and counts.

https://docs.gitlab.com/user/project/merge_requests/approvals/settings/
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/settings/merge_requests (Approval settings)"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    settings = facts.approvals.value
    loose = []
    if settings.author_may:
        loose.append("authors may approve their own merge requests")
    if not settings.committers_may_not:
        loose.append("those who added commits may approve")
    if not settings.reset_on_push:
        loose.append("an approval stays when commits are added, so that the bot's may stand for what it never saw")
    if loose:
        change = "tick *Prevent approval by author*, *by users who add commits* and *Remove all approvals on push*"
        yield warning("; ".join(loose), change, where=_page(facts))
    else:
        yield ok("neither author nor committers may approve, and a push removes approvals")


CHECK = Check(
    "gitlab.approvals",
    "approval settings",
    _judge,
    warns_if="authors or committers may approve, or a push keeps approvals",
    by_hand=_page,
)
