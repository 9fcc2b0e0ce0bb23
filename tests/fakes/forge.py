"""A forge in memory: state in, effects out, verified by the same contract suite as the real ones.

It can be told to lose what is written, so that a flow's read-back is seen to work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.canonical import digest
from draftgate.domain.change import CommitSha
from draftgate.domain.finding import AnchorKind
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.seal import Witness
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import IntegrityError, VerdictRefused
from draftgate.forge.base import AnchorsRefused, HeadState
from draftgate.render.page import Page
from tests.builders import HEAD

T = TypeVar("T")


@dataclass
class Kept:
    """Everything that a memory forge holds; shared by those who look at the same one.

    Attributes:
        things: By kind and change (a review: by kind, change and marker); `bytes` is what somebody spoilt.
        writes: The kinds of what was written, in order.
        is_shared: Other runs may be at work.
        why_not_held: Why no draft can wait.
        refused: Numbers with the kind of place that is not taken for them.
        why_refused: Verdicts that are known not to be taken.
        takes_not: Verdicts that turn out not to be taken.
    """

    things: dict[tuple[str, ...], object] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)
    head: CommitSha = HEAD
    is_shared: bool = False
    why_not_held: str = ""
    refused: set[tuple[int, AnchorKind]] = field(default_factory=set)
    why_refused: dict[Verdict, str] = field(default_factory=dict)
    takes_not: set[Verdict] = field(default_factory=set)


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

    @property
    def is_shared(self) -> bool:
        """Whether other runs may be at work."""
        return self.kept.is_shared

    def is_overtaken(self) -> bool:
        """Nobody else stores anything here."""
        return False

    def is_current(self, session: Session) -> bool:
        """Whether the session is the one that is kept."""
        stored = self.load_session()
        return stored is not None and stored.revision == session.revision

    def save_session(self, session: Session, page: Page) -> None:
        """Keep the next revision."""
        stored = self.load_session()
        if session.revision != (0 if stored is None else stored.revision) + 1:
            raise IntegrityError("somebody changed this session meanwhile", hint="read it again")
        self._keep(session, "session")
        self.kept.things["page", self.key] = page.text

    def keep_scope(self, artifacts: ScopeArtifacts) -> None:
        """Keep the artifacts."""
        self._keep(artifacts, "scope")

    def load_scope(self) -> ScopeArtifacts | None:
        """The artifacts as they were kept."""
        return self._load(ScopeArtifacts, "scope")

    def shows(self, page: Page) -> bool:
        """Whether the page is the one that was saved; where nobody else writes, that is not asked."""
        return not self.kept.is_shared or self.kept.things.get(("page", self.key)) == page.text

    def find_witness(self, session: Session) -> Witness | None:
        """What was put."""
        own = Witness.of(session)
        return own if not self.kept.is_shared else self._load(Witness, "witness")

    def put_witness(self, session: Session) -> None:
        """Keep the seal."""
        if self.kept.is_shared:
            self._keep(Witness.of(session), "witness")

    def mend_witness(self, session: Session) -> None:
        """There are no words beside the seal."""

    def why_not_held(self, comments: tuple[ReviewComment, ...]) -> str:
        """What was set."""
        del comments
        return self.kept.why_not_held

    def load_draft(self) -> DraftReview | None:
        """The draft as it stands."""
        return self._load(DraftReview, "draft")

    def put_draft(self, draft: DraftReview) -> None:
        """Make it the draft."""
        refused = tuple(c.number for c in draft.comments if (c.number, c.anchor.kind) in self.kept.refused)
        if refused:
            raise AnchorsRefused(refused)
        self._keep(draft, "draft")

    def delete_draft(self) -> None:
        """Remove the draft if there is one."""
        if self.kept.things.pop(("draft", self.key), None) is not None:
            self.kept.writes.append("no draft")

    def find_review(self, seal: str) -> PublishedReview | None:
        """The review of this round."""
        return self._load(PublishedReview, "review", seal)

    def why_refused(self, verdict: Verdict) -> str:
        """What was set for a verdict."""
        return self.kept.why_refused.get(verdict, "")

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """A review in memory is one thing."""
        return False

    def publish_draft(self, payload: ApprovedPayload) -> None:
        """Turn the draft into a review."""
        draft = self.load_draft()
        if draft is None:
            if self.find_review(payload.seal) is not None:
                return
            raise IntegrityError("there is no draft to publish", hint="make one")
        if payload.verdict in self.kept.takes_not:
            raise VerdictRefused("not this one", hint="write another")
        review = PublishedReview(
            f"memory://{payload.seal[:8]}",
            payload.seal,
            digest(payload),
            payload.numbers,
            "a bot",
            draft.head,
            payload.verdict,
            payload.body,
            draft.comments,
            "now",
        )
        self._keep(review, "review", payload.seal)
        self.delete_draft()

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """Reviews in memory block nothing."""
        return ""

    def _keep(self, thing: object, kind: str, *rest: str) -> None:
        if kind != self.loses:
            self.kept.things[(kind, self.key, *rest)] = thing
        self.kept.writes.append(kind)

    def _load(self, kind: type[T], name: str, *rest: str) -> T | None:
        thing = self.kept.things.get((name, self.key, *rest))
        if thing is None or isinstance(thing, kind):
            return thing
        raise IntegrityError(f"this {name} is not one", hint="remove it")
