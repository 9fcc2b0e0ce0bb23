"""Publishing on GitLab: exactly the approved draft notes, then one note that sums the review up.

GitLab has no review as a thing of its own: it publishes draft notes one by one, can lose one or fail in between, and
keeps what is public. So each step looks at what is there before it does anything, the summary comes last, and where it
stands the review is published. What a review says about merging is another state; `verdicts` brings it in line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from draftgate.domain.canonical import digest
from draftgate.domain.change import CommitSha
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.session import ApprovedPayload
from draftgate.errors import Overtaken, PermissionDenied, Unavailable, VerdictRefused
from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.drafts import Drafts
from draftgate.forge.gitlab.facts import Note
from draftgate.forge.gitlab.texts import (
    FoundNote,
    Summary,
    moved_text,
    note_text,
    placed,
    summary_text,
)
from draftgate.forge.gitlab.troubles import Limited, Refused
from draftgate.forge.gitlab.verdicts import Verdicts
from draftgate.forge.gitlab.view import View


class Reviews:
    """The bot's reviews on one merge request.

    Args:
        connection: To GitLab.
        view: What is known of the change.
        drafts: The draft notes.
        language: Of the heading above findings that no thread carries.
    """

    def __init__(self, connection: Connection, view: View, drafts: Drafts, *, language: str) -> None:
        self._connection = connection
        self._view = view
        self._drafts = drafts
        self._language = language
        self._is_resumed = False
        self._verdicts = Verdicts(connection, view, drafts)
        self._merge_request = connection.merge_request(view.place.number)

    def why_not_held(self, comments: Sequence[ReviewComment]) -> str:
        """Any number of programs may hold draft notes here; without a place in the diff one would open a thread."""
        if placed(comments) or not comments:
            return ""
        return "none of the findings has a place in the diff, and GitLab holds none without one as a draft"

    def load(self, seal: str = "", head: str = "") -> DraftReview | None:
        """See `Drafts.load`."""
        return self._drafts.load(seal, head)

    def sweep(self, seal: str) -> None:
        """See `Drafts.sweep`."""
        self._drafts.sweep(seal)

    def put(self, draft: DraftReview) -> None:
        """See `Drafts.put`."""
        self._drafts.put(draft)

    def delete(self) -> None:
        """See `Drafts.delete`."""
        self._drafts.delete()

    def why_refused(self, verdict: Verdict) -> str:
        """See `Verdicts.why_refused`."""
        return self._verdicts.why_refused(verdict)

    def find_review(self, seal: str) -> PublishedReview | None:
        """The review of the round with this seal, by the note that sums it up.

        Maintainers can edit the bot's notes into one, so that a note counts only as long as nobody edited it.
        """
        found = self._summaries_of(seal)
        return self._published(*found[0]) if found else None

    def _summaries_of(self, seal: str) -> list[tuple[Note, Summary]]:
        summed_up = ((note, summary) for note, summary in self._view.summed_up() if summary.seal == seal)
        unedited = [(note, summary) for note, summary in summed_up if not self._view.is_edited(note)]
        return sorted(unedited, key=lambda found: found[0].id)

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """Whether one of its findings is public and no note sums them up; asked in one request with all that moves."""
        self._view.look_at_all()
        return not self._summaries_of(payload.seal) and bool(self._public(payload))

    def submit(self, payload: ApprovedPayload) -> None:
        """Publish our draft notes as the review of ``payload``.

        Raises:
            VerdictRefused: GitLab does not take the verdict; the draft stays.
            Overtaken: some of it is neither in our draft nor public.
        """
        has_begun = self._is_resumed = self.has_begun(payload)  # another run may have published since
        if self.find_review(payload.seal) is not None:
            self._drafts.delete()
            return
        if not has_begun and (reason := self.why_refused(payload.verdict)):
            raise VerdictRefused(reason, hint=_instead(payload))
        self._sum_up(payload, self._publish_notes(payload, has_begun=has_begun))
        self._post_lost(payload)

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """Bring the bot's state as a reviewer and its approval in line with the review.

        A run that was cut off after it had summed the review up did not see yet whether GitLab had dropped a note.
        """
        self._is_resumed = True
        unposted = self._unposted(payload) if review.payload_digest == digest(payload) else ""
        return "; ".join(filter(None, (unposted, *self._why_elsewhere(review), self._verdicts.settle(review))))

    def _unposted(self, payload: ApprovedPayload) -> str:
        """Post what GitLab dropped; a sentence about what it declines anywhere, since it declines that every time."""
        try:
            self._post_lost(payload)
        except Refused as refused:
            self._view.forget()
            return f"finding {_numbers(self._lost(payload))} is approved and not public: {refused.message}"
        return ""

    def _why_elsewhere(self, review: PublishedReview) -> Iterator[str]:
        """A sentence about the findings that hang on a wider place than the one that was meant."""
        drafted = (one.drafted.split(",") for one in self._view.summaries() if one.seal == review.seal)
        seals = {seal for seals in drafted for seal in seals}
        moved = [note for note in self._view.findings() if note.seal in seals and note.is_moved]
        if on_file := _numbers(note.comment for note in moved if note.position):
            yield f"GitLab did not keep the line of finding {on_file}, so it stands on the file"
        if on_none := _numbers(note.comment for note in moved if not note.position):
            yield f"GitLab did not keep the place of finding {on_none}, so it stands in a thread without one"

    # --- Notes -----------------------------------------------------------------------------------------------------

    def _publish_notes(self, payload: ApprovedPayload, *, has_begun: bool) -> tuple[str, ...]:
        """Publish what is not public yet; returns the seals of the drafts that the notes came from.

        One by one and by their numbers: publishing all at once takes along whatever else stands there by then.
        """
        wanted = {comment.number: comment for comment in placed(payload.comments)}
        if not wanted:
            return ()
        own, public = self._drafts.own(), self._public(payload)
        held = {note.comment.number: note for note in reversed(own)}
        fitting = [
            held[number] for number, comment in wanted.items() if number in held and held[number].comment == comment
        ]
        chosen = [note for note in fitting if note.comment.number not in public]
        if not has_begun and len(chosen) + len(public) < len(wanted):
            raise _overtaken()
        for note in own:
            if note not in chosen:
                self._drafts.discard(note)
        failed = [note for note in chosen if not self._publish(note, payload)]
        for note in failed:
            self._post(payload, note.comment, note.seal)
        return tuple(sorted({note.seal for note in (*chosen, *public.values())}))

    def _post_lost(self, payload: ApprovedPayload) -> None:
        """Post what is approved and not public: GitLab drops a note whose place it cannot make, and says nothing."""
        lost = self._lost(payload)
        if not lost:
            return
        seals = (summary.drafted.split(",")[0] for _, summary in self._summaries_of(payload.seal))
        seal = next(seals, "")
        for comment in lost:
            self._post(payload, comment, seal)
        self._view.forget()

    def _lost(self, payload: ApprovedPayload) -> list[ReviewComment]:
        public = self._public(payload)
        return [comment for comment in placed(payload.comments) if comment.number not in public]

    def _public(self, payload: ApprovedPayload) -> dict[int, FoundNote]:
        """The findings of a payload that are public for its review, also where somebody edited one since."""
        wanted = {comment.number: comment.fingerprint for comment in placed(payload.comments)}
        notes = self._drafts.orphans(payload.head, of=payload.seal)
        return {
            note.comment.number: note for note in notes if wanted.get(note.comment.number) == note.comment.fingerprint
        }

    def _is_public(self, note: FoundNote, payload: ApprovedPayload) -> bool:
        return note.comment.number in self._public(payload)

    def _publish(self, note: FoundNote, payload: ApprovedPayload) -> bool:
        """Publish a draft note; ``False`` for one that GitLab fails at, which goes: what it says is posted without it.

        Raises:
            Overtaken: it is neither there nor public: another run took it away.
        """
        found = self._merge_request.draft_notes.get(note.draft_id or 0, lazy=True)

        def publish() -> bool:
            found.publish()
            return True

        try:
            self._connection.write(
                publish,
                landed=lambda: self._has_gone(note, payload) or None,
                again=lambda: self._require_unchanged(note, payload),
            )
        except (Refused, Unavailable) as error:
            if isinstance(error.__cause__, Limited):  # it was not looked at, and nothing is wrong with the note
                raise
            if not self._is_taken(note, payload):
                self._drafts.discard(note)
                return False
            if isinstance(error, Refused) and not self._is_public(note, payload):
                raise _overtaken() from error
        self._view.forget_published(note.draft_id)
        return True

    def _has_gone(self, note: FoundNote, payload: ApprovedPayload) -> bool:
        """Whether a draft note waits no more, and not because another run gave the submission up."""
        if not self._is_taken(note, payload):
            return False
        if not self._is_public(note, payload):  # GitLab dropped it, or another run took it away
            self._require_wanted(payload)
        return True

    def _require_unchanged(self, note: FoundNote, payload: ApprovedPayload) -> None:
        """Refuse to publish a draft note that got another text while this run waited."""
        self._view.forget()
        waits = any((one.draft_id, one.text) == (note.draft_id, note.text) for one in self._drafts.own())
        if not waits and not self._is_taken(note, payload):
            raise _overtaken()

    def _is_taken(self, note: FoundNote, payload: ApprovedPayload) -> bool:
        """Whether a draft note waits no more; one that is public and waits all the same, whatever GitLab said, goes."""

        def waits() -> bool:
            return any(one.draft_id == note.draft_id for one in self._drafts.own())

        self._view.forget()
        if waits() and self._is_public(note, payload):
            self._drafts.discard(note)
        return not waits()

    def _post(self, payload: ApprovedPayload, comment: ReviewComment, seal: str) -> None:
        """Post a finding as a thread, at its place or on its file; here GitLab looks at the place at once.

        The places of a head that is gone are not those of the present diff.
        """
        draft = DraftReview((), payload.head, payload.body, payload.comments)
        text = note_text(self._view.place.instance, draft, comment, seal)
        is_shown = self._view.now().refs.head == payload.head
        for on_file in (False, True) if is_shown else (True,):
            position = self._drafts.position(comment, on_file=on_file)
            body: dict[str, object] = {"body": moved_text(text, comment.anchor) if on_file else text}
            if position is not None and self._discuss({**body, "position": dict(position)}, comment, payload):
                return
        self._discuss({"body": moved_text(text, comment.anchor)}, comment, payload)

    def _discuss(self, body: dict[str, object], comment: ReviewComment, payload: ApprovedPayload) -> bool:
        """Open a thread; ``False`` where GitLab declines the place, or still fails at it, and there is a wider one.

        The run that began leaves a failure to the next one: it may be GitLab's, and not the place's.
        """

        def landed() -> bool | None:
            self._view.forget()
            return True if comment.number in self._public(payload) else None

        try:
            return self._connection.write(
                lambda: self._merge_request.discussions.create(body) is not None, landed=landed
            )
        except (Refused, Unavailable) as error:
            is_lasting = isinstance(error, Refused) or (self._is_resumed and not isinstance(error.__cause__, Limited))
            if "position" not in body or not is_lasting or isinstance(error, PermissionDenied):
                raise
            return landed() is not None  # what failed may have come about since the last look

    # --- The summary -----------------------------------------------------------------------------------------------

    def _sum_up(self, payload: ApprovedPayload, seals: Sequence[str]) -> None:
        text = summary_text(self._view.place.instance, payload, ",".join(seals), self._language)

        def landed() -> Note | None:
            self._view.forget()
            return next((note for note, _ in self._summaries_of(payload.seal)), None)

        if self._summaries_of(payload.seal):  # a run beside this one was first
            return
        notes = self._merge_request.notes
        written = self._connection.write(
            lambda: facts.note(notes.create({"body": text}).attributes),
            landed=landed,
            again=lambda: self._require_wanted(payload),
        )
        self._view.forget_notes()
        first = next((note.id for note, _ in self._summaries_of(payload.seal)), written.id)
        if written.id != first:  # two runs wrote one at the same moment: the older one stays
            self._connection.delete(lambda: notes.delete(written.id))
            self._view.forget_notes()

    def _require_wanted(self, payload: ApprovedPayload) -> None:
        """Refuse to go on, after a wait, with what another run may have given up meanwhile: nothing of it is public.

        Raises:
            Overtaken: the head is another, or the merge request is not open any more.
        """
        self._view.forget()
        change = self._view.now().change
        is_gone = change.head != payload.head or not change.is_open
        if is_gone and not self._public(payload):
            raise _overtaken()

    def _published(self, note: Note, summary: Summary) -> PublishedReview:
        seals = set(summary.drafted.split(","))
        comments = {
            found.comment.number: found.comment for found in reversed(self._view.findings()) if found.seal in seals
        }
        comments = {number: comment for number, comment in comments.items() if number in summary.numbers}
        return PublishedReview(
            reference=f"{self._view.facts.url}#note_{note.id}",
            seal=summary.seal,
            payload_digest=summary.payload,
            numbers=summary.numbers,
            author="" if note.author is None else note.author.login,
            head=CommitSha(summary.head),
            verdict=summary.verdict,
            body=summary.body,
            comments=tuple(sorted((*comments.values(), *summary.unplaced), key=lambda comment: comment.number)),
            submitted_at=note.created_at,
        )


def _numbers(comments: Iterable[ReviewComment]) -> str:
    return ", ".join(map(str, sorted({comment.number for comment in comments})))


def _instead(payload: ApprovedPayload) -> str:
    numbers = ",".join(map(str, payload.numbers)) or "none"
    return (
        f"nothing was submitted, the findings wait as before; `/approve-findings {numbers} --as comment` would submit"
    )


def _overtaken() -> Overtaken:
    return Overtaken("another run submitted or replaced the draft meanwhile", hint="give the command again")
