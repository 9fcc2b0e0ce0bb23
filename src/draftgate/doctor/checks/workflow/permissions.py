"""What the token of a job may, where it is the workflow's own; naming any permission sets all others to none.

The permissions of an App's token are the App's; see `github.writes`.
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.workflows import ALL, COMMAND_EVENTS, REVIEW_EVENTS, Job, Workflow, WorkflowFacts

_LEVELS = {"": 0, "none": 0, "read": 1, "write": 2, "admin": 3}
_REVIEW = {"contents": "read", "pull-requests": "write", "checks": "write"}
_COMMANDS = {**_REVIEW, "issues": "write"}


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    checked = 0
    for workflow, job in facts.ours:
        if not any(step.has_workflow_token for step in job.ours):
            continue
        checked += 1
        yield from _of_job(facts, workflow, job)
    if facts.ours and not checked:
        yield ok("the jobs with Draftgate use a token of their own, and need none of the workflow's")


def _of_job(facts: WorkflowFacts, workflow: Workflow, job: Job) -> Iterator[Verdict]:
    wanted = _COMMANDS if workflow.takes(job, *COMMAND_EVENTS, "schedule", "workflow_dispatch") else _REVIEW
    if not workflow.takes(job, *REVIEW_EVENTS, *COMMAND_EVENTS, "schedule", "workflow_dispatch"):
        return
    place = f"the job `{job.id}` of {workflow.path}"
    given = workflow.permissions_of(job)
    if given is None:
        by_setting = facts.default_permissions.value
        if by_setting == "read":
            says = f"{place} names no permissions, and the repository's settings give `contents: read` alone"
            yield wrong(says, "give the job", lines=_lines(wanted))
        else:
            says = f"{place} names no permissions, and gets to write everything by the repository's settings"
            yield warning(says, "give the job what it needs, and no more", lines=_lines(wanted))
        return
    missing = [f"{name}: {level}" for name, level in wanted.items() if _level(given, name) < _LEVELS[level]]
    if missing:
        yield wrong(f"{place} lacks {', '.join(missing)}", "give the job", lines=_lines(wanted))
    elif given.get(ALL) == "write":
        yield warning(f"{place} may write everything", "give it what it needs, and no more", lines=_lines(wanted))
    else:
        yield ok(f"{place} may do what it needs")


def _level(given: Mapping[str, str], name: str) -> int:
    return _LEVELS.get(given.get(name, given.get(ALL, "")), 0)


def _lines(wanted: Mapping[str, str]) -> tuple[str, ...]:
    return ("permissions:", *(f"  {name}: {level}" for name, level in wanted.items()))


CHECK = Check(
    "workflow.permissions",
    "permissions of jobs",
    _judge,
    wrong_if="a job that uses the workflow token lacks a permission",
    warns_if="it may write everything",
    exit_code=CREDENTIALS,
    by_hand=lambda _: "Settings → Actions → General → Workflow permissions",
)
