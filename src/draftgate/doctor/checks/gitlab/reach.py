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
    "the server does not answer (exit 4), does not take the token or does not show the project (exit 3)",
    _judge,
    exit_code=CREDENTIALS,
    comes_first=True,
)
