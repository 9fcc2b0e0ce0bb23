"""What was sealed when the findings were shown, and whether everything still carries that seal."""

from __future__ import annotations

from draftgate.approval.freeze import require_shown
from draftgate.domain import seal
from draftgate.domain.canonical import digest
from draftgate.domain.review import DraftReview
from draftgate.domain.session import RoundScope, Session
from draftgate.errors import SealMismatch
from draftgate.forge.base import KeepsScope, ReviewForge
from draftgate.render.draft import comments_of

_NEW_ROUND = "nothing was submitted; start a new round with `draftgate review --force`"


def draft_of(session: Session) -> DraftReview | None:
    """The draft that a session's findings wait in; ``None`` if they wait in none."""
    scope, result = require_shown(session)
    comments = comments_of(result)
    if not comments or not session.holds_draft:
        return None
    sealed = seal.seal_round(session.round, scope, result, comments, result.body)
    return DraftReview(sealed.parts, scope.head, result.body, comments)


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
    sealed = seal.seal_round(session.round, scope, result, comments, body)
    if draft is not None:
        seal.require_match(sealed, seal.Seal(draft.seal))
    if sealed.value != session.seal:
        raise SealMismatch("the seal of the session is not the seal of what it shows", hint=_NEW_ROUND)
    _require_witnessed(forge, session, is_drafted=draft is not None)


def _require_witnessed(forge: ReviewForge, session: Session, *, is_drafted: bool) -> None:
    witness = forge.find_witness(session)
    if witness is None and not is_drafted:
        raise SealMismatch(
            "nothing but the comment itself vouches for what it shows: there is no draft and no check run",
            hint="let the token write checks (`checks: write`) or set a `signing-key`, and start a new round with "
            "`/draftgate review --force`",
        )
    if witness not in {None, session.seal}:
        raise SealMismatch("the seal in the check run is not the seal of what the comment shows", hint=_NEW_ROUND)


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
