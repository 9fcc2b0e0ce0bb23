"""Git must be there and new enough: everything about a change is read with it."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, wrong
from draftgate.doctor.facts.local import LocalFacts


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    if not facts.git.was_seen:
        yield wrong(facts.git.reason, facts.git_hint)
        return
    yield ok(f"git {facts.git.value}, with Draftgate {facts.version} on Python {facts.python}")


CHECK = Check(
    "local.git-version",
    "git",
    _judge,
    wrong_if="git is missing, or older than 2.39",
    exit_code=CONFIGURATION,
    comes_first=True,
)
