"""A job that is stopped while models still answer shows nothing, so it needs more minutes than a round may take."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.workflows import WorkflowFacts


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    timed = [(workflow, job) for workflow, job in facts.ours if job.minutes is not None]
    short = [(workflow, job) for workflow, job in timed if (job.minutes or 0) <= facts.budget_minutes]
    for workflow, job in short:
        yield warning(
            f"the job `{job.id}` of {workflow.path} is stopped after {job.minutes} minutes, and a round may take "
            f"{facts.budget_minutes} (`budgets.minutes`)",
            "give the job some minutes more than the round",
            lines=(f"timeout-minutes: {facts.budget_minutes + 5}",),
        )
    if timed and not short:
        yield ok(f"jobs may take longer than a round ({facts.budget_minutes} minutes)")


CHECK = Check(
    "workflow.timeout",
    "time of jobs",
    _judge,
    warns_if="`timeout-minutes` of a job is not above `budgets.minutes`",
)
