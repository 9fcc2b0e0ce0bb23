"""A repository is reviewed by a workflow, so there must be one, and one that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.render.wording import counted


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    for path, why in facts.unreadable:
        yield wrong(f"{path} cannot be read: {why}", "correct it; GitHub runs no file that it cannot read")
    ours = facts.ours
    if not ours:
        yield warning(
            f"no workflow of {facts.came_from} has a step with Draftgate",
            "copy examples/github/minimal.yml or recommended.yml of the release to .github/workflows/draftgate.yml",
        )
        return
    paths = dict.fromkeys(workflow.path for workflow, _ in ours)
    yield ok(f"{', '.join(paths)} of {facts.came_from}, {counted(len(ours), 'job')} with Draftgate")


CHECK = Check(
    "workflow.present",
    "workflow",
    _judge,
    wrong_if="a workflow file cannot be read",
    warns_if="none has a step with Draftgate",
    exit_code=CONFIGURATION,
    comes_first=True,
)
