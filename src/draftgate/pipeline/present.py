"""Step 5: hold the findings as a draft, seal them, and show them. Nothing is published here."""

from __future__ import annotations

import dataclasses

from draftgate.domain.finding import Anchor, AnchorKind, Finding, Scope
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview
from draftgate.domain.round import NumberedFinding, RoundResult
from draftgate.domain.seal import seal_round
from draftgate.domain.session import RoundScope, Session
from draftgate.errors import IntegrityError, Overtaken
from draftgate.forge.base import AnchorsRefused, ReviewForge
from draftgate.forge.journal import Journal
from draftgate.render.draft import comments_of

_ATTEMPTS = 3
"""A place on a line can fail, then one on the file; without any place nothing is left to fail."""


def present(forge: ReviewForge, journal: Journal, session: Session, scope: RoundScope, result: RoundResult) -> Session:
    """Old draft away, new draft, read back, checkpoint, witness; in this order, so that a kill leaves no half of it.

    If the head moved meanwhile, or another run took over, nothing of the round is shown and the session returned is
    superseded. Where other runs may be at work nothing is written about it, for the newer run's word would be lost.
    """
    if forge.read_head(session).head != scope.head or not forge.is_current(session):
        if forge.is_shared:
            return dataclasses.replace(session, phase=Phase.SUPERSEDED)
        forge.delete_draft()
        return journal.advance(session, Phase.SUPERSEDED)
    why_not = forge.why_not_held(comments_of(result)) if session.holds_draft else ""
    session = dataclasses.replace(session, holds_draft=session.holds_draft and not why_not, why_not_held=why_not)
    forge.delete_draft()
    result = _hold(forge, session, scope, result)
    seal = seal_round(session, scope, result, comments_of(result), result.body)
    now = journal.now()
    shown = dataclasses.replace(
        session, result=result, seal=seal.value, shown_at=now, commands=(), undecided=(), kept=None
    )
    shown = journal.advance(shown, Phase.AWAITING_APPROVAL)
    forge.put_witness(shown)
    return shown


def _hold(forge: ReviewForge, session: Session, scope: RoundScope, result: RoundResult) -> RoundResult:
    """Make the draft, and hang on a wider place what the forge does not take where it belongs.

    Raises:
        IntegrityError: what was read back is not what was made.
    """
    if not session.holds_draft:
        return result
    for _ in range(_ATTEMPTS):
        comments = comments_of(result)
        if not comments:
            return result
        seal = seal_round(session, scope, result, comments, result.body)
        refused = _put(forge, session, DraftReview(seal.parts, scope.head, result.body, comments))
        if not refused:
            return result
        result = _widen(result, frozenset(refused))
    raise IntegrityError(
        "the forge does not keep the draft as it was made", hint="run `draftgate review` again; nothing is shown"
    )


def _put(forge: ReviewForge, session: Session, draft: DraftReview) -> tuple[int, ...]:
    """The findings that the draft could not be made with; a forge may also take a place and never show it."""
    try:
        forge.put_draft(draft)
    except AnchorsRefused as refused:
        return refused.numbers
    held = forge.load_draft()
    if held == draft:
        return ()
    if forge.is_overtaken() or not forge.is_current(session):
        raise Overtaken("another run made its draft meanwhile", hint="its round is the one that counts")
    kept = () if held is None else held.comments
    lost = tuple(comment.number for comment in draft.comments if comment not in kept)
    if held is None or not lost or dataclasses.replace(held, comments=draft.comments) != draft:
        raise IntegrityError(
            "the draft read back is not the one that was made", hint="run `draftgate review` again; nothing is shown"
        )
    return lost


def _widen(result: RoundResult, refused: frozenset[int]) -> RoundResult:
    """Each refused finding on the next wider place: its file instead of a line, then none."""
    findings = tuple(
        NumberedFinding(shown.number, _on_wider_place(shown.finding)) if shown.number in refused else shown
        for shown in result.findings
    )
    named = ", ".join(str(number) for number in sorted(refused))
    limit = f"the forge did not take the place of finding {named}, so it hangs on a wider one"
    coverage = dataclasses.replace(result.coverage, limits=(*result.coverage.limits, limit))
    return dataclasses.replace(result, findings=findings, coverage=coverage)


def _on_wider_place(finding: Finding) -> Finding:
    if finding.anchor.kind is AnchorKind.LINE:
        anchor = Anchor(AnchorKind.FILE, finding.anchor.path)
        return dataclasses.replace(finding, anchor=anchor, scope=Scope.FILE)
    return dataclasses.replace(finding, anchor=Anchor(AnchorKind.NONE), scope=Scope.OUT_OF_DIFF)
