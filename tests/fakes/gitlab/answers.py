"""The JSON of people, projects, merge requests and what people write, as GitLab's REST API has it.

Addresses carry the host and the prefix that the client used. What comes from git is `answers_git`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.fakes.gitlab import reviewing
from tests.fakes.gitlab.access import level_of, may_merge
from tests.fakes.gitlab.entities import (
    Award,
    Discussion,
    DraftNote,
    Issue,
    Label,
    MergeRequest,
    Note,
    Position,
    Project,
    Reviewer,
)
from tests.fakes.gitlab.merge_requests import status_of
from tests.fakes.gitlab.people import Edition, Group, Level, User
from tests.fakes.gitlab.pipelines import CommitStatus
from tests.fakes.gitlab.positions import files_of
from tests.fakes.gitlab.world import World

Json = dict[str, Any]
MOST_CHANGES = 1000


def iso(moment: datetime | None) -> str | None:
    """A time as GitLab writes it."""
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


@dataclass(frozen=True)
class Answers:
    """Makes answers for one client.

    Attributes:
        web: The root of the web pages for this client, with the relative root, without a slash at the end.
        asker: Whose rights some answers tell.
    """

    world: World
    web: str
    asker: User | None = None

    @property
    def api(self) -> str:
        return f"{self.web}/api/v4"

    # --- People, groups and projects ---

    def user(self, user: User) -> Json:
        return {
            "id": user.id,
            "username": user.username,
            "public_email": "",
            "name": user.name,
            "state": "active",
            "locked": False,
            "avatar_url": None,
            "web_url": f"{self.web}/{user.username}",
        }

    def profile(self, user: User) -> Json:
        """A person, as ``/user`` and ``/users/:id`` show it."""
        return {**self.user(user), "created_at": iso(self.world.now), "bot": user.bot, "bio": "", "location": ""}

    def member(self, user: User, level: Level) -> Json:
        more = {"access_level": int(level), "created_at": iso(self.world.now), "expires_at": None}
        return {**self.user(user), **more, "membership_state": "active"}

    def namespace(self, space: Group | User) -> Json:
        if isinstance(space, User):
            named = {"id": space.id, "name": space.name, "path": space.username, "kind": "user"}
            return {**named, "full_path": space.username, "parent_id": None, "web_url": f"{self.web}/{space.username}"}
        parent = None if space.parent is None else space.parent.id
        named = {"id": space.id, "name": space.path.title(), "path": space.path, "kind": "group"}
        return {
            **named,
            "full_path": space.full_path,
            "parent_id": parent,
            "web_url": f"{self.web}/groups/{space.full_path}",
        }

    def group(self, group: Group) -> Json:
        shown = self.namespace(group)
        return {**shown, "visibility": "private", "full_name": group.full_path.title().replace("/", " / ")}

    def project(self, project: Project) -> Json:
        level = level_of(project, self.asker)
        direct = project.members.get(self.asker) if self.asker else None
        access = None if direct is None else {"access_level": int(direct), "notification_level": 3}
        inherited = {"access_level": int(level), "notification_level": 3} if level and direct is None else None
        url = f"{self.web}/{project.full_path}"
        return {
            "id": project.id,
            "description": None,
            "name": project.path.title(),
            "name_with_namespace": project.full_path.title().replace("/", " / "),
            "path": project.path,
            "path_with_namespace": project.full_path,
            "created_at": iso(project.created_at),
            "default_branch": project.default_branch,
            "http_url_to_repo": f"{url}.git",
            "ssh_url_to_repo": f"git@gitlab.invalid:{project.full_path}.git",
            "web_url": url,
            "visibility": project.visibility,
            "archived": project.archived,
            "empty_repo": False,
            "issues_enabled": True,
            "merge_requests_enabled": True,
            "namespace": self.namespace(project.namespace),
            "only_allow_merge_if_all_discussions_are_resolved": project.all_threads_resolved,
            "forked_from_project": None if project.forked_from is None else {"id": project.forked_from.id},
            "permissions": {"project_access": access, "group_access": inherited},
        }

    def label(self, label: Label) -> Json:
        return {"id": label.id, "name": label.name, "color": "#428BCA", "description": None, "is_project_label": True}

    def issue(self, issue: Issue) -> Json:
        return {
            "id": issue.id,
            "iid": issue.iid,
            "project_id": issue.project.id,
            "title": issue.title,
            "description": issue.description,
            "state": issue.state,
            "created_at": iso(issue.created_at),
            "updated_at": iso(issue.updated_at),
            "labels": issue.labels,
            "author": self.user(issue.author),
            "type": "ISSUE",
            "issue_type": "issue",
            "confidential": False,
            "web_url": f"{self.web}/{issue.project.full_path}/-/issues/{issue.iid}",
        }

    # --- Merge requests ---

    def page_of(self, merge_request: MergeRequest) -> str:
        return f"{self.web}/{merge_request.project.full_path}/-/merge_requests/{merge_request.iid}"

    def merge_request_in_list(self, merge_request: MergeRequest) -> Json:
        project, source = merge_request.project, merge_request.source_project
        status = status_of(self.world, merge_request)
        counted = [note for note in merge_request.notes if not note.system]
        shown: Json = {
            "id": merge_request.id,
            "iid": merge_request.iid,
            "project_id": project.id,
            "title": merge_request.title,
            "description": merge_request.description,
            "state": merge_request.state,
            "created_at": iso(merge_request.created_at),
            "updated_at": iso(merge_request.updated_at),
            "merged_by": self._person(merge_request.merged_by),
            "merge_user": self._person(merge_request.merged_by),
            "merged_at": iso(merge_request.merged_at),
            "closed_by": self._person(merge_request.closed_by),
            "closed_at": iso(merge_request.closed_at),
            "target_branch": merge_request.target_branch,
            "source_branch": merge_request.source_branch,
            "user_notes_count": len(counted),
            "upvotes": 0,
            "downvotes": 0,
            "author": self.user(merge_request.author),
            "assignees": [self.user(user) for user in merge_request.assignees],
            "assignee": self._person(merge_request.assignees[0] if merge_request.assignees else None),
            "reviewers": [self.user(each.user) for each in merge_request.reviewers],
            "source_project_id": None if source is None else source.id,
            "target_project_id": project.id,
            "labels": merge_request.labels,
            "draft": merge_request.draft,
            "work_in_progress": merge_request.draft,
            "milestone": None,
            "merge_when_pipeline_succeeds": False,
            "merge_status": "can_be_merged",
            "detailed_merge_status": status,
            "sha": merge_request.version.head,
            "merge_commit_sha": None,
            "squash_commit_sha": None,
            "discussion_locked": merge_request.locked or None,
            "should_remove_source_branch": None,
            "force_remove_source_branch": False,
            "prepared_at": iso(merge_request.created_at),
            "reference": f"!{merge_request.iid}",
            "references": {
                "short": f"!{merge_request.iid}",
                "relative": f"!{merge_request.iid}",
                "full": f"{project.full_path}!{merge_request.iid}",
            },
            "web_url": self.page_of(merge_request),
            "squash": False,
            "has_conflicts": False,
            "blocking_discussions_resolved": all(
                each.resolved for each in merge_request.discussions if each.resolvable
            ),
        }
        if self.world.edition is not Edition.CE:
            shown["approvals_before_merge"] = None
        return shown

    def merge_request(self, merge_request: MergeRequest) -> Json:
        version = merge_request.version
        count = len(files_of(merge_request))
        cut = merge_request.project.overflow or count > MOST_CHANGES
        return {
            **self.merge_request_in_list(merge_request),
            "subscribed": False,
            "changes_count": f"{MOST_CHANGES}+" if cut else str(count),
            "latest_build_started_at": None,
            "latest_build_finished_at": None,
            "first_deployed_to_production_at": None,
            "pipeline": None,
            "head_pipeline": None,
            "diff_refs": {"base_sha": version.base, "head_sha": version.head, "start_sha": version.start},
            "merge_error": None,
            "first_contribution": False,
            "user": {"can_merge": may_merge(merge_request, self.asker)},
        }

    def approvals(self, merge_request: MergeRequest) -> Json:
        """With the fields of the Enterprise Edition unless this is the Community one."""
        world, project = self.world, merge_request.project
        needed = project.approvals_required if world.premium else 0
        given = len(merge_request.approvals)
        shown: Json = {
            "user_has_approved": merge_request.approved_by(self.asker),
            "user_can_approve": reviewing.may_approve(world, merge_request, self.asker),
            "approved": given >= needed if world.premium else given > 0,
            "approved_by": [{"user": self.user(user), "approved_at": iso(at)} for user, at in merge_request.approvals],
        }
        if world.edition is Edition.CE:
            return shown
        basic = self.merge_request_in_list(merge_request)
        names = "id iid project_id title description state created_at updated_at merge_status".split()
        return {
            **{name: basic[name] for name in names},
            **shown,
            "approvals_required": needed,
            "approvals_left": max(needed - given, 0),
            "require_password_to_approve": False,
            "suggested_approvers": [],
            "approvers": [],
            "approver_groups": [],
            "approval_rules_left": [],
            "has_approval_rules": False,
            "merge_request_approvers_available": world.premium,
            "multiple_approval_rules_available": world.premium,
            "invalid_approvers_rules": [],
        }

    def reviewer(self, reviewer: Reviewer) -> Json:
        return {"user": self.user(reviewer.user), "state": reviewer.state, "created_at": iso(reviewer.created_at)}

    # --- What people write ---

    def note(self, note: Note, changes: Mapping[str, Any] | None = None) -> Json:
        merge_request = note.merge_request
        shown: Json = {
            "id": note.id,
            "type": note.kind,
            "body": note.body,
            "author": self.user(note.author),
            "created_at": iso(note.created_at),
            "updated_at": iso(note.updated_at),
            "system": note.system,
            "noteable_id": merge_request.id,
            "noteable_type": "MergeRequest",
            "project_id": merge_request.project.id,
            "resolvable": note.resolvable,
            "confidential": note.internal,
            "internal": note.internal,
            "noteable_iid": merge_request.iid,
            "commands_changes": dict(changes or {}),
        }
        if note.resolvable:
            shown["resolved"] = note.resolved_by is not None
            shown["resolved_by"] = self._person(note.resolved_by)
            shown["resolved_at"] = iso(note.resolved_at)
        if note.kind == "DiffNote":
            shown["commit_id"] = note.commit_id
            shown["position"] = position_json(note.position)
            shown["suggestions"] = []
        return shown

    def discussion(self, discussion: Discussion, notes: list[Note]) -> Json:
        return {
            "id": discussion.id,
            "individual_note": discussion.individual,
            "notes": [self.note(note) for note in notes],
        }

    def draft(self, draft: DraftNote) -> Json:
        return {
            "id": draft.id,
            "author_id": draft.author.id,
            "merge_request_id": draft.merge_request.id,
            "resolve_discussion": draft.resolve_discussion,
            "discussion_id": draft.discussion_id,
            "note": draft.note,
            "commit_id": draft.commit_id,
            "line_code": draft.line_code,
            "position": position_json(draft.position),
        }

    def award(self, award: Award, note: Note) -> Json:
        return {
            "id": award.id,
            "name": award.name,
            "user": self.user(award.user),
            "created_at": iso(award.created_at),
            "updated_at": iso(award.created_at),
            "awardable_id": note.id,
            "awardable_type": "Note",
            "url": None,
        }

    def status(self, status: CommitStatus) -> Json:
        return {
            "id": status.id,
            "sha": status.pipeline.sha,
            "ref": status.ref,
            "status": status.state,
            "name": status.name,
            "target_url": status.target_url,
            "description": status.description,
            "created_at": iso(status.created_at),
            "started_at": iso(status.started_at),
            "finished_at": iso(status.finished_at),
            "allow_failure": False,
            "coverage": status.coverage,
            "pipeline_id": status.pipeline.id,
            "author": self.user(status.author),
        }

    def _person(self, user: User | None) -> Json | None:
        return None if user is None else self.user(user)


def position_json(position: Position | None) -> Json | None:
    """A place; fields that its type does not have are left out."""
    if position is None:
        return None
    shown: Json = {
        "base_sha": position.base_sha,
        "start_sha": position.start_sha,
        "head_sha": position.head_sha,
        "old_path": position.old_path,
        "new_path": position.new_path,
        "position_type": position.position_type,
    }
    match position.position_type:
        case "text":
            lines = {"old_line": position.old_line, "new_line": position.new_line}
            return {**shown, **lines, "line_range": position.line_range}
        case "image":
            return {**shown, **position.more}
    return shown
