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
        present = self._find_reply(marker) or self._find_later_reply(marker, comment.created_at)
        if present is None:
            self._connection.write(
                lambda: self._issue.create_comment(body) is not None,
                landed=lambda: True if self._find_later_reply(marker, comment.created_at) else None,
            )
            return
        number, written = present
        if written == body:
            return
        path = f"issues/comments/{number}"
        self._connection.write(
            lambda: self._connection.send("PATCH", path, {"body": body}) is not None,
            landed=lambda: True if self._reads(path) == body else None,
        )

    def _find_reply(self, marker: Marker) -> tuple[str, str] | None:
        """The id and the text of a reply among the comments that were read first."""
        for known in self._view.comments:
            if known.comment.is_ours and _has(marker, known.comment.text):
                return known.comment.id, known.comment.text
        return None

    def _find_later_reply(self, marker: Marker, since: str) -> tuple[str, str] | None:
        """The same, as the conversation stands now: another run may be answering the same comment."""
        comments = self._connection.pages(f"issues/{self._view.place.number}/comments", since=since)
        for entry in comments:
            text = str(entry.get("body") or "").replace("\r\n", "\n")
            if (entry.get("user") or {}).get("id") == self._view.account.id and _has(marker, text):
                return str(entry["id"]), text
        return None

    def _read_reactions(self, comment: Comment) -> frozenset[Reaction]:
        reactions = self._connection.pages(f"issues/comments/{comment.id}/reactions")
        own = (entry for entry in reactions if (entry.get("user") or {}).get("id") == self._view.account.id)
        return frozenset(Reaction(entry["content"]) for entry in own if entry.get("content") in set(Reaction))

    def _reads(self, path: str) -> str:
        answer = self._connection.get(path)
        return str(answer.get("body") or "").replace("\r\n", "\n")


def _has(marker: Marker, text: str) -> bool:
    marked = read_marked(text)
    return marked is not None and marked.marker == marker
