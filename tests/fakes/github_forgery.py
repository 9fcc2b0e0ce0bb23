"""What somebody with write access can make of the bot's comments by hand, every digest made anew.

Nothing secret is needed for it as long as the state is not signed. What comes of it is each test's affair.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from draftgate.domain.canonical import canonical_bytes, digest
from draftgate.forge.hidden import Kind, Marker, body_digest, mark, pack, read_marked, restore
from tests.fakes.github import comments
from tests.fakes.github_run import Runner

Session = dict[str, Any]


def stored_session(runner: Runner) -> Session:
    """The session in the newest checkpoint, as plain JSON."""
    session: Session = _document(runner)["content"]["session"]
    return session


def forge_session(runner: Runner, change: Callable[[Session], None], *, page: str | None = None) -> None:
    """Put a changed session into the newest checkpoint, and another page if one is given."""
    document = _document(runner)
    change(document["content"]["session"])
    document["digest"] = digest(document["content"])
    state = canonical_bytes(document) + b"\n"
    marked = read_marked(runner.checkpoint.body)
    assert marked is not None
    text = marked.text if page is None else page
    facts = {
        **marked.marker.facts,
        "phase": document["content"]["session"]["phase"],
        "text": body_digest(text),
        "state": sha256(state).hexdigest(),
    }
    body = mark(text, Marker(Kind.CHECKPOINT, facts), (Marker(Kind.STATE, {"data": pack(state)}),))
    rewrite(runner, body)


def rewrite(runner: Runner, body: str) -> None:
    """Replace the text of the newest checkpoint."""
    comments.edit(runner.scenario.world, runner.scenario.caller("writer"), runner.checkpoint, body)


def _document(runner: Runner) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(restore(runner.checkpoint.body, lambda _: ""))
    return document
