"""What one run knows of its change on GitHub: read whole once, and read again after every write of ours.

Between two writes all roles of the forge look at one answer, so that a head, a draft and a checkpoint that are
judged together were read together, and no request is made twice. It writes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from draftgate.domain.change import CommitSha
from draftgate.errors import UsageError
from draftgate.forge.github import facts
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.facts import Json, PendingReview, PlacedComment, ReviewFacts
from draftgate.forge.github.troubles import Refused, Trouble
from draftgate.forge.hosted import standing
from draftgate.forge.hosted.standing import (
    Account,
    ChangeFacts,
    ChangeNow,
    KnownComment,
    RepositoryFacts,
    Texts,
    UnreadText,
)

_NOBODY = "none"
"""Stands for a node id where a query asks for none; GraphQL wants some string there."""


@dataclass(frozen=True, slots=True)
class Place(standing.Place):
    """Which pull request is meant."""

    @property
    def names(self) -> dict[str, str | int]:
        """The variables that every query on the change takes."""
        owner, _, name = self.repository.partition("/")
        return {"owner": owner, "name": name, "number": self.number}


@dataclass(frozen=True, slots=True)
class Standing:
    """The change, the checkpoint and the bot's reviews at one moment.

    Attributes:
        pending: Drafts of the bot's account: GitHub keeps at most one for each account and change.
        latest: The last fifty reviews, drafts among them.
        before: Where the reviews before those end; ``None`` if there are none.
        recent: The last comments, where they were asked for.
        checkpoint: The comment that was asked for; ``None`` if there is none.
        review: The review that was asked for.
    """

    change: ChangeNow
    pending: tuple[PendingReview, ...]
    latest: tuple[ReviewFacts, ...]
    before: str | None = None
    recent: tuple[KnownComment, ...] = ()
    checkpoint: KnownComment | None = None
    review: PendingReview | None = None


class View:
    """One run's view of one change.

    Args:
        connection: To GitHub.
        place: Which change.
        paths: Of the configuration files that are read with the first answer, three of them.
    """

    def __init__(self, connection: Connection, place: Place, paths: Sequence[str]) -> None:
        self._connection = connection
        self.place = place
        answer = self._ask_bundle(paths)
        self.account: Account = facts.account(facts.need(answer, "viewer"))
        repository = self._require(answer.get("repository"), f"the repository {place.repository}")
        node = self._require(repository.get("pullRequest"), f"pull request #{place.number} of {place.repository}")
        self.repository = _repository_facts(repository, paths, place.default_branch)
        self.facts: ChangeFacts = facts.change_facts(node)
        self.comments: tuple[KnownComment, ...] = self._all_comments(node.get("comments"))
        self.checkpoint_id = ""
        self.review_id = ""
        self.looks_for_others = False
        self._now: Standing | None = _standing(node)
        self._read_at = self._asked()
        self._older: tuple[ReviewFacts, ...] | None = None
        self._comments: dict[str, tuple[PlacedComment, ...]] = {}

    def call_instance(self, instance: str) -> None:
        """See `draftgate.forge.hosted.standing.View`."""
        self.place = dataclasses.replace(self.place, instance=instance)

    def _ask_bundle(self, paths: Sequence[str]) -> Json:
        place = self.place
        try:
            return self._connection.query("bundle", **place.names, **_expressions(place.default_branch, paths))
        except Refused as refused:
            if refused.trouble is not Trouble.NOT_FOUND:
                raise
            raise self._not_found(f"pull request #{place.number} of {place.repository}") from refused

    def now(self) -> Standing:
        """How things stand since our last write."""
        if self._now is None:
            self._now = self._read()
            self._read_at = self._asked()
        return self._now

    def look_again(self) -> None:
        """See to it that `now` is how things stand at this moment, for a write that must not go over another's."""
        if self._read_at != self._asked():
            self.forget()

    @contextmanager
    def unaffected(self) -> Iterator[None]:
        """Around a write of ours that changes nothing of what is seen here: what was just read stays so."""
        was_read_just_now = self._read_at == self._asked()
        yield
        if was_read_just_now:
            self._read_at = self._asked()

    def keeping_change(self) -> AbstractContextManager[None]:
        """One answer holds all that moves, so that nothing of it can be kept."""
        return nullcontext()

    def forget(self) -> None:
        """Something was written: what was read before is not how things stand."""
        self._now = None
        self._comments.clear()

    def forget_comments(self) -> None:
        """One answer holds all that moves, so that nothing of it can be kept."""
        self.forget()

    def watch(self, checkpoint: KnownComment | None) -> None:
        """Look at this comment from now on; what is known of it already need not be asked again."""
        self.checkpoint_id = "" if checkpoint is None else checkpoint.node_id
        if self._now is not None:
            self._now = dataclasses.replace(self._now, checkpoint=checkpoint)

    def note_gone(self, pending_id: str) -> None:
        """A draft was deleted by us; nothing else has changed by that."""
        if self.review_id == pending_id:
            self.review_id = ""
        if self._now is not None:
            left = tuple(pending for pending in self._now.pending if pending.review.id != pending_id)
            latest = tuple(review for review in self._now.latest if review.id != pending_id)
            self._now = dataclasses.replace(self._now, pending=left, latest=latest)
        if self.review_id == pending_id:
            self.review_id = ""

    def target_tip(self) -> CommitSha:
        """The target branch's commit now."""
        return self.now().change.base_tip

    def read_branch_files(self, revision: str, paths: Sequence[str]) -> Texts:
        """Configuration files elsewhere: at a commit, since a tag comes before a branch of its name."""
        names = {name: value for name, value in self.place.names.items() if name != "number"}
        answer = self._connection.query("files_at_branch", **names, **_expressions(revision, paths))
        return _files(self._require(answer.get("repository"), f"the repository {self.place.repository}"), paths)

    def older_reviews(self) -> tuple[ReviewFacts, ...]:
        """The reviews before the last fifty, newest first; read once, since what is old does not change."""
        if self._older is None:
            self._older = tuple(self._read_older(self.now().before))
        return self._older

    def _read_older(self, before: str | None) -> Iterator[ReviewFacts]:
        while before is not None:
            answer = self._connection.query("reviews_page", **self.place.names, before=before)
            connection = ((answer.get("repository") or {}).get("pullRequest") or {}).get("reviews")
            yield from (facts.review(node) for node in reversed(facts.nodes(connection)))
            before = facts.previous_page(connection)

    def comments_of(self, review: PendingReview) -> tuple[PlacedComment, ...]:
        """All comments of a review, the further pages too."""
        known = self._comments.get(review.review.id)
        if known is not None:
            return known
        comments, after = list(review.comments), review.after
        while after is not None:
            answer = self._connection.query("review_comments", review=review.review.id, after=after)
            connection = (answer.get("node") or {}).get("comments")
            comments += facts.placed_comments(connection)
            after = facts.next_page(connection)
        self._comments[review.review.id] = tuple(comments)
        return tuple(comments)

    def read_review(self, review: ReviewFacts) -> PendingReview:
        """A review with the first page of its comments, where no answer held them."""
        answer = self._connection.query("review_comments", review=review.id, after=None)
        connection = (answer.get("node") or {}).get("comments")
        return PendingReview(review, facts.placed_comments(connection), facts.next_page(connection))

    def _read(self) -> Standing:
        """GitHub fails the whole of a query that names a comment or review which somebody deleted."""
        asked = ((self.checkpoint_id, self.review_id), (self.checkpoint_id, ""), ("", self.review_id))
        for checkpoint_id, review_id in dict.fromkeys(asked):
            try:
                return self._ask(checkpoint_id, review_id)
            except Refused as refused:
                if refused.trouble is not Trouble.NOT_FOUND:
                    raise
        return self._ask("", "")

    def _asked(self) -> int:
        """How many requests this run has sent."""
        return self._connection.requests.sent

    def _ask(self, checkpoint_id: str, review_id: str) -> Standing:
        answer = self._connection.query(
            "standing",
            **self.place.names,
            checkpoint=checkpoint_id or _NOBODY,
            hasCheckpoint=bool(checkpoint_id),
            review=review_id or _NOBODY,
            hasReview=bool(review_id),
            withRecent=self.looks_for_others,
        )
        repository = self._require(answer.get("repository"), f"the repository {self.place.repository}")
        node = self._require(repository.get("pullRequest"), f"pull request #{self.place.number}")
        return _standing(node, answer.get("checkpoint"), answer.get("review"))

    def _all_comments(self, connection: Json | None) -> tuple[KnownComment, ...]:
        comments = [facts.issue_comment(node) for node in facts.nodes(connection)]
        after = facts.next_page(connection)
        while after is not None:
            answer = self._connection.query("comments_page", **self.place.names, after=after)
            connection = ((answer.get("repository") or {}).get("pullRequest") or {}).get("comments")
            comments += [facts.issue_comment(node) for node in facts.nodes(connection)]
            after = facts.next_page(connection)
        return tuple(comments)

    def _require(self, node: Json | None, what: str) -> Json:
        if node is None:
            raise self._not_found(what)
        return node

    def _not_found(self, what: str) -> UsageError:
        return UsageError(
            f"{what} was not found", hint="see whether it exists and whether the token may read the repository"
        )


_FILES: Final = (
    "config",
    "configInGithub",
    "configInGitlab",
    "misnamed",
    "misnamedInGithub",
    "misnamedInGitlab",
)
"""What the queries call the files that they ask for; one path may stand for several."""


def _expressions(branch: str, paths: Sequence[str]) -> dict[str, str]:
    return {name: f"{branch}:{path}" for name, path in zip(_FILES, _one_each(paths), strict=True)}


def _files(repository: Json, paths: Sequence[str]) -> Texts:
    return {path: _text(repository.get(name)) for name, path in zip(_FILES, _one_each(paths), strict=True)}


def _one_each(paths: Sequence[str]) -> Iterator[str]:
    """A path for each name, the last one again where there are fewer."""
    return (paths[min(index, len(paths) - 1)] for index in range(max(len(_FILES), len(paths))))


def _text(blob: Json | None) -> str | UnreadText | None:
    if blob is None:
        return None
    text = blob.get("text")
    if blob.get("isTruncated"):
        return UnreadText("it is too large for GitHub to show whole")
    return text if isinstance(text, str) else UnreadText("it is no text")


def _repository_facts(repository: Json, paths: Sequence[str], default_branch: str) -> RepositoryFacts:
    branch = repository.get("defaultBranchRef") or {}
    return RepositoryFacts(
        default_branch=branch.get("name") or default_branch,
        files=_files(repository, paths),
    )


def _standing(node: Json, checkpoint: Json | None = None, review: Json | None = None) -> Standing:
    return Standing(
        change=facts.change_now(node),
        pending=tuple(facts.pending(entry) for entry in facts.nodes(node.get("pending"))),
        latest=tuple(facts.review(entry) for entry in facts.nodes(node.get("latest"))),
        before=facts.previous_page(node.get("latest")),
        recent=tuple(facts.issue_comment(entry) for entry in facts.nodes(node.get("recent"))),
        checkpoint=facts.issue_comment(checkpoint) if checkpoint else None,
        review=facts.pending(review) if review else None,
    )
