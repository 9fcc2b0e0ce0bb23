"""The action is named by the full commit of a release: a tag can be moved, and whoever moves it holds the token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.workflows import WorkflowFacts

_COMMIT = re.compile(r"[0-9a-f]{40}|sha256:[0-9a-f]{64}")
_ZEROS = re.compile(r"0{40}")


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    used = dict.fromkeys(
        (workflow.path, step.uses)
        for workflow, job in facts.ours
        for step in job.ours
        if step.uses and not step.uses.startswith("./")
    )
    is_fine = bool(used)
    for path, uses in used:
        name, _, ref = uses.rpartition("@")
        if _ZEROS.fullmatch(ref) or name.startswith("OWNER/"):
            is_fine = False
            says = f"{path} still has the example's `uses: {uses}`"
            yield wrong(says, "name the repository and the full commit of a release")
        elif _COMMIT.fullmatch(ref) is None:
            is_fine = False
            says = f"{path} has `uses: {uses}`, which can become another program without a change here"
            yield warning(says, "name the full commit of the release in place of a tag or branch")
    if is_fine:
        yield ok("the action is named by a commit")


CHECK = Check(
    "workflow.pinned",
    "release of the action",
    _judge,
    wrong_if="the action is named as in the example",
    warns_if="it is named by a tag or a branch",
    exit_code=CONFIGURATION,
)
