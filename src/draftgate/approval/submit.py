"""Submission, exactly once: check, freeze, match the draft, publish, read back, record.

`begin` freezes what a human approved; `finish` publishes it and may run any number of times, after a
kill at any instant and beside another run, without posting anything twice: a round has one review, it is looked
for before every write, and whoever comes second takes it as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import suppress

from draftgate.approval.freeze import require_shown
from draftgate.approval.sealed import (
    draft_of,
    draft_to_publish,
    is_vouched,
    require_published,
    require_sealed,
    require_unchanged,
)
from draftgate.domain.amend import AmendedRound
from draftgate.domain.canonical import digest
from draftgate.domain.decide import as_published, decide, remember
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, PublishedReview
from draftgate.domain.selection import spell
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Session, Submission
from draftgate.errors import (
    ChangeClosed,
    CommandRefused,
    ForeignDraft,
    ForgeRefused,
    HeadMoved,
    IllegalTransition,
    IntegrityError,
    Overtaken,
    PermissionDenied,
    PlacesRefused,
    VerdictRefused,
)
from draftgate.forge.base import AnchorsRefused, HeadState, KeepsCheckpoint, ReviewForge
from draftgate.forge.journal import Journal

_RESUME = "give the approve command again to resume"


def begin(forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload) -> Session:
    """Check that what was shown still holds, then freeze the payload before anything is written elsewhere.

    Raises:
        HeadMoved: the change has a newer head; the session is superseded.
        SealMismatch: session, page and draft differ; nothing changes.
        VerdictRefused: the forge will not take the verdict; nothing changes.
    """
    require_unmoved(forge, journal, session)
    if not session.holds_draft:
        forge.delete_draft()  # one that is there was left by a submission that came to nothing
    require_sealed(forge, dataclasses.replace(session, payload=payload))
    require_unchanged(forge, journal, session)
    if reason := forge.why_refused(payload.verdict):
        raise VerdictRefused(reason, hint=f"nothing was submitted; {_other_verdict(payload)}")
    return journal.advance(dataclasses.replace(session, payload=payload), Phase.SUBMITTING)


def finish(forge: ReviewForge, journal: Journal, session: Session) -> tuple[Session, PublishedReview]:
    """Publish the frozen payload if the round has no review yet, and record what was published.

    Raises:
        HeadMoved: the head moved before anything was published; the draft is gone, the session superseded.
        IntegrityError: the frozen payload or what was published is not what was approved.
        CommandRefused: another approval of this round was published first; that one is recorded.
        ForgeRefused, ForeignDraft, PlacesRefused: the forge did not take it; the findings wait as before.
    """
    payload = _require_payload(session)
    review = forge.find_review(session.seal) or _publish(forge, journal, session, payload)
    is_ours = review.payload_digest == digest(payload)
    if is_ours:  # people may have edited since what it says of itself
        review = dataclasses.replace(review, numbers=payload.numbers, verdict=payload.verdict)
    draft = forge.load_draft()
    if forge.is_current(session) or (draft is not None and draft.seal == draft_to_publish(payload).seal):
        forge.delete_draft()  # no other one: it may be that of a new round already
    _require_current(forge, session)
    left = forge.settle(review, payload)
    submitted = _record(forge, journal, _with_submission(session, payload, review, left))
    if not is_ours:
        raise CommandRefused(
            f"another approval was submitted first: {spell(review.numbers) or 'none'} as {review.verdict}",
            hint="nothing was submitted twice; `/draftgate review --force` starts a new round",
        )
    return submitted, review


def adopt(forge: ReviewForge, journal: Journal, session: Session, proved: Callable[[Session], AmendedRound]) -> Session:
    """The session as it is: one that waits although its round is published becomes a submitted one.

    A run that wrote the state late can have written over the word of the run that published.

    Args:
        forge: Where the review is.
        journal: Records it.
        session: In any phase.
        proved: The findings of a session after those accepted commands that people surely gave.
    """
    if session.phase is not Phase.AWAITING_APPROVAL:
        return session
    review = forge.find_review(session.seal)
    if review is None:
        return session
    require_published(forge, session)
    forge.delete_draft()
    payload = payload_of(session, review, proved(session))
    submitting = journal.advance(dataclasses.replace(session, payload=payload), Phase.SUBMITTING)
    left = forge.settle(review, payload)
    return _record(forge, journal, _with_submission(submitting, payload, review, left))


def _record(forge: ReviewForge, journal: Journal, published: Session) -> Session:
    """The witness first: a state that says what people decided is then vouched for as soon as it stands."""
    forge.put_witness(dataclasses.replace(published, phase=Phase.SUBMITTED))
    return journal.advance(published, Phase.SUBMITTED)


def payload_of(session: Session, review: PublishedReview, proved: AmendedRound) -> ApprovedPayload:
    """What must have been approved for a review that stands; the command itself is not known any more."""
    at = _when(session, review)
    decisions = decide(session, proved, frozenset(review.numbers), at)
    return ApprovedPayload(
        result_digest=digest(session.result),
        seal=session.seal,
        head=review.head,
        numbers=review.numbers,
        verdict=review.verdict,
        body=review.body,
        comments=review.comments,
        decisions=decisions,
        memory=digest(remember(session.decisions, decisions)),
        given=AcceptedCommand("", review.author, "", at),
    )


def require_unmoved(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Refuse, and mark the session superseded, when the change is not what was reviewed.

    Raises:
        HeadMoved: it has another head.
        ChangeClosed: it is closed or merged.
        Overtaken: another run is at work on it.
    """
    present = _find_moved(forge, session)
    if present is not None:
        is_proved = is_vouched(forge, session)
        forge.delete_draft()
        raise _superseded(forge, journal, session, present, is_proved=is_proved)


def _has_begun(forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload) -> bool:
    """Whether a publication on a head that is gone has begun: it is finished, or half of it would be public for good.

    A run beside this one may be at it. Without the draft it goes no further, and what is public by then is all.

    Raises:
        HeadMoved, ChangeClosed, Overtaken: as `require_unmoved`, where nothing is public.
    """
    present = _find_moved(forge, session)
    if present is None:
        return False
    if forge.has_begun(payload):
        return True
    is_proved = is_vouched(forge, session)
    forge.delete_draft()
    if forge.has_begun(payload):
        return True
    raise _superseded(forge, journal, session, present, is_proved=is_proved)


def _find_moved(forge: ReviewForge, session: Session) -> HeadState | None:
    """The change as it is, where that is not what was reviewed."""
    scope, _ = require_shown(session)
    _require_current(forge, session)
    present = forge.read_head(session)
    return None if present.head == scope.head and present.is_open else present


def _superseded(
    forge: ReviewForge, journal: Journal, session: Session, present: HeadState, *, is_proved: bool
) -> HeadMoved | ChangeClosed:
    """Mark the session superseded, now that its draft is gone; the refusal to raise."""
    if session.phase is Phase.SUPERSEDED:
        forge.mend_witness(session)
    else:
        superseded = journal.advance(session, Phase.SUPERSEDED)
        if is_proved:
            forge.put_witness(superseded)
        else:
            forge.mend_witness(superseded)
    if not present.is_open:
        return closed(session)
    scope, _ = require_shown(session)
    return HeadMoved(
        f"the branch {session.change.head_ref} is at {present.head[:7]} now, {scope.head[:7]} was reviewed",
        hint="nothing was submitted; run `draftgate review` for the new head",
    )


def closed(session: Session) -> ChangeClosed:
    """The refusal of what would be submitted to a change that is not open."""
    return ChangeClosed(
        f"the change from {session.change.head_ref} is closed or merged",
        hint="nothing was submitted; once it is open again, `draftgate review` starts a new round",
    )


def _require_current(forge: KeepsCheckpoint, session: Session) -> None:
    if not forge.is_current(session):
        raise Overtaken(
            "another run changed the state of this review meanwhile", hint="look at the checkpoint and give it again"
        )


def _publish(forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload) -> PublishedReview:
    has_begun = _has_begun(forge, journal, session, payload)  # a draft for a head that is gone cannot even be made
    try:
        published = _send(forge, journal, session, payload, has_begun=has_begun)
    except (ForgeRefused, PermissionDenied, ForeignDraft, PlacesRefused):
        published = forge.find_review(session.seal)
        if published is None:
            _unfreeze(forge, journal, session)  # what the forge declines now it declines every time
            raise
    review = published or forge.find_review(session.seal)
    if review is None:
        raise IntegrityError("the review was submitted and cannot be read back", hint=_RESUME)
    if review.payload_digest == digest(payload):
        _require_published(review, payload)
    return review


def _send(
    forge: ReviewForge, journal: Journal, session: Session, payload: ApprovedPayload, *, has_begun: bool
) -> PublishedReview | None:
    """Match the draft and submit it; the review if a run beside this one was first."""
    if not has_begun and not _holds(forge.load_draft(), payload):
        _put(forge, draft_to_publish(payload))
        if not _holds(forge.load_draft(), payload):
            published = forge.find_review(session.seal)
            if published is not None:  # a run beside this one took the draft away with its review
                return published
            _require_current(forge, session)
            raise IntegrityError("the draft read back is not the approved payload", hint=_RESUME)
    forge.has_begun(payload)  # which has the forge look anew, where others may be publishing
    published = forge.find_review(session.seal)
    if published is None:  # also not before the draft above was made
        _has_begun(forge, journal, session, payload)
        forge.publish_draft(payload)
    return published


def _put(forge: ReviewForge, draft: DraftReview) -> None:
    try:
        forge.put_draft(draft)
    except AnchorsRefused as refused:
        raise PlacesRefused(
            f"the forge does not take the places of findings {spell(refused.numbers)}",
            hint=f"nothing was submitted; `/approve-findings all except {spell(refused.numbers)}` leaves them out",
        ) from refused


def _holds(draft: DraftReview | None, payload: ApprovedPayload) -> bool:
    """Whether the draft's comments are those of the payload; the body is given when it is published."""
    return draft is not None and (draft.head, draft.comments) == (payload.head, payload.comments)


def _unfreeze(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Back to waiting, with the draft as it was sealed; another program's draft stays where it is."""
    waiting = dataclasses.replace(session, payload=None)
    sealed = draft_of(waiting)
    if sealed is None:
        forge.delete_draft()
    elif forge.load_draft() != sealed:
        with suppress(ForeignDraft):  # the round is then without its draft, which the next approval says
            forge.put_draft(sealed)
    journal.advance(waiting, Phase.AWAITING_APPROVAL)


def _other_verdict(payload: ApprovedPayload) -> str:
    return f"`/approve-findings {spell(payload.numbers) or 'none'} --as comment` would submit"


def _with_submission(session: Session, payload: ApprovedPayload, review: PublishedReview, left: str) -> Session:
    findings = session.result.findings if session.result else ()
    published = frozenset(shown.finding.fingerprint for shown in findings if shown.number in review.numbers)
    decisions = remember(session.decisions, as_published(payload.decisions, published))
    return dataclasses.replace(session, submission=_submission(session, review, left), decisions=decisions)


def _submission(session: Session, review: PublishedReview, left: str) -> Submission:
    return Submission(
        review.reference, review.verdict, review.numbers, review.payload_digest, _when(session, review), left
    )


def _when(session: Session, review: PublishedReview) -> str:
    """A forge may leave out when a review was submitted; it was not before it was frozen."""
    return review.submitted_at or session.updated_at


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
    """What was published a moment ago is what was approved; later people may edit it, dismiss it or outdate it."""
    posted = (review.head, review.verdict, review.body, review.comments)
    if posted != (payload.head, payload.verdict, payload.body, payload.comments):
        raise IntegrityError(
            "the published review is not the approved payload",
            context=review.reference,
            hint="look at the review; someone else wrote under its marker",
        )
