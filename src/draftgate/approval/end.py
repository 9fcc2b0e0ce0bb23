"""The ends of a session that publish nothing: discarded, or finalized in whatever phase it is."""

from __future__ import annotations

import dataclasses

from draftgate.approval.sealed import is_half_ended, is_vouched, require_unchanged
from draftgate.domain.amend import AmendedRound
from draftgate.domain.decide import reject_only, remember
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal


def discard(forge: ReviewForge, journal: Journal, session: Session, amended: AmendedRound) -> Session:
    """End the round. Findings that were rejected with a reason stay rejected; the rest is not remembered.

    Raises:
        SealMismatch: somebody changed the state by hand.
    """
    if session.seal and not is_half_ended(forge, session):
        require_unchanged(forge, journal, session)
    rejected = reject_only(session, amended, journal.now())
    decided = dataclasses.replace(session, decisions=remember(session.decisions, rejected))
    forge.delete_draft()  # first: after the last phase nobody would look for it
    return _end(forge, journal, decided, Phase.ABORTED)


def close(forge: ReviewForge, journal: Journal, session: Session) -> Session:
    """End the session because its change was closed; what people decided is kept, for it may be opened again."""
    if not is_vouched(forge, session):
        return finalize(forge, journal, session)
    forge.delete_draft()
    return _end(forge, journal, dataclasses.replace(session, carried=(), commands=()), Phase.FINALIZED)


def finalize(forge: ReviewForge, journal: Journal, session: Session) -> Session:
    """End the session: no draft, no remembered decisions; what was published stays as it is."""
    forge.delete_draft()
    forgotten = dataclasses.replace(session, decisions=(), carried=(), commands=())
    return _end(forge, journal, forgotten, Phase.FINALIZED)


def _end(forge: ReviewForge, journal: Journal, session: Session, phase: Phase) -> Session:
    """The witness first: what is remembered is then vouched for as soon as it stands in the state."""
    forge.put_witness(dataclasses.replace(session, phase=phase))
    return journal.advance(session, phase)
