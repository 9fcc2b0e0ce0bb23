"""The server must answer, take the token, and know the project; without that nothing else can be asked."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.gitlab import GitLabFacts


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    if facts.stop is not None:
        yield wrong(facts.stop.says, facts.stop.change, exit_code=facts.stop.exit_code)
        return
    if not facts.is_encrypted:
        yield warning(f"the token goes to {facts.api_url} unencrypted", "write https:// in the address")
    else:
        yield ok(f"{facts.api_url} answers, and shows the project {facts.page}")
    if facts.project.value.is_archived:
        yield wrong("the project is archived, and takes no review", "unarchive it", where=f"{facts.page}/edit")


CHECK = Check(
    "gitlab.reach",
    "server",
    _judge,
    wrong_if="it does not answer (exit 4), or takes no such token; or the project is archived, or not to be seen",
    warns_if="the token goes there unencrypted",
    exit_code=CREDENTIALS,
    comes_first=True,
)
