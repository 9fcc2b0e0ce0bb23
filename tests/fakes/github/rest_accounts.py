"""REST: who one is, repositories, permissions and teams."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github.entities import Role, TokenKind
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.refusals import Forbidden, NotFound, not_accessible

_LEAST = {"triage": Role.TRIAGE, "push": Role.WRITE, "maintain": Role.MAINTAIN, "admin": Role.ADMIN}


def _get_user(call: Call) -> Answer:
    if call.caller.kind is TokenKind.INSTALLATION:
        raise Forbidden("Resource not accessible by integration")
    return Answer(200, call.answers.profile(call.caller.account))


def _get_account(call: Call) -> Answer:
    return Answer(200, call.answers.profile(call.world.account(call.parts["username"])))


def _get_repository(call: Call) -> Answer:
    return Answer(200, call.answers.repository(call.repository))


def _get_permission(call: Call) -> Answer:
    repository = call.repository
    account = call.world.account(call.parts["username"])
    return Answer(200, call.answers.permission(account, call.world.role(repository, account)))


def _list_collaborators(call: Call) -> Answer:
    """People alone, with at least the role that ``permission`` names; a user needs write access to see them."""
    repository, world = call.repository, call.world
    call.require("metadata", level="read")
    if call.caller.kind is TokenKind.USER and world.role(repository, call.caller.account) < Role.WRITE:
        raise Forbidden("Must have push access to view repository collaborators.")
    least = _LEAST.get(call.request.query.get("permission", ""), Role.READ)
    people = [world.account(login) for login, role in repository.collaborators.items() if role >= least]
    return call.page(people, lambda one: call.answers.permission(one, world.role(repository, one))["user"])


def _get_workflow_permissions(call: Call) -> Answer:
    call.require("administration")
    allowed = call.repository.actions_can_approve
    return Answer(200, {"default_workflow_permissions": "read", "can_approve_pull_request_reviews": allowed})


def _get_team_membership(call: Call) -> Answer:
    organization, team, login = (call.parts[name] for name in ("org", "team_slug", "username"))
    if call.caller.kind is TokenKind.INSTALLATION and "members" not in call.caller.permissions:
        raise not_accessible("read", ("members",))
    if login.lower() not in call.world.teams.get((organization.lower(), team.lower()), ()):
        raise NotFound
    url = f"{call.answers.api}{call.request.path}"
    return Answer(200, {"url": url, "role": "member", "state": "active"})


ACCOUNT_ROUTES = (
    Route("GET", "/user", _get_user),
    Route("GET", "/users/{username}", _get_account),
    Route("GET", "/repos/{owner}/{repo}", _get_repository),
    Route("GET", "/repos/{owner}/{repo}/collaborators", _list_collaborators),
    Route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", _get_permission),
    Route("GET", "/repos/{owner}/{repo}/actions/permissions/workflow", _get_workflow_permissions),
    Route("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}", _get_team_membership),
)
