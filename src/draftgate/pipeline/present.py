"""Step 5: hold the findings as a draft, seal them, and show them. Nothing is published here."""

from __future__ import annotations

import dataclasses

from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview
from draftgate.domain.round import RoundResult
from draftgate.domain.seal import seal_round
from draftgate.domain.session import RoundScope, Session
from draftgate.errors import IntegrityError
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal
from draftgate.render.draft import comments_of


def present(forge: ReviewForge, journal: Journal, session: Session, scope: RoundScope, result: RoundResult) -> Session:
    """Old draft away, new draft, read back, checkpoint; in this order, so that a kill leaves no half of it.

    If the head moved meanwhile, nothing of the round is shown and the session is superseded.
    """
    if forge.read_head(session).head != scope.head:
        forge.delete_draft()
        return journal.advance(session, Phase.SUPERSEDED)
    comments = comments_of(result)
    seal = seal_round(session.round, scope, result, comments, result.body)
    forge.delete_draft()
    if comments and session.holds_draft:
        _hold(forge, DraftReview(seal.parts, scope.head, result.body, comments))
    now = journal.now()
    shown = dataclasses.replace(session, result=result, seal=seal.value, shown_at=now, commands=())
    return journal.advance(shown, Phase.AWAITING_APPROVAL)


def _hold(forge: ReviewForge, draft: DraftReview) -> None:
    forge.put_draft(draft)
    if forge.load_draft() != draft:
        raise IntegrityError(
            "the draft read back is not the one that was made", hint="run `draftgate review` again; nothing is shown"
        )
