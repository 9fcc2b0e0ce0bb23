"""GitHub runs comments and `pull_request_target` from the default branch alone, so the file must stand there."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.workflows import WorkflowFacts


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    paths = dict.fromkeys(workflow.path for workflow, _ in facts.ours)
    if not paths or facts.came_from == "the default branch":
        return
    there = facts.on_default.value
    absent = [path for path in paths if path not in there]
    other = [path for path in paths if path in there and there[path] != facts.texts.get(path)]
    for path in absent:
        yield warning(f"{path} is not on the default branch yet, and no command is run before it is", "merge it")
    for path in other:
        yield warning(f"{path} is another one on the default branch, and that one takes the commands", "merge this one")
    if not absent and not other:
        yield ok("the workflow is on the default branch as it is here")


CHECK = Check(
    "workflow.default-branch",
    "default branch",
    _judge,
    warns_if="the file is not on the default branch, or is another one there",
)
