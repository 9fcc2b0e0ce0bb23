"""Which GitHub this is: older Enterprise Servers run `pull_request_target` on another branch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import GitHubFacts

_TARGET_ON_DEFAULT = (3, 20)
"""From here on `pull_request_target` runs from the default branch, whatever the base of the pull request."""


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    version = facts.headers.value.enterprise
    if not version:
        yield ok("GitHub.com, or a server that does not tell its version")
        return
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    is_old = found is not None and (int(found[1]), int(found[2])) < _TARGET_ON_DEFAULT
    uses_target = any(
        "pull_request_target" in workflow.events and job.environment for workflow, job in facts.workflows.ours
    )
    if is_old and uses_target:
        yield warning(
            f"GitHub Enterprise Server {version} runs `pull_request_target` on the base branch of the pull request, so "
            "that an environment limited to the default branch refuses changes to other branches",
            "review changes to the default branch alone, or upgrade to 3.20",
        )
    else:
        yield ok(f"GitHub Enterprise Server {version}")


CHECK = Check(
    "github.version",
    "version",
    _judge,
    warns_if="it is an Enterprise Server before 3.20, with `pull_request_target` and an environment",
)
