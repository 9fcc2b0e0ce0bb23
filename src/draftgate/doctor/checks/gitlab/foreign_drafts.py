"""Draft notes of the same account that are not ours: publishing a review would be unsafe beside them."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts
from draftgate.doctor.judging import listed
from draftgate.render.wording import counted


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    found = facts.remarks.value
    foreign = list(dict.fromkeys(remark.url for remark in found.remarks if remark.is_draft and not remark.is_ours))
    if foreign:
        yield warning(
            f"the account holds draft notes that are not Draftgate's: {listed(foreign)}",
            "submit or delete them as that account, or give Draftgate an account of its own",
        )
    else:
        most = " that changed last" if found.more else ""
        yield ok(f"no draft of another program on {counted(found.looked_through, 'open merge request')}{most}")


CHECK = Check(
    "gitlab.foreign-drafts",
    "drafts of others",
    _judge,
    warns_if="on the 5 open merge requests that changed last the account holds a draft note of another program",
)
