"""The server must answer, take the token, and know the repository; without that nothing else can be asked."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.github import GitHubFacts


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    if facts.stop is not None:
        yield wrong(facts.stop.says, facts.stop.change, exit_code=facts.stop.exit_code)
    elif not facts.is_encrypted:
        yield warning(f"the token goes to {facts.api_url} unencrypted", "write https:// in the address")
    else:
        repository = facts.repository.value
        kind = "private" if repository.is_private else "public"
        yield ok(f"{facts.api_url} answers, and shows the {kind} repository {facts.page}")
    if facts.stop is None and facts.repository.value.is_archived:
        yield wrong("the repository is archived, and takes no review", "unarchive it", where=f"{facts.page}/settings")


CHECK = Check(
    "github.reach",
    "server",
    _judge,
    wrong_if="it does not answer (exit 4), or takes no such token; or the repository is archived, or not to be seen",
    warns_if="the token goes there unencrypted",
    exit_code=CREDENTIALS,
    comes_first=True,
)
