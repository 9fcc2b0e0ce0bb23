"""The roles a forge plays, each as narrow as its consumer needs.

A function takes the smallest role that serves it. Differences between forges are data, never a question
about the forge's name. Every write is preceded by a saved session and followed by a read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.change import CommitSha
from draftgate.domain.review import DraftReview, PublishedReview
from draftgate.domain.session import ApprovedPayload, Session


@dataclass(frozen=True, slots=True)
class HeadState:
    """The change as it is now: its head commit, and whether it can still be reviewed."""

    head: CommitSha
    is_open: bool


class ReadsHead(Protocol):
    """Knows the present head of the change."""

    def read_head(self, session: Session) -> HeadState:
        """The head that the session's change has now."""


class KeepsCheckpoint(Protocol):
    """Stores the session together with the page that shows it."""

    def load_session(self) -> Session | None:
        """The stored session; ``None`` if the change has none.

        Raises:
            IntegrityError: it is there and cannot be trusted.
        """

    def save_session(self, session: Session, page: str) -> None:
        """Store a session of the next revision and the page for it, all or nothing.

        Raises:
            IntegrityError: somebody stored another revision meanwhile.
        """


class KeepsScope(Protocol):
    """Keeps the artifacts that prove the range of the present round."""

    def keep_scope(self, artifacts: ScopeArtifacts) -> None:
        """Keep the artifacts of the round that begins, in place of earlier ones."""

    def load_scope(self) -> ScopeArtifacts | None:
        """The artifacts of the present round; ``None`` if there are none.

        Raises:
            IntegrityError: they are there and cannot be trusted.
        """


class HoldsDraft(Protocol):
    """Holds the one draft review of the change, which only the bot can see."""

    def load_draft(self) -> DraftReview | None:
        """The draft as it stands; ``None`` if there is none."""

    def put_draft(self, draft: DraftReview) -> None:
        """Make ``draft`` the draft, in place of any earlier one."""

    def delete_draft(self) -> None:
        """Remove the draft if there is one."""


class PublishesReview(Protocol):
    """Turns the draft into a review that everyone sees."""

    def find_review(self, marker: str) -> PublishedReview | None:
        """The published review with this marker; ``None`` if there is none."""

    def publish_draft(self, payload: ApprovedPayload, marker: str) -> None:
        """Publish the draft as the review of ``payload``; afterwards there is no draft."""


class ReviewForge(ReadsHead, KeepsCheckpoint, KeepsScope, HoldsDraft, PublishesReview, Protocol):
    """Everything a reviewed change needs; only the composition root and whole flows ask for all of it."""
