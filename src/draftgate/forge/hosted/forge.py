"""A forge on a network, for one change and one run: the roles of `forge.base`, played by the parts that it brings.

It holds what one run must not write twice (the session between two written phases, the artifacts of the round) and
decides which phases are worth a write; everything else is delegated to the part that knows it.
"""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.canonical import digest
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Role
from draftgate.domain.phase import PASSING, Phase
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.seal import Witness
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import Overtaken
from draftgate.forge.base import Converses, HeadState, KnowsPeople
from draftgate.forge.hosted.checkpoint import Checkpoint, Stored
from draftgate.forge.hosted.standing import View
from draftgate.render.page import Page


class Reviews(Protocol):
    """The part that holds the draft and publishes it; see `forge.base.HoldsDraft` and `PublishesReview`."""

    def why_not_held(self, comments: tuple[ReviewComment, ...]) -> str:
        """Why no draft with these comments should wait here now; "" if one can."""

    def load(self, seal: str = "", head: str = "") -> DraftReview | None:
        """The draft as it stands; where a forge can hold several, the one with this seal comes first.

        What is public of a publication on ``head`` that was cut off counts too; without one, on the present head.
        """

    def put(self, draft: DraftReview) -> None:
        """Make ``draft`` the draft."""

    def delete(self) -> None:
        """Remove the draft if there is one."""

    def find_review(self, seal: str) -> PublishedReview | None:
        """The published review of the round with this seal."""

    def why_refused(self, verdict: Verdict) -> str:
        """Why the forge will not take a verdict from the bot; "" if it may."""

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """Whether a part of it is public without a review; see `PublishesReview.has_begun`."""

    def submit(self, payload: ApprovedPayload) -> None:
        """Publish the draft as the review of ``payload``."""

    def sweep(self, seal: str) -> None:
        """Remove what is left of drafts other than the one with this seal, where a forge can hold several."""

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """Bring what stands beside the review in line with it; why that could not be done, "" if it is."""


class Kept(Protocol):
    """What is kept beside the checkpoint about a round.

    Attributes:
        witness: What it says about the round; ``None`` if it is no witness.
        shown_at: When the findings were shown, by the forge's time; "" if it does not say.
    """

    @property
    def witness(self) -> Witness | None:
        """See the class."""

    @property
    def shown_at(self) -> str:
        """See the class."""

    def is_of(self, session: Session) -> bool:
        """Whether it is about the session's present round."""


class Witnesses(Protocol):
    """The part that says the state of a round in words, and keeps beside the checkpoint what it can.

    Attributes:
        is_denied: The token may not write it.
    """

    @property
    def is_denied(self) -> bool:
        """See the class."""

    def find(self, head: str) -> Kept | None:
        """The newest one of ours on a commit; ``None`` if there is none, or none can be read."""

    def put(self, session: Session, witness: Witness, *, shown_at: str, url: str, is_new: bool) -> None:
        """Say the state of a round, and keep what vouches for it; nothing is written twice.

        Args:
            session: The round's.
            witness: What vouches for it.
            shown_at: When its findings were shown; "" if they were not.
            url: Of the checkpoint.
            is_new: The round was shown just now.
        """

    def mend(self, session: Session) -> None:
        """Say the state in words where a run was cut off before it could; what vouches stays as it is."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a forge brings."""

    checkpoint: Checkpoint
    reviews: Reviews
    witnesses: Witnesses
    conversation: Converses
    people: KnowsPeople


class HostedForge:
    """One change on a forge, for one run.

    Args:
        view: What is known of the change.
        parts: The forge's own.
        is_signed: What the checkpoint stores is signed, and so vouches for itself.
        publishes_in_steps: What is published cannot be published in one request, so that a run looks for others before
            it freezes what it sends, and once more before it sends it.
    """

    def __init__(self, view: View, parts: Parts, *, is_signed: bool, publishes_in_steps: bool = False) -> None:
        self._view = view
        self._is_signed = is_signed
        self._publishes_in_steps = publishes_in_steps
        self._checkpoint = parts.checkpoint
        self._reviews = parts.reviews
        self._witnesses = parts.witnesses
        self._conversation = parts.conversation
        self._people = parts.people
        self._stored: Stored | None = None
        self._written: Stored | None = None
        self._is_loaded = False
        self._opened_at = self._shown_now = ""
        self._page = Page("")

    # --- ReadsHead -------------------------------------------------------------------------------------------------

    def read_head(self, session: Session) -> HeadState:
        """The head of the change now."""
        del session
        change = self._view.now().change
        return HeadState(change.head, is_open=change.is_open)

    # --- KeepsCheckpoint, KeepsScope -------------------------------------------------------------------------------

    @property
    def is_shared(self) -> bool:
        """Jobs of one repository run beside each other."""
        return True

    def load_session(self) -> Session | None:
        """The session as this run knows it: loaded once, and then as it was saved last."""
        stored = self._load()
        return None if stored is None else stored.session

    def is_current(self, session: Session) -> bool:
        """Whether the checkpoint is the one that was loaded or written here last."""
        del session
        return self._checkpoint.is_current()

    def is_overtaken(self) -> bool:
        """Whether the checkpoint is another by now; a witness would have told."""
        session = None if self._stored is None else self._stored.session
        kept = None if session is None or session.scope is None else self._witnesses.find(session.scope.head)
        if kept is not None and kept.witness is not None:
            return False
        self._view.forget()
        if self._checkpoint.is_current():
            return False
        self.reload()
        return True

    def save_session(self, session: Session, page: Page) -> None:
        """Keep a session, and write it with its page unless it is in a passing phase."""
        stored = self._load()
        before = None if stored is None else stored.session
        if session.revision != (0 if before is None else before.revision) + 1:
            raise _overtaken()
        scope = None if session.phase is Phase.VALIDATING or stored is None else stored.scope
        following = Stored(session, scope, _before(session, stored))
        self._page = page
        if session.phase not in PASSING:
            following = self._write(following, page, None if before is None else before.phase)
        self._stored = following

    def rewind(self) -> None:
        """Take a round that was cut off before it showed anything for one that never began."""
        stored = self._load()
        if stored is not None and stored.before is not None:
            session = dataclasses.replace(stored.before, revision=stored.session.revision)
            self._stored = Stored(session, None)

    def _write(self, stored: Stored, page: Page, before: Phase | None) -> Stored:
        """Write a session; when it was begun and shown is the forge's to say, in its answers to the writes."""
        is_freezing = stored.session.phase is Phase.SUBMITTING
        if self._publishes_in_steps or not is_freezing:
            self._view.look_again()  # else what is frozen is held to a fresh look right after
        if not self._checkpoint.is_current():
            self.reload()
            raise _overtaken()
        session = stored.session
        is_shown_now = session.phase is Phase.AWAITING_APPROVAL and before is Phase.SCORING
        if self._opened_at:
            session = dataclasses.replace(session, started_at=self._opened_at)
        shown_at = "" if is_shown_now or not session.seal else self._shown_now or self.shown_at(session)
        stored = dataclasses.replace(stored, session=dataclasses.replace(session, shown_at=shown_at))
        with self._view.keeping_change() if self._publishes_in_steps and is_freezing else nullcontext():
            try:
                self._checkpoint.save(stored, page)
            except Overtaken:
                if self._checkpoint.comment is not None:  # else it was deleted
                    self.reload()
                raise
        self._written = stored
        comment = self._checkpoint.comment
        if comment is not None and session.phase is Phase.VALIDATING:
            self._opened_at = comment.updated_at
        if comment is not None and is_shown_now:
            self._shown_now = comment.updated_at
        return stored

    def reload(self) -> None:
        """Forget the session, because another run wrote one; it is loaded anew when it is asked for."""
        self._checkpoint.reload()
        self._stored, self._is_loaded = None, False

    def ticked(self) -> frozenset[int]:
        """See `Checkpoint.ticked`."""
        return self._checkpoint.ticked()

    def find_shown(self) -> None:
        """Complete the session with the time at which its findings were shown, for those who hold commands to it."""
        stored = self._load()
        if stored is not None:
            shown_at = self.shown_at(stored.session)
            self._stored = dataclasses.replace(stored, session=dataclasses.replace(stored.session, shown_at=shown_at))

    def keep_scope(self, artifacts: ScopeArtifacts) -> None:
        """Keep the artifacts; they are written with the session."""
        stored = self._load()
        if stored is None:
            raise _overtaken()
        self._stored = dataclasses.replace(stored, scope=artifacts)

    def load_scope(self) -> ScopeArtifacts | None:
        """The artifacts of the present round."""
        stored = self._load()
        return None if stored is None else stored.scope

    def give_up_checkpoint(self) -> None:
        """Begin a new checkpoint in place of one whose state cannot be trusted."""
        self._checkpoint.give_up()
        self._stored, self._is_loaded = None, True

    def delete_twins(self) -> None:
        """See `Checkpoint.delete_twins`."""
        self._checkpoint.delete_twins()

    def put_notice(self, text: str) -> None:
        """See `Checkpoint.put_notice`."""
        self._checkpoint.put_notice(text)

    @property
    def checkpoint_url(self) -> str:
        """Where the checkpoint stands; "" if there is none."""
        comment = self._checkpoint.comment
        return "" if comment is None else comment.comment.url

    @property
    def continues(self) -> str:
        """The checkpoint of another account that this one continues; "" if there is none."""
        return self._checkpoint.continues

    @property
    def claimed_phase(self) -> str:
        """See `Checkpoint.claimed_phase`."""
        return self._checkpoint.claimed_phase

    @property
    def neighbours(self) -> tuple[str, ...]:
        """See `Checkpoint.neighbours`."""
        return self._checkpoint.neighbours

    # --- KeepsWitness ----------------------------------------------------------------------------------------------

    def find_witness(self, session: Session) -> Witness | None:
        """What the second place says; a signed checkpoint vouches for itself, and so does one without a second place.

        Signatures cover the page and the state as they stood at one time. That an older state was put back is told
        by the second place alone.
        """
        kept = None if session.scope is None else self._witnesses.find(session.scope.head)
        if kept is not None and kept.witness is not None:
            if dataclasses.replace(kept.witness, page="") != Witness.of(session):
                self._require_current()
            return kept.witness
        return Witness.of(session) if self._is_signed else None

    def _require_current(self) -> None:
        """The second place may know more than this run: another may have written both since this one read one."""
        self._view.forget()
        if not self._checkpoint.is_current():
            self.reload()
            raise _overtaken()

    def put_witness(self, session: Session) -> None:
        """Put the seal, the accepted commands, the page and the time of showing beside the checkpoint."""
        self._witnesses.put(
            session,
            Witness.of(session, self._checkpoint.page_digest),
            shown_at=self._shown_now or self.shown_at(session),
            url=self.checkpoint_url,
            is_new=bool(self._shown_now),
        )
        stored = self._stored
        if self._witnesses.is_denied and self._shown_now and stored is not None and not stored.session.shown_at:
            self._keep_shown(stored)

    def is_said(self, session: Session) -> bool:
        """Whether the state of the session's present round is said beside the checkpoint."""
        kept = None if session.scope is None else self._witnesses.find(session.scope.head)
        return kept is not None and kept.is_of(session)

    def mend_witness(self, session: Session) -> None:
        """See `Witnesses.mend`."""
        self._witnesses.mend(session)

    def _keep_shown(self, stored: Stored) -> None:
        """Without a second place the checkpoint itself has to keep when it was shown, which its own answer said."""
        session = dataclasses.replace(stored.session, shown_at=self._shown_now)
        self._stored = self._written = dataclasses.replace(stored, session=session)
        self._checkpoint.save(self._written, self._page)

    def shows(self, page: Page) -> bool:
        """Whether people see this page: by the second place's word where that has one, else by making it again."""
        stored = self._written
        if stored is None or stored.session.scope is None:
            return False
        kept = self._witnesses.find(stored.session.scope.head)
        if kept is not None and kept.witness is not None and kept.witness.seal == stored.session.seal:
            is_current = dataclasses.replace(kept.witness, page="") == Witness.of(stored.session)
            is_last = is_current and stored.session.phase is not Phase.SUBMITTING
            if is_last:  # else a run was cut off between the checkpoint and the second place
                return kept.witness.page == self._checkpoint.page_digest
        return self._checkpoint.shows(stored, page)

    def shown_at(self, session: Session) -> str:
        """When the findings of a round were shown, by the forge's clock; "" if they were not.

        The second place keeps it; without one it is the time of the checkpoint's last edit before anybody gave a
        command, which the next write of the session keeps.
        """
        if session.scope is None or not session.seal:
            return ""
        kept = self._witnesses.find(session.scope.head)
        if kept is not None and kept.is_of(session) and kept.shown_at:
            return kept.shown_at
        comment = self._checkpoint.comment
        return session.shown_at or ("" if comment is None else comment.updated_at)

    # --- HoldsDraft, PublishesReview -------------------------------------------------------------------------------

    def why_not_held(self, comments: tuple[ReviewComment, ...]) -> str:
        """See `Reviews.why_not_held`."""
        return self._reviews.why_not_held(comments)

    def load_draft(self) -> DraftReview | None:
        """See `Reviews.load`; another one than the session's may be that of a run that was first."""
        session = None if self._stored is None else self._stored.session
        payload = session.payload if session is not None and session.phase is Phase.SUBMITTING else None
        head = "" if payload is None else payload.head
        draft = self._reviews.load("" if session is None else session.seal, head)
        if session is not None and session.phase is Phase.AWAITING_APPROVAL and _is_anothers(draft, session):
            self._require_current()
        return draft

    def sweep_drafts(self, session: Session) -> None:
        """Remove what runs left that stepped back or were cut off; see `Reviews.sweep`."""
        is_held = session.phase is Phase.AWAITING_APPROVAL and session.holds_draft
        self._reviews.sweep(session.seal if is_held else "")

    def put_draft(self, draft: DraftReview) -> None:
        """See `Reviews.put`."""
        self._reviews.put(draft)

    def delete_draft(self) -> None:
        """See `Reviews.delete`."""
        self._reviews.delete()

    def find_review(self, seal: str) -> PublishedReview | None:
        """See `Reviews.find_review`."""
        return self._reviews.find_review(seal)

    def why_refused(self, verdict: Verdict) -> str:
        """See `Reviews.why_refused`."""
        return self._reviews.why_refused(verdict)

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """See `Reviews.has_begun`."""
        return self._reviews.has_begun(payload)

    def publish_draft(self, payload: ApprovedPayload) -> None:
        """See `Reviews.submit`."""
        self._reviews.submit(payload)

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """See `Reviews.settle`."""
        return self._reviews.settle(review, payload)

    # --- Converses, KnowsPeople ------------------------------------------------------------------------------------

    def comments(self) -> tuple[Comment, ...]:
        """See `Converses.comments`."""
        return self._conversation.comments()

    def has_reacted(self, comment: Comment) -> frozenset[Reaction]:
        """See `Converses.has_reacted`."""
        return self._conversation.has_reacted(comment)

    def react(self, comment: Comment, reaction: Reaction) -> None:
        """See `Converses.react`."""
        self._conversation.react(comment, reaction)

    def reply(self, comment: Comment, text: str) -> None:
        """See `Converses.reply`."""
        self._conversation.reply(comment, text)

    def role_of(self, login: str) -> Role:
        """See `KnowsPeople.role_of`."""
        return self._people.role_of(login)

    def is_in_team(self, login: str, team: str) -> bool:
        """See `KnowsPeople.is_in_team`."""
        return self._people.is_in_team(login, team)

    def code_owners(self) -> str | None:
        """See `KnowsPeople.code_owners`."""
        return self._people.code_owners()

    @property
    def owners_have_sections(self) -> bool:
        """See `KnowsPeople.owners_have_sections`."""
        return self._people.owners_have_sections

    def others_may_command(self, author: str) -> bool:
        """See `KnowsPeople.others_may_command`."""
        return self._people.others_may_command(author)

    # --- The session -----------------------------------------------------------------------------------------------

    def _load(self) -> Stored | None:
        if not self._is_loaded:
            self._stored = self._written = self._checkpoint.load()
            self._is_loaded = True
        return self._stored


def _before(session: Session, stored: Stored | None) -> Session | None:
    """What a round that shows nothing yet began from."""
    if session.result is not None or stored is None:
        return None
    return stored.before or (stored.session if stored.session.result is not None else None)


def _is_anothers(draft: DraftReview | None, session: Session) -> bool:
    """Whether it is not the draft that the findings of a session wait in, or none."""
    if not session.holds_draft or session.result is None or not session.result.findings:
        return False
    return draft is None or digest(draft.seal) != session.seal


def _overtaken() -> Overtaken:
    return Overtaken(
        "another run changed the state of this review meanwhile", hint="look at the checkpoint and give it again"
    )
