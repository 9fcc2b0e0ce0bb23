"""Which kind of token it is, and whether its scopes are enough; a classic token tells them in each answer.

https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.github import GitHubFacts

_WANTED = frozenset({"repo", "public_repo", "read:org", "repo:status", "read:user", "user:email"})
"""What a token for Draftgate has at most."""


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    scopes = facts.headers.value.scopes
    if scopes is None:
        yield ok(f"a {facts.form} from {facts.token_name}")
        return
    is_private = facts.repository.value.is_private
    enough = {"repo"} if is_private else {"repo", "public_repo"}
    listed = ", ".join(sorted(scopes)) or "none"
    page = f"{facts.page.rsplit('/', 2)[0]}/settings/tokens"
    if not scopes & enough:
        wanted = "repo" if is_private else "public_repo"
        says = f"a {facts.form} from {facts.token_name} with the scopes {listed}, which cannot write reviews here"
        yield wrong(says, f"give it the scope `{wanted}`", where=page)
    elif extra := sorted(scopes - _WANTED):
        says = f"a {facts.form} from {facts.token_name} with scopes that Draftgate has no use for: {', '.join(extra)}"
        yield warning(says, "take them away", where=page)
    else:
        yield ok(f"a {facts.form} from {facts.token_name} with the scopes {listed}")


CHECK = Check(
    "github.token",
    "token",
    _judge,
    wrong_if="a classic token has neither `repo` nor, on a public repository, `public_repo`",
    warns_if="it has scopes that Draftgate has no use for",
    exit_code=CREDENTIALS,
)
