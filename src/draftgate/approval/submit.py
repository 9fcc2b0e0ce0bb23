"""Submission, exactly once: check, freeze, match the draft, publish, read back, record.

`begin` freezes what a human approved; `finish` publishes it and may run any number of times, after a
kill at any instant, without posting anything twice: it looks for the published review before it writes.
"""

from __future__ import annotations

import dataclasses

from draftgate.approval.freeze import require_shown
from draftgate.domain import seal
from draftgate.domain.canonical import digest
from draftgate.domain.decide import remember
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, PublishedReview
from draftgate.domain.session import ApprovedPayload, RoundScope, Session, Submission
from draftgate.errors import HeadMoved, IllegalTransition, IntegrityError, SealMismatch
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal
from draftgate.render.draft import comments_of

_NEW_ROUND = "nothing was submitted; start a new round with `draftgate review --force`"


def begin(forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload) -> Session:
    """Check that what was shown still holds, then freeze the payload before anything is written elsewhere.

    Raises:
        HeadMoved: the change has a newer head; the session is superseded.
        SealMismatch: session and draft differ; nothing changes.
    """
    require_unmoved(forge, journal, session)
    require_sealed(forge, session)
    return journal.advance(dataclasses.replace(session, payload=payload), Phase.SUBMITTING)


def finish(forge: ReviewForge, journal: Journal, session: Session) -> tuple[Session, PublishedReview]:
    """Publish the frozen payload if it is not published yet, and record it.

    Raises:
        HeadMoved: the head moved before anything was published; the draft is gone, the session superseded.
        IntegrityError: the frozen payload or what was published is not what was approved.
    """
    payload = _require_payload(session)
    marker = digest(payload)
    review = forge.find_review(marker) or _publish(forge, journal, session, payload, marker)
    _require_published(review, payload)
    forge.delete_draft()
    submission = Submission(review.reference, review.verdict, payload.numbers, marker, review.submitted_at)
    decisions = remember(session.decisions, payload.decisions)
    submitted = dataclasses.replace(session, submission=submission, decisions=decisions)
    return journal.advance(submitted, Phase.SUBMITTED), review


def require_unmoved(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Refuse, and mark the session superseded, when the change is not what was reviewed."""
    scope, _ = require_shown(session)
    present = forge.read_head(session)
    if present.head == scope.head and present.is_open:
        return
    forge.delete_draft()
    journal.advance(session, Phase.SUPERSEDED)
    raise HeadMoved(
        f"{session.change.head_ref} is at {present.head[:12]} now, {scope.head[:12]} was reviewed",
        hint="nothing was submitted; run `draftgate review` for the new head",
    )


def require_sealed(forge: ReviewForge, session: Session) -> None:
    """Refuse when the session, the draft and the seal do not belong together."""
    scope, result = require_shown(session)
    _require_proved(forge, scope)
    draft = forge.load_draft()
    if draft is None and result.findings and session.holds_draft:
        raise SealMismatch("the draft review is gone", hint=_NEW_ROUND)
    comments, body = (comments_of(result), result.body) if draft is None else (draft.comments, draft.body)
    sealed = seal.seal_round(session.round, scope, result, comments, body)
    if draft is not None:
        seal.require_match(sealed, seal.Seal(draft.seal))
    if sealed.value != session.seal:
        raise SealMismatch("the seal of the session is not the seal of what it shows", hint=_NEW_ROUND)


def _require_proved(forge: ReviewForge, scope: RoundScope) -> None:
    """The artifacts of the round must be there and name each other's digests up to the one in the session."""
    artifacts = forge.load_scope()
    if artifacts is None:
        raise SealMismatch("the scope evidence of this round is gone", hint=_NEW_ROUND)
    chain = (
        ("scope evidence", digest(artifacts.evidence), artifacts.decision.evidence_digest, scope.evidence_digest),
        ("scope decision", digest(artifacts.decision), artifacts.handoff.decision_digest, scope.decision_digest),
        ("handoff", digest(artifacts.handoff), scope.handoff_digest, scope.handoff_digest),
    )
    for name, *digests in chain:
        if len(set(digests)) != 1:
            raise SealMismatch(f"the {name} is not the one this round was made from", hint=_NEW_ROUND)


def _publish(
    forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload, marker: str
) -> PublishedReview:
    approved = DraftReview(
        seal=(("approved payload", marker),), head=payload.head, body=payload.body, comments=payload.comments
    )
    if forge.load_draft() != approved:
        forge.put_draft(approved)
    if forge.load_draft() != approved:
        raise IntegrityError(
            "the draft read back is not the approved payload", hint="give the approve command again to resume"
        )
    require_unmoved(forge, journal, session)
    forge.publish_draft(payload, marker)
    review = forge.find_review(marker)
    if review is None:
        raise IntegrityError(
            "the review was submitted and cannot be read back", hint="give the approve command again to resume"
        )
    return review


def _require_payload(session: Session) -> ApprovedPayload:
    if session.phase is not Phase.SUBMITTING or session.payload is None:
        raise IllegalTransition(f"this session is {session.phase}; nothing is being submitted", hint="approve first")
    if session.result is None or session.payload.result_digest != digest(session.result):
        raise IntegrityError(
            "the frozen payload does not belong to the findings of this session",
            hint="`draftgate finalize` removes the session; start a new round with `draftgate review`",
        )
    return session.payload


def _require_published(review: PublishedReview, payload: ApprovedPayload) -> None:
    posted = (review.head, review.verdict, review.body, review.comments)
    if posted != (payload.head, payload.verdict, payload.body, payload.comments):
        raise IntegrityError(
            "the published review is not the approved payload",
            context=review.reference,
            hint="look at the review; someone else wrote under its marker",
        )
