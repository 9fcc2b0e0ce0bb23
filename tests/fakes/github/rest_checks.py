"""REST: check runs and commit statuses."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import checks
from tests.fakes.github.entities import CheckRun
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.objects import find
from tests.fakes.github.refusals import Invalid, NotFound


def _create(call: Call) -> Answer:
    return Answer(201, call.answers.check_run(checks.create(call.world, call.caller, call.repository, call.fields)))


def _update(call: Call) -> Answer:
    return Answer(200, call.answers.check_run(checks.update(call.world, call.caller, _run(call), call.fields)))


def _get(call: Call) -> Answer:
    call.require("checks")
    return Answer(200, call.answers.check_run(_run(call)))


def _list_annotations(call: Call) -> Answer:
    call.require("checks")
    return call.page(_run(call).annotations, lambda one: {"blob_href": _run(call).head_sha, **one})


def _list_of_commit(call: Call) -> Answer:
    """Newest first; unless all are asked for, the latest of each name and app."""
    call.require("checks")
    repository, query, sha = call.repository, call.request.query, _commit(call, "ref")
    runs = [run for run in reversed(repository.check_runs) if run.head_sha == sha]
    if query.get("filter", "latest") == "latest":
        latest = {(run.name, run.app.id): run for run in reversed(runs)}
        runs = [run for run in runs if latest[run.name, run.app.id] is run]
    name, status, app = query.get("check_name"), query.get("status"), query.get("app_id")
    runs = [
        run
        for run in runs
        if name in {None, run.name} and status in {None, run.status} and app in {None, str(run.app.id)}
    ]
    page, headers = call.cut(runs)
    return Answer(200, {"total_count": len(runs), "check_runs": list(map(call.answers.check_run, page))}, headers)


def _set_status(call: Call) -> Answer:
    made = checks.set_status(call.world, call.caller, call.repository, _commit(call, "sha"), call.fields)
    return Answer(201, call.answers.status(made))


def _list_statuses(call: Call) -> Answer:
    """Newest first."""
    call.require("statuses")
    sha = _commit(call, "ref")
    return call.page([each for each in reversed(call.repository.statuses) if each.sha == sha], call.answers.status)


def _commit(call: Call, part: str) -> str:
    if (sha := find(call.repository.git, call.parts[part])) is None:
        raise Invalid(f"No commit found for SHA: {call.parts[part]}")
    return sha


def _run(call: Call) -> CheckRun:
    number = int(call.parts["check_run_id"])
    found = next((run for run in call.repository.check_runs if run.id == number), None)
    if found is None:
        raise NotFound
    return found


_REPOSITORY = "/repos/{owner}/{repo}"
_RUN = f"{_REPOSITORY}/check-runs/{{check_run_id}}"

CHECK_ROUTES = (
    Route("POST", f"{_REPOSITORY}/check-runs", _create),
    Route("GET", _RUN, _get),
    Route("PATCH", _RUN, _update),
    Route("GET", f"{_RUN}/annotations", _list_annotations),
    Route("GET", f"{_REPOSITORY}/commits/{{ref*}}/check-runs", _list_of_commit),
    Route("POST", f"{_REPOSITORY}/statuses/{{sha}}", _set_status),
    Route("GET", f"{_REPOSITORY}/commits/{{ref*}}/statuses", _list_statuses),
)
