"""GitHub as a forge: the roles of `forge.base`, played by the parts of this folder for one change and one run.

It holds what one run must not write twice (the session between two written phases, the artifacts of the round) and
decides which phases are worth a write; everything else is delegated to the part that knows it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Role
from draftgate.domain.phase import PASSING, Phase
from draftgate.domain.review import DraftReview, PublishedReview, Verdict
from draftgate.domain.seal import Witness
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import Overtaken
from draftgate.forge.base import HeadState
from draftgate.forge.github import facts
from draftgate.forge.github.check_run import CheckRuns
from draftgate.forge.github.checkpoint import Checkpoint, Stored
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.conversation import Conversation
from draftgate.forge.github.draft import Draft
from draftgate.forge.github.people import People
from draftgate.forge.github.view import View
from draftgate.render.page import Page

_GOOD_VERDICTS = frozenset({Verdict.COMMENT})
"""What GitHub takes from an account on its own pull request."""


class GitHubForge:
    """One change on GitHub, for one run.

    Args:
        connection: To GitHub.
        view: What is known of the change.
        signing_key: Signs what the checkpoint stores; ``None`` for no signature.
        language: Of the fixed sentences that are posted.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        connection: Connection,
        view: View,
        *,
        signing_key: bytes | None,
        language: str,
        sleep: Callable[[float], None],
    ) -> None:
        self._connection = connection
        self._view = view
        self._is_signed = signing_key is not None
        self._checkpoint = Checkpoint(connection, view, signing_key)
        self._draft = Draft(connection, view, language=language, sleep=sleep)
        self._check_runs = CheckRuns(connection, view)
        self._conversation = Conversation(connection, view)
        self._people = People(connection, view)
        self._stored: Stored | None = None
        self._written: Stored | None = None
        self._is_loaded = False
        self._opened_at = self._shown_now = ""
        self._page = Page("")

    # --- ReadsHead -------------------------------------------------------------------------------------------------

    def read_head(self, session: Session) -> HeadState:
        """The head of the pull request now."""
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
        if stored.session.phase is not Phase.SUBMITTING:  # what is frozen is held to a fresh look right after
            self._view.look_again()
        if not self._checkpoint.is_current():
            self.reload()
            raise _overtaken()
        session = stored.session
        is_shown_now = session.phase is Phase.AWAITING_APPROVAL and before is Phase.SCORING
        if self._opened_at:
            session = dataclasses.replace(session, started_at=self._opened_at)
        shown_at = "" if is_shown_now or not session.seal else self._shown_now or self.shown_at(session)
        stored = dataclasses.replace(stored, session=dataclasses.replace(session, shown_at=shown_at))
        self._checkpoint.save(stored, page)
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
        """What the check run says; a signed checkpoint vouches for itself, and so does one without a second place.

        Signatures cover the page and the state as they stood at one time. That an older state was put back is told
        by the check run alone.
        """
        kept = None if session.scope is None else self._check_runs.find(session.scope.head)
        if kept is not None and kept.witness is not None:
            if dataclasses.replace(kept.witness, page="") != Witness.of(session):
                self._require_current()
            return kept.witness
        return Witness.of(session) if self._is_signed else None

    def _require_current(self) -> None:
        """The check run may know more than this run, because another wrote both after this one read the checkpoint."""
        self._view.forget()
        if not self._checkpoint.is_current():
            self.reload()
            raise _overtaken()

    def put_witness(self, session: Session) -> None:
        """Put the seal, the accepted commands, the page and the time of showing into a check run."""
        self._check_runs.put(
            session,
            Witness.of(session, self._checkpoint.page_digest),
            shown_at=self._shown_now or self.shown_at(session),
            url=self.checkpoint_url,
            is_new=bool(self._shown_now),
        )
        stored = self._stored
        if self._check_runs.is_denied and self._shown_now and stored is not None and not stored.session.shown_at:
            self._keep_shown(stored)

    def mend_witness(self, session: Session) -> None:
        """See `CheckRuns.mend`."""
        self._check_runs.mend(session)

    def _keep_shown(self, stored: Stored) -> None:
        """Without a check run the checkpoint itself has to keep when it was shown, which its own answer said."""
        session = dataclasses.replace(stored.session, shown_at=self._shown_now)
        self._stored = self._written = dataclasses.replace(stored, session=session)
        self._checkpoint.save(self._written, self._page)

    def shows(self, page: Page) -> bool:
        """Whether people see this page: by the check run's word where it has one, else by making it again."""
        stored = self._written
        if stored is None or stored.session.scope is None:
            return False
        kept = self._check_runs.find(stored.session.scope.head)
        if kept is not None and kept.witness is not None and kept.witness.seal == stored.session.seal:
            is_current = dataclasses.replace(kept.witness, page="") == Witness.of(stored.session)
            is_last = is_current and stored.session.phase is not Phase.SUBMITTING
            if is_last:  # else a run was cut off between the checkpoint and the check run
                return kept.witness.page == self._checkpoint.page_digest
        return self._checkpoint.shows(stored, page)

    def shown_at(self, session: Session) -> str:
        """When the findings of a round were shown, by GitHub's clock; "" if they were not.

        The check run keeps it; without one it is the time of the checkpoint's last edit before anybody gave a
        command, which the next write of the session keeps.
        """
        if session.scope is None or not session.seal:
            return ""
        kept = self._check_runs.find(session.scope.head)
        is_ours = kept is not None and kept.witness is not None and kept.witness.seal == session.seal
        if kept is not None and is_ours and kept.shown_at:
            return kept.shown_at
        comment = self._checkpoint.comment
        return session.shown_at or ("" if comment is None else comment.updated_at)

    # --- HoldsDraft, PublishesReview -------------------------------------------------------------------------------

    def why_not_held(self) -> str:
        """See `Draft.why_not_held`."""
        return self._draft.why_not_held()

    def load_draft(self) -> DraftReview | None:
        """See `Draft.load`."""
        return self._draft.load()

    def put_draft(self, draft: DraftReview) -> None:
        """See `Draft.put`."""
        self._draft.put(draft)

    def delete_draft(self) -> None:
        """See `Draft.delete`."""
        self._draft.delete()

    def find_review(self, seal: str) -> PublishedReview | None:
        """See `Draft.find_review`."""
        return self._draft.find_review(seal)

    def why_refused(self, verdict: Verdict) -> str:
        """GitHub takes nothing but comments from the author; and the bot approves nothing that it wrote itself."""
        author = self._view.facts.author
        if verdict in _GOOD_VERDICTS:
            return ""
        if author is not None and author.login == self._view.account.login:
            return "GitHub does not let an account approve its own pull request, or request changes on it"
        if verdict is Verdict.APPROVE and self._has_commit():
            return f"{self._view.account.login} has a commit in this change, and approves nothing that it wrote"
        return ""

    def publish_draft(self, payload: ApprovedPayload) -> None:
        """See `Draft.submit`."""
        self._draft.submit(payload)

    def lift_earlier(self, review: PublishedReview) -> str:
        """See `Draft.lift_earlier`."""
        return self._draft.lift_earlier(review)

    def _has_commit(self) -> bool:
        """Whether a commit of the change names the bot, by account or by the address that GitHub gives to it."""
        account, after = self._view.account, None
        address = f"+{account.login}@users.noreply.github.com".lower()
        while True:
            answer = self._connection.query("authors", **self._view.place.names, after=after)
            commits = ((answer.get("repository") or {}).get("pullRequest") or {}).get("commits")
            for node in facts.nodes(commits):
                for actor in (node["commit"].get("author") or {}, node["commit"].get("committer") or {}):
                    login = (actor.get("user") or {}).get("login", "")
                    if login == account.login or str(actor.get("email") or "").lower().endswith(address):
                        return True
            after = facts.next_page(commits)
            if after is None:
                return False

    # --- Converses, KnowsPeople ------------------------------------------------------------------------------------

    def comments(self) -> tuple[Comment, ...]:
        """See `Conversation.comments`."""
        return self._conversation.comments()

    def has_reacted(self, comment: Comment) -> frozenset[Reaction]:
        """See `Conversation.has_reacted`."""
        return self._conversation.has_reacted(comment)

    def react(self, comment: Comment, reaction: Reaction) -> None:
        """See `Conversation.react`."""
        self._conversation.react(comment, reaction)

    def reply(self, comment: Comment, text: str) -> None:
        """See `Conversation.reply`."""
        self._conversation.reply(comment, text)

    def role_of(self, login: str) -> Role:
        """See `People.role_of`."""
        return self._people.role_of(login)

    def is_in_team(self, login: str, team: str) -> bool:
        """See `People.is_in_team`."""
        return self._people.is_in_team(login, team)

    def code_owners(self) -> str | None:
        """See `People.code_owners`."""
        return self._people.code_owners()

    def others_may_command(self, author: str) -> bool:
        """See `People.others_may_command`."""
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


def _overtaken() -> Overtaken:
    return Overtaken(
        "another run changed the state of this review meanwhile", hint="look at the checkpoint and give it again"
    )
