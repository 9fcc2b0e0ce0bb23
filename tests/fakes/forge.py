"""A forge in memory: state in, effects out, verified by the same contract suite as the real ones.

It can be told to lose what is written, so that a flow's read-back is seen to work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.change import CommitSha
from draftgate.domain.review import DraftReview, PublishedReview
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import IntegrityError
from draftgate.forge.base import HeadState
from tests.builders import HEAD

T = TypeVar("T")


@dataclass
class Kept:
    """Everything that a memory forge holds; shared by those who look at the same one.

    Attributes:
        things: By kind and change (a review: by kind, change and marker); `bytes` is what somebody spoilt.
        writes: The kinds of what was written, in order.
    """

    things: dict[tuple[str, ...], object] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)
    head: CommitSha = HEAD


@dataclass
class MemoryForge:
    """One change on a forge in memory.

    Attributes:
        kept: What is there.
        key: The change.
        loses: A kind whose writes never arrive.
    """

    kept: Kept = field(default_factory=Kept)
    key: str = "feature/invitations"
    loses: str = ""

    def read_head(self, _session: Session) -> HeadState:
        """A change in memory is always open."""
        return HeadState(self.kept.head, is_open=True)

    def load_session(self) -> Session | None:
        """The session as it was saved."""
        return self._load(Session, "session")

    def save_session(self, session: Session, page: str) -> None:
        """Keep the next revision."""
        stored = self.load_session()
        if session.revision != (0 if stored is None else stored.revision) + 1:
            raise IntegrityError("somebody changed this session meanwhile", hint="read it again")
        self._keep(session, "session")
        self.kept.things["page", self.key] = page

    def keep_scope(self, artifacts: ScopeArtifacts) -> None:
        """Keep the artifacts."""
        self._keep(artifacts, "scope")

    def load_scope(self) -> ScopeArtifacts | None:
        """The artifacts as they were kept."""
        return self._load(ScopeArtifacts, "scope")

    def load_draft(self) -> DraftReview | None:
        """The draft as it stands."""
        return self._load(DraftReview, "draft")

    def put_draft(self, draft: DraftReview) -> None:
        """Make it the draft."""
        self._keep(draft, "draft")

    def delete_draft(self) -> None:
        """Remove the draft if there is one."""
        if self.kept.things.pop(("draft", self.key), None) is not None:
            self.kept.writes.append("no draft")

    def find_review(self, marker: str) -> PublishedReview | None:
        """The review with this marker."""
        return self._load(PublishedReview, "review", marker)

    def publish_draft(self, payload: ApprovedPayload, marker: str) -> None:
        """Turn the draft into a review."""
        draft = self.load_draft()
        if draft is None:
            raise IntegrityError("there is no draft to publish", hint="make one")
        review = PublishedReview(
            f"memory://{marker[:8]}", marker, "a bot", draft.head, payload.verdict, draft.body, draft.comments, "now"
        )
        self._keep(review, "review", marker)
        self.delete_draft()

    def _keep(self, thing: object, kind: str, *rest: str) -> None:
        if kind != self.loses:
            self.kept.things[(kind, self.key, *rest)] = thing
        self.kept.writes.append(kind)

    def _load(self, kind: type[T], name: str, *rest: str) -> T | None:
        thing = self.kept.things.get((name, self.key, *rest))
        if thing is None or isinstance(thing, kind):
            return thing
        raise IntegrityError(f"this {name} is not one", hint="remove it")
