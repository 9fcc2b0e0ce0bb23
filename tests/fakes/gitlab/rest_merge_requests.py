"""REST: merge requests, their reviewers and approvals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from tests.fakes.forge_http.messages import Answer
from tests.fakes.gitlab import drafts, merge_requests, reviewing
from tests.fakes.gitlab.access import level_of, require_code
from tests.fakes.gitlab.entities import MergeRequest
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.people import Level, User
from tests.fakes.gitlab.refusals import BadParameter, Failed, Unauthorized


def _list_merge_requests(call: Call) -> Answer:
    """Newest first unless asked otherwise."""
    project, values = call.project, call.values
    require_code(project, call.caller.user)
    found = [each for each in project.merge_requests.values() if _is_wanted(call, each)]
    by_update = values.get("order_by") == "updated_at"
    found.sort(key=lambda each: (each.updated_at if by_update else each.created_at, each.id))
    if values.get("sort", "desc") == "desc":
        found.reverse()
    return call.page(found, call.answers.merge_request_in_list)


def _is_wanted(call: Call, one: MergeRequest) -> bool:
    values = call.values
    labels = merge_requests.label_names(values.get("labels"))
    iids = [int(str(iid)) for iid in values.get("iids") or ()]
    exact = {
        "author_username": one.author.username,
        "source_branch": one.source_branch,
        "target_branch": one.target_branch,
        "draft": one.draft,
    }
    return (
        values.get("state", "all") in {"all", one.state}
        and set(labels) <= set(one.labels)
        and (not iids or one.iid in iids)
        and all(values.get(name) in {None, value} for name, value in exact.items())
        and _is_between(one.updated_at, values.get("updated_after"), values.get("updated_before"))
        and _is_between(one.created_at, values.get("created_after"), values.get("created_before"))
        and values.get("reviewer_username") in {None, *(each.user.username for each in one.reviewers)}
    )


def _is_between(moment: datetime, after: str | None, before: str | None) -> bool:
    """Whether a time is in a range that has both of its ends."""
    return (after is None or moment >= _moment(after)) and (before is None or moment <= _moment(before))


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise BadParameter("updated_after is invalid") from None


def _get_merge_request(call: Call) -> Answer:
    return Answer(200, call.answers.merge_request(call.merge_request))


def _update_merge_request(call: Call) -> Answer:
    named = {name: value for name, value in call.values.items() if name not in {"page", "per_page"}}
    if not named:
        raise BadParameter("assignee_id, assignee_ids, description, labels, title are missing, at least one parameter")
    merge_requests.update(call.world, call.user, call.merge_request, named)
    return Answer(200, call.answers.merge_request(call.merge_request))


def _list_participants(call: Call) -> Answer:
    one = call.merge_request
    people = [one.author, *one.assignees, *(note.author for note in one.notes if not note.system)]
    return call.page(list(dict.fromkeys(people)), call.answers.user)


def _list_reviewers(call: Call) -> Answer:
    return call.page(call.merge_request.reviewers, call.answers.reviewer)


def _list_issues(call: Call) -> Answer:
    return call.page(call.merge_request.closes, call.answers.issue)


def _list_pipelines(call: Call) -> Answer:
    """None: the simulator runs no pipeline of its own."""
    return call.page(call.merge_request.notes[:0], call.answers.note)


def _get_approvals(call: Call) -> Answer:
    return Answer(200, call.answers.approvals(call.merge_request))


def _get_approval_state(call: Call) -> Answer:
    return Answer(200, {"approval_rules_overwritten": False, "rules": []}) if call.merge_request else Answer(404)


def _approve(call: Call) -> Answer:
    if call.values.get("publish_review"):
        _publish_quietly(call)
    reviewing.approve(call.world, call.merge_request, call.user, call.values.get("sha"))
    return Answer(201, call.answers.approvals(call.merge_request))


def _publish_quietly(call: Call) -> None:
    """Publish the drafts of the caller before an approval that can be given; whether it worked is not told."""
    reviewing.check_sha(call.world, call.merge_request, call.values.get("sha"))
    try:
        drafts.publish(call.world, call.user, call.merge_request)
    except Failed:
        return


def _unapprove(call: Call) -> Answer:
    reviewing.unapprove(call.world, call.merge_request, call.user)
    return Answer(201, call.answers.approvals(call.merge_request))


def _reset_approvals(call: Call) -> Answer:
    """For bots of projects and groups alone."""
    merge_request = call.merge_request
    if not _may_reset(merge_request, call.user) or merge_request.state == "merged":
        raise Unauthorized
    call.world.tick()
    merge_request.approvals.clear()
    return Answer(202)


def _may_reset(merge_request: MergeRequest, user: User) -> bool:
    return user.bot and level_of(merge_request.project, user) >= Level.DEVELOPER


_MR = "/projects/{id}/merge_requests/{iid}"


def _open(path: str, handler: Callable[[Call], Answer]) -> Route:
    """A read that a public project answers to everybody."""
    return Route("GET", f"{_MR}{path}", handler, anonymous=True)


MERGE_REQUEST_ROUTES = (
    Route("GET", "/projects/{id}/merge_requests", _list_merge_requests, anonymous=True, job_token=True),
    Route("GET", _MR, _get_merge_request, anonymous=True, job_token=True),
    Route("PUT", _MR, _update_merge_request),
    _open("/participants", _list_participants),
    _open("/reviewers", _list_reviewers),
    _open("/closes_issues", _list_issues),
    _open("/related_issues", _list_issues),
    _open("/pipelines", _list_pipelines),
    _open("/approvals", _get_approvals),
    _open("/approval_state", _get_approval_state),
    Route("POST", f"{_MR}/approve", _approve),
    Route("POST", f"{_MR}/unapprove", _unapprove),
    Route("PUT", f"{_MR}/reset_approvals", _reset_approvals),
)
