"""A command job in a concurrency group loses commands: GitHub keeps one waiting run of a group, cancels the others.

https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, wrong
from draftgate.doctor.facts.workflows import COMMAND_EVENTS, WorkflowFacts


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    commanding = [(workflow, job) for workflow, job in facts.ours if workflow.takes(job, *COMMAND_EVENTS)]
    grouped = [(workflow, job) for workflow, job in commanding if workflow.has_concurrency or job.has_concurrency]
    for workflow, job in grouped:
        place = f"the job `{job.id}` of {workflow.path}" if job.has_concurrency else f"the whole of {workflow.path}"
        says = f"{place} has a concurrency group, and a run of it that is cancelled is a lost command"
        yield wrong(says, "take `concurrency` away from what runs for comments")
    if commanding and not grouped:
        yield ok("no command is lost to a concurrency group")


CHECK = Check(
    "workflow.concurrency",
    "concurrency",
    _judge,
    wrong_if="a job that takes commands has a concurrency group",
    exit_code=CONFIGURATION,
)
