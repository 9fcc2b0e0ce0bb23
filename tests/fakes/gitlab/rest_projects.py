"""REST: projects, their labels, issues and statuses, and pipelines that a trigger token starts."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github.objects import find
from tests.fakes.gitlab import statuses
from tests.fakes.gitlab.access import level_of, require_code, require_level
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.merge_requests import label_names
from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.pipelines import Pipeline
from tests.fakes.gitlab.refusals import NotFound, ValidationFailed
from tests.fakes.gitlab.traces import Trigger


def _get_project(call: Call) -> Answer:
    """Some settings are for Maintainers alone."""
    project = call.project
    shown = call.answers.project(project)
    if level_of(project, call.caller.user) >= Level.MAINTAINER:
        shown["ci_allow_fork_pipelines_to_run_in_parent_project"] = project.fork_pipelines_here
        shown["ci_pipeline_variables_minimum_override_role"] = project.variables_role
    return Answer(200, shown)


def _get_approvals(call: Call) -> Answer:
    """Settings that Premium has: https://docs.gitlab.com/api/merge_request_approvals/."""
    project = call.project
    require_level(project, call.caller.user, Level.DEVELOPER)
    if not call.world.premium:
        raise NotFound
    return Answer(
        200,
        {
            "approvals_before_merge": project.approvals_required,
            "reset_approvals_on_push": project.reset_approvals_on_push,
            "selective_code_owner_removals": False,
            "disable_overriding_approvers_per_merge_request": False,
            "merge_requests_author_approval": project.author_approval,
            "merge_requests_disable_committers_approval": not project.committers_approval,
            "require_password_to_approve": False,
        },
    )


def _get_variable(call: Call) -> Answer:
    require_level(call.project, call.caller.user, Level.MAINTAINER)
    one = call.project.variables.get(call.parts["key"])
    if one is None:
        raise NotFound("Variable")
    kept = {"protected": one.protected, "masked": one.masked, "hidden": False, "raw": True}
    place = {"variable_type": "env_var", "environment_scope": "*", "description": None}
    return Answer(200, {"key": one.key, "value": one.value, **kept, **place})


def _list_hooks(call: Call) -> Answer:
    require_level(call.project, call.caller.user, Level.MAINTAINER)
    return call.page(
        call.project.hooks,
        lambda hook: {
            "id": hook.id,
            "url": hook.url,
            "name": "",
            "project_id": call.project.id,
            "push_events": False,
            "note_events": hook.notes,
            "merge_requests_events": hook.merge_requests,
            "enable_ssl_verification": True,
            "alert_status": hook.alert_status,
            "disabled_until": None,
            "url_variables": [],
        },
    )


def _list_labels(call: Call) -> Answer:
    return call.page(list(call.project.labels.values()), call.answers.label)


def _list_issues(call: Call) -> Answer:
    """Newest first."""
    labels = set(label_names(call.values.get("labels")))
    state = call.values.get("state", "all")
    found = [
        issue for issue in call.project.issues.values() if state in {"all", issue.state} and labels <= set(issue.labels)
    ]
    return call.page(found[::-1], call.answers.issue)


def _get_issue(call: Call) -> Answer:
    found = call.project.issues.get(int(call.parts["issue_iid"]))
    if found is None:
        raise NotFound
    return Answer(200, call.answers.issue(found))


def _commit(call: Call) -> str:
    require_code(call.project, call.caller.user)
    sha = find(call.project.git, call.parts["sha"])
    if sha is None:
        raise NotFound("Commit")
    return sha


def _list_statuses(call: Call) -> Answer:
    values = call.values
    found = [
        status
        for status in statuses.of_commit(call.project, _commit(call), latest=not values.get("all"))
        if values.get("name") in {None, status.name}
        and values.get("ref") in {None, status.ref}
        and values.get("pipeline_id") in {None, status.pipeline.id}
    ]
    return call.page(found, call.answers.status)


def _post_status(call: Call) -> Answer:
    values = call.values
    made = statuses.post(
        call.world,
        call.user,
        call.project,
        _commit(call),
        state=values["state"],
        name=values.get("name") or values.get("context") or "default",
        ref=values.get("ref"),
        description=values.get("description"),
        target_url=values.get("target_url"),
        coverage=values.get("coverage"),
        pipeline_id=values.get("pipeline_id"),
    )
    return Answer(201, call.answers.status(made))


def _trigger(call: Call) -> Answer:
    """Start a pipeline as the owner of the trigger token; what else the body has is ``$TRIGGER_PAYLOAD``."""
    project, _ = call.world.find_project(call.parts["id"])  # whoever has its token may reach a private one too
    owner = None if project is None else project.trigger_tokens.get(call.values["token"])
    if project is None or owner is None:
        raise NotFound
    ref = call.parts.get("ref") or call.values["ref"]
    sha = find(project.git, ref)
    if sha is None:
        raise ValidationFailed(base=["Reference not found"])
    pipeline = Pipeline(call.world.new_id(), sha, ref, "trigger", call.world.tick())
    project.pipelines.append(pipeline)
    variables = {str(name): str(value) for name, value in (call.values.get("variables") or {}).items()}
    call.world.triggered.append(Trigger(project, ref, owner, variables, call.request.body))
    shown = {"id": pipeline.id, "project_id": project.id, "sha": sha, "ref": ref, "status": "created"}
    url = f"{call.answers.web}/{project.full_path}/-/pipelines/{pipeline.id}"
    return Answer(201, {**shown, "source": "trigger", "user": call.answers.user(owner), "web_url": url})


_PROJECT = "/projects/{id}"

PROJECT_ROUTES = (
    Route("GET", _PROJECT, _get_project, anonymous=True),
    Route("GET", f"{_PROJECT}/approvals", _get_approvals),
    Route("GET", f"{_PROJECT}/hooks", _list_hooks),
    Route("GET", f"{_PROJECT}/variables/{{key}}", _get_variable),
    Route("GET", f"{_PROJECT}/labels", _list_labels, anonymous=True),
    Route("GET", f"{_PROJECT}/issues", _list_issues, anonymous=True),
    Route("GET", f"{_PROJECT}/issues/{{issue_iid}}", _get_issue, anonymous=True),
    Route("GET", f"{_PROJECT}/repository/commits/{{sha}}/statuses", _list_statuses),
    Route("POST", f"{_PROJECT}/statuses/{{sha}}", _post_status),
    Route("POST", f"{_PROJECT}/trigger/pipeline", _trigger, anonymous=True),
    Route("POST", f"{_PROJECT}/ref/{{ref*}}/trigger/pipeline", _trigger, anonymous=True),
)
