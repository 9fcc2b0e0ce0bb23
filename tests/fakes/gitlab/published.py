"""What the published API of GitLab has at each path: the parameters, their types, and which of them are required.

A real GitLab ignores what it does not know, so a client learns of no misspelt name; here it does. The table is our own
reading of the reference pages. ``name*`` is required, ``name:int`` has a type, ``name:a|b`` has values, and
``name:int@19.2`` came with that version: older ones ignore it, as they ignore any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.gitlab.refusals import BadParameter
from tests.fakes.gitlab.world import World

_PROJECT = "/projects/{id}"
_MR = "/projects/{id}/merge_requests/{iid}"
_DISCUSSION = f"{_MR}/discussions/{{discussion_id}}"
_DRAFT = f"{_MR}/draft_notes/{{draft_id}}"
_COMMIT = "/projects/{id}/repository/commits/{sha}"
_AWARDS = f"{_MR}/notes/{{note_id}}/award_emoji"
_MEMBERS = "query user_ids:list skip_users:list"
_MRS = """
    state:opened|closed|locked|merged|all order_by:created_at|updated_at|merged_at|title|label_priority|milestone_due
    sort:asc|desc milestone labels with_labels_details:bool with_merge_status_recheck:bool created_after created_before
    updated_after updated_before scope view author_id author_username assignee_id assignee_username reviewer_id
    reviewer_username approved_by_ids approved_by_usernames approver_ids my_reaction_emoji source_branch
    source_project_id:int target_branch search in wip draft:bool not:hash environment deployed_before deployed_after
    approved render_html:bool iids:list merge_user_id:int merge_user_username
"""
_STATUS = "state* ref name context target_url description coverage:float pipeline_id:int"
_NOTE = "body* created_at"

PARAMETERS: Final[Mapping[str, str]] = {
    "GET /version": "",
    "GET /metadata": "",
    "GET /user": "",
    "GET /users": "username search active:bool external:bool blocked:bool humans:bool order_by sort",
    "GET /users/{user_id}": "with_custom_attributes:bool",
    "GET /personal_access_tokens/self": "",
    f"GET {_PROJECT}": "license:bool statistics:bool with_custom_attributes:bool",
    f"GET {_PROJECT}/approvals": "",
    f"GET {_PROJECT}/hooks": "",
    f"GET {_PROJECT}/variables/{{key}}": "filter:hash",
    f"GET {_PROJECT}/members": _MEMBERS,
    f"GET {_PROJECT}/members/all": f"{_MEMBERS} state show_seat_info:bool",
    f"GET {_PROJECT}/members/{{user_id}}": "",
    f"GET {_PROJECT}/members/all/{{user_id}}": "",
    f"GET {_PROJECT}/labels": "with_counts:bool include_ancestor_groups:bool search archived:bool",
    f"GET {_PROJECT}/issues": "state labels iids:list search scope order_by sort updated_after created_after author_id",
    f"GET {_PROJECT}/issues/{{issue_iid}}": "",
    f"POST {_PROJECT}/trigger/pipeline": "ref* token* variables:hash inputs:hash",
    f"POST {_PROJECT}/ref/{{ref*}}/trigger/pipeline": "token* variables:hash inputs:hash",
    f"POST {_PROJECT}/statuses/{{sha}}": _STATUS,
    "GET /groups/{id}": "with_custom_attributes:bool with_projects:bool",
    "GET /groups/{id}/members": _MEMBERS,
    "GET /groups/{id}/members/all": f"{_MEMBERS} state show_seat_info:bool",
    "GET /groups/{id}/members/{user_id}": "",
    "GET /groups/{id}/members/all/{user_id}": "",
    f"GET {_PROJECT}/repository/files/{{path}}": "ref*",
    f"GET {_PROJECT}/repository/files/{{path}}/raw": "ref lfs:bool",
    f"GET {_PROJECT}/repository/tree": "path ref recursive:bool pagination page_token",
    f"GET {_PROJECT}/repository/branches": "search regex sort page_token",
    f"GET {_PROJECT}/repository/branches/{{branch*}}": "",
    f"GET {_PROJECT}/repository/commits": "ref_name since until path author all:bool first_parent:bool order trailers",
    f"GET {_COMMIT}": "stats:bool",
    f"GET {_COMMIT}/diff": "unidiff:bool",
    f"GET {_COMMIT}/statuses": "ref stage name pipeline_id:int order_by sort all:bool",
    f"GET {_COMMIT}/merge_requests": "state",
    f"GET {_PROJECT}/repository/compare": "from* to* from_project_id:int straight:bool unidiff:bool",
    f"GET {_PROJECT}/repository/merge_base": "refs*:list",
    f"GET {_PROJECT}/merge_requests": _MRS,
    f"GET {_MR}": "render_html:bool include_diverged_commits_count:bool include_rebase_in_progress:bool",
    f"PUT {_MR}": """
        title target_branch state_event:close|reopen description assignee_id:int assignee_ids:list reviewer_ids:list
        labels add_labels remove_labels milestone_id:int remove_source_branch:bool squash:bool discussion_locked:bool
        allow_collaboration:bool allow_maintainer_to_push:bool merge_after
    """,
    f"GET {_MR}/participants": "",
    f"GET {_MR}/reviewers": "",
    f"GET {_MR}/commits": "",
    f"GET {_MR}/changes": "access_raw_diffs:bool unidiff:bool render_html:bool",
    f"GET {_MR}/diffs": "unidiff:bool",
    f"GET {_MR}/raw_diffs": "",
    f"GET {_MR}/versions": "",
    f"GET {_MR}/versions/{{version_id}}": "unidiff:bool",
    f"GET {_MR}/closes_issues": "",
    f"GET {_MR}/related_issues": "",
    f"GET {_MR}/pipelines": "",
    f"GET {_MR}/approvals": "",
    f"GET {_MR}/approval_state": "",
    f"POST {_MR}/approve": "sha approval_password publish_review:bool",
    f"POST {_MR}/unapprove": "",
    f"PUT {_MR}/reset_approvals": "",
    f"GET {_MR}/notes": "order_by:created_at|updated_at sort:asc|desc activity_filter",
    f"POST {_MR}/notes": f"{_NOTE} internal:bool confidential:bool merge_request_diff_head_sha",
    f"GET {_MR}/notes/{{note_id}}": "",
    f"PUT {_MR}/notes/{{note_id}}": "body confidential:bool",
    f"DELETE {_MR}/notes/{{note_id}}": "",
    f"GET {_AWARDS}": "",
    f"POST {_AWARDS}": "name*",
    f"GET {_AWARDS}/{{award_id}}": "",
    f"DELETE {_AWARDS}/{{award_id}}": "",
    f"GET {_MR}/discussions": "",
    f"POST {_MR}/discussions": f"{_NOTE} commit_id position:position",
    f"GET {_DISCUSSION}": "",
    f"PUT {_DISCUSSION}": "resolved*:bool",
    f"GET {_DISCUSSION}/notes": "",
    f"POST {_DISCUSSION}/notes": _NOTE,
    f"GET {_DISCUSSION}/notes/{{note_id}}": "",
    f"PUT {_DISCUSSION}/notes/{{note_id}}": "body resolved:bool",
    f"DELETE {_DISCUSSION}/notes/{{note_id}}": "",
    f"GET {_MR}/draft_notes": "",
    f"POST {_MR}/draft_notes": """
        note* in_reply_to_discussion_id commit_id resolve_discussion:bool position:position
    """,
    f"POST {_MR}/draft_notes/bulk_publish": """
        reviewer_state:requested_changes|reviewed@19.2 note@19.2 internal:bool@19.2
    """,
    f"GET {_DRAFT}": "",
    f"PUT {_DRAFT}": "note position:position",
    f"DELETE {_DRAFT}": "",
    f"PUT {_DRAFT}/publish": "",
}
"""By method and path, whose parameters are in braces."""

POSITION: Final = """
    base_sha* start_sha* head_sha* position_type*:text|image|file new_path new_line:int old_path old_line:int
    width:int height:int x:float y:float line_range:range
"""
_RANGE: Final = "start:end end:end"
_END: Final = "line_code type old_line new_line"
_NESTED: Final = {"position": POSITION, "range": _RANGE, "end": _END}
PAGING: Final = frozenset({"page", "per_page"})
"""Clients send them with every list; where a list has no pages, GitLab does not mind them."""

_ENTRY = re.compile(r"(?P<name>\w+)(?P<required>\*)?(?::(?P<kind>[\w|]+))?(?:@(?P<since>[\d.]+))?")


@dataclass(frozen=True)
class Parameter:
    """One parameter; `kind` is a type, or values with ``|`` between them."""

    name: str
    required: bool
    kind: str
    since: str | None


@dataclass
class Reading:
    """The parameters of one request, as they were understood.

    Attributes:
        values: Those that the endpoint has, with their types.
        strange: What the endpoint does not have, or not so.
    """

    values: dict[str, Any] = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)


def parameters(described: str) -> Iterator[Parameter]:
    """The parameters in a line of the table."""
    for entry in described.split():
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise AssertionError(f"cannot read {entry}")
        yield Parameter(found["name"], bool(found["required"]), found["kind"] or "string", found["since"])


def read(world: World, described: str, sent: Mapping[str, Any], *, inside: str = "") -> Reading:
    """Read what was sent by a line of the table; paging is known everywhere.

    Raises:
        BadParameter: With GitLab's words, of something that is missing or cannot be read.
    """
    known = {each.name: each for each in parameters(described)}
    reading = Reading()
    for name, value in sent.items():
        shown = f"{inside}[{name}]" if inside else name
        parameter = known.get(name)
        if parameter is None:
            if inside or name not in PAGING:
                reading.strange.append(shown)
            else:
                reading.values[name] = value
        elif parameter.since is None or world.since(parameter.since):
            reading.values[name] = _convert(world, parameter.kind, value, shown, reading)
    for parameter in known.values():
        if parameter.required and reading.values.get(parameter.name) is None:
            raise BadParameter(f"{f'{inside}[{parameter.name}]' if inside else parameter.name} is missing")
    return reading


def _convert(world: World, kind: str, value: Any, name: str, reading: Reading) -> Any:  # noqa: ANN401, JSON
    if value is None:
        return None
    if kind in _NESTED:
        if not isinstance(value, Mapping):
            raise BadParameter(f"{name} is invalid")
        inner = read(world, _NESTED[kind], value, inside=name)
        reading.strange += inner.strange
        return inner.values
    if "|" in kind:
        if str(value) not in kind.split("|"):
            raise BadParameter(f"{name} does not have a valid value")
        return str(value)
    return _scalar(kind, value, name)


def _scalar(kind: str, value: Any, name: str) -> Any:  # noqa: ANN401, JSON
    try:
        match kind:
            case "int":
                return int(str(value))
            case "float":
                return float(str(value))
            case "bool":
                return {"true": True, "1": True, "false": False, "0": False}[str(value).lower()]
            case "list":
                return value if isinstance(value, list) else [part for part in str(value).split(",") if part]
            case "hash":
                return dict(value)
    except (KeyError, TypeError, ValueError):
        raise BadParameter(f"{name} is invalid") from None
    return value if isinstance(value, str | list) else str(value)
