"""What is left of a review when its change is closed or merged: no draft, and a checkpoint that says so."""

from __future__ import annotations

from draftgate.approval import end
from draftgate.bootstrap.hosting.opening import Hosted
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.errors import IntegrityError


def close(hosted: Hosted) -> RunOutcome:
    """Delete our draft and finalize the session, if there are any."""
    if hosted.view.now().change.is_open:
        return hosted.outcome(0, RunPhase.SKIPPED, "the change is open: it was opened again, or the event is not true")
    try:
        session = hosted.forge.load_session()
    except IntegrityError as error:
        hosted.forge.delete_draft()
        return hosted.outcome(0, RunPhase.SKIPPED, f"the draft is gone; the checkpoint stays as it is: {error}")
    if session is None or session.phase is Phase.FINALIZED:
        hosted.forge.delete_draft()
        if session is not None:
            hosted.forge.mend_witness(session)
        return hosted.outcome(0, RunPhase.SKIPPED, "the change is closed, and no review of it is open")
    ended = end.close(hosted.forge, hosted.journal, session)
    return hosted.outcome(0, ended.phase.value, "the change is closed; the review is finalized", session=ended)
