"""Pull requests, what they change, and their reviews, as GraphQL shows them."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from tests.fakes.github import graphql_git as git
from tests.fakes.github.changes import ChangedFile, changed_files
from tests.fakes.github.entities import PullRequest, Review, ReviewComment, Role, Thread, TokenKind
from tests.fakes.github.graphql_call import Call, Fields
from tests.fakes.github.graphql_remarks import as_user, may_update, page_of
from tests.fakes.github.world import visible_to

CHANGES: Final = {"added": "ADDED", "removed": "DELETED", "renamed": "RENAMED", "copied": "COPIED"}


def state_of(pull: PullRequest) -> str:
    """Which REST says in two fields."""
    return "MERGED" if pull.merged_at is not None else pull.state.upper()


def _files(pull: PullRequest, call: Call) -> list[ChangedFile]:
    return changed_files(pull.repository.git, call.world.merge_base(pull), call.world.head_sha(pull))


def _reviews(pull: PullRequest, call: Call) -> list[Review]:
    states, author = call.arguments.get("states"), call.arguments.get("author")
    return [
        review
        for review in call.world.visible_reviews(call.caller, pull)
        if (states is None or review.state in states) and (author is None or review.author.bare_login == author)
    ]


def _latest_reviews(pull: PullRequest) -> list[Review]:
    latest = {review.author.id: review for review in pull.reviews if not review.pending}
    return sorted(latest.values(), key=attrgetter("id"))


def _may_resolve(thread: Thread, call: Call) -> bool:
    if call.caller.kind is TokenKind.INSTALLATION:
        return call.caller.permissions.get("contents") == "write"
    own = call.caller.account in {thread.pull.author, thread.comments[0].author}
    return own or call.world.role(thread.pull.repository, call.caller.account) >= Role.WRITE


PULL_REQUEST: Fields[PullRequest] = {
    "databaseId": lambda pull, _: pull.pull_id,
    "fullDatabaseId": lambda pull, _: str(pull.pull_id),
    "additions": lambda pull, call: sum(file.additions for file in _files(pull, call)),
    "baseRef": lambda pull, _: git.find_ref(pull.repository, pull.base_ref),
    "baseRefName": lambda pull, _: pull.base_ref,
    "baseRefOid": lambda pull, call: call.world.base_sha(pull),
    "baseRepository": lambda pull, _: pull.repository,
    "changedFiles": lambda pull, call: len(_files(pull, call)),
    "closingIssuesReferences": lambda pull, call: call.page(sorted(pull.closes, key=attrgetter("id"))),
    "commits": lambda pull, call: call.page(
        {"id": f"PRC_{commit.oid}", "commit": commit, "pullRequest": pull}
        for commit in git.commits_of(pull, call.world)
    ),
    "deletions": lambda pull, call: sum(file.deletions for file in _files(pull, call)),
    "files": lambda pull, call: call.page(_files(pull, call)),
    "headRef": lambda pull, _: pull.head_repository and git.find_ref(pull.head_repository, pull.head_ref),
    "headRefName": lambda pull, _: pull.head_ref,
    "headRefOid": lambda pull, call: call.world.head_sha(pull),
    "headRepository": lambda pull, _: pull.head_repository,
    "headRepositoryOwner": lambda pull, _: pull.head_repository and pull.head_repository.owner,
    "isCrossRepository": lambda pull, _: pull.head_repository is not pull.repository,
    "isDraft": lambda pull, _: pull.draft,
    "latestReviews": lambda pull, call: call.page(_latest_reviews(pull)),
    "maintainerCanModify": lambda _, __: False,
    "mergeable": lambda _, __: "MERGEABLE",
    "merged": lambda pull, _: pull.merged_at is not None,
    "mergedAt": lambda pull, _: pull.merged_at,
    "permalink": lambda pull, call: call.web + page_of(pull),
    "reviewDecision": lambda _, __: None,  # null unless the branch is protected, and none is here
    "reviewRequests": lambda pull, call: call.page(
        {"requestedReviewer": account, "pullRequest": pull, "asCodeOwner": False}
        for account in pull.requested_reviewers
    ),
    "reviewThreads": lambda pull, call: call.page(call.world.visible_threads(call.caller, pull)),
    "reviews": lambda pull, call: call.page(_reviews(pull, call)),
    "state": lambda pull, _: state_of(pull),
}
CHANGED_FILE: Fields[ChangedFile] = {
    "additions": lambda file, _: file.additions,
    "changeType": lambda file, _: CHANGES.get(file.status, "MODIFIED"),
    "deletions": lambda file, _: file.deletions,
    "path": lambda file, _: file.path,
    "viewerViewedState": lambda _, __: "UNVIEWED",
}
REVIEW: Fields[Review] = {
    "authorCanPushToRepository": lambda review, call: (
        call.world.role(review.pull.repository, review.author) >= Role.WRITE
    ),
    "comments": lambda review, call: call.page(review.comments),
    "commit": lambda review, _: git.Commit(review.pull.repository, review.commit_id),
    "publishedAt": lambda review, _: review.submitted_at,
    "pullRequest": lambda review, _: review.pull,
    "state": lambda review, _: review.state,
    "submittedAt": lambda review, _: review.submitted_at,
    "viewerCanDelete": lambda review, call: review.pending and review.author is call.caller.account,
}
REVIEW_COMMENT: Fields[ReviewComment] = {
    "commit": lambda comment, _: git.Commit(comment.thread.pull.repository, comment.review.commit_id),
    "diffHunk": lambda comment, _: comment.thread.diff_hunk,
    "draftedAt": lambda comment, _: comment.created_at,
    "line": lambda comment, _: comment.thread.line,
    "originalCommit": lambda comment, _: git.Commit(comment.thread.pull.repository, comment.thread.original_commit),
    "originalLine": lambda comment, _: comment.thread.original_line,
    "originalStartLine": lambda comment, _: comment.thread.original_start_line,
    "outdated": lambda comment, _: comment.thread.outdated,
    "path": lambda comment, _: comment.thread.path,
    "publishedAt": lambda comment, _: comment.review.submitted_at,
    "pullRequest": lambda comment, _: comment.thread.pull,
    "pullRequestReview": lambda comment, _: comment.review,
    "replyTo": lambda comment, _: comment.reply_to,
    "startLine": lambda comment, _: comment.thread.start_line,
    "state": lambda comment, _: "PENDING" if comment.pending else "SUBMITTED",
    "subjectType": lambda comment, _: comment.thread.subject_type,
    "viewerCanDelete": may_update,
}
REVIEW_THREAD: Fields[Thread] = {
    "id": lambda thread, _: thread.node_id,
    "comments": lambda thread, call: call.page(
        comment for comment in thread.comments if visible_to(call.caller.account, comment)
    ),
    "diffSide": lambda thread, _: thread.side,
    "isCollapsed": lambda thread, _: thread.resolved_by is not None or thread.outdated,
    "isOutdated": lambda thread, _: thread.outdated,
    "isResolved": lambda thread, _: thread.resolved_by is not None,
    "line": lambda thread, _: thread.line,
    "originalLine": lambda thread, _: thread.original_line,
    "originalStartLine": lambda thread, _: thread.original_start_line,
    "path": lambda thread, _: thread.path,
    "pullRequest": lambda thread, _: thread.pull,
    "repository": lambda thread, _: thread.pull.repository,
    "resolvedBy": lambda thread, _: as_user(thread.resolved_by),
    "startDiffSide": lambda thread, _: thread.start_side,
    "startLine": lambda thread, _: thread.start_line,
    "subjectType": lambda thread, _: thread.subject_type,
    "viewerCanReply": lambda _, __: True,
    "viewerCanResolve": lambda thread, call: thread.resolved_by is None and _may_resolve(thread, call),
    "viewerCanUnresolve": lambda thread, call: thread.resolved_by is not None and _may_resolve(thread, call),
}
