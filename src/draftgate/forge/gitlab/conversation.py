"""The conversation of a merge request: its comments, our award emoji on them, and one reply for each command."""

from __future__ import annotations

from draftgate.domain.conversation import Comment, Reaction
from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.texts import made_inert
from draftgate.forge.gitlab.view import View
from draftgate.forge.hidden import Kind, Marker, mark, read_marked

_LATER = 100


class Conversation:
    """Reads and answers the top-level comments of one merge request."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._notes = connection.merge_request(view.place.number).notes
        self._reacted: dict[str, frozenset[Reaction]] = {}

    def comments(self) -> tuple[Comment, ...]:
        """Every comment as the run first read them, oldest first."""
        return tuple(known.comment for known in self._view.comments)

    def has_reacted(self, comment: Comment) -> frozenset[Reaction]:
        """Our reactions on a comment; GitLab gives them one comment at a time."""
        if comment.answered is not None:
            return comment.answered
        return self._read_reactions(comment)

    def react(self, comment: Comment, reaction: Reaction) -> None:
        """Put a reaction on; GitLab keeps one of each name for each account, and refuses the second."""
        if reaction in self._reacted.get(comment.id, ()):
            return
        found = self._notes.get(int(comment.id), lazy=True)

        def put() -> bool:
            try:
                found.awardemojis.create({"name": reaction.value})
            except Exception:
                if reaction in self._read_reactions(comment):
                    return True
                raise
            return True

        self._connection.write(put, landed=lambda: True if reaction in self._read_reactions(comment) else None)
        self._reacted[comment.id] = self._reacted.get(comment.id, frozenset()) | {reaction}

    def reply(self, comment: Comment, text: str) -> None:
        """The one reply to a comment, written or edited; a note of its own, since a thread has to be resolved."""
        marker = Marker(Kind.REPLY, {"instance": self._view.place.instance, "to": comment.id})
        body = made_inert(mark(text, marker))
        present = self._find_reply(marker) or self._find_later_reply(marker)
        if present is None:
            self._connection.write(
                lambda: self._notes.create({"body": body}) is not None,
                landed=lambda: True if self._find_later_reply(marker) else None,
            )
            return
        number, written = present
        if written == body:
            return
        self._connection.write(
            lambda: self._notes.update(number, {"body": body}) is not None,
            landed=lambda: True if self._reads(number) == body else None,
        )

    def _find_reply(self, marker: Marker) -> tuple[int, str] | None:
        """The id and the text of a reply among the comments that were read first."""
        for known in self._view.comments:
            if known.comment.is_ours and _has(marker, known.comment.text):
                return int(known.comment.id), known.comment.text
        return None

    def _find_later_reply(self, marker: Marker) -> tuple[int, str] | None:
        """The same, as the conversation stands now: another run may be answering the same comment."""
        for entry in self._connection.newest(f"{self._view.path}/notes", _LATER):
            found = facts.note(entry)
            if found.author_id == self._view.account.id and _has(marker, found.text):
                return found.id, found.text
        return None

    def _read_reactions(self, comment: Comment) -> frozenset[Reaction]:
        place = f"{self._view.path}/notes/{comment.id}/award_emoji"
        own = (
            entry
            for entry in self._connection.pages(place)
            if (entry.get("user") or {}).get("id") == self._view.account.id
        )
        found = frozenset(Reaction(entry["name"]) for entry in own if entry.get("name") in set(Reaction))
        self._reacted[comment.id] = found
        return found

    def _reads(self, number: int) -> str:
        return facts.note(self._connection.get(f"{self._view.path}/notes/{number}")).text


def _has(marker: Marker, text: str) -> bool:
    marked = read_marked(text)
    return marked is not None and marked.marker == marker
