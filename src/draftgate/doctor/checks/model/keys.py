"""Agents that are named need a key; without one and without names, the built-in checks review alone."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, wrong
from draftgate.doctor.facts.models import ModelFacts


def _judge(facts: ModelFacts) -> Iterator[Verdict]:
    for problem in facts.missing:
        yield wrong(f"`{problem.key}`: {problem.wrong}", problem.write)
    if facts.missing:
        return
    if facts.agents:
        yield ok(f"asked in a review: {', '.join(facts.agents)}")
    elif facts.has_key:
        yield ok("there is a key, and the configuration asks nobody: the built-in checks review alone")
    else:
        yield ok("there is no key: the built-in checks review alone")
    for note in facts.notes:
        yield ok(note)


CHECK = Check(
    "model.keys",
    "agents",
    _judge,
    wrong_if="the configuration names agents, and there is no key for their models",
    exit_code=CREDENTIALS,
    comes_first=True,
)
