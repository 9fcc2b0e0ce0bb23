"""A published review as one Markdown page, for a forge that has no pages of its own."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.domain.review import PublishedReview
from draftgate.render import neutralize
from draftgate.render.wording import VERDICTS_GIVEN, place_of, short_sha


def published_review(review: PublishedReview) -> str:
    """Verdict, body and every comment at its place, in the order in which they were approved."""
    return "\n\n".join(_blocks(review)) + "\n"


def _blocks(review: PublishedReview) -> Iterator[str]:
    who = neutralize.inline(review.author)
    yield f"### {VERDICTS_GIVEN[review.verdict].capitalize()} by {who}"
    yield f"`{short_sha(review.head)}` · {review.submitted_at}"
    yield review.body
    for comment in review.comments:
        place = place_of(comment.anchor)
        yield "---"
        yield f"**{comment.number}** · {neutralize.code_span(place) if place else 'the change as a whole'}"
        yield comment.text
