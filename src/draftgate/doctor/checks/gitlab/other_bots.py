"""What else the account writes on merge requests shows whether another program, or a person, uses it too."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts
from draftgate.doctor.judging import listed


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    user, found = facts.user.value, facts.remarks.value
    if not user.is_bot and not facts.is_job:
        return  # a person at a machine writes comments
    foreign = [remark.url for remark in found.remarks if not remark.is_draft and not remark.is_ours]
    if foreign:
        yield warning(
            f"another program writes as @{user.username} too: {listed(foreign)}",
            "give Draftgate a token, and so an account, of its own",
        )
    else:
        yield ok(f"nothing on these merge requests is by @{user.username} and not Draftgate's")


CHECK = Check(
    "gitlab.other-bots",
    "other bots on the account",
    _judge,
    warns_if="a comment of the account is not Draftgate's",
)
