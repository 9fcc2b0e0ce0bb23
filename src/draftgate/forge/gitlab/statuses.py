"""The commit status of a round: its state in words, and when its findings were shown.

GitLab has no second place that keeps the seal: the draft notes do, as long as they wait. What a status says of the time
is believed for the time alone. https://docs.gitlab.com/api/commits/#set-the-pipeline-status-of-a-commit
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import RoundResult
from draftgate.domain.seal import Witness
from draftgate.domain.session import Session
from draftgate.errors import PermissionDenied
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.troubles import Refused
from draftgate.forge.gitlab.view import View
from draftgate.forge.hosted.standing import KnownComment
from draftgate.render.page import read_ticks

_NAME = "draftgate"
_LONGEST = 255
_SEAL = 12
_SHOWN = re.compile(r"\(shown (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ), round ([0-9a-f]*)\)")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a status of ours keeps.

    Attributes:
        title: The state in words.
        shown_at: When the findings were shown; "" if it does not say.
        seal: The beginning of the seal that the time belongs to.
    """

    title: str
    shown_at: str
    seal: str

    @property
    def witness(self) -> Witness | None:
        """A status vouches for nothing: every member who may push can write one."""
        return None

    def is_of(self, session: Session) -> bool:
        """Whether it is about the session's present round."""
        return bool(self.seal) and session.seal.startswith(self.seal)


class Statuses:
    """The commit statuses of one account on one change."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        instance = view.place.instance
        self.name = _NAME if instance == "default" else f"{_NAME} ({instance})"
        self._found: dict[str, Kept | None] = {}
        self.is_denied = False

    def find(self, head: str) -> Kept | None:
        """The newest status of ours on a commit; ``None`` if there is none, none can be read, or none is needed.

        It is the time alone that it knows better than the checkpoint, and only where reactions or ticks may have moved
        the checkpoint's own.
        """
        checkpoint = self._view.now().checkpoint
        is_known = head in self._found
        if not is_known and self._view.knows_edits and not _is_ticked(checkpoint):
            return None
        return self._known(head)

    def _known(self, head: str) -> Kept | None:
        if head not in self._found:
            self._found[head] = self._read(head)
        return self._found[head]

    def put(self, session: Session, witness: Witness, *, shown_at: str, url: str, is_new: bool) -> None:
        """Say the state of a round in words, and when it was shown."""
        del witness
        head = session.scope.head if session.scope else session.reviewing
        if self.is_denied or head is None:
            return
        state, words = _words(session)
        shown = f" (shown {shown_at}, round {session.seal[:_SEAL]})" if shown_at and session.seal else ""
        description = f"{words[: _LONGEST - len(shown)]}{shown}"
        wanted = _kept(description)
        is_first = is_new or (head not in self._found and session.phase is not Phase.AWAITING_APPROVAL)
        if (None if is_first else self._known(head)) == wanted:
            return
        body = {"state": state, "name": self.name, "description": description}
        if url:
            body["target_url"] = url
        self._write(head, body, wanted)

    def mend(self, session: Session) -> None:
        """Say the state in words where it is not said yet; the time stays."""
        if session.scope is None:
            return
        present = self._known(session.scope.head)
        if present is None or not present.is_of(session):
            return
        self.put(session, Witness.of(session), shown_at=present.shown_at, url="", is_new=False)

    def _write(self, head: str, body: dict[str, str], wanted: Kept) -> None:
        statuses = self._connection.project.commits.get(head, lazy=True).statuses

        def landed() -> bool | None:
            return True if self._read(head) == wanted else None

        try:
            with self._view.unaffected():
                self._connection.write(lambda: statuses.create(body) is not None, landed=landed)
        except PermissionDenied:
            self.is_denied = True
            return
        except Refused as refused:
            # `skipped` came with a later release; a status is never green where nothing was reviewed.
            if body["state"] != "skipped" or refused.status != 400:
                raise
            self._write(head, {**body, "state": "canceled"}, wanted)
        self._found[head] = wanted

    def _read(self, head: str) -> Kept | None:
        try:
            # Without `all`, the newest of a name hides the others, and anybody who may push can write that one.
            place = f"repository/commits/{head}/statuses"
            entries = list(self._connection.pages(place, name=self.name, all="true"))
        except PermissionDenied:
            self.is_denied = True
            return None
        except Refused as refused:
            if refused.is_gone:
                return None
            raise
        own = [entry for entry in entries if self._is_ours(entry)]
        newest = max(own, key=lambda entry: int(entry["id"]), default=None)
        return None if newest is None else _kept(str(newest.get("description") or ""))

    def _is_ours(self, entry: Json) -> bool:
        return entry.get("name") == self.name and (entry.get("author") or {}).get("id") == self._view.account.id


def _is_ticked(checkpoint: KnownComment | None) -> bool:
    return checkpoint is not None and bool(read_ticks((checkpoint.comment.text,)))


def _kept(description: str) -> Kept:
    found = _SHOWN.search(description)
    title = _SHOWN.sub("", description).strip()
    return Kept(title, found[1] if found else "", found[2] if found else "")


def _waiting(result: RoundResult | None) -> tuple[str, str]:
    if result is None or result.findings:
        found = 0 if result is None else len(result.findings)
        return "skipped", f"awaiting approval: {found} {'finding' if found == 1 else 'findings'}"
    if result.coverage.reviewed > 0 and not result.coverage.hindrances:
        return "success", "nothing found"
    return "skipped", "nothing found, and not everything was looked at"


def _words(session: Session) -> tuple[str, str]:
    """Green only where something was read and nothing stands against it; what waits is no failure, and no success."""
    match session.phase:
        case Phase.AWAITING_APPROVAL:
            return _waiting(session.result)
        case Phase.SUBMITTED:
            verdict = session.submission.verdict if session.submission else Verdict.COMMENT
            return ("skipped" if verdict is Verdict.REQUEST_CHANGES else "success"), "submitted"
        case Phase.SUPERSEDED:
            return "skipped", "superseded"
        case Phase.ABORTED:
            return "skipped", "discarded"
        case Phase.AGENTS_FAILED:
            return "skipped", "an agent failed"
        case Phase.FAILED:
            return "failed", f"failed: {session.failure.reason[:150]}" if session.failure else "failed"
        case _:
            return "skipped", session.phase.value.replace("-", " ")
