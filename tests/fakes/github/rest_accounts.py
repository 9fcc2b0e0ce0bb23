"""REST: who one is, repositories, permissions and teams."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github.entities import Environment, Role, TokenKind
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.refusals import Forbidden, NotFound, not_accessible

_PARAMETERS: dict[str, dict[str, object]] = {
    "pull_request": {
        "parameters": {
            "dismiss_stale_reviews_on_push": True,
            "require_code_owner_review": False,
            "require_last_push_approval": False,
            "required_approving_review_count": 1,
            "required_review_thread_resolution": True,
        }
    }
}
"""Of those types of rules that have some."""

_LEAST = {"triage": Role.TRIAGE, "push": Role.WRITE, "maintain": Role.MAINTAIN, "admin": Role.ADMIN}


def _get_user(call: Call) -> Answer:
    if call.caller.kind is TokenKind.INSTALLATION:
        raise Forbidden("Resource not accessible by integration")
    return Answer(200, call.answers.profile(call.caller.account))


def _get_account(call: Call) -> Answer:
    return Answer(200, call.answers.profile(call.world.account(call.parts["username"])))


def _get_repository(call: Call) -> Answer:
    """A person sees what they may; an app has permissions, and no role."""
    repository, caller = call.repository, call.caller
    shown = call.answers.repository(repository)
    if caller.kind is TokenKind.USER:
        role = call.world.role(repository, caller.account)
        shown["permissions"] = call.answers.permission(caller.account, role)["user"]["permissions"]
    return Answer(200, shown)


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
    repository = call.repository
    if call.caller.kind is TokenKind.USER and call.world.role(repository, call.caller.account) < Role.ADMIN:
        raise Forbidden("Must have admin rights to Repository.")
    allowed, by_default = repository.actions_can_approve, repository.default_permissions
    return Answer(200, {"default_workflow_permissions": by_default, "can_approve_pull_request_reviews": allowed})


def _list_rules(call: Call) -> Answer:
    """Whoever may read the repository may read these; those of classic protection are not among them."""
    repository = call.repository
    source = {"ruleset_source_type": "Repository", "ruleset_source": repository.full_name, "ruleset_id": 1}
    kinds = repository.rules.get(call.parts["branch"], [])
    return call.page(kinds, lambda kind: {"type": kind, **source, **_PARAMETERS.get(kind, {})})


def _environment(call: Call) -> Environment:
    repository = call.repository
    call.require("actions", "environments")
    found = repository.environments.get(call.parts["environment_name"])
    if found is None:
        raise NotFound
    return found


def _get_environment(call: Call) -> Answer:
    one, made = _environment(call), call.repository.created_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    is_custom = one.branches is not None
    is_limited = is_custom or one.protected_only
    policy = {"protected_branches": one.protected_only, "custom_branch_policies": is_custom} if is_limited else None
    url = f"{call.answers.repository_url(call.repository)}/environments/{one.name}"
    named = {"id": 161, "node_id": "EN_kwDO", "name": one.name, "url": url, "html_url": url}
    times = {"created_at": made, "updated_at": made}
    return Answer(200, {**named, **times, "protection_rules": [], "deployment_branch_policy": policy})


def _list_policies(call: Call) -> Answer:
    names = _environment(call).branches or []
    policies = [
        {"id": number, "node_id": f"DBP_{number}", "name": name, "type": "branch"} for number, name in enumerate(names)
    ]
    return Answer(200, {"total_count": len(policies), "branch_policies": policies})


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
    Route("GET", "/repos/{owner}/{repo}/rules/branches/{branch*}", _list_rules),
    Route("GET", "/repos/{owner}/{repo}/environments/{environment_name}", _get_environment),
    Route("GET", "/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies", _list_policies),
    Route("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}", _get_team_membership),
)
