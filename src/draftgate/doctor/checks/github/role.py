"""What the person behind a token may in the repository; tokens of Apps have permissions in place of a role."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.github import GitHubFacts

_ROLES = {"admin": "admin", "maintain": "maintain", "push": "write", "triage": "triage", "pull": "read"}
"""By what `permissions` of a repository calls them, the highest first."""


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    repository = facts.repository.value
    if repository.may is None or not facts.is_of_person:
        return
    role = next((role for name, role in _ROLES.items() if name in repository.may), "")
    page = f"{facts.page}/settings/access"
    if not role:
        yield wrong("the account has no role in the repository", "give it the role write", where=page)
    elif "push" not in repository.may:
        says = f"the account has the role {role}: its approval counts for no rule, and it cannot resolve threads"
        yield warning(says, "give it the role write, if it is the one that jobs act as", where=page)
    else:
        yield ok(f"the account has the role {role}")


CHECK = Check(
    "github.role",
    "role",
    _judge,
    wrong_if="the token's person has no role in the repository",
    warns_if="the role is below write",
    exit_code=CREDENTIALS,
)
