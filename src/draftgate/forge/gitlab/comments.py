"""The bot's own comments on a merge request: notes that open no thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.texts import made_inert
from draftgate.forge.gitlab.troubles import Refused
from draftgate.forge.gitlab.view import View
from draftgate.forge.hosted.standing import KnownComment

LIMIT = 900_000
"""Bytes of one note; GitLab takes 1,000,000 characters: https://docs.gitlab.com/administration/instance_limits/"""


class Comments:
    """Writes the notes of one merge request; see `draftgate.forge.hosted.checkpoint.Comments`."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._notes = connection.merge_request(view.place.number).notes

    @property
    def limit(self) -> int:
        """See `LIMIT`."""
        return LIMIT

    def create(self, body: str, *, landed: Callable[[], KnownComment | None]) -> KnownComment:
        """Write a note."""
        text = made_inert(body)
        return self._connection.write(lambda: self._known(self._notes.create({"body": text}).attributes), landed=landed)

    def edit(
        self,
        comment: KnownComment,
        body: str,
        *,
        landed: Callable[[], KnownComment | None],
        again: Callable[[], object],
    ) -> KnownComment:
        """Replace the text of a note."""
        number, text = int(comment.comment.id), made_inert(body)
        return self._connection.write(
            lambda: self._known(self._notes.update(number, {"body": text})), landed=landed, again=again
        )

    def delete(self, comment: KnownComment) -> None:
        """Delete a note."""
        self._connection.delete(lambda: self._notes.delete(int(comment.comment.id)))

    def fold(self, comment: KnownComment) -> None:
        """GitLab folds nothing away."""

    def read_own(self, comment_id: str) -> str | None:
        """The text of a note of ours as it is now."""
        try:
            found = facts.note(self._connection.get(f"{self._view.path}/notes/{comment_id}"))
        except Refused as refused:
            if refused.is_gone:
                return None
            raise
        return found.text if found.author_id == self._view.account.id else None

    def _known(self, answer: dict[str, Any]) -> KnownComment:
        found = facts.note(answer)
        return facts.comment(found, self._view.account.id, self._view.facts.url, ())
