"""REST: projects, their labels, issues and statuses, and pipelines that a trigger token starts."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github.objects import find
from tests.fakes.gitlab import statuses
from tests.fakes.gitlab.access import require_code
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.merge_requests import label_names
from tests.fakes.gitlab.pipelines import Pipeline
from tests.fakes.gitlab.refusals import NotFound, ValidationFailed
from tests.fakes.gitlab.traces import Trigger


def _get_project(call: Call) -> Answer:
    return Answer(200, call.answers.project(call.project))


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
    Route("GET", f"{_PROJECT}/labels", _list_labels, anonymous=True),
    Route("GET", f"{_PROJECT}/issues", _list_issues, anonymous=True),
    Route("GET", f"{_PROJECT}/issues/{{issue_iid}}", _get_issue, anonymous=True),
    Route("GET", f"{_PROJECT}/repository/commits/{{sha}}/statuses", _list_statuses),
    Route("POST", f"{_PROJECT}/statuses/{{sha}}", _post_status),
    Route("POST", f"{_PROJECT}/trigger/pipeline", _trigger, anonymous=True),
    Route("POST", f"{_PROJECT}/ref/{{ref*}}/trigger/pipeline", _trigger, anonymous=True),
)
