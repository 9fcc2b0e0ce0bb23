"""The conversation of a pull request: its comments, our reactions on them, and one reply for each command."""

from __future__ import annotations

from draftgate.domain.conversation import Comment, Reaction
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.view import View
from draftgate.forge.hidden import Kind, Marker, mark, read_marked


class Conversation:
    """Reads and answers the top-level comments of one change."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._issue = connection.repo.get_issue(view.place.number)

    def comments(self) -> tuple[Comment, ...]:
        """Every comment as the run first read them, oldest first."""
        return tuple(known.comment for known in self._view.comments)

    def has_reacted(self, comment: Comment) -> frozenset[Reaction]:
        """Our reactions on a comment, where the first answer did not hold them."""
        if comment.answered is not None:
            return comment.answered
        return self._read_reactions(comment)

    def react(self, comment: Comment, reaction: Reaction) -> None:
        """Put a reaction on; GitHub keeps one of each kind for each account, so that twice is once."""
        found = self._issue.get_comment(int(comment.id))
        self._connection.write(
            lambda: found.create_reaction(reaction.value) is not None,
            landed=lambda: True if reaction in self._read_reactions(comment) else None,
        )

    def reply(self, comment: Comment, text: str) -> None:
        """The one reply to a comment, written or edited."""
        marker = Marker(Kind.REPLY, {"instance": self._view.place.instance, "to": comment.id})
        body = mark(text, marker)
        present = self._find_reply(marker)
        if present is not None and present.text == body:
            return
        if present is not None:
            path = f"issues/comments/{present.id}"
            self._connection.write(
                lambda: self._connection.send("PATCH", path, {"body": body}) is not None,
                landed=lambda: True if self._reads(path) == body else None,
            )
            return
        self._connection.write(
            lambda: self._issue.create_comment(body) is not None,
            landed=lambda: True if self._was_posted(body) else None,
        )

    def _find_reply(self, marker: Marker) -> Comment | None:
        for known in self._view.comments:
            marked = read_marked(known.comment.text) if known.comment.is_ours else None
            if marked is not None and marked.marker == marker:
                return known.comment
        return None

    def _read_reactions(self, comment: Comment) -> frozenset[Reaction]:
        reactions = self._connection.pages(f"issues/comments/{comment.id}/reactions")
        own = (entry for entry in reactions if (entry.get("user") or {}).get("id") == self._view.account.id)
        return frozenset(Reaction(entry["content"]) for entry in own if entry.get("content") in set(Reaction))

    def _reads(self, path: str) -> str:
        answer = self._connection.get(path)
        return str(answer.get("body") or "").replace("\r\n", "\n")

    def _was_posted(self, body: str) -> bool:
        since = max((known.comment.created_at for known in self._view.comments), default="1970-01-01T00:00:00Z")
        comments = self._connection.pages(f"issues/{self._view.place.number}/comments", since=since)
        return any(
            str(entry.get("body") or "").replace("\r\n", "\n") == body
            and (entry.get("user") or {}).get("id") == self._view.account.id
            for entry in comments
        )
