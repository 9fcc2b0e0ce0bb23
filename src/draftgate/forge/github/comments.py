"""The bot's own comments on a pull request: written by REST, folded away by GraphQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import github.IssueComment

from draftgate.domain.conversation import Comment
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.troubles import Denied, Refused
from draftgate.forge.github.view import View
from draftgate.forge.hosted.standing import KnownComment
from draftgate.render.page import LIMIT

_TIME = "%Y-%m-%dT%H:%M:%SZ"
"""How GitHub writes times, to the second."""


class Comments:
    """Writes the top-level comments of one change; see `draftgate.forge.hosted.checkpoint.Comments`."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._issue = connection.repo.get_issue(view.place.number)

    @property
    def limit(self) -> int:
        """GitHub names 65,536 characters."""
        return LIMIT

    def create(self, body: str, *, landed: Callable[[], KnownComment | None]) -> KnownComment:
        """Write a comment."""
        return self._connection.write(lambda: _from_rest(self._issue.create_comment(body)), landed=landed)

    def edit(
        self,
        comment: KnownComment,
        body: str,
        *,
        landed: Callable[[], KnownComment | None],
        again: Callable[[], object],
    ) -> KnownComment:
        """Replace the text of a comment."""

        def edit() -> KnownComment:
            found = self._issue.get_comment(int(comment.comment.id))
            found.edit(body)
            return _from_rest(found)

        return self._connection.write(edit, landed=landed, again=again)

    def delete(self, comment: KnownComment) -> None:
        """Delete a comment."""
        self._connection.delete(self._issue.get_comment(int(comment.comment.id)).delete)

    def fold(self, comment: KnownComment) -> None:
        """Minimize a comment."""
        with suppress(Denied):
            self._connection.mutate("minimize_comment", landed=lambda: None, subjectId=comment.node_id)

    def read_own(self, comment_id: str) -> str | None:
        """The text of a comment of ours as it is now."""
        try:
            answer = self._connection.get(f"issues/comments/{comment_id}")
        except Refused as refused:
            if refused.is_gone:
                return None
            raise
        is_ours = (answer.get("user") or {}).get("id") == self._view.account.id
        return str(answer.get("body") or "") if is_ours else None


def _from_rest(comment: github.IssueComment.IssueComment) -> KnownComment:
    """A comment as the answer to our own write gives it."""
    created, updated = comment.created_at, comment.updated_at
    return KnownComment(
        node_id=comment.node_id,
        comment=Comment(
            id=str(comment.id),
            author=None,
            is_ours=True,
            text=comment.body,
            created_at=created.strftime(_TIME),
            is_edited=updated != created,
            url=comment.html_url,
        ),
        updated_at=updated.strftime(_TIME),
        is_minimized=False,
    )
