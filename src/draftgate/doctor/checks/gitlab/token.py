"""The scopes of the token, which it tells of itself: comments and drafts need `api`.

https://docs.gitlab.com/user/profile/personal_access_tokens/#personal-access-token-scopes
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.gitlab import GitLabFacts

_NEEDLESS = frozenset({"sudo", "admin_mode", "write_repository", "write_registry", "create_runner", "manage_runner"})


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/settings/access_tokens"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    scopes = facts.token.value.scopes
    listed = ", ".join(sorted(scopes)) or "none"
    if "api" not in scopes:
        says = f"the token from {facts.token_name} has the scopes {listed}, and cannot write comments"
        yield wrong(says, "make one with the scope `api`", where=_page(facts))
    elif needless := sorted(scopes & _NEEDLESS):
        says = f"the token from {facts.token_name} has scopes that Draftgate has no use for: {', '.join(needless)}"
        yield warning(says, "make one with `api` alone", where=_page(facts))
    else:
        yield ok(f"the token from {facts.token_name} has the scopes {listed}")


CHECK = Check(
    "gitlab.token",
    "token",
    _judge,
    wrong_if="the token lacks the scope `api`",
    warns_if="it has scopes that Draftgate has no use for",
    exit_code=CREDENTIALS,
    by_hand=_page,
)
