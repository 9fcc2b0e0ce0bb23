"""What one run knows of its merge request: read whole once, and read again after every write of ours.

Between two writes all roles of the forge look at one answer, so that no request is made twice. It writes nothing.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Reaction
from draftgate.errors import DraftgateError, PermissionDenied, UsageError
from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.bundle import Bundle, Stance, ask_bundle, ask_files, ask_glance, ask_stance
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.facts import DiffRefs, Json, Note
from draftgate.forge.gitlab.texts import FoundNote, Summary, read_note, read_summary
from draftgate.forge.gitlab.troubles import Lost, Refused
from draftgate.forge.hidden import read_marked
from draftgate.forge.hosted import standing
from draftgate.forge.hosted.answers import Call
from draftgate.forge.hosted.standing import Account, ChangeFacts, ChangeNow, KnownComment, RepositoryFacts, Texts

_RECENT = 50
_EDITED_AT_ONCE = 50
_CHANGE_PATH = re.compile(r"/-/merge_requests/\d+/?")


@dataclass(frozen=True, slots=True)
class Place(standing.Place):
    """Which merge request is meant.

    Attributes:
        trusted_commit: A commit of the default branch that the platform names; "" where it names none.
    """

    trusted_commit: str = ""


@dataclass(frozen=True, slots=True)
class Glance:
    """What was seen of the change at one moment.

    Attributes:
        refs: The commits of its diff.
        reviewers: Accounts that were asked for a review, by number.
        recent: The last comments, where they were asked for.
        checkpoint: The comment that is watched; ``None`` if it is not there.
    """

    change: ChangeNow
    refs: DiffRefs
    reviewers: tuple[int, ...]
    recent: tuple[KnownComment, ...] = ()
    checkpoint: KnownComment | None = None


_DEFAULT = "HEAD"
"""What GitLab's repositories call the tip of their default branch."""


class Standing:
    """How things stand since our last write; each part is asked for when it is looked at.

    The checkpoint is a note among the others: where all notes were just read, it need not be read again.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    @property
    def change(self) -> ChangeNow:
        """The moving parts of the change."""
        return self._view.glance().change

    @property
    def refs(self) -> DiffRefs:
        """The commits of its diff."""
        return self._view.glance().refs

    @property
    def reviewers(self) -> tuple[int, ...]:
        """Accounts that were asked for a review, by number."""
        return self._view.glance().reviewers

    @property
    def recent(self) -> tuple[KnownComment, ...]:
        """The last comments, where they were asked for."""
        return self._view.glance().recent

    @property
    def checkpoint(self) -> KnownComment | None:
        """The comment that is watched; ``None`` if it is not there."""
        return self._view.watched()


@dataclass
class _Cache:
    """What was read since the last write; `View.forget` begins a new one.

    Attributes:
        notes: Every note of every discussion, with its place.
        firsts: The first note of each, without; what sums up a review or says that a finding is public is one of them.
        glance_read_at, notes_read_at, firsts_read_at: How many requests had been sent when each was read.
        read_at: The same for whichever told last how the change and the checkpoint stand.
    """

    glance: Glance | None = None
    glance_read_at: int = -1
    read_at: int = -1
    drafts: tuple[Json, ...] | None = None
    notes: tuple[Note, ...] | None = None
    notes_read_at: int = -1
    firsts: tuple[Note, ...] | None = None
    firsts_read_at: int = -1


class View:
    """One run's view of one merge request.

    Args:
        connection: To GitLab.
        place: Which one.
        paths: Of the configuration files, in the order in which they count.

    Attributes:
        path: Of the merge request in the API, below the project.
        last: The last glance, perhaps before our last write.
    """

    def __init__(
        self,
        connection: Connection,
        place: Place,
        paths: tuple[str, ...],
    ) -> None:
        self._connection = connection
        self.path = f"merge_requests/{place.number}"
        self._cache = _Cache()
        self.checkpoint_id = ""
        self._written: KnownComment | None = None
        self.looks_for_others = False
        self._edited: dict[int, bool] = {}
        revision = place.trusted_commit or _DEFAULT  # not by its name, which a tag can have as well
        bundle = ask_bundle(connection, place.repository, place.number, paths=paths, revision=revision)
        user = connection.get("/user") if bundle is None else bundle.user
        self.account: Account = facts.account(user)
        merge_request = self._read_change(f"merge request !{place.number} of {place.repository}", bundle)
        self.facts: ChangeFacts = facts.change_facts(merge_request)
        self.place = dataclasses.replace(place, web_url=_CHANGE_PATH.sub("", self.facts.url) or place.web_url)
        self.comments: tuple[KnownComment, ...] = self._all_comments(bundle)
        self._ids = {
            known.comment.author.login.lower(): known.author_id
            for known in self.comments
            if known.comment.author is not None and known.author_id is not None
        }
        self.last: Glance
        self._see(self._glimpse(merge_request, ()))
        known = self._read_files(revision, paths, {} if bundle is None else bundle.files)
        self.repository = RepositoryFacts(place.default_branch, known)

    def call_instance(self, instance: str) -> None:
        """See `draftgate.forge.hosted.standing.View`."""
        self.place = dataclasses.replace(self.place, instance=instance)

    def now(self) -> Standing:
        """How things stand since our last write."""
        return Standing(self)

    def glance(self) -> Glance:
        """The change as it is since our last write."""
        return self._cache.glance or self._see(self._look())

    def watched(self) -> KnownComment | None:
        """The comment that is watched, as whichever was read last since our last write says."""
        cache = self._cache
        if cache.notes is not None and (cache.glance is None or cache.notes_read_at > cache.glance_read_at):
            watched = (found for found in cache.notes if str(found.id) == self.checkpoint_id)
            return next(map(self._comment, watched), None)
        return self.glance().checkpoint

    @property
    def knows_edits(self) -> bool:
        """Whether the time of a comment is that of its last edit, and not that of a reaction on it."""
        return self._connection.asks_graphql

    def look_again(self) -> None:
        """See to it that `now` is how things stand at this moment, for a write that must not go over another's."""
        if self._cache.read_at != self._connection.requests.sent:
            self.forget_comments()

    def look_at_all(self) -> None:
        """The same, and also for what is public of a review: the conversation and the change in one answer."""
        if self._has_seen_all:
            return
        self._cache = _Cache(drafts=self._cache.drafts)
        if self._connection.asks_graphql:
            self._see(self._look(with_firsts=True))
        else:
            self.notes()

    @property
    def _has_seen_all(self) -> bool:
        cache, sent = self._cache, self._connection.requests.sent
        is_change_seen = cache.glance is None or sent <= cache.glance_read_at + 1
        return sent == cache.firsts_read_at or (self.has_fresh_notes and is_change_seen)

    def look_for_stance(self) -> Stance | None:
        """How things stand at this moment, with what the bot may say about merging; ``None`` if nobody says that."""
        if self.looks_for_others:  # which takes the last comments too
            return None
        stance = ask_stance(self._connection, self.place.repository, self.place.number, note=self.checkpoint_id)
        if stance is not None:
            found = stance.glance
            checkpoint = None if found.note is None else self._comment(found.note)
            self._see(self._glimpse(found.merge_request, (), checkpoint))
        return stance

    def _see(self, glance: Glance) -> Glance:
        self._cache.glance = self.last = glance
        self._cache.read_at = self._cache.glance_read_at = self._connection.requests.sent
        return glance

    @contextmanager
    def keeping_change(self) -> Iterator[None]:
        """Around a write of the checkpoint: what was just read of the change stays, and the checkpoint is the new one.

        `look_again` takes it for old all the same.
        """
        is_fresh = self._cache.read_at == self._connection.requests.sent and not self.looks_for_others
        kept = self._cache.glance if is_fresh else None
        yield
        if kept is not None and self._cache.glance is None:
            self._cache.glance = dataclasses.replace(kept, checkpoint=self._written)

    @contextmanager
    def unaffected(self) -> Iterator[None]:
        """Around a write of ours that changes nothing of what is seen here: what was just read stays so.

        One that had to be repeated has waited in between, and others may have written meanwhile.
        """
        before = self._connection.requests.sent
        was_read_just_now = self._cache.read_at == before
        yield
        if was_read_just_now and self._connection.requests.sent == before + 1:
            self._cache.read_at = before + 1

    def forget(self) -> None:
        """Something was written: what was read before is not how things stand."""
        self._cache = _Cache()

    def forget_comments(self) -> None:
        """A comment of ours was written, which changes no draft note and sums up no review."""
        self._cache = _Cache(drafts=self._cache.drafts, firsts=self._cache.firsts)

    def forget_notes(self) -> None:
        """Others may have written notes; what was read of the draft and the change stays."""
        self._cache.notes = self._cache.firsts = None
        self._cache.notes_read_at = self._cache.firsts_read_at = -1

    def forget_published(self, draft_id: int | None) -> None:
        """A draft note of ours is none any more, and what the notes are now is not known."""
        drafts = self._cache.drafts
        left = None if drafts is None else tuple(one for one in drafts if one.get("id") != draft_id)
        self._cache = _Cache(drafts=left, firsts=self._cache.firsts)

    def watch(self, checkpoint: KnownComment | None) -> None:
        """Look at this comment from now on; what is known of it already need not be asked again."""
        self._written = checkpoint
        self.checkpoint_id = "" if checkpoint is None else checkpoint.comment.id
        if self._cache.glance is not None:
            self._cache.glance = dataclasses.replace(self._cache.glance, checkpoint=checkpoint)

    def drafts(self) -> tuple[Json, ...]:
        """The draft notes of the bot's account; GitLab shows it no other account's, and gives them without pages."""
        if self._cache.drafts is None:
            self._cache.drafts = tuple(self._connection.pages(f"{self.path}/draft_notes"))
        return self._cache.drafts

    def notes(self) -> tuple[Note, ...]:
        """Every note of every discussion, oldest discussion first; the list of notes can leave replies out."""
        if self._cache.notes is None:
            discussions = self._connection.pages(f"{self.path}/discussions")
            notes = [
                facts.note(entry, str(discussion.get("id", "")))
                for discussion in discussions
                for entry in discussion.get("notes") or ()
            ]
            self._cache.notes = tuple(notes)
            self._cache.read_at = self._cache.notes_read_at = self._connection.requests.sent
        return self._cache.notes

    @property
    def has_fresh_notes(self) -> bool:
        """Whether all notes were read by the last request, or the one before."""
        return self._cache.notes is not None and self._connection.requests.sent <= self._cache.notes_read_at + 1

    def add(self, note: Note) -> None:
        """A note of ours was written, as its answer says: nothing else of what is seen here has changed by that."""
        notes = self._cache.notes
        if notes is None or note.id in {known.id for known in notes}:
            return
        self._cache.notes = (*notes, note)
        if self._cache.read_at == self._connection.requests.sent - 1:
            self._cache.read_at = self._connection.requests.sent

    def forget_drafts(self) -> None:
        """Draft notes of ours were written, and nothing else: whatever else was just read stays so."""
        self._keep_what_was_read()
        self._cache.drafts = None

    def put_draft(self, answer: Json) -> None:
        """A draft note of ours was changed, and stands now as the answer says."""
        self._keep_what_was_read()
        drafts = self._cache.drafts
        if drafts is not None:
            self._cache.drafts = tuple(answer if one.get("id") == answer.get("id") else one for one in drafts)

    def drop_draft(self, draft_id: int | None) -> None:
        """A draft note of ours was deleted."""
        self._keep_what_was_read()
        drafts = self._cache.drafts
        if drafts is not None:
            self._cache.drafts = tuple(one for one in drafts if one.get("id") != draft_id)

    def _keep_what_was_read(self) -> None:
        if self._cache.read_at == self._connection.requests.sent - 1:
            self._cache.read_at = self._connection.requests.sent

    def findings(self) -> tuple[FoundNote, ...]:
        """Our findings among the public notes."""
        ours = (found for found in self.notes() if found.author_id == self.account.id)
        read = (read_note(found.entry, instance=self.place.instance, is_draft=False) for found in ours)
        return tuple(note for note in read if note is not None)

    def marked_findings(self) -> tuple[FoundNote, ...]:
        """The same without their places, where the first notes of the discussions are known without those."""
        ours = (found for found in self._firsts() if found.author_id == self.account.id)
        read = (read_note(found.entry, instance=self.place.instance, is_draft=False) for found in ours)
        return tuple(note for note in read if note is not None)

    def _firsts(self) -> tuple[Note, ...]:
        firsts = self._cache.firsts if self._cache.notes is None else None
        return self.notes() if firsts is None else firsts

    def summaries(self) -> tuple[Summary, ...]:
        """The notes in which a review of ours is summed up, oldest first."""
        return tuple(summary for _, summary in self.summed_up())

    def summed_up(self) -> tuple[tuple[Note, Summary], ...]:
        """The same with the notes that they were read from; the first of each discussion are enough to look at."""
        ours = (found for found in self._firsts() if found.author_id == self.account.id)
        read = ((found, read_summary(found.text, self.place.instance)) for found in ours)
        return tuple((found, summary) for found, summary in read if summary is not None)

    def is_edited(self, note: Note) -> bool:
        """Whether somebody changed the text of a note, as far as GitLab can be asked; where it cannot, it counts so."""
        if note.is_edited is not None:
            return note.is_edited
        if note.id not in self._edited:
            self._edited[note.id] = note.id in self._ask_edited([note])
        return self._edited[note.id]

    def id_of(self, login: str) -> int | None:
        """The number of an account; ``None`` if there is none of this name."""
        key = login.lower()
        if key not in self._ids:
            self._ids |= {
                found.author.login.lower(): found.author_id
                for found in self.notes()
                if found.author is not None and found.author_id is not None
            }
        if key not in self._ids:
            users = list(self._connection.pages("/users", username=login))
            self._ids |= {str(user["username"]).lower(): int(user["id"]) for user in users}
        return self._ids.get(key)

    @facts.reads_answers
    def target_tip(self) -> CommitSha:
        """The target branch's commit now; the diff may have begun from an older one, and a tag may have its name."""
        change = self.now().change
        try:
            branch = self._connection.get(f"repository/branches/{quote(change.base_ref, safe='')}")
        except Refused as refused:
            if refused.is_gone and not refused.is_denied:
                return change.base_tip
            raise
        return CommitSha(facts.need(branch.get("commit") or {}, "id"))

    def read_branch_files(self, revision: str, paths: tuple[str, ...]) -> Texts:
        """Configuration files at a commit, in one query where the server answers it."""
        known = ask_files(self._connection, self.place.repository, paths=paths, revision=revision)
        return self._read_files(revision, paths, known)

    def _read_files(
        self, revision: str, paths: tuple[str, ...], known: Mapping[str, str | None]
    ) -> dict[str, str | None]:
        """Those that are not known are asked for one by one."""
        return {path: known[path] if path in known else self.read_file(path, revision) for path in dict.fromkeys(paths)}

    def read_file(self, path: str, revision: str) -> str | None:
        """A text of the repository; ``None`` if there is no such file."""
        try:
            return self._connection.text(f"repository/files/{quote(path, safe='')}/raw", ref=revision)
        except Refused as refused:
            if refused.is_gone and not refused.is_denied:
                return None
            raise

    # --- Reading ---------------------------------------------------------------------------------------------------

    def _look(self, *, with_firsts: bool = False) -> Glance:
        """One query where the server answers it, else a request for each part."""
        place = self.place
        glance = ask_glance(
            self._connection,
            place.repository,
            place.number,
            note=self.checkpoint_id,
            with_recent=self.looks_for_others,
            with_firsts=with_firsts,
        )
        if glance is not None and with_firsts:
            self._cache.firsts, self._cache.firsts_read_at = glance.firsts, self._connection.requests.sent
        if glance is None:
            recent = self._read_recent() if self.looks_for_others else ()
            merge_request = self._read_change(f"merge request !{place.number}")
            return self._glimpse(merge_request, recent, self._read_checkpoint())
        recent = tuple(self._comment(found) for found in glance.recent)
        checkpoint = None if glance.note is None else self._comment(glance.note)
        return self._glimpse(glance.merge_request, recent, checkpoint)

    def _read_change(self, what: str, bundle: Bundle | None = None) -> Json:
        """The merge request with its diff made, which GitLab does some moments after it was opened or pushed to."""
        if bundle is not None and facts.diff_refs(bundle.merge_request) is not None:
            return bundle.merge_request
        path = self.path

        def read() -> Json:
            answer = self._connection.get(path)
            if facts.diff_refs(answer) is None:
                raise Lost(Call("GET", path), "has not made the diff of this merge request yet", {})
            return answer

        try:
            return self._connection.read(read)
        except Refused as refused:
            if not refused.is_gone:
                raise
            raise UsageError(
                f"{what} was not found", hint="see whether it exists and whether the token may read the project"
            ) from refused

    def _glimpse(
        self, merge_request: Json, recent: tuple[KnownComment, ...], checkpoint: KnownComment | None = None
    ) -> Glance:
        refs = facts.require_diff_refs(merge_request)
        return Glance(
            change=facts.change_now(merge_request, refs),
            refs=refs,
            reviewers=tuple(int(user["id"]) for user in merge_request.get("reviewers") or () if user.get("id")),
            recent=recent,
            checkpoint=checkpoint,
        )

    def _all_comments(self, bundle: Bundle | None) -> tuple[KnownComment, ...]:
        """Every top-level comment, with what is known of edits and of our reactions."""
        if bundle is not None:
            self._cache.firsts = bundle.firsts
            return tuple(
                self._comment(found, bundle.edited, bundle.reactions.get(found.id, frozenset()))
                for found in bundle.firsts
                if found.is_top_level
            )
        top = tuple(found for found in self.notes() if found.is_top_level)
        edited = self._find_edited(top)
        return tuple(self._comment(found, edited) for found in _first(top))

    def _read_recent(self) -> tuple[KnownComment, ...]:
        notes = map(facts.note, self._connection.newest(f"{self.path}/notes", _RECENT))
        top = [found for found in notes if found.is_top_level]
        return tuple(self._comment(found) for found in reversed(top))

    def _read_checkpoint(self) -> KnownComment | None:
        if not self.checkpoint_id:
            return None
        try:
            return self._comment(facts.note(self._connection.get(f"{self.path}/notes/{self.checkpoint_id}")))
        except Refused as refused:
            if refused.is_gone:
                return None
            raise

    def _comment(
        self, found: Note, edited: Collection[int] = (), answered: frozenset[Reaction] | None = None
    ) -> KnownComment:
        return facts.comment(found, self.account.id, self.facts.url, edited, answered)

    def _find_edited(self, notes: Iterable[Note]) -> frozenset[int]:
        """The notes whose text was changed, as GraphQL alone says; where it cannot be asked, those that may have been.

        https://docs.gitlab.com/api/graphql/reference/#note
        """
        asked = [found for found in notes if found.is_edited is None and read_marked(found.text) is None]
        edited: set[int] = set()
        for start in range(0, len(asked), _EDITED_AT_ONCE):
            edited |= self._ask_edited(asked[start : start + _EDITED_AT_ONCE])
        return frozenset(edited)

    def _ask_edited(self, notes: list[Note]) -> set[int]:
        declared = ", ".join(f"$n{number}: NoteID!" for number in range(len(notes)))
        selected = "\n".join(f"  n{number}: note(id: $n{number}) {{ lastEditedAt }}" for number in range(len(notes)))
        variables = {f"n{number}": f"gid://gitlab/Note/{found.id}" for number, found in enumerate(notes)}
        if not self._connection.has_graphql:
            return {found.id for found in notes if not self._is_moved_by_us(found)}
        try:
            data = self._connection.read(
                lambda: self._connection.query(f"query Edited({declared}) {{\n{selected}\n}}", **variables)
            )
        except PermissionDenied:
            raise
        except DraftgateError:
            self._connection.has_graphql = False
            return {found.id for found in notes if not self._is_moved_by_us(found)}
        answers = ((found, data.get(f"n{number}")) for number, found in enumerate(notes))
        return {found.id for found, answer in answers if answer is None or answer.get("lastEditedAt") is not None}

    def _is_moved_by_us(self, note: Note) -> bool:
        """Whether the time of a note is that of a reaction of ours, and so of no edit since."""
        if read_marked(note.text) is not None:
            return False
        reactions = self._connection.pages(f"{self.path}/notes/{note.id}/award_emoji")
        own = (entry for entry in reactions if (entry.get("user") or {}).get("id") == self.account.id)
        return any(facts.is_at(note.updated_at, str(entry.get("created_at") or "")) for entry in own)


def _first(notes: Iterable[Note]) -> list[Note]:
    """The first note of each discussion: replies are no top-level comments."""
    seen: set[str] = set()
    first = []
    for found in notes:
        if found.discussion not in seen:
            first.append(found)
        seen.add(found.discussion)
    return sorted(first, key=lambda found: found.id)
