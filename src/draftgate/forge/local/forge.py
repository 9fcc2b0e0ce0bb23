"""The local forge: sessions, drafts, checkpoints and published reviews as files of a state folder.

It keeps to the roles of `forge.base`, so that the flows proved here are those that run on a server.
Nothing here reads the change itself; the head it reports is asked of git through a function.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from draftgate.config.key_shapes import without_secrets
from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.canonical import digest
from draftgate.domain.change import CommitSha
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.seal import Witness
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import IntegrityError
from draftgate.forge.base import HeadState
from draftgate.forge.local.folder import FOLDER_NAME, StateFolder
from draftgate.render.page import Page
from draftgate.render.published import published_review
from draftgate.schemas import state

SESSION = "draftgate/session/v1"
SCOPE = "draftgate/scope/v1"
DRAFT = "draftgate/draft/v1"
REVIEW = "draftgate/review/v1"

_SLUG_LENGTH = 60

INTEGRITY = (
    "Session, draft and evidence are files in `.draftgate/`; this page is only shown and never read back. A change to "
    "one of them is refused, since the seal no longer matches. Whoever may write that folder can replace all of "
    "them: here the seal finds mistakes, it keeps nobody out."
)
"""The local forge's row of the integrity table, for the audit."""


class LocalForge:
    """The review of one change in one repository.

    Args:
        folder: The state folder; the caller holds its lock around every flow that writes.
        key: The change: a branch, or a commit.
        account: Who works here, as git names them.
        read_head: Gives the head commit that a session's change has now.
        now: The time, UTC, ISO 8601.
    """

    def __init__(
        self,
        folder: StateFolder,
        key: str,
        *,
        account: str,
        read_head: Callable[[Session], CommitSha],
        now: Callable[[], str],
    ) -> None:
        self._folder = folder
        self._stem = stem_of(key)
        self._account = account
        self._read_head = read_head
        self._now = now

    def read_head(self, session: Session) -> HeadState:
        """A local change is always open."""
        return HeadState(self._read_head(session), is_open=True)

    def load_session(self) -> Session | None:
        """The stored session of this change."""
        return _load_session(self._folder, f"session-{self._stem}.json")

    @property
    def is_shared(self) -> bool:
        """The lock of the folder keeps other runs out."""
        return False

    def is_overtaken(self) -> bool:
        """Every look is one at the files themselves."""
        return False

    def is_current(self, session: Session) -> bool:
        """Whether the stored revision is that of ``session``."""
        stored = self.load_session()
        return stored is not None and stored.revision == session.revision

    def save_session(self, session: Session, page: Page) -> None:
        """Store the page, then the session: a command that was cut off between them writes both when given again."""
        stored = self.load_session()
        expected = 0 if stored is None else stored.revision
        if session.revision != expected + 1:
            raise IntegrityError(
                "somebody changed this session meanwhile",
                context=self.checkpoint_reference,
                hint="look at it with `draftgate status` and give the command again",
            )
        self._folder.write(f"checkpoint-{self._stem}.md", page.text.encode("utf-8", "replace"))
        self._folder.write(f"session-{self._stem}.json", state.encode(SESSION, session))

    def delete_session(self) -> None:
        """Remove session, checkpoint and draft; what was published stays."""
        self.delete_draft()
        self._folder.remove(f"scope-{self._stem}.json")
        self._folder.remove(f"checkpoint-{self._stem}.md")
        self._folder.remove(f"session-{self._stem}.json")

    @property
    def checkpoint_reference(self) -> str:
        """The checkpoint page as a path below the repository."""
        return f"{FOLDER_NAME}/checkpoint-{self._stem}.md"

    def keep_scope(self, artifacts: ScopeArtifacts) -> None:
        """Keep the artifacts of the round that begins."""
        self._folder.write(f"scope-{self._stem}.json", state.encode(SCOPE, artifacts))

    def load_scope(self) -> ScopeArtifacts | None:
        """The artifacts of the present round."""
        name = f"scope-{self._stem}.json"
        content = self._folder.read(name)
        return None if content is None else state.decode(SCOPE, ScopeArtifacts, content, name=_path(name))

    def shows(self, page: Page) -> bool:
        """The page is shown and never read back; the terminal shows the session itself."""
        del page
        return True

    def find_witness(self, session: Session) -> Witness | None:
        """Whoever may write one file of the folder may write them all, so there is no second place."""
        return Witness.of(session)

    def put_witness(self, session: Session) -> None:
        """See `find_witness`."""

    def mend_witness(self, session: Session) -> None:
        """See `find_witness`."""

    def why_not_held(self, comments: tuple[ReviewComment, ...]) -> str:
        """Nobody else drafts here."""
        del comments
        return ""

    def load_draft(self) -> DraftReview | None:
        """The draft as it stands."""
        name = f"draft-{self._stem}.json"
        content = self._folder.read(name)
        return None if content is None else state.decode(DRAFT, DraftReview, content, name=_path(name))

    def put_draft(self, draft: DraftReview) -> None:
        """Make ``draft`` the draft."""
        self._folder.write(f"draft-{self._stem}.json", state.encode(DRAFT, draft))

    def delete_draft(self) -> None:
        """Remove the draft if there is one, and the page of a review that was cut off before it was published."""
        names = self._folder.names()
        pages = (name for name in names if name.startswith(f"review-{self._stem}-") and name.endswith(".md"))
        for page in pages:
            if f"{page.removesuffix('.md')}.json" not in names:
                self._folder.remove(page)
        self._folder.remove(f"draft-{self._stem}.json")

    def find_review(self, seal: str) -> PublishedReview | None:
        """The published review of the round with this seal."""
        name = self._review_name(seal)
        content = self._folder.read(name)
        return None if content is None else state.decode(REVIEW, PublishedReview, content, name=_path(name))

    def why_refused(self, verdict: Verdict) -> str:
        """A folder takes every verdict."""
        del verdict
        return ""

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """A review is one file."""
        del payload
        return False

    def publish_draft(self, payload: ApprovedPayload) -> None:
        """Write the review under a name that follows from its round, so that doing it twice is doing it once."""
        draft = self.load_draft()
        if draft is None:
            if self.find_review(payload.seal) is not None:
                return
            raise IntegrityError("there is no draft to publish", hint="give the approve command again")
        name = self._review_name(payload.seal)
        page = name.removesuffix(".json") + ".md"
        review = PublishedReview(
            reference=_path(page),
            seal=payload.seal,
            payload_digest=digest(payload),
            numbers=payload.numbers,
            author=self._account,
            head=draft.head,
            verdict=payload.verdict,
            body=payload.body,
            comments=draft.comments,
            submitted_at=self._now(),
        )
        # The page first: the stored review is what counts, and where it is, both are.
        self._folder.write(page, published_review(review).encode("utf-8", "replace"))
        self._folder.write(name, state.encode(REVIEW, review))
        self.delete_draft()

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """A page in a folder blocks nothing."""
        del review, payload
        return ""

    def _review_name(self, seal: str) -> str:
        return f"review-{self._stem}-{seal[:16]}.json"


def stem_of(key: str) -> str:
    """A file-name part for a change: readable, without what looks like a key, unique by a digest of the whole."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", without_secrets(key))[:_SLUG_LENGTH].strip("-.") or "change"
    return f"{slug}-{hashlib.sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def list_sessions(folder: StateFolder) -> tuple[Session, ...]:
    """Every stored session of the repository, in name order."""
    names = [name for name in folder.names() if name.startswith("session-") and name.endswith(".json")]
    return tuple(session for name in names if (session := _load_session(folder, name)) is not None)


def _load_session(folder: StateFolder, name: str) -> Session | None:
    content = folder.read(name)
    return None if content is None else state.decode(SESSION, Session, content, name=_path(name))


def _path(name: str) -> str:
    return f"{FOLDER_NAME}/{name}"
