"""GitHub's rules of reviews: drafts, threads, submission; shared by REST and GraphQL.

A draft (a pending review) is one per account and pull request, and its author's secret; this one place
decides what that forbids. A refused call leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.fakes.github.changes import NO_PATH, ChangedFile, changed_files, find_place
from tests.fakes.github.entities import (
    Account,
    Caller,
    PullRequest,
    Review,
    ReviewComment,
    ReviewState,
    Role,
    Side,
    SubjectType,
    Thread,
    TokenKind,
)
from tests.fakes.github.outdate import move_thread
from tests.fakes.github.refusals import (
    Forbidden,
    bad_anchor,
    not_accessible,
    unprocessable,
    validation_failed,
)
from tests.fakes.github.world import LONGEST_BODY, World

ONE_DRAFT = "User can only have one pending review per pull request"

EVENTS = {
    "COMMENT": ReviewState.COMMENTED,
    "APPROVE": ReviewState.APPROVED,
    "REQUEST_CHANGES": ReviewState.CHANGES_REQUESTED,
}


@dataclass(frozen=True, kw_only=True)
class NewThread:
    """A thread that somebody wants to start; without a line only if it is for the whole file.

    Attributes:
        position: The old way to name a line of REST's: its row in the file's patch.
    """

    path: str
    body: str
    line: int | None = None
    position: int | None = None
    side: Side = Side.RIGHT
    start_line: int | None = None
    start_side: Side | None = None
    subject_type: SubjectType = SubjectType.LINE


def pending_review(account: Account, pull: PullRequest) -> Review | None:
    """The draft of an account; there is one at most."""
    return next((review for review in pull.reviews if review.pending and review.author is account), None)


def create(
    world: World,
    caller: Caller,
    pull: PullRequest,
    *,
    body: str = "",
    event: str | None = None,
    commit_id: str | None = None,
    threads: Sequence[NewThread] = (),
) -> Review:
    """A review with its threads: a draft without an event, else submitted at once.

    Raises:
        Refusal: Any rule is broken; of several places that are not in the diff it does not say which.
    """
    world.require(caller, pull.repository, "write", "pull_requests")
    if pending_review(caller.account, pull) is not None:
        raise unprocessable(ONE_DRAFT)
    for text in (body, *(thread.body for thread in threads)):
        _check_length(text)
    if event is not None:
        _check_event(caller, pull, event, body, has_comments=bool(threads))
    commit = _commit_of(world, pull, commit_id)
    files = _files(world, pull, commit)
    threads = [_with_line(thread, files) for thread in threads]
    for thread in threads:
        _check_place(thread, files)
    review = _new_review(world, caller, pull, body, commit)
    for thread in threads:
        _start_thread(world, review, thread, files)
    if event is not None:
        _submit(world, review, event)
    return review


def add_thread(world: World, caller: Caller, pull: PullRequest, new: NewThread) -> Thread:
    """One more thread in the caller's draft, which is begun if there is none (GraphQL alone can do this)."""
    world.require(caller, pull.repository, "write", "pull_requests")
    _check_length(new.body)
    draft = pending_review(caller.account, pull)
    commit = draft.commit_id if draft is not None else world.head_sha(pull)
    files = _files(world, pull, commit)
    _check_place(new, files)
    return _start_thread(world, draft or _new_review(world, caller, pull, "", commit), new, files)


def comment(world: World, caller: Caller, pull: PullRequest, new: NewThread, commit_id: str | None) -> ReviewComment:
    """A single published comment, as REST makes it: in a review of its own, so not beside a draft."""
    world.require(caller, pull.repository, "write", "pull_requests")
    refuse_beside_draft(caller, pull)
    world.check_body(new.body, "PullRequestReviewComment")
    commit = _commit_of(world, pull, commit_id)
    files = _files(world, pull, commit)
    new = _with_line(new, files)
    _check_place(new, files)
    review = _new_review(world, caller, pull, "", commit)
    thread = _start_thread(world, review, new, files)
    _submit(world, review, "COMMENT")
    return thread.comments[0]


def reply(world: World, caller: Caller, thread: Thread, body: str) -> ReviewComment:
    """A reply, as GraphQL makes it: swallowed by the caller's draft, if there is one."""
    world.require(caller, thread.pull.repository, "write", "pull_requests")
    world.check_body(body, "PullRequestReviewComment")
    draft = pending_review(caller.account, thread.pull)
    review = draft or _new_review(world, caller, thread.pull, "", world.head_sha(thread.pull))
    made = _new_comment(world, review, thread, body, reply_to=thread.comments[0])
    if draft is None:
        _submit(world, review, "COMMENT")
    return made


def refuse_beside_draft(caller: Caller, pull: PullRequest) -> None:
    """What REST says to a reply or a comment of somebody who has a draft; here ``errors`` holds objects."""
    if pending_review(caller.account, pull) is not None:
        message = "user_id can only have one pending review per pull request"
        raise validation_failed("PullRequestReview", "user_id", message)


def submit(world: World, caller: Caller, review: Review, event: str, body: str | None = None) -> Review:
    """Publish the caller's draft with a verdict; a body replaces the one it has."""
    world.require(caller, review.pull.repository, "write", "pull_requests")
    if not review.pending:
        raise unprocessable("Can not submit a review that is not pending")
    text = review.body if body is None else body
    _check_length(text)
    _check_event(caller, review.pull, event, text, has_comments=bool(review.comments))
    review.body = text
    _submit(world, review, event)
    return review


def update(world: World, caller: Caller, review: Review, body: str) -> Review:
    """Replace the summary of a review."""
    world.require(caller, review.pull.repository, "write", "pull_requests")
    world.require_hand(caller, review.pull.repository, review)
    _check_length(body)
    if review.pending:
        world.tick()
        review.body = body
    else:
        world.edit(review, caller.account, body)
    return review


def delete(world: World, caller: Caller, review: Review) -> None:
    """Throw a draft away with its comments; what is submitted stays."""
    world.require(caller, review.pull.repository, "write", "pull_requests")
    if not review.pending:
        raise unprocessable("Can not delete a non-pending pull request review")
    world.tick()
    for made in tuple(review.comments):
        _remove_comment(world, made)
    _remove_review(world, review)


def dismiss(world: World, caller: Caller, review: Review, message: str) -> Review:
    """Take the verdict off a review; that needs write access."""
    world.require(caller, review.pull.repository, "write", "pull_requests")
    if caller.kind is TokenKind.USER and world.role(review.pull.repository, caller.account) < Role.WRITE:
        raise Forbidden("Must have write access to dismiss reviews")
    if not message.strip():
        raise unprocessable("Message can't be blank")
    if review.state not in {ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED}:
        raise unprocessable(f"Can not dismiss a {review.state.lower()} pull request review")
    world.tick()
    review.state = ReviewState.DISMISSED
    return review


def edit_comment(world: World, caller: Caller, made: ReviewComment, body: str) -> ReviewComment:
    """Replace the text of a review comment, also in a draft (which REST cannot; see `rest_reviews`)."""
    world.require(caller, made.thread.pull.repository, "write", "pull_requests")
    world.require_hand(caller, made.thread.pull.repository, made)
    world.check_body(body, "PullRequestReviewComment")
    world.edit(made, caller.account, body)
    return made


def delete_comment(world: World, caller: Caller, made: ReviewComment) -> None:
    """Remove a comment, with its thread if it was the last one there, and with its draft likewise."""
    world.require(caller, made.thread.pull.repository, "write", "pull_requests")
    world.require_hand(caller, made.thread.pull.repository, made)
    world.tick()
    _remove_comment(world, made)
    if made.review.pending and not made.review.comments:
        _remove_review(world, made.review)


def resolve(world: World, caller: Caller, thread: Thread, *, resolved: bool) -> Thread:
    """Resolve or reopen a thread. An app needs ``contents: write`` for that, of all things."""
    pull = thread.pull
    if caller.kind is TokenKind.INSTALLATION and caller.permissions.get("contents") != "write":
        raise not_accessible("write", ("contents",))
    world.require(caller, pull.repository, "write", "pull_requests")
    person = caller.kind is TokenKind.USER and caller.account not in {pull.author, thread.comments[0].author}
    if person and world.role(pull.repository, caller.account) < Role.WRITE:
        raise Forbidden(f"{caller.account.login} does not have permission to resolve this thread")
    world.tick()
    thread.resolved_by = caller.account if resolved else None
    return thread


# --- Checks ---


def _check_event(caller: Caller, pull: PullRequest, event: str, body: str, *, has_comments: bool) -> None:
    if event not in EVENTS:
        raise unprocessable(f"Variable $event of type PullRequestReviewEvent was provided invalid value {event!r}")
    own = caller.account is pull.author
    if event == "APPROVE" and own:
        raise unprocessable("Can not approve your own pull request")
    if event == "REQUEST_CHANGES" and own:
        raise unprocessable("Can not request changes on your own pull request")
    is_actions = caller.account.app is not None and caller.account.app.slug == "github-actions"
    if event == "APPROVE" and is_actions and not pull.repository.actions_can_approve:
        raise unprocessable("GitHub Actions is not permitted to approve pull requests.")
    # The reference asks for a body with both events; clients send inline comments without one and succeed.
    if not body.strip() and (event == "REQUEST_CHANGES" or (event == "COMMENT" and not has_comments)):
        raise unprocessable("Body can't be blank")


def _check_length(body: str) -> None:
    if len(body) > LONGEST_BODY:
        raise unprocessable(f"Body is too long (maximum is {LONGEST_BODY} characters)")


def _with_line(new: NewThread, files: dict[str, ChangedFile]) -> NewThread:
    """The same with a line if it has a position in the diff; context lines count on the right."""
    if new.position is None or new.path not in files:
        return new
    places = [place for place, (_, row) in files[new.path].places.items() if row == new.position]
    side, line = places[-1] if places else (Side.RIGHT, None)
    return replace(new, side=side, line=line)


def _check_place(new: NewThread, files: dict[str, ChangedFile]) -> int | None:
    """The row of the patch, ``None`` for a whole file."""
    if not new.body.strip():
        raise unprocessable("Body can't be blank")
    if new.subject_type is SubjectType.LINE:
        return find_place(files.get(new.path), new.line, new.side, new.start_line, new.start_side)
    if new.path not in files:
        raise bad_anchor(NO_PATH)
    if new.line is not None:
        raise unprocessable("A comment on a file has no line")
    return None


def _commit_of(world: World, pull: PullRequest, commit_id: str | None) -> str:
    head = world.head_sha(pull)
    if commit_id is None or commit_id == head:
        return head
    if commit_id not in pull.repository.git.git("rev-list", head).decode().split():
        raise unprocessable("commit_id is not part of the pull request")
    return commit_id


def _files(world: World, pull: PullRequest, commit: str) -> dict[str, ChangedFile]:
    changed = changed_files(pull.repository.git, world.merge_base(pull, commit), commit)
    return {file.path: file for file in changed}


# --- Changes ---


def _new_review(world: World, caller: Caller, pull: PullRequest, body: str, commit: str) -> Review:
    now = world.tick()
    number, node_id = world.new_ids("PRR")
    review = Review(
        id=number,
        node_id=node_id,
        author=caller.account,
        body=body,
        created_at=now,
        updated_at=now,
        pull=pull,
        state=ReviewState.PENDING,
        commit_id=commit,
    )
    pull.reviews.append(world.keep(review))
    return review


def _start_thread(world: World, review: Review, new: NewThread, files: dict[str, ChangedFile]) -> Thread:
    number, node_id = world.new_ids("PRRT")
    position = _check_place(new, files)
    thread = Thread(
        id=number,
        node_id=node_id,
        pull=review.pull,
        path=new.path,
        subject_type=new.subject_type,
        side=new.side,
        start_side=(new.start_side or new.side) if new.start_line is not None else None,
        line=new.line,
        start_line=new.start_line,
        original_line=new.line,
        original_start_line=new.start_line,
        position=position,
        original_position=position or 1,
        original_commit=review.commit_id,
        diff_hunk=files[new.path].hunk_until(position) if position else "",
    )
    review.pull.threads.append(world.keep(thread))
    _new_comment(world, review, thread, new.body)
    move_thread(thread, review.commit_id, world.base_sha(review.pull))
    return thread


def _new_comment(
    world: World, review: Review, thread: Thread, body: str, reply_to: ReviewComment | None = None
) -> ReviewComment:
    now = world.tick()
    number, node_id = world.new_ids("PRRC")
    made = ReviewComment(
        id=number,
        node_id=node_id,
        author=review.author,
        body=body,
        created_at=now,
        updated_at=now,
        thread=thread,
        review=review,
        reply_to=reply_to,
    )
    thread.comments.append(world.keep(made))
    review.comments.append(made)
    return made


def _submit(world: World, review: Review, event: str) -> None:
    review.submitted_at = review.pull.updated_at = world.tick()
    review.state = EVENTS[event]
    requested = review.pull.requested_reviewers
    if review.author in requested:
        requested.remove(review.author)


def _remove_comment(world: World, made: ReviewComment) -> None:
    made.review.comments.remove(made)
    made.thread.comments.remove(made)
    world.forget(made)
    if not made.thread.comments:
        made.thread.pull.threads.remove(made.thread)
        world.forget(made.thread)


def _remove_review(world: World, review: Review) -> None:
    review.pull.reviews.remove(review)
    world.forget(review)
