"""The check run of a round: its state in words for the list of checks, and the second place that keeps the seal.

Whoever can edit the checkpoint cannot edit a check run of our app with it. It also keeps when the findings were shown,
by GitHub's own clock. A token that may not write checks (a person's cannot, GitHub says) leaves the round without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import RoundResult
from draftgate.domain.seal import Witness
from draftgate.domain.session import Session
from draftgate.errors import PermissionDenied
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.view import View

_NAME = "draftgate"


_WITNESS = re.compile(r"draftgate:([0-9a-f]*):([0-9a-f]+):([0-9a-f]+):([0-9a-f]*)")
"""An external id of ours. Jobs of workflows are check runs of the same app, and may bear the same name."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a check run of ours keeps.

    Attributes:
        external_id: As it was put, see `spell_witness`.
        shown_at: When the findings were shown: GitHub's time of the checkpoint's edit.
        title: The state in words.
    """

    id: int
    external_id: str
    shown_at: str
    title: str

    @property
    def witness(self) -> Witness | None:
        """What it says about the round; ``None`` if it is no witness."""
        found = _WITNESS.fullmatch(self.external_id)
        return None if found is None else Witness(*found.groups())

    def is_of(self, session: Session) -> bool:
        """Whether it vouches for the session's present round."""
        return self.witness is not None and self.witness.seal == session.seal


def spell_witness(witness: Witness) -> str:
    """A witness as an external id."""
    return f"draftgate:{witness.seal}:{witness.commands}:{witness.memory}:{witness.page}"


_AWAITING = "awaiting approval"


class CheckRuns:
    """The check runs of our own app on one change."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        instance = view.place.instance
        self.name = _NAME if instance == "default" else f"{_NAME} ({instance})"
        self._found: dict[str, Kept | None] = {}
        self.is_denied = False

    def find(self, head: str) -> Kept | None:
        """The newest check run of ours on a commit; ``None`` if there is none, or none can be read."""
        if head not in self._found:
            self._found[head] = self._read(head)
        return self._found[head]

    def put(self, session: Session, witness: Witness, *, shown_at: str, url: str, is_new: bool) -> None:
        """Say the state of a round in words, and keep what vouches for it; nothing is written twice.

        Args:
            session: The round's.
            witness: What vouches for it.
            shown_at: When its findings were shown; "" if they were not.
            url: Of the checkpoint.
            is_new: The round was shown just now. It gets a check run of its own, without a look for others; whatever
                becomes of it later changes that one.
        """
        head = session.scope.head if session.scope else session.reviewing
        if self.is_denied or head is None:
            return
        external_id, words = spell_witness(witness), _words(session)
        title = words["output"]["title"]
        present = self._found.get(head) if is_new else self.find(head)
        is_of_round = present is not None and present.witness is not None and present.witness.seal == witness.seal
        if present is not None and (present.external_id, present.title) == (external_id, title):
            return
        wanted = {**words, "status": "completed", "external_id": external_id}
        if shown_at:  # GitHub puts its own time where none is given, and a start after the end
            wanted |= {"started_at": shown_at, "completed_at": shown_at}
        if url:
            wanted["details_url"] = url
        if present is not None and is_of_round:
            call = ("PATCH", f"check-runs/{present.id}", wanted)
        else:
            call = ("POST", "check-runs", {"name": self.name, "head_sha": head, **wanted})

        def landed() -> dict[str, Any] | None:
            found = self._latest(head)
            is_there = found is not None and (_kept(found).external_id, _kept(found).title) == (external_id, title)
            return found if is_there else None

        try:
            with self._view.unaffected():
                answer = self._connection.write(lambda: self._connection.send(*call), landed=landed)
        except PermissionDenied:
            self.is_denied = True
            return
        self._found[head] = _kept(answer)

    def mend(self, session: Session) -> None:
        """Say the state of a round in words in the check run that it has; what that vouches for stays as it is."""
        if session.scope is None:
            return
        head, words = session.scope.head, _words(session)
        title = words["output"]["title"]
        present = self.find(head)
        is_of_round = present is not None and present.witness is not None and present.witness.seal == session.seal
        if present is None or not is_of_round or present.title == title:
            return

        def landed() -> dict[str, Any] | None:
            found = self._latest(head)
            return found if found is not None and _kept(found).title == title else None

        path = f"check-runs/{present.id}"
        answer = self._connection.write(lambda: self._connection.send("PATCH", path, words), landed=landed)
        self._found[head] = _kept(answer)

    def _read(self, head: str) -> Kept | None:
        try:
            found = self._latest(head)
        except PermissionDenied:
            self.is_denied = True
            return None
        return None if found is None else _kept(found)

    def _latest(self, head: str) -> dict[str, Any] | None:
        path = f"commits/{head}/check-runs"
        runs = self._connection.pages(path, items="check_runs", check_name=self.name, filter="all")
        own = [run for run in runs if self._is_ours(run)]
        newest = max(own, key=lambda run: int(run["id"]), default=None)
        return None if newest is None else max(_of_one_round(own, newest), key=_finality)

    def _is_ours(self, run: Mapping[str, Any]) -> bool:
        is_own_app = f"{(run.get('app') or {}).get('slug')}[bot]" == self._view.account.login
        return is_own_app and _WITNESS.fullmatch(str(run.get("external_id") or "")) is not None


def _of_one_round(runs: Sequence[Mapping[str, Any]], newest: dict[str, Any]) -> list[dict[str, Any]]:
    seal = _kept(newest).witness
    return [dict(run) for run in runs if seal is not None and _has_seal(run, seal.seal)] or [newest]


def _has_seal(run: Mapping[str, Any], seal: str) -> bool:
    witness = _kept(run).witness
    return witness is not None and witness.seal == seal


def _finality(run: Mapping[str, Any]) -> tuple[bool, int]:
    """A round that ended does not wait again: a run that says so later was merely late."""
    kept = _kept(run)
    return kept.title != _AWAITING, kept.id


def _kept(run: Mapping[str, Any]) -> Kept:
    title = (run.get("output") or {}).get("title")
    return Kept(int(run["id"]), str(run.get("external_id") or ""), str(run.get("completed_at") or ""), str(title or ""))


def _words(session: Session) -> dict[str, Any]:
    conclusion, title = _conclusion(session)
    findings = None if session.result is None else len(session.result.findings)
    count = "" if findings is None else f": {findings} {'finding' if findings == 1 else 'findings'}"
    summary = f"Round {session.round}{count}."
    return {"conclusion": conclusion, "output": {"title": title, "summary": summary}}


def _waiting(result: RoundResult | None) -> tuple[str, str]:
    if result is None or result.findings:
        return "neutral", _AWAITING
    if result.coverage.reviewed > 0 and not result.coverage.hindrances:
        return "success", "nothing found"
    return "neutral", "nothing found, and not everything was looked at"


def _conclusion(session: Session) -> tuple[str, str]:
    """Green only where something was read and nothing stands against it."""
    match session.phase:
        case Phase.AWAITING_APPROVAL:
            return _waiting(session.result)
        case Phase.SUBMITTED:
            verdict = session.submission.verdict if session.submission else Verdict.COMMENT
            return ("neutral" if verdict is Verdict.REQUEST_CHANGES else "success"), "submitted"
        case Phase.SUPERSEDED:
            return "neutral", "superseded"
        case Phase.ABORTED:
            return "neutral", "discarded"
        case Phase.AGENTS_FAILED:
            return "neutral", "an agent failed"
        case Phase.FAILED:
            return "failure", f"failed: {session.failure.reason[:200]}" if session.failure else "failed"
        case _:
            return "neutral", session.phase.value.replace("-", " ")
