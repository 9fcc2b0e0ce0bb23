"""What each GraphQL mutation does: it reads the input, lets a rule act, and shows what came of it.

The rules are `reviews` and `comments`, the same as REST's; a rule that refuses has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from tests.fakes.github import comments, reviewers, reviews
from tests.fakes.github.entities import (
    Account,
    Issue,
    IssueComment,
    PullRequest,
    Remark,
    Review,
    ReviewComment,
    Side,
    SubjectType,
    Thread,
)
from tests.fakes.github.graphql_call import Call, Fields, NotSimulated
from tests.fakes.github.graphql_remarks import REACTIONS, reaction_groups, repository_of
from tests.fakes.github.refusals import BadAnchor, NotFound, unprocessable
from tests.fakes.github.reviews import NewThread

T = TypeVar("T")
Input = Mapping[str, Any]
Payload = dict[str, object]


def _add_review(given: Input, call: Call) -> Payload:
    if given.get("comments"):
        raise NotSimulated("comments by position; use threads")
    review = reviews.create(
        call.world,
        call.caller,
        _find(call, given["pullRequestId"], PullRequest),
        body=given.get("body") or "",
        event=given.get("event"),
        commit_id=given.get("commitOID"),
        threads=[_new_thread(thread) for thread in given.get("threads") or ()],
    )
    return {"pullRequestReview": review}


def _add_thread(given: Input, call: Call) -> Payload:
    """In the caller's draft, or in a new one where only the pull request is named."""
    if given.get("pullRequestReviewId"):
        pull = _find_draft(call, given).pull
    else:
        pull = _find(call, given.get("pullRequestId") or "", PullRequest)
    try:
        return {"thread": reviews.add_thread(call.world, call.caller, pull, _new_thread(given))}
    except BadAnchor:
        if call.world.null_threads:
            return {"thread": None}
        raise


def _reply(given: Input, call: Call) -> Payload:
    thread = _find(call, given["pullRequestReviewThreadId"], Thread)
    if given.get("pullRequestReviewId"):
        _find_draft(call, given)
    return {"comment": reviews.reply(call.world, call.caller, thread, given["body"])}


def _update_review_comment(given: Input, call: Call) -> Payload:
    comment = _find(call, given["pullRequestReviewCommentId"], ReviewComment)
    return {"pullRequestReviewComment": reviews.edit_comment(call.world, call.caller, comment, given["body"])}


def _delete_review_comment(given: Input, call: Call) -> Payload:
    comment = _find(call, given["id"], ReviewComment)
    reviews.delete_comment(call.world, call.caller, comment)
    return {"pullRequestReview": comment.review, "pullRequestReviewComment": comment}


def _submit_review(given: Input, call: Call) -> Payload:
    if given.get("pullRequestReviewId"):
        review = _find(call, given["pullRequestReviewId"], Review)
    else:
        pull = _find(call, given.get("pullRequestId") or "", PullRequest)
        found = reviews.pending_review(call.caller.account, pull)
        if found is None:
            raise NotFound("Could not find a pending review for this pull request.")
        review = found
    return {"pullRequestReview": reviews.submit(call.world, call.caller, review, given["event"], given.get("body"))}


def _delete_review(given: Input, call: Call) -> Payload:
    review = _find(call, given["pullRequestReviewId"], Review)
    reviews.delete(call.world, call.caller, review)
    return {"pullRequestReview": review}


def _update_review(given: Input, call: Call) -> Payload:
    review = _find(call, given["pullRequestReviewId"], Review)
    return {"pullRequestReview": reviews.update(call.world, call.caller, review, given["body"])}


def _dismiss_review(given: Input, call: Call) -> Payload:
    review = _find(call, given["pullRequestReviewId"], Review)
    return {"pullRequestReview": reviews.dismiss(call.world, call.caller, review, given["message"])}


def _resolve(given: Input, call: Call) -> Payload:
    thread = _find(call, given["threadId"], Thread)
    return {"thread": reviews.resolve(call.world, call.caller, thread, resolved=True)}


def _unresolve(given: Input, call: Call) -> Payload:
    thread = _find(call, given["threadId"], Thread)
    return {"thread": reviews.resolve(call.world, call.caller, thread, resolved=False)}


def _request_reviews(given: Input, call: Call) -> Payload:
    if given.get("teamIds"):
        raise NotSimulated("teams as reviewers")
    pull = _find(call, given["pullRequestId"], PullRequest)
    people = [_find(call, node_id, Account) for node_id in given.get("userIds") or ()]
    reviewers.request(call.world, call.caller, pull, people, union=given["union"])
    return {"pullRequest": pull, "actor": call.caller.account}


def _add_comment(given: Input, call: Call) -> Payload:
    issue = _find(call, given["subjectId"], Issue)
    comment = comments.create(call.world, call.caller, issue, given["body"])
    return {"commentEdge": {"node": comment}, "subject": issue}


def _update_issue_comment(given: Input, call: Call) -> Payload:
    comment = _find(call, given["id"], IssueComment)
    return {"issueComment": comments.edit(call.world, call.caller, comment, given["body"])}


def _delete_issue_comment(given: Input, call: Call) -> Payload:
    comments.delete(call.world, call.caller, _find(call, given["id"], IssueComment))
    return {}


def _minimize(given: Input, call: Call) -> Payload:
    remark = _find(call, given["subjectId"], Remark)
    comments.minimize(call.world, call.caller, repository_of(remark), remark, given["classifier"])
    return {"minimizedComment": remark}


def _add_reaction(given: Input, call: Call) -> Payload:
    remark = _find(call, given["subjectId"], Remark)
    content = REACTIONS[given["content"]]
    reaction, _ = comments.react(call.world, call.caller, repository_of(remark), remark, content)
    return {"reaction": reaction, "subject": remark, "reactionGroups": reaction_groups(remark, call)}


def _new_thread(given: Input) -> NewThread:
    """A thread of either input type; the sides have defaults in the schema."""
    ranged = given.get("startLine") is not None
    return NewThread(
        path=given["path"],
        body=given["body"],
        line=given.get("line"),
        side=Side(given["side"]),
        start_line=given.get("startLine"),
        start_side=Side(given["startSide"]) if ranged else None,
        subject_type=SubjectType(given.get("subjectType") or SubjectType.LINE),
    )


def _find_draft(call: Call, given: Input) -> Review:
    review = _find(call, given["pullRequestReviewId"], Review)
    if not review.pending:
        raise unprocessable("Pull request review is not pending")
    return review


def _find(call: Call, node_id: str, kind: type[T]) -> T:
    found = call.world.node(call.caller, node_id)
    if not isinstance(found, kind):
        raise NotFound(f"Could not resolve to {kind.__name__} node with the global id of '{node_id}'.")
    return found


def _resolver(act: Callable[[Input, Call], Payload]) -> Callable[[None, Call], object]:
    def resolve(_: None, call: Call) -> Payload:
        given = call.arguments["input"]
        return {"clientMutationId": given.get("clientMutationId"), **act(given, call)}

    return resolve


_ACTIONS: Final = {
    "addComment": _add_comment,
    "addPullRequestReview": _add_review,
    "addPullRequestReviewThread": _add_thread,
    "addPullRequestReviewThreadReply": _reply,
    "addReaction": _add_reaction,
    "deleteIssueComment": _delete_issue_comment,
    "deletePullRequestReview": _delete_review,
    "deletePullRequestReviewComment": _delete_review_comment,
    "dismissPullRequestReview": _dismiss_review,
    "minimizeComment": _minimize,
    "requestReviews": _request_reviews,
    "resolveReviewThread": _resolve,
    "submitPullRequestReview": _submit_review,
    "unresolveReviewThread": _unresolve,
    "updateIssueComment": _update_issue_comment,
    "updatePullRequestReview": _update_review,
    "updatePullRequestReviewComment": _update_review_comment,
}

MUTATION: Final[Fields[None]] = {name: _resolver(act) for name, act in _ACTIONS.items()}
