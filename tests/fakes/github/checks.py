"""GitHub's rules of check runs, which only an app makes and changes, and of the older commit statuses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tests.fakes.github.entities import Caller, CheckRun, CommitStatus, Repository
from tests.fakes.github.refusals import Forbidden, validation_failed
from tests.fakes.github.world import World

LONGEST_TEXT = 65_535
MOST_ANNOTATIONS = 50
LONGEST_TITLE = 255
STATES = ("error", "failure", "pending", "success")


def create(world: World, caller: Caller, repository: Repository, fields: Mapping[str, Any]) -> CheckRun:
    """A check run on a commit, with the fields of the request."""
    world.require(caller, repository, "write", "checks")
    for name in ("name", "head_sha"):
        if not fields.get(name):
            raise validation_failed("CheckRun", name, f"{name} is missing", code="missing_field")
    if caller.account.app is None:
        raise Forbidden("You must authenticate via a GitHub App.")
    _check(fields)
    number, node_id = world.new_ids("CR")
    run = CheckRun(
        id=number,
        node_id=node_id,
        repository=repository,
        app=caller.account.app,
        name=fields["name"],
        head_sha=fields["head_sha"],
        started_at=world.tick(),
    )
    _apply(world, run, fields)
    repository.check_runs.append(world.keep(run))
    return run


def update(world: World, caller: Caller, run: CheckRun, fields: Mapping[str, Any]) -> CheckRun:
    """Change a check run of the caller's own app; annotations add up, everything else is replaced."""
    world.require(caller, run.repository, "write", "checks")
    if run.app is not caller.account.app:
        raise Forbidden(
            "Invalid app_id `" + str(caller.account.app and caller.account.app.id) + "` - check run can only "
            "be modified by the GitHub App that created it."
        )
    _check(fields)
    world.tick()
    _apply(world, run, fields)
    return run


def set_status(
    world: World, caller: Caller, repository: Repository, sha: str, fields: Mapping[str, Any]
) -> CommitStatus:
    """Say something about a commit."""
    world.require(caller, repository, "write", "statuses")
    if fields.get("state") not in STATES:
        raise validation_failed("Status", "state", "state is not included in the list")
    number, node_id = world.new_ids("SC")
    status = CommitStatus(
        id=number,
        node_id=node_id,
        repository=repository,
        creator=caller.account,
        sha=sha,
        state=fields["state"],
        context=fields.get("context") or "default",
        description=fields.get("description"),
        target_url=fields.get("target_url"),
        created_at=world.tick(),
    )
    repository.statuses.append(status)
    return status


def _check(fields: Mapping[str, Any]) -> None:
    output = fields.get("output") or {}
    for name in ("summary", "text"):
        if len(output.get(name) or "") > LONGEST_TEXT:
            limit = f"{name} exceeds a maximum bytesize of {LONGEST_TEXT}"
            raise validation_failed("CheckRun", name, limit, code="invalid")
    if len(output.get("title") or "") > LONGEST_TITLE:
        raise validation_failed("CheckRun", "title", f"title is longer than {LONGEST_TITLE} characters", code="invalid")
    if len(output.get("annotations") or ()) > MOST_ANNOTATIONS:
        limit = f"No more than {MOST_ANNOTATIONS} annotations a request"
        raise validation_failed("CheckRun", "annotations", limit, code="invalid")
    if fields.get("status") == "completed" and not fields.get("conclusion"):
        raise validation_failed("CheckRun", "conclusion", "conclusion is missing", code="missing_field")


def _apply(world: World, run: CheckRun, fields: Mapping[str, Any]) -> None:
    run.name = fields.get("name") or run.name
    run.external_id = fields.get("external_id") or run.external_id
    run.details_url = fields.get("details_url") or run.details_url
    run.status = fields.get("status") or run.status
    if started := fields.get("started_at"):
        run.started_at = datetime.fromisoformat(started)
    if conclusion := fields.get("conclusion"):
        completed = fields.get("completed_at")
        run.status, run.conclusion = "completed", conclusion
        run.completed_at = datetime.fromisoformat(completed) if completed else world.now
    output = dict(fields.get("output") or {})
    run.annotations.extend(output.pop("annotations", None) or ())
    run.output = output or run.output
