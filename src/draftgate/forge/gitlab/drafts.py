"""The draft as draft notes, one for each finding: made with a place that GitLab confirms, read back, taken away.

GitLab shows draft notes to their author alone. Those that bear no mark of this instance are another program's and are
never touched. What there is to know of the draft as a whole stands in the mark of its last note, which is the first to
be changed and the last to go: whenever a run is cut off, what is there still says what it was made from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draftgate.domain.change import CommitSha
from draftgate.domain.finding import AnchorKind
from draftgate.domain.review import DraftReview, ReviewComment
from draftgate.errors import Overtaken
from draftgate.forge.base import AnchorsRefused
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.positions import Position, Positions
from draftgate.forge.gitlab.texts import FoundNote, note_text, placed, read_held, read_note, seal_named, seal_of
from draftgate.forge.gitlab.troubles import Refused, Trouble
from draftgate.forge.gitlab.view import View


class Drafts:
    """The bot's draft notes on one merge request."""

    def __init__(self, connection: Connection, view: View, diff: ListedDiff) -> None:
        self._connection = connection
        self._view = view
        self._diff = diff
        self._manager = connection.merge_request(view.place.number).draft_notes
        self._noteless: DraftReview | None = None
        self._made = ""

    def own(self) -> tuple[FoundNote, ...]:
        """Ours, in the order in which they were made."""
        instance = self._view.place.instance
        notes = (read_note(entry, instance=instance, is_draft=True) for entry in self._view.drafts())
        return tuple(sorted((note for note in notes if note is not None), key=lambda note: note.draft_id or 0))

    def load(self, seal: str = "", head: str = "") -> DraftReview | None:
        """The draft as it stands; what of it is public already, after a publication that was cut off, counts too.

        GitLab lets two runs make drafts at the same moment. The one that was made here comes first, then the one with
        ``seal``, then the one with more notes.

        Args:
            seal: Of a round.
            head: Of the publication that may have been cut off; that of the present diff where none is given.

        Raises:
            IntegrityError: the notes carry our mark and do not say what we write.
        """
        if self._noteless is not None:
            return self._noteless
        notes = self.own()
        is_partial = any(_is_partial(notes, note) for note in notes)
        if is_partial and not self._view.has_fresh_notes:  # a run beside this one may be publishing it
            self._view.forget_notes()
        if is_partial or not any(note.state for note in notes):
            notes = (*notes, *self.orphans(head))
        whole = {note.seal for note in notes if note.state}
        if not whole:
            return None
        counted = Counter(note.seal for note in notes if note.seal in whole)
        chosen = max(counted, key=lambda one: (one == self._made, bool(seal) and one == seal_named(seal), counted[one]))
        notes = tuple(note for note in notes if note.seal == chosen)
        held = read_held(notes)
        comments = {note.comment.number: note.comment for note in reversed(notes)}
        ordered = sorted((*comments.values(), *held.unplaced), key=lambda comment: comment.number)
        return DraftReview(held.seal, CommitSha(held.head), held.body, tuple(ordered))

    def orphans(self, head: str = "", *, of: str = "") -> tuple[FoundNote, ...]:
        """Findings on a head that are public and that no summary names: a publication was cut off.

        Args:
            head: The one that was seen last where none is given.
            of: The seal of a round whose own summary does not count.
        """
        head = head or self._view.last.change.head
        others = (summary for summary in self._view.summaries() if not of or summary.seal != of)
        summed = {seal for summary in others for seal in summary.drafted.split(",")}

        def is_orphan(note: FoundNote) -> bool:
            return note.seal not in summed and note.head == head

        if not any(map(is_orphan, self._view.marked_findings())):  # which costs nothing where they are known
            return ()
        return tuple(filter(is_orphan, self._view.findings()))

    def put(self, draft: DraftReview) -> None:
        """Make ``draft`` the draft: notes that stand where they should get their text, the others go or come.

        Raises:
            AnchorsRefused: the diff does not show some of its places, or GitLab does not; there is no draft.
        """
        wanted = {comment.number: comment for comment in placed(draft.comments)}
        self._noteless = None if wanted else draft
        self._made = seal_of(draft)
        if not wanted:
            return  # the notes that are there go once it is published: until then they alone vouch for the round
        there: dict[int, FoundNote] = {}
        others: list[FoundNote] = []
        for note in self.own():
            comment = wanted.get(note.comment.number)
            if comment is None or note.comment.number in there or not self._fits(note, comment):
                others.append(note)
            else:
                there[note.comment.number] = note
        last = [number for number in list(wanted)[-1:] if number in there]
        order = dict.fromkeys((*last, *wanted))
        refused = [number for number in order if not self._hold(draft, wanted[number], there.get(number))]
        if refused:
            self.delete()
            raise AnchorsRefused(tuple(sorted(refused)))
        self._delete_all(others)

    def sweep(self, seal: str) -> None:
        """Take away what is no part of the draft with this seal, and second notes for one finding."""
        kept: set[int] = set()
        others: list[FoundNote] = []
        for note in self.own():
            is_part = note.seal == seal_named(seal) and note.comment.number not in kept
            if is_part:
                kept.add(note.comment.number)
            else:
                others.append(note)
        self._delete_all(others)

    def delete(self) -> None:
        """Take our draft notes away if there are any."""
        self._noteless = None
        self._delete_all(self.own())

    def discard(self, note: FoundNote) -> None:
        """Take one of them away."""
        self._delete(note)

    def position(self, comment: ReviewComment, *, on_file: bool = False) -> Position | None:
        """Where a comment stands on the present diff, or where its file does."""
        anchor = comment.anchor
        if on_file:
            anchor = type(anchor)(AnchorKind.FILE, anchor.path)
        return Positions(self._view.now().refs, self._diff.shown()).of(anchor)

    # --- Writing ---------------------------------------------------------------------------------------------------

    def _fits(self, note: FoundNote, comment: ReviewComment) -> bool:
        is_shown = bool(note.line_code) or comment.anchor.kind is AnchorKind.FILE
        is_present = note.position.get("head_sha") == self._view.now().refs.head
        return is_shown and is_present and note.comment.anchor == comment.anchor

    def _hold(self, draft: DraftReview, comment: ReviewComment, present: FoundNote | None) -> bool:
        """Make the note of a finding, or give it its text; whether GitLab shows it where it should."""
        text = note_text(self._view.place.instance, draft, comment)
        if present is not None:
            self._update(present, text)
            return True
        position = self.position(comment)
        return position is not None and self._create(text, position, comment, seal_of(draft))

    def _update(self, note: FoundNote, text: str) -> None:
        """Give a note its text; a position that is not sent along is erased.

        https://docs.gitlab.com/api/draft_notes/#modify-an-existing-draft-note

        Raises:
            Overtaken: the note is gone.
        """
        if note.text == text:
            return
        body = {"note": text, "position": _without_nulls(note.position)}

        def landed() -> Json | None:
            self._view.forget()
            has_landed = any(one.draft_id == note.draft_id and one.text == text for one in self.own())
            return next((one for one in self._view.drafts() if has_landed and one.get("id") == note.draft_id), None)

        try:
            answer = self._connection.write(lambda: self._manager.update(note.draft_id, body), landed=landed)
        except Refused as refused:
            self._view.forget()
            if not refused.is_gone:
                raise
            raise Overtaken(
                "another run submitted or replaced the draft meanwhile", hint="give the command again"
            ) from refused
        self._view.put_draft(answer)

    def _create(self, text: str, position: Position, comment: ReviewComment, seal: str) -> bool:
        body = {"note": text, "position": dict(position)}

        def landed() -> Json | None:
            self._view.forget()
            number = comment.number
            made = (one.draft_id for one in self.own() if one.seal == seal and one.comment.number == number)
            found = next(made, None)
            entries = {int(entry["id"]): entry for entry in self._view.drafts()}
            return None if found is None else entries[found]

        try:
            answer = self._connection.write(lambda: self._attributes(self._manager.create(body)), landed=landed)
        except Refused as refused:
            if refused.trouble is not Trouble.ANCHOR:
                raise
            return False
        self._view.forget_drafts()
        return bool(answer.get("line_code")) or comment.anchor.kind is AnchorKind.FILE

    def _attributes(self, made: Any) -> Json:  # noqa: ANN401 - python-gitlab's object
        attributes: Mapping[str, Any] = made.attributes
        return attributes

    def _delete_all(self, notes: Iterable[FoundNote]) -> None:
        for note in sorted(notes, key=lambda note: bool(note.state)):
            self._delete(note)

    def _delete(self, note: FoundNote) -> None:
        self._connection.delete(lambda: self._manager.delete(note.draft_id))
        self._view.drop_draft(note.draft_id)


def _is_partial(notes: Sequence[FoundNote], note: FoundNote) -> bool:
    """Whether other notes of its draft are missing."""
    return len({one.comment.number for one in notes if one.seal == note.seal}) < note.parts


def _without_nulls(position: Json) -> dict[str, object]:
    """A position as it is sent: GitLab answers with every key, and takes none that is empty."""
    plain: dict[str, object] = {}
    for name, value in position.items():
        if isinstance(value, Mapping):
            plain[name] = _without_nulls(value)
        elif value is not None:
            plain[name] = value
    return plain
