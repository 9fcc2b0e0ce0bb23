"""A forge that forgets: for a run whose token may only read, so that its result is shown in the job summary alone.

The flows are those of every forge; what they store lives as long as the run. Nothing can be published from it.
"""

from __future__ import annotations

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.change import CommitSha
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.seal import Witness
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import PermissionDenied
from draftgate.forge.base import HeadState
from draftgate.render.page import Page


class TransientForge:
    """Keeps one session in memory.

    Args:
        head: The head that is reviewed; a run that cannot write need not hear of a newer one.
    """

    def __init__(self, head: CommitSha) -> None:
        self._head = head
        self._session: Session | None = None
        self._scope: ScopeArtifacts | None = None

    @property
    def is_shared(self) -> bool:
        """Nobody else sees it."""
        return False

    def read_head(self, session: Session) -> HeadState:
        """The head that is reviewed."""
        del session
        return HeadState(self._head, is_open=True)

    def load_session(self) -> Session | None:
        """The session as it was saved last."""
        return self._session

    def is_overtaken(self) -> bool:
        """Nobody else stores anything here."""
        return False

    def is_current(self, session: Session) -> bool:
        """Nobody else writes."""
        del session
        return True

    def save_session(self, session: Session, page: Page) -> None:
        """Keep the session; the page is shown nowhere."""
        del page
        self._session = session

    def keep_scope(self, artifacts: ScopeArtifacts) -> None:
        """Keep the artifacts."""
        self._scope = artifacts

    def load_scope(self) -> ScopeArtifacts | None:
        """The artifacts."""
        return self._scope

    def shows(self, page: Page) -> bool:
        """Nobody sees a page."""
        del page
        return True

    def find_witness(self, session: Session) -> Witness | None:
        """Nothing is approved here, so nothing has to vouch for it."""
        return Witness.of(session)

    def put_witness(self, session: Session) -> None:
        """See `find_witness`."""

    def mend_witness(self, session: Session) -> None:
        """See `find_witness`."""

    def why_not_held(self, comments: tuple[ReviewComment, ...]) -> str:
        """The draft is a thing that would have to be written."""
        del comments
        return "the token can only read here"

    def load_draft(self) -> DraftReview | None:
        """There is none."""
        return None

    def put_draft(self, draft: DraftReview) -> None:
        """There is none, see `why_not_held`."""
        del draft
        raise _read_only()

    def delete_draft(self) -> None:
        """There is none."""

    def find_review(self, seal: str) -> PublishedReview | None:
        """Nothing was published from here."""
        del seal
        return None

    def why_refused(self, verdict: Verdict) -> str:
        """Every verdict would have to be written."""
        del verdict
        return "the token can only read here"

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """Nothing is published from here."""
        del payload
        return False

    def publish_draft(self, payload: ApprovedPayload) -> None:
        """Refuse."""
        del payload
        raise _read_only()

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """Nothing was published from here."""
        del review, payload
        return ""


def _read_only() -> PermissionDenied:
    return PermissionDenied("the token can only read here", hint="give a token that may write to changes")
