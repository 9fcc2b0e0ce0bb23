"""How a review stands on GitHub: our texts with their hidden marks, and both read apart again.

It sends nothing. What is hidden finds a comment or review again and says what the visible text cannot: the number and
side of a finding, the seal, and which part of a body is a finding that no thread carries.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from draftgate.domain.canonical import canonical_bytes, digest
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.session import ApprovedPayload
from draftgate.errors import IntegrityError
from draftgate.forge.github.facts import PlacedComment, ReviewFacts
from draftgate.forge.hidden import Kind, Marked, Marker, mark, pack, read_marked, read_number, unpack
from draftgate.render.comment import whole_body
from draftgate.render.language import FALLBACK


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a review's body holds besides its text.

    Attributes:
        seal: The seal's parts; empty in a submitted review.
        unthreaded: Findings that stand in the body since no thread carries them.
        language: In which their heading was written.
        length: Of the body without them, in characters.
    """

    seal: tuple[tuple[str, str], ...]
    unthreaded: tuple[ReviewComment, ...]
    language: str
    length: int


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes reviews.

    Attributes:
        instance: Whose marks they bear.
        language: Of the heading above findings that no thread carries.
    """

    instance: str
    language: str

    def line_comment(self, comment: ReviewComment) -> dict[str, object]:
        """Exactly the keys that GitHub's schema of the request has; an absent one is left out, never null."""
        anchor = comment.anchor
        side = (anchor.side or Side.RIGHT).value
        placed: dict[str, object] = {"path": anchor.path, "line": anchor.line, "side": side}
        if anchor.start_line is not None:
            placed |= {"start_line": anchor.start_line, "start_side": side}
        return {**placed, "body": self.text(comment)}

    def text(self, comment: ReviewComment) -> str:
        """The body of a finding's comment."""
        facts = {
            "instance": self.instance,
            "number": str(comment.number),
            "id": comment.fingerprint,
            "side": "" if comment.anchor.side is None else comment.anchor.side.value,
        }
        return mark(comment.text, Marker(Kind.FINDING, facts))

    def draft_body(self, draft: DraftReview) -> str:
        """The body of a pending review, with the parts of its seal."""
        return self._body(draft.body, draft.comments, draft.seal, {"head": draft.head})

    def published_body(self, payload: ApprovedPayload) -> str:
        """The body that the review is submitted with; it names the round and the payload it came from."""
        facts = {
            "head": payload.head,
            "seal": payload.seal,
            "payload": digest(payload),
            "verdict": payload.verdict.value,
            "numbers": ",".join(map(str, payload.numbers)),
        }
        return self._body(payload.body, payload.comments, (), facts)

    def _body(
        self,
        body: str,
        comments: Sequence[ReviewComment],
        seal: tuple[tuple[str, str], ...],
        facts: dict[str, str],
    ) -> str:
        unthreaded = _without_thread(comments)
        data = pack(canonical_bytes(Hidden(seal, unthreaded, self.language, len(body))))
        marker = Marker(Kind.REVIEW, {"instance": self.instance, **facts})
        return mark(whole_body(body, unthreaded, self.language), marker, (Marker(Kind.STATE, {"data": data}),))


def digest_of(body: str) -> str:
    """For comparing a body as it was sent with one as it came back: newlines and the end do not count."""
    return digest(body.replace("\r\n", "\n").rstrip())


def read_body(review: ReviewFacts) -> tuple[Marked, Hidden]:
    """The body of a review of ours, taken apart.

    Raises:
        IntegrityError: it is not what `Writer` writes.
    """
    marked = read_marked(review.body)
    data = "" if marked is None else "".join(m.facts.get("data", "") for m in marked.others if m.kind is Kind.STATE)
    if marked is None or not data:
        raise _not_ours(review)
    try:
        plain = json.loads(unpack(data))
        seal = tuple((str(name), str(part)) for name, part in plain["seal"])
        unthreaded = tuple(
            ReviewComment(int(c["number"]), str(c["fingerprint"]), Anchor(AnchorKind.NONE), str(c["text"]))
            for c in plain["unthreaded"]
        )
        hidden = Hidden(seal, unthreaded, str(plain["language"]), int(plain["length"]))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise _not_ours(review) from error
    return marked, hidden


def read_published_body(review: ReviewFacts) -> tuple[Marked, Hidden]:
    """As `read_body`, for what people may have edited since: the marker says whose it is; what they spoilt is gone.

    Raises:
        IntegrityError: it has no marker.
    """
    try:
        return read_body(review)
    except IntegrityError:
        marked = read_marked(review.body)
        if marked is None:
            raise
        return marked, Hidden((), (), FALLBACK, len(marked.text))


def visible_body(marked: Marked, hidden: Hidden) -> str:
    """The body without the findings that stand in it; the whole text if it is not just what was written."""
    body = marked.text[: hidden.length]
    return body if whole_body(body, hidden.unthreaded, hidden.language) == marked.text else marked.text


def _without_thread(comments: Sequence[ReviewComment]) -> tuple[ReviewComment, ...]:
    return tuple(comment for comment in comments if comment.anchor.kind is AnchorKind.NONE)


def read_comment(comment: PlacedComment, place: str) -> ReviewComment:
    """A comment of a review of ours, at the place that GitHub shows it; ``place`` is named in messages.

    Raises:
        IntegrityError: it is not what `Writer` writes.
    """
    marked = read_marked(comment.body)
    facts = {} if marked is None else marked.marker.facts
    number = read_number(facts.get("number"))
    if marked is None or marked.marker.kind is not Kind.FINDING or number is None:
        raise IntegrityError(
            "a comment in our draft is not ours: another program under the same account wrote into it",
            context=place,
            hint="nothing was submitted; delete that comment, or start a new round with `/draftgate review --force`",
        )
    if comment.is_file:
        anchor = Anchor(AnchorKind.FILE, comment.path)
    else:
        side = Side(facts["side"]) if facts.get("side") in set(Side) else None
        anchor = Anchor(AnchorKind.LINE, comment.path, side, comment.start_line, comment.line)
    return ReviewComment(number, facts.get("id", ""), anchor, marked.text)


def verdict_of(written: str, review: ReviewFacts) -> Verdict:
    """The state that GitHub shows; a dismissed review keeps the verdict that it was given with."""
    states = {
        "APPROVED": Verdict.APPROVE,
        "CHANGES_REQUESTED": Verdict.REQUEST_CHANGES,
        "COMMENTED": Verdict.COMMENT,
    }
    if review.state in states:
        return states[review.state]
    if written in set(Verdict):
        return Verdict(written)
    raise _not_ours(review)


def _not_ours(review: ReviewFacts) -> IntegrityError:
    return IntegrityError(
        "a review carries our mark and is not what we write",
        context=f"review {review.number}",
        hint="start a new round with `/draftgate review --force`",
    )
