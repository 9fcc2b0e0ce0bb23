"""Submission, exactly once: check, freeze, match the draft, publish, read back, record.

`begin` freezes what a human approved; `finish` publishes it and may run any number of times, after a
kill at any instant and beside another run, without posting anything twice: a round has one review, it is looked
for before every write, and whoever comes second takes it as it is.
"""

from __future__ import annotations

import dataclasses

from draftgate.approval.freeze import require_shown
from draftgate.approval.sealed import draft_of, require_sealed
from draftgate.domain.canonical import digest
from draftgate.domain.decide import as_published, remember
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, PublishedReview
from draftgate.domain.session import ApprovedPayload, Session, Submission
from draftgate.errors import CommandRefused, HeadMoved, IllegalTransition, IntegrityError, Overtaken, VerdictRefused
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal

_RESUME = "give the approve command again to resume"


def begin(forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload) -> Session:
    """Check that what was shown still holds, then freeze the payload before anything is written elsewhere.

    Raises:
        HeadMoved: the change has a newer head; the session is superseded.
        SealMismatch: session and draft differ; nothing changes.
        VerdictRefused: the forge will not take the verdict; nothing changes.
    """
    require_unmoved(forge, journal, session)
    require_sealed(forge, session)
    if reason := forge.why_refused(payload.verdict):
        raise VerdictRefused(reason, hint=f"nothing was submitted; {_other_verdict(payload)}")
    return journal.advance(dataclasses.replace(session, payload=payload), Phase.SUBMITTING)


def finish(forge: ReviewForge, journal: Journal, session: Session) -> tuple[Session, PublishedReview]:
    """Publish the frozen payload if the round has no review yet, and record what was published.

    Raises:
        HeadMoved: the head moved before anything was published; the draft is gone, the session superseded.
        IntegrityError: the frozen payload or what was published is not what was approved.
        CommandRefused: another approval of this round was published first; that one is recorded.
        VerdictRefused: the forge did not take the verdict; the findings wait as before.
    """
    payload = _require_payload(session)
    review = forge.find_review(session.seal)
    if review is None:
        try:
            review = _publish(forge, journal, session, payload)
        except VerdictRefused:
            _unfreeze(forge, journal, session)
            raise
    if review.payload_digest == digest(payload):
        _require_published(review, payload)
    forge.delete_draft()
    submitted = journal.advance(_with_submission(session, payload, review), Phase.SUBMITTED)
    forge.put_witness(submitted)
    if review.payload_digest != digest(payload):
        published = ",".join(str(comment.number) for comment in review.comments) or "none"
        raise CommandRefused(
            f"another approval of this round was submitted first: {published} as {review.verdict}",
            hint="nothing was submitted twice; `/draftgate review --force` starts a new round",
        )
    return submitted, review


def require_unmoved(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Refuse, and mark the session superseded, when the change is not what was reviewed.

    Raises:
        HeadMoved: it has another head, or is closed.
        Overtaken: another run is at work on it.
    """
    scope, _ = require_shown(session)
    if not forge.is_current(session):
        raise Overtaken(
            "another run changed the state of this review meanwhile", hint="look at the checkpoint and give it again"
        )
    present = forge.read_head(session)
    if present.head == scope.head and present.is_open:
        return
    forge.delete_draft()
    forge.put_witness(journal.advance(session, Phase.SUPERSEDED))
    reason = (
        f"{session.change.head_ref} is at {present.head[:12]} now, {scope.head[:12]} was reviewed"
        if present.is_open
        else f"{session.change.head_ref} is closed or merged"
    )
    raise HeadMoved(reason, hint="nothing was submitted; run `draftgate review` for the new head")


def _publish(forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload) -> PublishedReview:
    if not _holds(forge.load_draft(), payload):
        seal = (("approved payload", digest(payload)),)
        forge.put_draft(DraftReview(seal, payload.head, payload.body, payload.comments))
        if not _holds(forge.load_draft(), payload):
            raise IntegrityError("the draft read back is not the approved payload", hint=_RESUME)
    published = forge.find_review(session.seal)
    if published is not None:  # by a run beside this one, before the draft above was made
        return published
    require_unmoved(forge, journal, session)
    forge.publish_draft(payload)
    review = forge.find_review(session.seal)
    if review is None:
        raise IntegrityError("the review was submitted and cannot be read back", hint=_RESUME)
    return review


def _holds(draft: DraftReview | None, payload: ApprovedPayload) -> bool:
    """Whether the draft's comments are those of the payload; the body is given when it is published."""
    return draft is not None and (draft.head, draft.comments) == (payload.head, payload.comments)


def _unfreeze(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Back to waiting, with the draft as it was sealed."""
    waiting = dataclasses.replace(session, payload=None)
    sealed = draft_of(waiting)
    if sealed is not None and forge.load_draft() != sealed:
        forge.put_draft(sealed)
    journal.advance(waiting, Phase.AWAITING_APPROVAL)


def _other_verdict(payload: ApprovedPayload) -> str:
    numbers = ",".join(map(str, payload.numbers)) or "none"
    return f"`/approve-findings {numbers} --as comment` would submit"


def _with_submission(session: Session, payload: ApprovedPayload, review: PublishedReview) -> Session:
    numbers = tuple(comment.number for comment in review.comments)
    submission = Submission(review.reference, review.verdict, numbers, review.payload_digest, review.submitted_at)
    published = frozenset(comment.fingerprint for comment in review.comments)
    decisions = remember(session.decisions, as_published(payload.decisions, published))
    return dataclasses.replace(session, submission=submission, decisions=decisions)


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
