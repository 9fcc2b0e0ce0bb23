"""What was sealed when the findings were shown, and whether everything still carries that seal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from draftgate import __version__
from draftgate.approval.freeze import require_shown
from draftgate.domain import seal
from draftgate.domain.canonical import digest
from draftgate.domain.phase import UNDECIDED, Phase
from draftgate.domain.release import name_release
from draftgate.domain.review import DraftReview
from draftgate.domain.seal import Seal, Witness, digest_commands
from draftgate.domain.session import ApprovedPayload, RoundScope, Session
from draftgate.errors import AnotherRelease, SealMismatch
from draftgate.forge.base import KeepsScope, KeepsWitness, ReviewForge
from draftgate.forge.journal import Journal
from draftgate.render.comment import review_body
from draftgate.render.draft import comments_of

_NEW_ROUND = "nothing was submitted; start a new round with `draftgate review --force`"
_APPROVED = "approved payload"


def draft_of(session: Session) -> DraftReview | None:
    """The draft that a session's findings wait in; ``None`` if they wait in none."""
    scope, result = require_shown(session)
    comments = comments_of(result)
    if not comments or not session.holds_draft:
        return None
    sealed = seal.seal_round(session, scope, result, comments, result.body)
    return DraftReview(sealed.parts, scope.head, result.body, comments)


def draft_to_publish(payload: ApprovedPayload) -> DraftReview:
    """The draft that holds exactly what was approved; it names the payload, which only the bot can write there."""
    seal_of_payload = ((_APPROVED, digest(payload)),)
    return DraftReview(seal_of_payload, payload.head, payload.body, payload.comments)


def require_sealed(forge: ReviewForge, session: Session) -> None:
    """Refuse when the session, the draft, the witness and the seal do not belong together.

    Raises:
        SealMismatch: names what differs; nothing changes.
    """
    scope, result = require_shown(session)
    _require_proved(forge, scope)
    draft = forge.load_draft()
    if draft is None and result.findings and session.holds_draft:
        raise SealMismatch("the draft review is gone", hint=_NEW_ROUND)
    comments, body = (comments_of(result), result.body) if draft is None else (draft.comments, draft.body)
    sealed = seal.seal_round(session, scope, result, comments, body)
    if draft is not None:
        seal.require_match(sealed, Seal(draft.seal))
    _require_own(session, sealed)
    _require_witnessed(forge, session, is_drafted=draft is not None)


def require_unchanged(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Refuse to build on a round whose state or page somebody changed by hand.

    Raises:
        SealMismatch: names what differs; nothing changes.
    """
    witness = forge.find_witness(session)
    if witness is None or witness.seal != session.seal:
        require_sealed(forge, session)
    else:
        _require_same(witness, session)
    require_shown_page(forge, journal, session)


def is_half_ended(forge: ReviewForge, session: Session) -> bool:
    """Whether a run was cut off while it took the draft of a round away, where nothing but the draft vouches for it.

    What is left of it still bears the seal; where nothing is left, there must be nothing to remember either.
    """
    sealed = draft_of(session)
    if sealed is None or forge.find_witness(session) is not None:
        return False
    draft = forge.load_draft()
    if draft is None:
        return not (session.decisions or session.carried or session.commands)
    return (draft.seal, digest(sealed.seal)) == (sealed.seal, session.seal) and draft != sealed


def require_shown_page(forge: ReviewForge, journal: Journal, session: Session) -> None:
    """Refuse to act on what somebody may have read on a page that was changed by hand.

    Raises:
        AnotherRelease: an earlier one showed it in other words.
        SealMismatch: it was.
    """
    if not forge.shows(journal.page(session)):
        if session.release != __version__:  # it may be untouched, and this release cannot tell
            shown_by = name_release(session.release) or "another release of Draftgate"
            raise AnotherRelease(
                f"the findings were shown by {shown_by}, and the page of this one, {__version__}, is not the same",
                hint=_NEW_ROUND,
            )
        raise SealMismatch("the text of the checkpoint is not the one that was written", hint=_NEW_ROUND)


def is_vouched(forge: KeepsWitness, session: Session) -> bool:
    """Whether the witness says of the session what it says of itself."""
    witness = forge.find_witness(session)
    return witness is not None and dataclasses.replace(witness, page="") == Witness.of(session)


def require_remembered(forge: ReviewForge, session: Session, require_unedited: Callable[[Session], None]) -> None:
    """Refuse to take over what people decided and changed in earlier rounds from a state that nothing vouches for.

    Args:
        forge: Where the session is.
        session: As it was left.
        require_unedited: Holds accepted commands to the comments that they came from.

    Raises:
        IntegrityError: it cannot be proved.
    """
    witness = forge.find_witness(session)
    if witness is not None and witness.seal == session.seal:
        _require_same(witness, session)  # also where nothing is left to take over: somebody may have taken it away
    if not (session.decisions or session.carried or session.commands or session.last_reviewed):
        return
    if session.phase in UNDECIDED:
        _require_undecided(forge, session, require_unedited)
        return
    if not (is_vouched(forge, session) if witness is not None else _is_vouched_by_review(forge, session)):
        raise SealMismatch(
            "what was decided in earlier rounds cannot be proved", hint="the new round begins without it"
        )


def _require_undecided(forge: ReviewForge, session: Session, require_unedited: Callable[[Session], None]) -> None:
    """Of a round that waits, people's words about what it shows are taken over too.

    A run that kept a command can have been cut off before the witness knew of it.
    """
    _require_own_seal(session)
    draft = forge.load_draft()
    is_drafted = draft is not None and draft.seal == _parts_of(session)
    if is_drafted or not is_vouched(forge, session):
        require_unedited(session)
        _require_witnessed(forge, session, is_drafted=is_drafted)


def _is_vouched_by_review(forge: ReviewForge, session: Session) -> bool:
    """The review that came out of a session names the payload, and the payload what was decided with it.

    Others can edit a review, so it counts only where there is no better witness.
    """
    payload = session.payload
    if payload is None or session.phase is not Phase.SUBMITTED or payload.memory != digest(session.decisions):
        return False
    review = forge.find_review(session.seal)
    return review is not None and review.payload_digest == digest(payload)


def require_published(forge: KeepsWitness, session: Session) -> None:
    """Refuse to record a review for a session whose seal is not that of what it shows.

    Raises:
        SealMismatch: it is not, or the witness knows another.
    """
    _require_own_seal(session)
    witness = forge.find_witness(session)
    if witness is not None and witness.seal != session.seal:
        raise SealMismatch(
            "the seal kept apart from the comment is not the seal of what the comment shows", hint=_NEW_ROUND
        )


def require_vouched(forge: ReviewForge, session: Session, payload: ApprovedPayload) -> None:
    """Refuse to go on with a submission whose session nothing but itself vouches for.

    The draft may be the one that was sealed, or already the one to publish; or the review is published.

    Raises:
        SealMismatch: names what differs; nothing changes.
    """
    scope, _ = require_shown(session)
    _require_proved(forge, scope)
    _require_own_seal(session)
    review = forge.find_review(session.seal)
    draft = forge.load_draft()
    by_draft = draft is not None and draft.seal in (draft_to_publish(payload).seal, _parts_of(session))
    by_review = review is not None and review.payload_digest == digest(payload)
    _require_witnessed(forge, session, is_drafted=by_draft or by_review)


def _parts_of(session: Session) -> tuple[tuple[str, str], ...]:
    sealed = draft_of(session)
    return () if sealed is None else sealed.seal


def _require_own_seal(session: Session) -> None:
    scope, result = require_shown(session)
    _require_own(session, seal.seal_round(session, scope, result, comments_of(result), result.body))


def _require_own(session: Session, sealed: Seal) -> None:
    if sealed.value != session.seal:
        raise SealMismatch("the seal of the session is not the seal of what it shows", hint=_NEW_ROUND)


def _require_witnessed(forge: KeepsWitness, session: Session, *, is_drafted: bool) -> None:
    witness = forge.find_witness(session)
    if is_drafted and (witness is None or witness.seal != session.seal):
        return  # an earlier round's: the run was cut off before it put its own, and the draft is as good
    if witness is None:
        if _says_nothing(session):
            return
        raise SealMismatch(
            "nothing but the comment itself vouches for what it shows: no draft, and no other place, keeps its seal",
            hint="set a signing key (on GitHub, letting the token write checks does as well: `checks: write`), and "
            "start a new round with `/draftgate review --force`",
        )
    _require_same(witness, session)


def _says_nothing(session: Session) -> bool:
    """Whether nothing can come of a forged state: no finding, and the sentence that every empty review has."""
    scope, result = require_shown(session)
    payload = session.payload
    fixed = review_body(scope.head, (), language=result.language)
    said = result.body if payload is None else payload.body
    has_more = result.findings or session.commands or (payload is not None and payload.comments)
    return not has_more and result.body == said == fixed


def _require_same(witness: Witness, session: Session) -> None:
    """The last commands may be missing in the witness: a run keeps them first, and can be cut off before it says so.

    That people gave them is proved by their comments.
    """
    prefixes = (session.commands[:count] for count in range(len(session.commands) + 1))
    commands = {digest_commands(dataclasses.replace(session, commands=prefix)) for prefix in prefixes}
    if witness.seal != session.seal:
        raise SealMismatch(
            "the seal kept apart from the comment is not the seal of what the comment shows", hint=_NEW_ROUND
        )
    if witness.commands not in commands:
        raise SealMismatch(
            "the accepted commands in the session are not those kept apart from the comment", hint=_NEW_ROUND
        )


def _require_proved(forge: KeepsScope, scope: RoundScope) -> None:
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
