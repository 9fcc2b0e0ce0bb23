"""REST: issues, their comments, and the reactions to these and to review comments."""

from __future__ import annotations

from collections.abc import Iterable

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import comments
from tests.fakes.github.answers import Json
from tests.fakes.github.entities import IssueComment, Remark
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.refusals import validation_failed

_READERS = ("issues", "pull_requests")


def _get_issue(call: Call) -> Answer:
    call.require(*_READERS)
    return Answer(200, call.answers.issue(call.issue))


def _list_labels(call: Call) -> Answer:
    call.require(*_READERS)
    return call.page(call.issue.labels, lambda label: call.answers.label(label, call.repository))


def _list_comments(call: Call) -> Answer:
    """Oldest first, with ``since`` by the time of the last change."""
    call.require(*_READERS)
    return call.page(_since(call, call.issue.comments), lambda comment: comment)


def _list_all_comments(call: Call) -> Answer:
    """Of the whole repository, oldest first unless asked otherwise."""
    call.require(*_READERS)
    everywhere = [comment for issue in call.repository.issues.values() for comment in issue.comments]
    order = "updated_at" if call.request.query.get("sort") == "updated" else "created_at"
    newest_first = call.request.query.get("direction", "asc") == "desc"
    shown = sorted(_since(call, everywhere), key=lambda comment: (comment[order], comment["id"]), reverse=newest_first)
    return call.page(shown, lambda comment: comment)


def _create_comment(call: Call) -> Answer:
    made = comments.create(call.world, call.caller, call.issue, call.text("body", "IssueComment"))
    return Answer(201, call.answers.issue_comment(made))


def _get_comment(call: Call) -> Answer:
    call.require(*_READERS)
    return Answer(200, call.answers.issue_comment(_comment(call)))


def _edit_comment(call: Call) -> Answer:
    edited = comments.edit(call.world, call.caller, _comment(call), call.text("body", "IssueComment"))
    return Answer(200, call.answers.issue_comment(edited))


def _delete_comment(call: Call) -> Answer:
    comments.delete(call.world, call.caller, _comment(call))
    return Answer(204)


def _list_reactions(call: Call) -> Answer:
    call.require(*_READERS)
    content = call.request.query.get("content")
    chosen = [reaction for reaction in _remark(call).reactions if content in {None, reaction.content}]
    return call.page(chosen, call.answers.reaction)


def _create_reaction(call: Call) -> Answer:
    content = call.text("content", "Reaction")
    reaction, new = comments.react(call.world, call.caller, call.repository, _remark(call), content)
    return Answer(201 if new else 200, call.answers.reaction(reaction))


def _delete_reaction(call: Call) -> Answer:
    number = int(call.parts["reaction_id"])
    comments.remove_reaction(call.world, call.caller, call.repository, _remark(call), number)
    return Answer(204)


def _create_issue(call: Call) -> Answer:
    call.require("issues", level="write")
    title = call.text("title", "Issue")
    if not title.strip():
        raise validation_failed("Issue", "title", "title can't be blank", code="missing_field")
    made = call.world.open_issue(call.repository, call.caller.account, title, call.fields.get("body") or "")
    return Answer(201, call.answers.issue(made))


def _comment(call: Call) -> IssueComment:
    return call.world.issue_comment(call.repository, int(call.parts["comment_id"]))


def _remark(call: Call) -> Remark:
    """What the reaction is to, by the path."""
    if "review_comment_id" in call.parts:
        return call.world.review_comment(call.caller, call.repository, int(call.parts["review_comment_id"]))
    return _comment(call) if "comment_id" in call.parts else call.issue


def _since(call: Call, comments: Iterable[IssueComment]) -> list[Json]:
    since = call.request.query.get("since", "")
    return [shown for shown in map(call.answers.issue_comment, comments) if shown["updated_at"] >= since]


_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"

ISSUE_ROUTES = (
    Route("POST", "/repos/{owner}/{repo}/issues", _create_issue),
    Route("GET", _ISSUE, _get_issue),
    Route("GET", f"{_ISSUE}/labels", _list_labels),
    Route("GET", f"{_ISSUE}/comments", _list_comments),
    Route("POST", f"{_ISSUE}/comments", _create_comment),
    Route("GET", _COMMENT, _get_comment),
    Route("PATCH", _COMMENT, _edit_comment),
    Route("DELETE", _COMMENT, _delete_comment),
    Route("GET", "/repos/{owner}/{repo}/issues/comments", _list_all_comments),
    *(
        route
        for place in (_ISSUE, _COMMENT, "/repos/{owner}/{repo}/pulls/comments/{review_comment_id}")
        for route in (
            Route("GET", f"{place}/reactions", _list_reactions),
            Route("POST", f"{place}/reactions", _create_reaction),
            Route("DELETE", f"{place}/reactions/{{reaction_id}}", _delete_reaction),
        )
    ),
)
