"""The roles a forge plays, each as narrow as its consumer needs.

A function takes the smallest role that serves it. Differences between forges are data, never a question
about the forge's name. Every write is preceded by a saved session and followed by a read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Role
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.seal import Witness
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.render.page import Page


@dataclass(frozen=True, slots=True)
class HeadState:
    """The change as it is now: its head commit, and whether it can still be reviewed."""

    head: CommitSha
    is_open: bool


class AnchorsRefused(Exception):
    """The forge did not take the places of some comments; nothing of the draft is left.

    Attributes:
        numbers: The findings whose places it refused.
    """

    def __init__(self, numbers: tuple[int, ...]) -> None:
        super().__init__(f"{len(numbers)} places were refused")
        self.numbers = numbers


class ReadsHead(Protocol):
    """Knows the present head of the change."""

    def read_head(self, session: Session) -> HeadState:
        """The head that the session's change has now."""


class KeepsCheckpoint(Protocol):
    """Stores the session together with the page that shows it.

    Attributes:
        is_shared: Other runs may be at work on the same change at the same time. A run that was overtaken leaves
            everything to them and writes nothing more.
    """

    @property
    def is_shared(self) -> bool:
        """See the class."""

    def load_session(self) -> Session | None:
        """The stored session; ``None`` if the change has none.

        Raises:
            IntegrityError: it is there and cannot be trusted.
        """

    def is_current(self, session: Session) -> bool:
        """Whether nobody else has stored another revision since ``session`` was loaded or stored here."""

    def is_overtaken(self) -> bool:
        """Whether a refusal may come of what another run stored since; asked anew where nothing else would tell."""

    def shows(self, page: Page) -> bool:
        """Whether the page that people see is this one, boxes that somebody ticked aside."""

    def save_session(self, session: Session, page: Page) -> None:
        """Store a session of the next revision and the page for it, all or nothing.

        A shared forge keeps passing phases in memory: which are written is told in the reference of phases.

        Raises:
            IntegrityError: somebody stored another revision meanwhile (`Overtaken` on a shared forge).
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


class KeepsWitness(Protocol):
    """Keeps the seal of a round in a second place, which whoever edits the page cannot edit with it."""

    def find_witness(self, session: Session) -> Witness | None:
        """What that place says about the session's round; ``None`` if it says nothing.

        A forge whose state needs no second witness answers with what the session says of itself.
        """

    def put_witness(self, session: Session) -> None:
        """Put the seal and the accepted commands of a round that is shown there, with the phase in words.

        Nothing is written where the same stands there already.
        """

    def mend_witness(self, session: Session) -> None:
        """Say the phase in words where a run was cut off before it could; what vouches for the round stays as it is."""


class HoldsDraft(Protocol):
    """Holds the one draft review of the change, which only the bot can see."""

    def why_not_held(self, comments: tuple[ReviewComment, ...]) -> str:
        """Why no draft with these comments should wait here now, as a sentence; "" if one can."""

    def load_draft(self) -> DraftReview | None:
        """The draft as it stands; ``None`` if there is none."""

    def put_draft(self, draft: DraftReview) -> None:
        """Make ``draft`` the draft, in place of any earlier one of ours.

        Raises:
            AnchorsRefused: the forge does not take some of its places; there is no draft.
            ForeignDraft: another program's draft stands in its place.
        """

    def delete_draft(self) -> None:
        """Remove the draft if there is one."""


class PublishesReview(Protocol):
    """Turns the draft into a review that everyone sees."""

    def find_review(self, seal: str) -> PublishedReview | None:
        """The published review of the round with this seal; ``None`` if there is none.

        A round has at most one, whoever approved it.
        """

    def why_refused(self, verdict: Verdict) -> str:
        """Why the forge will not take a verdict from the bot, as far as that is known beforehand; "" if it may."""

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """Whether a part of ``payload`` is public and no review sums it up, on a forge that publishes step by step.

        Such a forge looks anew: what `read_head` and `find_review` say next is how things stand at this moment.
        """

    def publish_draft(self, payload: ApprovedPayload) -> None:
        """Publish the draft as the review of ``payload``, under its body; afterwards there is no draft.

        Raises:
            VerdictRefused: the forge does not take the verdict; the draft stays.
            IntegrityError: there is neither a draft nor a review of this round (`Overtaken` on a shared forge).
        """

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """Bring what stands beside a published review in line with it, as far as the forge has such things.

        What the forge lost of ``payload`` while it published it is posted. Earlier requests for changes of the bot that
        no longer hold are taken back, and a verdict that is no part of the review itself is given. Doing it twice is
        doing it once. Returns why something could not be done, as a sentence; "" if nothing is left.
        """


class Converses(Protocol):
    """Reads the conversation of the change and answers in it."""

    def comments(self) -> tuple[Comment, ...]:
        """Every top-level comment, oldest first, to the last page."""

    def has_reacted(self, comment: Comment) -> frozenset[Reaction]:
        """The reactions of ours on a comment, asked for where `Comment.answered` is ``None``."""

    def react(self, comment: Comment, reaction: Reaction) -> None:
        """Put a reaction on a comment; one that is there stays as it is."""

    def reply(self, comment: Comment, text: str) -> None:
        """Answer a comment with one comment of ours; a later answer replaces it in place."""


class KnowsPeople(Protocol):
    """Knows what the forge lets an account do, as it is now."""

    def role_of(self, login: str) -> Role:
        """The effective role on the repository; `Role.NONE` for an unknown account.

        Raises:
            PermissionDenied: the bot may not ask, so nobody is let in.
        """

    def is_in_team(self, login: str, team: str) -> bool:
        """Whether an account is an active member of a team (``organization/team``).

        Raises:
            PermissionDenied: the bot may not ask.
        """

    def code_owners(self) -> str | None:
        """The CODEOWNERS file at the tip of the target branch; ``None`` if there is none."""

    @property
    def owners_have_sections(self) -> bool:
        """Whether the forge reads sections in that file, and takes any owner for a group too."""

    def others_may_command(self, author: str) -> bool:
        """Whether anybody but ``author`` can write to the repository; also ``False`` if it belongs to a person."""


class ReviewForge(ReadsHead, KeepsCheckpoint, KeepsScope, KeepsWitness, HoldsDraft, PublishesReview, Protocol):
    """Everything a reviewed change needs; only the composition root and whole flows ask for all of it."""
