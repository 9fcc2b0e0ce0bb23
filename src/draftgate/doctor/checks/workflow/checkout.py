"""A checkout beside Draftgate: never of the change where secrets are, whole or not at all, and no token left behind.

Draftgate fetches what it needs by itself, so the best checkout in its jobs is none.
https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.workflows import Job, Step, Workflow, WorkflowFacts

_TRUSTED_EVENTS = ("pull_request_target", "issue_comment", "workflow_run")
"""They run with secrets and a token that writes, whoever made the change."""

_OF_CHANGE = re.compile(
    r"pull_request\.head|pull_request\.number|event\.number|issue\.number|head\.(?:sha|ref)|head_ref|head_sha"
    r"|refs/pull/|merge_commit_sha",
    re.IGNORECASE,
)
_FETCHES_CHANGE = re.compile(r"\bgh\s+pr\s+checkout\b|\bgit\s+(?:fetch|checkout|pull)\b[^\n]*\bpull/", re.IGNORECASE)


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    said = [verdict for workflow, job in facts.ours for verdict in _of_job(workflow, job)]
    yield from said
    if facts.ours and not said:
        yield ok("no job with Draftgate checks out a change where it should not")


def _of_job(workflow: Workflow, job: Job) -> Iterator[Verdict]:
    place = f"the job `{job.id}` of {workflow.path}"
    for step in job.steps:
        if workflow.takes(job, *_TRUSTED_EVENTS) and _takes_change(step):
            says = f"{place} runs with secrets and checks out the change, whose author can then run anything with them"
            yield wrong(says, "take the checkout away: Draftgate reads the change as data, and needs none")
        elif step.is_action("actions/checkout"):
            yield from _of_checkout(place, step)


def _takes_change(step: Step) -> bool:
    if step.is_action("actions/checkout"):
        inputs = (step.inputs.get("ref", ""), step.inputs.get("repository", ""))
        return any(_OF_CHANGE.search(value) for value in inputs)
    return _FETCHES_CHANGE.search(step.run) is not None


def _of_checkout(place: str, step: Step) -> Iterator[Verdict]:
    if step.inputs.get("persist-credentials", "true").lower() != "false":
        says = f"{place} has a checkout that leaves the token in .git/config for every later step"
        yield warning(says, "leave the checkout out, or add", lines=("with:", "  persist-credentials: false"))
    if step.inputs.get("fetch-depth", "1") != "0":
        says = f"{place} has a checkout of one commit, which Draftgate cannot use: it fetches the change once more"
        yield warning(says, "leave the checkout out, or take the whole history", lines=("with:", "  fetch-depth: 0"))


CHECK = Check(
    "workflow.checkout",
    "checkout",
    _judge,
    wrong_if="a job with secrets checks out the change",
    warns_if="a checkout is shallow, or leaves its token behind",
    exit_code=CONFIGURATION,
)
