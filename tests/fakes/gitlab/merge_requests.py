"""GitLab's rules of merge requests themselves: what may be changed by whom, and whether they can be merged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fakes.gitlab import reviewing
from tests.fakes.gitlab.access import may_administer, may_update, require
from tests.fakes.gitlab.entities import MergeRequest
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.refusals import ValidationFailed
from tests.fakes.gitlab.world import World

LONGEST_DESCRIPTION = 1_048_576


def update(world: World, user: User, merge_request: MergeRequest, fields: Mapping[str, Any]) -> None:
    """Change what is named; what only developers may set is left out without a word for an author who is none."""
    require(allowed=may_update(merge_request, user))
    description = str(fields.get("description") or "")
    if len(description) > LONGEST_DESCRIPTION:
        raise ValidationFailed(description=[f"is too long (maximum is {LONGEST_DESCRIPTION} characters)"])
    merge_request.updated_at = world.tick()
    if fields.get("title"):
        merge_request.title = str(fields["title"])
    if "description" in fields:
        merge_request.description = description
    if fields.get("target_branch") and fields["target_branch"] != merge_request.target_branch:
        merge_request.target_branch = str(fields["target_branch"])
        world.add_version(merge_request)
    if may_administer(merge_request, user):
        _administer(world, user, merge_request, fields)
    if event := fields.get("state_event"):
        world.set_state(merge_request, user, str(event))


def status_of(world: World, merge_request: MergeRequest) -> str:
    """The first thing that stands in the way of merging, in GitLab's words."""
    project = merge_request.project
    if merge_request.state != "opened":
        return "not_open"
    if merge_request.draft:
        return "draft_status"
    if project.all_threads_resolved and any(
        each.resolvable and not each.resolved for each in merge_request.discussions
    ):
        return "discussions_not_resolved"
    if world.premium and merge_request.change_requests:
        return "requested_changes"
    if world.premium and len(merge_request.approvals) < project.approvals_required:
        return "not_approved"
    return "mergeable"


def label_names(value: object) -> list[str]:
    """The labels that a parameter names: separated by commas, or a list."""
    names = value if isinstance(value, list) else str(value or "").split(",")
    return [str(name).strip() for name in names if str(name).strip()]


def _administer(world: World, user: User, merge_request: MergeRequest, fields: Mapping[str, Any]) -> None:
    labels = merge_request.labels
    if "labels" in fields:
        labels = label_names(fields["labels"])
    gone = label_names(fields.get("remove_labels"))
    labels = [name for name in [*labels, *label_names(fields.get("add_labels"))] if name not in gone]
    merge_request.labels = list(dict.fromkeys(labels))
    for name in merge_request.labels:
        world.add_label(merge_request.project, name)
    if "reviewer_ids" in fields:
        reviewing.set_reviewers(world, merge_request, _people(world, fields["reviewer_ids"]), user)
    if "assignee_ids" in fields:
        people = _people(world, fields["assignee_ids"])
        merge_request.assignees = people if world.premium else people[:1]
    if "assignee_id" in fields:
        merge_request.assignees = _people(world, [fields["assignee_id"]])
    if fields.get("discussion_locked") is not None:
        merge_request.locked = bool(fields["discussion_locked"])


def _people(world: World, numbers: object) -> list[User]:
    """Those who exist; nobody for none at all, and for 0."""
    listed = numbers if isinstance(numbers, list) else [numbers]
    found = [world.user_by_id(int(str(number))) for number in listed if str(number or "").isdecimal()]
    return [user for user in found if user is not None]
