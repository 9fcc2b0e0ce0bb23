"""REST: reviews, which cannot have threads on whole files and of whose drafts only the summary can change."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import reviews
from tests.fakes.github.answers import Json
from tests.fakes.github.entities import Side
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.refusals import Invalid, unprocessable

_COMMENT_KEYS = frozenset({"path", "body", "position", "line", "side", "start_line", "start_side"})


def _list_reviews(call: Call) -> Answer:
    call.require("pull_requests")
    return call.page(call.world.visible_reviews(call.caller, call.pull), call.answers.review)


def _create_review(call: Call) -> Answer:
    fields = call.fields
    made = reviews.create(
        call.world,
        call.caller,
        call.pull,
        body=fields.get("body") or "",
        event=fields.get("event"),
        commit_id=fields.get("commit_id"),
        threads=[_new_thread(call, entry) for entry in fields.get("comments") or ()],
    )
    return Answer(200, call.answers.review(made))


def _get_review(call: Call) -> Answer:
    call.require("pull_requests")
    return Answer(200, call.answers.review(call.review))


def _update_review(call: Call) -> Answer:
    updated = reviews.update(call.world, call.caller, call.review, call.text("body", "PullRequestReview"))
    return Answer(200, call.answers.review(updated))


def _delete_review(call: Call) -> Answer:
    review = call.review
    reviews.delete(call.world, call.caller, review)
    return Answer(200, call.answers.review(review))


def _list_review_comments(call: Call) -> Answer:
    call.require("pull_requests")
    return call.page(call.review.comments, call.answers.review_comment_by_position)


def _submit_review(call: Call) -> Answer:
    event = call.fields.get("event")
    if event is None:
        raise unprocessable("Event can't be blank")
    submitted = reviews.submit(call.world, call.caller, call.review, event, call.fields.get("body"))
    return Answer(200, call.answers.review(submitted))


def _dismiss_review(call: Call) -> Answer:
    dismissed = reviews.dismiss(call.world, call.caller, call.review, call.text("message", "PullRequestReview"))
    return Answer(200, call.answers.review(dismissed))


def _new_thread(call: Call, entry: Json) -> reviews.NewThread:
    if unknown := sorted(entry.keys() - _COMMENT_KEYS):
        raise Invalid(f'Invalid request.\n\n"{unknown[0]}" is not a permitted key.')
    if not isinstance(entry.get("path"), str) or not isinstance(entry.get("body"), str):
        raise Invalid('Invalid request.\n\n"path" and "body" weren\'t supplied.')
    return reviews.NewThread(
        path=entry["path"],
        body=entry["body"],
        line=entry.get("line"),
        position=entry.get("position"),
        side=call.choice("side", Side, entry) or Side.RIGHT,
        start_line=entry.get("start_line"),
        start_side=call.choice("start_side", Side, entry),
    )


_REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"
_REVIEW = f"{_REVIEWS}/{{review_id}}"

REVIEW_ROUTES = (
    Route("GET", _REVIEWS, _list_reviews),
    Route("POST", _REVIEWS, _create_review),
    Route("GET", _REVIEW, _get_review),
    Route("PUT", _REVIEW, _update_review),
    Route("DELETE", _REVIEW, _delete_review),
    Route("GET", f"{_REVIEW}/comments", _list_review_comments),
    Route("POST", f"{_REVIEW}/events", _submit_review),
    Route("PUT", f"{_REVIEW}/dismissals", _dismiss_review),
)
