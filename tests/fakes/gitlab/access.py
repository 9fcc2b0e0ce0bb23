"""Who may do what in the simulated GitLab: roles, direct and inherited, and what each of them allows."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakes.gitlab.entities import MergeRequest, Note, Project
from tests.fakes.gitlab.people import Caller, Group, Level, User
from tests.fakes.gitlab.refusals import Forbidden, NotFound, Unauthorized


def direct_members(place: Project | Group) -> Mapping[User, Level]:
    """Those who were added to a project or group itself."""
    return place.members


def all_members(place: Project | Group) -> dict[User, Level]:
    """Everybody with a role: added here or in a group above, or through a group that was invited."""
    found: dict[User, Level] = {}
    for user, level in _memberships(place):
        found[user] = max(level, found.get(user, Level.NONE))
    return found


def level_of(project: Project, user: User | None) -> Level:
    """The highest role that somebody has, by whatever way."""
    return Level.NONE if user is None else all_members(project).get(user, Level.NONE)


def may_know(project: Project, user: User | None) -> bool:
    """Whether the project is there for somebody at all."""
    return not project.private or level_of(project, user) > Level.NONE


def may_read_code(project: Project, user: User | None) -> bool:
    """Whether somebody may see code and merge requests; guests of private projects may not."""
    return not project.private or level_of(project, user) >= Level.REPORTER


def may_update(merge_request: MergeRequest, user: User | None) -> bool:
    """Whether somebody may change a merge request: developers, its author and its assignees."""
    own = user is merge_request.author or user in merge_request.assignees
    return own or level_of(merge_request.project, user) >= Level.DEVELOPER


def may_administer(merge_request: MergeRequest, user: User | None) -> bool:
    """Whether somebody may set reviewers, labels and the like."""
    return level_of(merge_request.project, user) >= Level.DEVELOPER


def may_merge(merge_request: MergeRequest, user: User | None) -> bool:
    """Whether somebody may push to the target branch; maintainers alone to a protected one."""
    protected = merge_request.target_branch in merge_request.project.protected
    return level_of(merge_request.project, user) >= (Level.MAINTAINER if protected else Level.DEVELOPER)


def may_resolve(merge_request: MergeRequest, user: User | None) -> bool:
    return user is merge_request.author or level_of(merge_request.project, user) >= Level.DEVELOPER


def may_edit(note: Note, user: User | None) -> bool:
    """Whether somebody may change or delete a comment: its author, and maintainers."""
    return not note.system and (note.author is user or level_of(note.merge_request.project, user) >= Level.MAINTAINER)


def may_see(note: Note, user: User | None) -> bool:
    """Internal notes are for those who have a role from Planner on, and for nobody else."""
    project = note.merge_request.project
    return not note.internal or note.author is user or level_of(project, user) >= Level.PLANNER


def require_user(caller: Caller) -> User:
    """Who asks.

    Raises:
        Unauthorized: Nobody known.
    """
    if caller.user is None:
        raise Unauthorized
    return caller.user


def require(*, allowed: bool) -> None:
    """Refuse what is not allowed.

    Raises:
        Forbidden: With GitLab's words.
    """
    if not allowed:
        raise Forbidden


def require_level(project: Project, user: User | None, level: Level) -> None:
    require(allowed=level_of(project, user) >= level)


def require_code(project: Project, user: User | None) -> None:
    """Refuse to show code or merge requests to somebody who may know the project.

    Raises:
        Forbidden: Of a project where one has too low a role.
        NotFound: Of one that one may not know.
    """
    if not may_know(project, user):
        raise NotFound("Project")
    require(allowed=may_read_code(project, user))


def require_comment(merge_request: MergeRequest, user: User) -> None:
    """Refuse to let somebody comment: who cannot see it, and outsiders while it is locked."""
    locked_out = merge_request.locked and level_of(merge_request.project, user) is Level.NONE
    require(allowed=may_read_code(merge_request.project, user) and not locked_out)


def _memberships(place: Project | Group) -> list[tuple[User, Level]]:
    own = list(place.members.items())
    for group, most in place.invited.items():
        own += [(user, min(level, most)) for user, level in all_members(group).items()]
    if isinstance(place, Project):
        space = place.namespace
        return own + ([(space, Level.OWNER)] if isinstance(space, User) else _memberships(space))
    return own + ([] if place.parent is None else _memberships(place.parent))
