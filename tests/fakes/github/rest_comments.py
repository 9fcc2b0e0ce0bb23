"""REST: review comments one by one, which knows nothing of drafts: theirs are 404, and beside one it says 422."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import reviews
from tests.fakes.github.entities import ReviewComment, Side, SubjectType
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.refusals import BadAnchor, Invalid, NotFound, validation_failed

_RESOURCE = "PullRequestReviewComment"


def _list_comments(call: Call) -> Answer:
    """Of the whole pull request, without drafts, oldest first."""
    call.require("pull_requests")
    public = [made for made in call.world.visible_comments(call.caller, call.pull) if not made.pending]
    if call.request.query.get("direction") == "desc":
        public.reverse()
    return call.page(public, call.answers.review_comment)


def _create_comment(call: Call) -> Answer:
    if (parent := call.fields.get("in_reply_to")) is not None:
        return _reply(call, int(parent))
    try:
        made = reviews.comment(call.world, call.caller, call.pull, _new_thread(call), call.text("commit_id", _RESOURCE))
    except BadAnchor as refusal:
        raise _in_objects(refusal) from None
    return Answer(201, call.answers.review_comment(made))


def _create_reply(call: Call) -> Answer:
    return _reply(call, int(call.parts["comment_id"]))


def _reply(call: Call, parent: int) -> Answer:
    pull, body = call.pull, call.text("body", _RESOURCE)
    found = _public(call, parent)
    call.require("pull_requests", level="write")
    reviews.refuse_beside_draft(call.caller, pull)
    if found.thread.pull is not pull:
        raise NotFound
    if found.reply_to is not None:
        raise validation_failed(_RESOURCE, "in_reply_to", "replies to replies are not supported", code="invalid")
    made = reviews.reply(call.world, call.caller, found.thread, body)
    return Answer(201, call.answers.review_comment(made))


def _get_comment(call: Call) -> Answer:
    call.require("pull_requests")
    return Answer(200, call.answers.review_comment(_public(call, int(call.parts["comment_id"]))))


def _edit_comment(call: Call) -> Answer:
    found = _public(call, int(call.parts["comment_id"]))
    edited = reviews.edit_comment(call.world, call.caller, found, call.text("body", _RESOURCE))
    return Answer(200, call.answers.review_comment(edited))


def _delete_comment(call: Call) -> Answer:
    reviews.delete_comment(call.world, call.caller, _public(call, int(call.parts["comment_id"])))
    return Answer(204)


def _public(call: Call, number: int) -> ReviewComment:
    found = call.world.review_comment(call.caller, call.repository, number)
    if found.pending:
        raise NotFound
    return found


def _new_thread(call: Call) -> reviews.NewThread:
    fields = call.fields
    return reviews.NewThread(
        path=call.text("path", _RESOURCE),
        body=call.text("body", _RESOURCE),
        line=fields.get("line"),
        position=fields.get("position"),
        side=call.choice("side", Side) or Side.RIGHT,
        start_line=fields.get("start_line"),
        start_side=call.choice("start_side", Side),
        subject_type=call.choice("subject_type", SubjectType) or SubjectType.LINE,
    )


def _in_objects(refusal: BadAnchor) -> Invalid:
    """The same refusal as this endpoint puts it."""
    field = "pull_request_review_thread.line"
    named = {"resource": _RESOURCE, "code": "custom", "field": field, "message": refusal.graphql_message}
    missing = {"resource": _RESOURCE, "code": "missing_field", "field": "pull_request_review_thread.diff_hunk"}
    return Invalid("Validation Failed", (named, missing))


_COMMENTS = "/repos/{owner}/{repo}/pulls/{pull_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/pulls/comments/{comment_id}"

COMMENT_ROUTES = (
    Route("GET", _COMMENTS, _list_comments),
    Route("POST", _COMMENTS, _create_comment),
    Route("POST", f"{_COMMENTS}/{{comment_id}}/replies", _create_reply),
    Route("GET", _COMMENT, _get_comment),
    Route("PATCH", _COMMENT, _edit_comment),
    Route("DELETE", _COMMENT, _delete_comment),
)
