"""What GitLab sends to webhooks of a comment and of a merge request: the bodies that ``$TRIGGER_PAYLOAD`` may hold.

Times have the two forms that GitLab has there. A note hook says since 16.11 what was done, ``create`` or ``update``;
older ones tell of new comments alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from tests.fakes.github.objects import read_commits
from tests.fakes.gitlab.answers import Json, iso
from tests.fakes.gitlab.entities import Issue, MergeRequest, Note, Project
from tests.fakes.gitlab.merge_requests import status_of
from tests.fakes.gitlab.people import Group, User
from tests.fakes.gitlab.world import World

ACTION_SINCE = "16.11"
_VISIBILITY = {"private": 0, "internal": 10, "public": 20}
_STATES = {"opened": 1, "closed": 2, "merged": 3, "locked": 4}


def note_hook(
    world: World,
    note: Note,
    *,
    web: str = "https://gitlab.invalid",
    action: Literal["create", "update"] = "create",
    noteable: Issue | None = None,
) -> Json:
    """The body of a note hook for a comment on a merge request, or with `noteable` the same for one on an issue."""
    one, project = note.merge_request, note.merge_request.project
    about = noteable or one
    kind = "MergeRequest" if noteable is None else "Issue"
    page = _page(project, one, web) if noteable is None else f"{web}/{project.full_path}/-/issues/{noteable.iid}"
    attributes: Json = {
        "attachment": None,
        "author_id": note.author.id,
        "change_position": None,
        "commit_id": note.commit_id,
        "created_at": _utc(note.created_at),
        "discussion_id": note.discussion.id,
        "id": note.id,
        "internal": note.internal,
        "line_code": note.line_code,
        "note": note.body,
        "noteable_id": about.id,
        "noteable_type": kind,
        "project_id": project.id,
        "resolved_at": iso(note.resolved_at),
        "st_diff": None,
        "system": note.system,
        "type": note.kind,
        "updated_at": _utc(note.updated_at),
        "description": note.body,
        "url": f"{page}#note_{note.id}",
    }
    if world.since(ACTION_SINCE):
        attributes["action"] = action
    return {
        "object_kind": "note",
        "event_type": "confidential_note" if note.internal else "note",
        "user": _person(note.author),
        "project_id": project.id,
        "project": _project(project, web),
        "object_attributes": attributes,
        "repository": _repository(project, web),
        **({"merge_request": _merge_request(world, one, web)} if noteable is None else {"issue": _issue(noteable)}),
    }


def merge_request_hook(
    world: World,
    one: MergeRequest,
    user: User,
    *,
    action: str = "open",
    web: str = "https://gitlab.invalid",
    oldrev: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Json:
    """The body of a merge request hook for what `user` did.

    Args:
        world: Whose version and clock count.
        one: The merge request, as it is now.
        user: Who did it.
        action: ``open``, ``update``, ``close``, ``reopen``, ``merge``, ``approved`` …
        web: The root of the web pages.
        oldrev: The head before, if commits were pushed.
        changes: What changed, by name, with ``previous`` and ``current``; see `label_change`.
    """
    labels = label_objects(one.project, one.labels)
    attributes = {**_merge_request(world, one, web), "action": action, "labels": labels}
    if oldrev is not None:
        attributes["oldrev"] = oldrev
    return {
        "object_kind": "merge_request",
        "event_type": "merge_request",
        "user": _person(user),
        "project": _project(one.project, web),
        "object_attributes": attributes,
        "labels": labels,
        "changes": dict(changes or {}),
        "repository": _repository(one.project, web),
        "assignees": [_person(each) for each in one.assignees],
        "reviewers": [{**_person(each.user), "state": each.state, "re_requested": False} for each in one.reviewers],
    }


def label_change(project: Project, before: Sequence[str], after: Sequence[str]) -> Json:
    """The ``changes`` of a merge request whose labels were changed."""
    return {"labels": {"previous": label_objects(project, before), "current": label_objects(project, after)}}


def label_objects(project: Project, names: Sequence[str]) -> list[Json]:
    """Labels as a hook has them."""
    return [
        {
            "id": project.labels[name].id,
            "title": name,
            "color": "#428BCA",
            "project_id": project.id,
            "created_at": _utc(project.created_at),
            "updated_at": _utc(project.created_at),
            "template": False,
            "description": None,
            "type": "ProjectLabel",
            "group_id": None,
        }
        for name in names
    ]


def _utc(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _person(user: User) -> Json:
    named = {"id": user.id, "name": user.name, "username": user.username, "avatar_url": None}
    return {**named, "email": "[REDACTED]"}


def _page(project: Project, one: MergeRequest, web: str) -> str:
    return f"{web}/{project.full_path}/-/merge_requests/{one.iid}"


def _project(project: Project, web: str) -> Json:
    url, ssh = f"{web}/{project.full_path}", f"git@gitlab.invalid:{project.full_path}.git"
    space = project.namespace
    return {
        "id": project.id,
        "name": project.path.title(),
        "description": None,
        "web_url": url,
        "avatar_url": None,
        "git_ssh_url": ssh,
        "git_http_url": f"{url}.git",
        "namespace": space.path.title() if isinstance(space, Group) else space.name,
        "visibility_level": _VISIBILITY[project.visibility],
        "path_with_namespace": project.full_path,
        "default_branch": project.default_branch,
        "ci_config_path": "",
        "homepage": url,
        "url": ssh,
        "ssh_url": ssh,
        "http_url": f"{url}.git",
    }


def _repository(project: Project, web: str) -> Json:
    shown = _project(project, web)
    return {name: shown[name] for name in ("name", "url", "description", "homepage")}


def _merge_request(world: World, one: MergeRequest, web: str) -> Json:
    source = one.source_project
    return {
        "assignee_id": one.assignees[0].id if one.assignees else None,
        "assignee_ids": [user.id for user in one.assignees],
        "author_id": one.author.id,
        "blocking_discussions_resolved": all(each.resolved for each in one.discussions if each.resolvable),
        "created_at": _utc(one.created_at),
        "description": one.description,
        "detailed_merge_status": status_of(world, one),
        "draft": one.draft,
        "first_contribution": False,
        "head_pipeline_id": None,
        "id": one.id,
        "iid": one.iid,
        "labels": label_objects(one.project, one.labels),
        "last_commit": _commit(one, web),
        "merge_status": "can_be_merged",
        "milestone_id": None,
        "reviewer_ids": [each.user.id for each in one.reviewers],
        "source": None if source is None else _project(source, web),
        "source_branch": one.source_branch,
        "source_project_id": None if source is None else source.id,
        "state": one.state,
        "state_id": _STATES[one.state],
        "target": _project(one.project, web),
        "target_branch": one.target_branch,
        "target_project_id": one.project.id,
        "title": one.title,
        "updated_at": _utc(one.updated_at),
        "url": _page(one.project, one, web),
        "work_in_progress": one.draft,
    }


def _commit(one: MergeRequest, web: str) -> Json:
    (last,) = read_commits(one.project.git, "--max-count=1", one.version.head)
    return {
        "id": last.sha,
        "message": last.message,
        "title": last.message.split("\n", 1)[0],
        "timestamp": last.committer.date,
        "url": f"{web}/{one.project.full_path}/-/commit/{last.sha}",
        "author": {"name": last.author.name, "email": "[REDACTED]"},
    }


def _issue(issue: Issue) -> Json:
    return {
        "id": issue.id,
        "iid": issue.iid,
        "project_id": issue.project.id,
        "title": issue.title,
        "description": issue.description,
        "state": issue.state,
        "author_id": issue.author.id,
        "labels": label_objects(issue.project, issue.labels),
    }
