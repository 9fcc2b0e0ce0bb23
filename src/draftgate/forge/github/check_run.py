"""The check run of a round: its state in words for the list of checks, and the second place that keeps the seal.

Whoever can edit the checkpoint cannot edit a check run of our app with it. It also keeps when the findings were shown,
by GitHub's own clock. A token that may not write checks (a person's cannot, GitHub says) leaves the round without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import Session
from draftgate.errors import PermissionDenied
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.view import View

_NAME = "draftgate"


@dataclass(frozen=True, slots=True)
class Witness:
    """What a check run of ours keeps.

    Attributes:
        shown_at: When the findings were shown: GitHub's time of the checkpoint's edit.
    """

    id: int
    seal: str
    shown_at: str


class CheckRuns:
    """The check runs of our own app on one change."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        instance = view.place.instance
        self.name = _NAME if instance == "default" else f"{_NAME} ({instance})"
        self._found: dict[str, Witness | None] = {}
        self.is_denied = False

    def find(self, head: str) -> Witness | None:
        """The newest check run of ours on a commit; ``None`` if there is none, or none can be read."""
        if head not in self._found:
            self._found[head] = self._read(head)
        return self._found[head]

    def put(self, session: Session, shown_at: str, url: str) -> None:
        """Say the state of a round in words, and keep its seal."""
        if self.is_denied or session.scope is None:
            return
        head = session.scope.head
        wanted = {**_words(session), "external_id": session.seal, "completed_at": shown_at, "details_url": url}
        present = self.find(head) if session.phase is not Phase.AWAITING_APPROVAL else None
        if present is None or present.seal != session.seal:
            call = ("POST", "check-runs", {"name": self.name, "head_sha": head, "status": "completed", **wanted})
        else:
            call = ("PATCH", f"check-runs/{present.id}", {"status": "completed", **wanted})

        def landed() -> dict[str, Any] | None:
            self._found.pop(head, None)
            found = self._latest(head)
            return found if found is not None and found.get("external_id") == session.seal else None

        try:
            answer = self._connection.write(lambda: self._connection.send(*call), landed=landed)
        except PermissionDenied:
            self.is_denied = True
            return
        self._found[head] = _witness(answer)

    def _read(self, head: str) -> Witness | None:
        try:
            found = self._latest(head)
        except PermissionDenied:
            self.is_denied = True
            return None
        return None if found is None else _witness(found)

    def _latest(self, head: str) -> dict[str, Any] | None:
        runs = self._connection.pages(f"commits/{head}/check-runs", items="check_runs", check_name=self.name)
        own = [run for run in runs if f"{(run.get('app') or {}).get('slug')}[bot]" == self._view.account.login]
        return max(own, key=lambda run: int(run["id"]), default=None)


def _witness(run: Mapping[str, Any]) -> Witness:
    return Witness(int(run["id"]), str(run.get("external_id") or ""), str(run.get("completed_at") or ""))


def _words(session: Session) -> dict[str, object]:
    conclusion, title = _conclusion(session)
    findings = len(session.result.findings) if session.result else 0
    summary = f"Round {session.round}: {findings} {'finding' if findings == 1 else 'findings'}."
    return {"conclusion": conclusion, "output": {"title": title, "summary": summary}}


def _conclusion(session: Session) -> tuple[str, str]:
    """Green only where something was read and nothing stands against it."""
    result = session.result
    match session.phase:
        case Phase.AWAITING_APPROVAL if result is not None and not result.findings:
            was_read = result.coverage.reviewed > 0
            return ("success" if was_read else "neutral", "nothing found" if was_read else "nothing was reviewed")
        case Phase.AWAITING_APPROVAL:
            return "neutral", "awaiting approval"
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
