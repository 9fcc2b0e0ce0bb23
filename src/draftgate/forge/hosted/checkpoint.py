"""The checkpoint as comments of a change: which of them is it, what it stores, and how it is written.

Continuations are written before the head comment that names them, and what nothing names any more is deleted after
it, so that at any instant the head comment names comments that are there. A comment counts as ours by the account
that wrote it and by its marker, never by one of them alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.canonical import digest
from draftgate.domain.conversation import Comment
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import IntegrityError, Overtaken
from draftgate.forge.hidden import (
    Assembled,
    ContinuationRef,
    Kind,
    Marker,
    Signing,
    assemble,
    body_digest,
    mark,
    read_marked,
    read_number,
    references,
    restore,
)
from draftgate.forge.hosted.answers import Refused
from draftgate.forge.hosted.standing import KnownComment, View
from draftgate.render.page import Page, read_ticks
from draftgate.schemas import state
from draftgate.schemas.times import require_times

SCHEMA = "draftgate/checkpoint/v1"

_CLOSED = frozenset({Phase.SUBMITTED, Phase.FINALIZED})
"""A round after one of these gets a new comment, since an edit notifies nobody."""

_HALF = 32
"""Hex digits of a digest that is only compared."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What the checkpoint holds.

    Attributes:
        session: As it stands.
        scope: The artifacts of its present round.
        before: While a round is being made and shows nothing yet: the session as the round before left it, so that a
            round that is cut off can be begun again from there, with all that vouches for it.
    """

    session: Session
    scope: ScopeArtifacts | None
    before: Session | None = None


class Comments(Protocol):
    """How a forge lets the bot write top-level comments.

    ``landed`` and ``again`` are as in `Asking.write`. Each method raises `Refused` when the forge declines.

    Attributes:
        limit: Bytes of one body that the forge surely takes.
    """

    @property
    def limit(self) -> int:
        """See the class."""

    def create(self, body: str, *, landed: Callable[[], KnownComment | None]) -> KnownComment:
        """Write a comment."""

    def edit(
        self,
        comment: KnownComment,
        body: str,
        *,
        landed: Callable[[], KnownComment | None],
        again: Callable[[], object],
    ) -> KnownComment:
        """Replace the text of a comment of ours."""

    def delete(self, comment: KnownComment) -> None:
        """Delete a comment of ours; one that is gone already is no error."""

    def fold(self, comment: KnownComment) -> None:
        """Fold away a comment whose round is over, where the forge can and lets us."""

    def read_own(self, comment_id: str) -> str | None:
        """The text of a comment of ours as it is now; ``None`` if there is none of ours with this id."""


class Checkpoint:
    """The checkpoint of one change.

    Args:
        comments: Writes them.
        view: What is known of the change.
        signing_key: Signs what is stored; ``None`` for no signature.
    """

    def __init__(self, comments: Comments, view: View, signing_key: bytes | None) -> None:
        self._comments = comments
        self._view = view
        self._key = signing_key
        self._known: dict[str, KnownComment] = {comment.comment.id: comment for comment in view.comments}
        self._is_new = False
        self._take(self._choose())
        facts = self._own_facts(self._comment.comment) if self._comment else None
        self._given_up = (facts or {}).get("instead", "")

    @property
    def comment(self) -> KnownComment | None:
        """The head comment; ``None`` before there is one."""
        return self._comment

    @property
    def continues(self) -> str:
        """The URL of an earlier checkpoint that this one takes the place of, without reading its state; "" for none.

        It was changed by hand, or another account of ours wrote it.
        """
        if self._given_up in self._known:
            return self._known[self._given_up].comment.url
        others = (
            known.comment for known in self._known.values() if not known.comment.is_ours and _is_bot(known.comment)
        )
        before = _number(self._comment.comment.id) if self._comment else None
        found = [other for other in others if before is None or _number(other.id) < before]
        return next((other.url for other in reversed(found) if self._facts_of(other) is not None), "")

    @property
    def claimed_phase(self) -> str:
        """The phase as the marker says it, for what is told about a state that cannot be read; "" without one."""
        facts = self._own_facts(self._comment.comment) if self._comment else None
        phase = (facts or {}).get("phase", "")
        return phase if phase in set(Phase) else ""

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Other instances of ours that have a checkpoint here under the same account."""
        marks = (read_marked(known.comment.text) for known in self._known.values() if known.comment.is_ours)
        named = (
            mark.marker.facts.get("instance", "") for mark in marks if mark and mark.marker.kind is Kind.CHECKPOINT
        )
        return tuple(sorted({*named} - {self._view.place.instance}))

    def load(self) -> Stored | None:
        """What is stored.

        Raises:
            IntegrityError: it was changed by hand, or is not signed.
        """
        if self._comment is None:
            return None
        comment = self._comment.comment
        signing = self._signing(comment.id)
        try:
            content = restore(comment.text, self._body_of, signing=signing)
        except IntegrityError:
            if signing is None:
                raise
            content = restore(comment.text, self._body_of, signing=self._signing(""))
            signing = None
        stored = state.decode(SCHEMA, Stored, content, name=comment.url)
        if signing is None and self._key is not None and stored.session.phase is not Phase.VALIDATING:
            raise IntegrityError(
                "the state in the checkpoint is not signed for its place", context=comment.url, hint="start a new round"
            )
        for session in (stored.session, stored.before):
            if session is not None:
                require_times(session, comment.url)
        return stored

    @property
    def page_digest(self) -> str:
        """What is shown now, the head comment and its continuations, boxes aside; "" without a checkpoint."""
        comment = self._comment
        if comment is None:
            return ""
        bodies = (comment.comment.text, *(self._body_of(ref.id) for ref in references(comment.comment.text)))
        return digest(tuple(_text_digest(body) for body in bodies))[:_HALF]

    def shows(self, stored: Stored, page: Page) -> bool:
        """Whether what is shown is what `save` would write of this page now, boxes aside."""
        comment = self._comment
        if comment is None:
            return False
        written = [_text_digest(body) for body in self._assemble(stored, page, comment).continuations]
        refs = references(comment.comment.text)
        shown = [_text_digest(self._body_of(ref.id)) for ref in refs]
        urls = [self._known[ref.id].comment.url if ref.id in self._known else "" for ref in refs]
        if written != shown:
            return False
        named = [ContinuationRef(ref.id, ref.digest, url) for ref, url in zip(refs, urls, strict=True)]
        head = self._assemble(stored, page, comment).head(named)
        return _text_digest(head) == _text_digest(comment.comment.text)

    def reload(self) -> None:
        """Take the head comment as it stands now, after another run wrote it."""
        self._view.forget()
        self._take(self._view.now().checkpoint)

    def ticked(self) -> frozenset[int]:
        """The findings whose boxes are ticked now, in the head comment and its continuations."""
        comment = self._view.now().checkpoint or self._comment
        if comment is None:
            return frozenset()
        head = comment.comment.text
        return read_ticks((head, *(self._body_of(ref.id) for ref in references(head))))

    def give_up(self) -> None:
        """Begin a new checkpoint in place of one whose state cannot be trusted."""
        if self._comment is not None:
            self._given_up = self._comment.comment.id
            self._take(None)

    def is_current(self) -> bool:
        """Whether the head comment is the one that was loaded or written here last, and no other run was first."""
        standing = self._view.now()
        if self._is_new:
            older = self._older_twin(standing.recent)
            if older is not None:
                if self._head_of(older) == self._head_of(self._comment):
                    return False
                self._take(older)
                return True
        if self._comment is None or standing.checkpoint is None:
            return self._comment is None
        return _marker_of(standing.checkpoint.comment.text) == _marker_of(self._comment.comment.text)

    def save(self, stored: Stored, page: Page) -> None:
        """Write a session and its page: continuations, head comment, then away with what is left over.

        A comment has no number before it is written, so the first state in it is signed for none; only one that
        holds nothing to approve is taken so, and any other one is written again.
        """
        session = stored.session
        old = self._comment
        is_new = old is None or (session.phase is Phase.VALIDATING and self._has_ended(old))
        target = None if is_new else old
        assembled = self._assemble(stored, page, target)
        refs = [self._write_continuation(body) for body in assembled.continuations]
        body = assembled.head(refs)
        written = self._create(body) if target is None else self._edit(target, body)
        if target is None and self._key is not None and session.phase is not Phase.VALIDATING:
            written = self._edit(written, self._assemble(stored, page, written).head(refs))
        self._take(written)
        self._is_new = self._view.looks_for_others = is_new
        self._delete_spares(refs)
        if session.phase is Phase.VALIDATING:
            self._minimize_ended()

    def delete_twins(self) -> None:
        """Delete what a run that was opened beside this checkpoint's left; the older one stays."""
        if self._comment is not None:
            self._delete_spares(references(self._comment.comment.text))

    def put_notice(self, text: str) -> None:
        """Say something where there is no checkpoint yet; one notice, edited in place."""
        marker = Marker(Kind.NOTICE, {"instance": self._view.place.instance})
        own = [known for known in self._known.values() if known.comment.is_ours]
        present = next((known for known in own if _marker_of(known.comment.text) == marker), None)
        body = mark(text, marker)
        if present is None:
            self._create(body)
        elif body_digest(present.comment.text) != body_digest(body):
            self._edit(present, body)

    # --- Which comment ---------------------------------------------------------------------------------------------

    def _choose(self) -> KnownComment | None:
        """The oldest comment of the newest round; one that was given up is named by what took its place."""
        own = [(known, facts) for known in self._known.values() if (facts := self._own_facts(known.comment))]
        given_up = {facts["instead"] for _, facts in own if facts.get("instead")}
        own = [(known, facts) for known, facts in own if known.comment.id not in given_up]
        if not own:
            return None
        newest = max(_number(facts.get("round")) for _, facts in own)
        return min(
            (known for known, facts in own if _number(facts.get("round")) == newest),
            key=lambda known: _number(known.comment.id),
        )

    def _older_twin(self, recent: Sequence[KnownComment]) -> KnownComment | None:
        mine = "" if self._comment is None else self._comment.comment.id
        twins = [
            other
            for other in recent
            if other.comment.id not in self._known
            and _number(other.comment.id) < _number(mine)
            and self._own_facts(other.comment) is not None
        ]
        return min(twins, key=lambda twin: _number(twin.comment.id), default=None)

    def _own_facts(self, comment: Comment) -> dict[str, str] | None:
        return self._facts_of(comment) if comment.is_ours else None

    def _facts_of(self, comment: Comment, kind: Kind = Kind.CHECKPOINT) -> dict[str, str] | None:
        marked = read_marked(comment.text)
        if marked is None or marked.marker.kind is not kind:
            return None
        facts = dict(marked.marker.facts)
        return facts if facts.get("instance") == self._view.place.instance else None

    def _head_of(self, known: KnownComment | None) -> str:
        return "" if known is None else (self._facts_of(known.comment) or {}).get("head", "")

    def _take(self, comment: KnownComment | None) -> None:
        self._comment = comment
        if comment is not None:
            self._known[comment.comment.id] = comment
        self._view.watch(comment)

    def _assemble(self, stored: Stored, page: Page, target: KnownComment | None) -> Assembled:
        return assemble(
            page,
            state.encode(SCHEMA, stored),
            self._facts(stored.session),
            limit=self._comments.limit,
            head_url="" if target is None else target.comment.url,
            signing=self._signing("" if target is None else target.comment.id),
        )

    # --- Reading and writing ---------------------------------------------------------------------------------------

    def _facts(self, session: Session) -> dict[str, str]:
        facts = {
            "instance": self._view.place.instance,
            "round": str(session.round),
            "revision": str(session.revision),
            "phase": session.phase.value,
            "head": session.reviewing or "",
        }
        return {**facts, "instead": self._given_up} if self._given_up else facts

    def _signing(self, comment_id: str) -> Signing | None:
        if self._key is None:
            return None
        place = self._view.place
        return Signing(self._key, (place.repository, str(place.number), place.instance, comment_id))

    def _body_of(self, comment_id: str) -> str:
        known = self._known.get(comment_id)
        if known is not None and known.comment.is_ours:
            return known.comment.text
        return self._read_body(comment_id)

    def _read_body(self, comment_id: str) -> str:
        """A part that was written since the conversation was read."""
        text = self._comments.read_own(comment_id) if comment_id.isdecimal() else None
        if text is None:
            raise IntegrityError(
                f"a part of the checkpoint is gone: comment {comment_id}",
                hint="start a new round with `/draftgate review --force`",
            )
        return text

    def _write_continuation(self, body: str) -> ContinuationRef:
        wanted = body_digest(body)
        for known in self._continuations():
            if body_digest(known.comment.text) == wanted:
                return ContinuationRef(known.comment.id, wanted, known.comment.url)
        written = self._create(body)
        return ContinuationRef(written.comment.id, wanted, written.comment.url)

    def _continuations(self) -> Iterator[KnownComment]:
        for known in tuple(self._known.values()):
            if known.comment.is_ours and self._facts_of(known.comment, Kind.CONTINUATION) is not None:
                yield known

    def _create(self, body: str) -> KnownComment:
        def landed() -> KnownComment | None:
            self._view.forget()
            self._view.looks_for_others = True
            recent = self._view.now().recent
            wanted = body_digest(body)
            return next(
                (
                    other
                    for other in recent
                    if other.comment.is_ours
                    and other.comment.id not in self._known
                    and body_digest(other.comment.text) == wanted
                ),
                None,
            )

        written = self._comments.create(body, landed=landed)
        self._view.forget_comments()
        self._known[written.comment.id] = written
        return written

    def _edit(self, comment: KnownComment, body: str) -> KnownComment:
        def landed() -> KnownComment | None:
            self._view.forget()
            found = self._view.now().checkpoint
            is_there = found is not None and body_digest(found.comment.text) == body_digest(body)
            return found if is_there else None

        def again() -> None:
            """Another run can have written while this one waited."""
            self._view.look_again()
            found = self._view.now().checkpoint if comment is self._comment else None
            if found is not None and _marker_of(found.comment.text) != _marker_of(comment.comment.text):
                raise Overtaken(
                    "another run changed the state of this review meanwhile",
                    hint="look at the checkpoint and give it again",
                )

        try:
            written = self._comments.edit(comment, body, landed=landed, again=again)
        except Refused as refused:
            if not refused.is_gone:
                raise
            self._known.pop(comment.comment.id, None)
            self._take(None)
            raise Overtaken(
                "the checkpoint was deleted meanwhile", hint="`/draftgate review` makes a new one"
            ) from refused
        self._view.forget_comments()
        self._known[written.comment.id] = written
        return written

    def _delete_spares(self, refs: Sequence[ContinuationRef]) -> None:
        """Continuations that no head comment of ours names, and second checkpoints that were opened beside this one.

        A checkpoint that ended stays, and so do an older one of another round, which a run that was overtaken may have
        written once more, and one that was given up: what took its place names it.
        """
        named = {ref.id for ref in refs}
        mine = self._comment.comment.id if self._comment else ""
        own = [(known, facts) for known in self._known.values() if (facts := self._own_facts(known.comment))]
        round_now = next((facts.get("round") for known, facts in own if known.comment.id == mine), None)
        kept = {mine, *(facts["instead"] for _, facts in own if facts.get("instead"))}
        for known, facts in own:
            is_earlier = facts.get("round") != round_now and _number(known.comment.id) < _number(mine)
            if known.comment.id not in kept and not is_earlier and facts.get("phase") not in _CLOSED:
                self._delete(known)
            elif known.comment.id != mine:
                with contextlib.suppress(IntegrityError):  # one that was spoilt names none
                    named |= {ref.id for ref in references(known.comment.text)}
        for spare in self._continuations():
            if spare.comment.id not in named:
                self._delete(spare)

    def _delete(self, comment: KnownComment) -> None:
        self._comments.delete(comment)
        self._view.forget_comments()
        self._known.pop(comment.comment.id, None)

    def _has_ended(self, known: KnownComment) -> bool:
        facts = self._own_facts(known.comment)
        return facts is not None and facts.get("phase") in _CLOSED

    def _minimize_ended(self) -> None:
        """Checkpoints of rounds that ended, or that were given up, are folded away where the forge lets us."""
        for known in tuple(self._known.values()):
            is_over = known.comment.id == self._given_up or self._has_ended(known)
            if known is not self._comment and not known.is_minimized and is_over:
                self._comments.fold(known)
                self._known[known.comment.id] = dataclasses.replace(known, is_minimized=True)


def _marker_of(body: str) -> Marker | None:
    marked = read_marked(body)
    return None if marked is None else marked.marker


def _text_digest(body: str) -> str:
    """Of the visible text alone: what is hidden below it changes with every write."""
    marked = read_marked(body)
    return body_digest(body if marked is None else marked.text)


def _is_bot(comment: Comment) -> bool:
    return comment.author is not None and comment.author.is_bot


def _number(text: str | None) -> int:
    return read_number(text) or 0
