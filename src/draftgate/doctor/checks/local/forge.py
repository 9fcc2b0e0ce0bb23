"""Which repository on a forge is looked at, and that its address here holds no password."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, could_not_look, ok, warning
from draftgate.doctor.facts.local import LocalFacts


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    if facts.forge.was_seen:
        yield ok(facts.forge.value)
    elif facts.forge_hint:
        yield could_not_look(facts.forge.reason, where=facts.forge_hint)
    else:
        yield ok(f"{facts.forge.reason}; reviews stay on this machine")
    if facts.origin_has_password:
        yield warning(
            "the address of the remote `origin` holds a password, which every program here can read",
            "take it out, and let git ask a credential helper",
            lines=("git remote set-url origin https://HOST/OWNER/NAME.git",),
        )


CHECK = Check(
    "local.forge",
    "repository on a forge",
    _judge,
    warns_if="the address of `origin` holds a password",
)
