"""The comments of a draft review: one for each finding, with the exact text that will be posted."""

from __future__ import annotations

from collections.abc import Iterable

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.review import ReviewComment
from draftgate.domain.round import RoundResult
from draftgate.render.comment import posted_text


def draft_comments(entries: Iterable[AmendedFinding]) -> tuple[ReviewComment, ...]:
    """What each finding posts, in card order."""
    return tuple(
        ReviewComment(entry.number, entry.finding.fingerprint, entry.finding.anchor, posted_text(entry))
        for entry in entries
    )


def comments_of(result: RoundResult) -> tuple[ReviewComment, ...]:
    """The comments of a round as it was found, before anybody amended it."""
    return draft_comments(AmendedFinding(shown.number, shown.finding) for shown in result.findings)
