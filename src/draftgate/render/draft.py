"""The comments of a draft review: one for each finding, with the exact text that will be posted."""

from __future__ import annotations

from collections.abc import Iterable

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.finding import Anchor, AnchorKind, Label
from draftgate.domain.review import ReviewComment, Verdict
from draftgate.domain.round import RoundResult
from draftgate.render.comment import posted_text
from draftgate.render.language import FALLBACK


def draft_comments(
    entries: Iterable[AmendedFinding], verdict: Verdict | None = None, language: str = FALLBACK
) -> tuple[ReviewComment, ...]:
    """What each finding posts, in card order.

    Where a change is approved, praise opens no thread: it hangs on nothing, so that it stands in the body.
    """
    return tuple(
        ReviewComment(entry.number, entry.finding.fingerprint, _anchor(entry, verdict), posted_text(entry, language))
        for entry in entries
    )


def comments_of(result: RoundResult) -> tuple[ReviewComment, ...]:
    """The comments of a round as it was found, before anybody amended it."""
    found = (AmendedFinding(shown.number, shown.finding) for shown in result.findings)
    return draft_comments(found, language=result.language)


def _anchor(entry: AmendedFinding, verdict: Verdict | None) -> Anchor:
    is_praise = entry.finding.label is Label.PRAISE
    return Anchor(AnchorKind.NONE) if is_praise and verdict is Verdict.APPROVE else entry.finding.anchor
