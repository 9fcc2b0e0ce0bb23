"""The draft as a pending review: made, read back, submitted and taken away.

GitHub keeps one pending review for each account and change, shows it to that account alone, and takes or refuses it
as a whole without saying which comment is at fault. Line comments go with the first request; what REST cannot add to
a draft (threads on a file, and more than a hundred lines) follows by GraphQL. A draft that does not carry our mark is
another program's and is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind
from draftgate.domain.review import DraftReview, PublishedReview, ReviewComment, Verdict
from draftgate.domain.session import ApprovedPayload
from draftgate.errors import ForeignDraft, IntegrityError, Overtaken, VerdictRefused
from draftgate.forge.base import AnchorsRefused
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.facts import PendingReview, ReviewFacts
from draftgate.forge.github.review_text import (
    Hidden,
    Writer,
    digest_of,
    read_body,
    read_comment,
    read_published_body,
    verdict_of,
    visible_body,
)
from draftgate.forge.github.troubles import Refused, Trouble
from draftgate.forge.github.verdicts import Verdicts
from draftgate.forge.github.view import View
from draftgate.forge.hidden import Kind, Marked, read_marked, read_number

FIRST_LINES = 100
"""Line comments in the first request; GitHub names no bound, larger ones were seen to fail."""

BATCH = 20
"""Threads added by one further request."""

_WAITS = 3
_WAIT_S = 5.0

_EVENTS = {
    Verdict.REQUEST_CHANGES: "REQUEST_CHANGES",
    Verdict.COMMENT: "COMMENT",
    Verdict.APPROVE: "APPROVE",
}
_REFUSALS = {
    Trouble.OWN_CHANGE: "GitHub does not let an account approve its own pull request, or request changes on it",
    Trouble.ACTIONS_MAY_NOT_APPROVE: "this repository does not let GitHub Actions approve pull requests",
}
_BAD_PLACES = frozenset({Trouble.ANCHOR, Trouble.INVALID_COMMENTS})


class Draft:
    """The bot's reviews on one change.

    Args:
        connection: To GitHub.
        view: What is known of the change.
        language: Of the heading above findings that no thread carries.
        sleep: Waits so many seconds, for another program's draft to go.
    """

    def __init__(self, connection: Connection, view: View, *, language: str, sleep: Callable[[float], None]) -> None:
        self._connection = connection
        self._view = view
        self._writer = Writer(view.place.instance, language)
        self._sleep = sleep
        self._verdicts = Verdicts(connection, view)
        self._path = f"pulls/{view.place.number}/reviews"
        self._draft_id = ""

    def why_not_held(self, comments: Sequence[ReviewComment]) -> str:
        """Why the findings should not wait in a draft here, as a sentence; "" if they can."""
        del comments  # a draft holds those without a place in its body
        if self._foreign():
            return (
                f"another program holds a draft review under the account {self._view.account.login}, and GitHub keeps "
                "one for each account"
            )
        if self._view.account.is_shared and any(self._is_others(review) for review in self._view.now().latest):
            return (
                f"other workflows review this change under the account {self._view.account.login} too, and while a "
                "draft waits GitHub refuses their reviews"
            )
        return ""

    def sweep(self, seal: str) -> None:
        """GitHub holds one draft of an account on a change."""

    def load(self, seal: str = "", head: str = "") -> DraftReview | None:
        """The draft as it stands; there is one at most.

        Raises:
            IntegrityError: it carries our mark and is not what we write.
        """
        del seal, head
        own = self._own()
        if own is None:
            return None
        marked, hidden = read_body(own.review)
        comments = self._read_comments(own, hidden)
        body = visible_body(marked, hidden)
        head = CommitSha(own.review.commit or marked.marker.facts.get("head", ""))  # GitHub may leave the commit out
        return DraftReview(hidden.seal, head, body, comments)

    def put(self, draft: DraftReview) -> None:
        """Make ``draft`` the pending review.

        Raises:
            AnchorsRefused: GitHub does not take some of its places; there is no draft.
            ForeignDraft: another program's draft is in its place.
            Overtaken: another run of ours made, submitted or deleted the draft meanwhile.
        """
        self._wait_for_others()
        self.delete()
        lines = [comment for comment in draft.comments if comment.anchor.kind is AnchorKind.LINE]
        try:
            self._create(draft, lines[:FIRST_LINES])
        except Refused as refused:
            if refused.trouble is Trouble.PENDING_EXISTS:  # made between our look and our request
                self._view.forget()
                self._wait_for_others()
                raise _overtaken() from refused
            if refused.trouble not in _BAD_PLACES:
                raise
            self._find_refused(draft)
        self._add_missing(draft)

    def delete(self) -> None:
        """Take our draft away if there is one."""
        own = self._own()
        if own is None:
            return

        def gone() -> dict[str, object] | None:
            """Another run may have made another one in its place."""
            self._view.forget()
            return None if own.review.id in {pending.review.id for pending in self._view.now().pending} else {}

        try:
            self._connection.mutate("delete_review", landed=gone, reviewId=own.review.id)
        except Refused as refused:
            if refused.trouble not in {Trouble.NOT_FOUND, Trouble.ALREADY_SUBMITTED, Trouble.OTHER} or gone() is None:
                raise
        self._view.note_gone(own.review.id)

    def find_review(self, seal: str) -> PublishedReview | None:
        """The submitted review of the round with this seal."""
        standing = self._view.now()
        review = self._with_seal(standing.latest, seal) or self._with_seal(self._view.older_reviews(), seal)
        if review is None:
            return None
        asked = standing.review
        has_comments = asked is not None and asked.review.id == review.id
        return self._published(asked if asked and has_comments else self._view.read_review(review))

    def _with_seal(self, reviews: Sequence[ReviewFacts], seal: str) -> ReviewFacts | None:
        for review in reviews:
            marked = self._own_mark(review)
            if review.state != "PENDING" and marked is not None and marked.marker.facts.get("seal") == seal:
                return review
        return None

    def has_begun(self, payload: ApprovedPayload) -> bool:
        """GitHub publishes a review in one step."""
        del payload
        return False

    def submit(self, payload: ApprovedPayload) -> None:
        """Submit our draft as the review of ``payload``.

        Raises:
            VerdictRefused: GitHub does not take the verdict; the draft stays.
            Overtaken: there is neither our draft nor a review of this round.
        """
        own = self._own()
        if own is None:
            if self.find_review(payload.seal) is not None:
                return
            raise _overtaken()
        self._view.review_id = own.review.id
        path = f"{self._path}/{own.review.number}/events"
        body = {"event": _EVENTS[payload.verdict], "body": self._writer.published_body(payload)}

        def landed() -> bool | None:
            self._view.forget()
            return True if self.find_review(payload.seal) is not None else None

        try:
            self._connection.write(lambda: self._connection.send("POST", path, body) is not None, landed=landed)
        except Refused as refused:
            self._view.forget()
            if refused.trouble in _REFUSALS:
                raise VerdictRefused(_REFUSALS[refused.trouble], hint=_instead(payload)) from refused
            if refused.status not in {404, 422} or landed() is None:
                if refused.status == 404:
                    raise _overtaken() from refused
                raise
        self._view.forget()

    def why_refused(self, verdict: Verdict) -> str:
        """See `Verdicts.why_refused`."""
        return self._verdicts.why_refused(verdict)

    def settle(self, review: PublishedReview, payload: ApprovedPayload) -> str:
        """Dismiss our earlier requests for changes: a later comment does not lift one, a later approval does.

        https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/dismissing-a-pull-request-review
        """
        del payload
        if review.verdict is not Verdict.COMMENT:
            return ""
        for earlier in self._view.now().latest:
            if earlier.state == "CHANGES_REQUESTED" and self._own_mark(earlier) is not None:
                try:
                    self._dismiss(earlier)
                except Refused as refused:
                    return (
                        f"the earlier request for changes stays ({refused.message}); whoever may dismiss reviews here "
                        "can lift it"
                    )
        return ""

    def _dismiss(self, review: ReviewFacts) -> None:
        path = f"{self._path}/{review.number}/dismissals"
        body = {"message": "A later review by Draftgate does not ask for these changes any more."}

        def landed() -> bool | None:
            self._view.forget()
            states = {found.id: found.state for found in self._view.now().latest}
            return True if states.get(review.id) == "DISMISSED" else None

        self._connection.write(lambda: self._connection.send("PUT", path, body) is not None, landed=landed)
        self._view.forget()

    # --- What is whose ---------------------------------------------------------------------------------------------

    def _own(self) -> PendingReview | None:
        return next((pending for pending in self._view.now().pending if self._own_mark(pending.review)), None)

    def _foreign(self) -> PendingReview | None:
        """A draft of our account without our mark; GitHub shows us no other account's."""
        return next((pending for pending in self._view.now().pending if not self._own_mark(pending.review)), None)

    def _own_mark(self, review: ReviewFacts) -> Marked | None:
        marked = read_marked(review.body) if review.is_ours else None
        if marked is None or marked.marker.kind is not Kind.REVIEW:
            return None
        return marked if marked.marker.facts.get("instance") == self._view.place.instance else None

    def _is_others(self, review: ReviewFacts) -> bool:
        return review.is_ours and read_marked(review.body) is None

    def _wait_for_others(self) -> None:
        for _ in range(_WAITS):
            if self._foreign() is None:
                return
            self._sleep(_WAIT_S)
            self._view.forget()
        if self._foreign() is not None:
            raise ForeignDraft(
                f"another program holds a draft review under the account {self._view.account.login}, which is not "
                "touched, and GitHub keeps one for each account",
                hint="nothing was submitted; give the command again once that draft is submitted or deleted. A GitHub "
                "App gives Draftgate an account of its own",
            )

    # --- Making ----------------------------------------------------------------------------------------------------

    def _create(self, draft: DraftReview, lines: Sequence[ReviewComment]) -> None:
        body = self._writer.draft_body(draft)
        wanted = {
            "commit_id": draft.head,
            "body": body,
            "comments": [self._writer.line_comment(line) for line in lines],
        }

        def landed() -> bool | None:
            self._view.forget()
            own = self._own()
            return True if own is not None and digest_of(own.review.body) == digest_of(body) else None

        self._connection.write(lambda: self._connection.send("POST", self._path, wanted) is not None, landed=landed)
        self._view.forget()

    def _find_refused(self, draft: DraftReview) -> None:
        """Learn which places GitHub does not take, by adding them to an empty draft; nothing of it is left.

        Raises:
            AnchorsRefused: always, if any was refused; otherwise the draft stands.
        """
        self._view.forget()
        self.delete()  # after a refusal a review without comments was seen to be left
        self._create(draft, ())
        self._add_missing(draft)

    def _add_missing(self, draft: DraftReview) -> None:
        """Add the threads that the draft still lacks.

        Raises:
            AnchorsRefused: some could not be added; the draft is gone.
        """
        threaded = [comment for comment in draft.comments if comment.anchor.kind is not AnchorKind.NONE]
        if len(threaded) <= FIRST_LINES and all(c.anchor.kind is AnchorKind.LINE for c in threaded):
            own = self._own()
            if own is not None and len(own.comments) == len(threaded):
                return
        missing = self._missing(threaded)
        for start in range(0, len(missing), BATCH):
            self._add(missing[start : start + BATCH])
        for comment in self._missing(missing):  # GitHub may decline a batch in part
            self._add([comment])
        refused = self._missing(missing)
        if refused:
            self.delete()
            raise AnchorsRefused(tuple(sorted(comment.number for comment in refused)))

    def _missing(self, comments: Sequence[ReviewComment]) -> list[ReviewComment]:
        there = self._numbers_there()
        return [comment for comment in comments if comment.number not in there]

    def _numbers_there(self) -> frozenset[int]:
        own = self._own()
        if own is None:
            raise _overtaken()
        self._draft_id = own.review.id
        marks = (read_marked(comment.body) for comment in self._view.comments_of(own))
        numbers = (read_number(marked.marker.facts.get("number")) for marked in marks if marked is not None)
        return frozenset(number for number in numbers if number is not None)

    def _add(self, batch: Sequence[ReviewComment]) -> None:
        inputs = {f"t{index}": self._thread(comment) for index, comment in enumerate(batch)}
        declared = ", ".join(f"${name}: AddPullRequestReviewThreadInput!" for name in inputs)
        fields = "\n".join(
            f"  {name}: addPullRequestReviewThread(input: ${name}) {{ thread {{ id }} }}" for name in inputs
        )

        def landed() -> dict[str, object] | None:
            """Where some of it is there, GitHub did what it does of it, and a repetition would add that twice."""
            self._view.forget()
            return {} if len(self._missing(batch)) < len(batch) else None

        try:
            self._connection.mutate_text(
                "add_threads", f"mutation AddThreads({declared}) {{\n{fields}\n}}", landed=landed, **inputs
            )
        except Refused as refused:
            if refused.trouble in {Trouble.NOT_FOUND, Trouble.ALREADY_SUBMITTED}:
                raise _overtaken() from refused
            if refused.trouble not in {*_BAD_PLACES, Trouble.OTHER}:
                raise
        self._view.forget()

    def _thread(self, comment: ReviewComment) -> dict[str, object]:
        anchor = comment.anchor
        common: dict[str, object] = {
            "pullRequestReviewId": self._draft_id,
            "path": anchor.path,
            "body": self._writer.text(comment),
        }
        if anchor.kind is AnchorKind.FILE:
            return {**common, "subjectType": "FILE"}
        side = (anchor.side or Side.RIGHT).value
        placed = {**common, "subjectType": "LINE", "line": anchor.line, "side": side}
        return placed if anchor.start_line is None else {**placed, "startLine": anchor.start_line, "startSide": side}

    # --- Reading ---------------------------------------------------------------------------------------------------

    def _read_comments(self, review: PendingReview, hidden: Hidden) -> tuple[ReviewComment, ...]:
        threaded = (read_comment(comment, self._url_of(review.review)) for comment in self._view.comments_of(review))
        return tuple(sorted((*threaded, *hidden.unthreaded), key=lambda comment: comment.number))

    def _read_published(self, review: PendingReview, hidden: Hidden) -> tuple[ReviewComment, ...]:
        """Those that still are as we write them: once it is published, people may edit what they like."""
        comments = [*hidden.unthreaded]
        for comment in self._view.comments_of(review):
            with suppress(IntegrityError):
                comments.append(read_comment(comment, self._url_of(review.review)))
        return tuple(sorted(comments, key=lambda comment: comment.number))

    def _url_of(self, review: ReviewFacts) -> str:
        return f"{self._view.facts.url}#pullrequestreview-{review.number}"

    def _published(self, review: PendingReview) -> PublishedReview:
        marked, hidden = read_published_body(review.review)
        facts = marked.marker.facts
        return PublishedReview(
            reference=self._url_of(review.review),
            seal=facts.get("seal", ""),
            payload_digest=facts.get("payload", ""),
            numbers=tuple(filter(None, map(read_number, facts.get("numbers", "").split(",")))),
            author=review.review.author,
            head=CommitSha(facts.get("head", "")),
            verdict=verdict_of(facts.get("verdict", ""), review.review),
            body=visible_body(marked, hidden),
            comments=self._read_published(review, hidden),
            submitted_at=review.review.submitted_at,
        )


def _instead(payload: ApprovedPayload) -> str:
    numbers = ",".join(map(str, payload.numbers)) or "none"
    return (
        f"nothing was submitted, the findings wait as before; `/approve-findings {numbers} --as comment` would submit"
    )


def _overtaken() -> Overtaken:
    return Overtaken("another run submitted or replaced the draft meanwhile", hint="give the command again")
