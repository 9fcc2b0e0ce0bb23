"""What an earlier run, or another release, left in ``.draftgate/`` must be readable."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, wrong
from draftgate.doctor.facts.local import LocalFacts
from draftgate.render.wording import counted


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    if facts.is_job or not facts.clone.was_seen:
        return
    state = facts.state.value
    if state.trouble:
        yield wrong(f"the state in .draftgate/ cannot be used: {state.trouble}", state.hint)
    elif state.sessions:
        yield ok(f"{counted(state.sessions, 'stored review')} can be read")
    else:
        yield ok("there is no stored review")


CHECK = Check(
    "local.state",
    "stored reviews",
    _judge,
    wrong_if="`.draftgate/` holds state that cannot be read, or is part of a commit",
    exit_code=CONFIGURATION,
)
