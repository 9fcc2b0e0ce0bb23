"""An environment keeps a key from other branches only if it is limited to the default one.

https://docs.github.com/en/actions/reference/workflows-and-actions/deployments-and-environments
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.github import GitHubFacts


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    default = facts.repository.value.default_branch
    for name, fact in facts.environments.items():
        environment, page = fact.value, f"{facts.page}/settings/environments"
        change = f"under *Deployment branches and tags* allow {default} and nothing else"
        if environment.is_open:
            says = f"every branch may use the environment {name}, and so read its secrets"
            yield wrong(says, change, where=page)
        elif environment.names is None:
            says = f"every protected branch may use the environment {name}, and so read its secrets"
            yield warning(says, change, where=page)
        elif set(environment.names) - {default}:
            says = f"the environment {name} is open to {', '.join(environment.names)}, and not to {default} alone"
            yield warning(says, change, where=page)
        else:
            yield ok(f"the environment {name} is limited to {default}")


CHECK = Check(
    "github.environment",
    "environment",
    _judge,
    wrong_if="the environment of a job with Draftgate is open to every branch",
    warns_if="it is open to more than the default branch",
    exit_code=CREDENTIALS,
    by_hand=lambda facts: f"{facts.page}/settings/environments",
)
