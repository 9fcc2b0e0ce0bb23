"""The account's role in the project: Developer, since a Reporter resolves no thread and runs no pipeline.

https://docs.gitlab.com/user/permissions/
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, wrong
from draftgate.doctor.facts.gitlab import DEVELOPER, ROLES, GitLabFacts


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/project_members"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    role = facts.role.value
    named = ROLES.get(role, f"with the number {role}") if role else "none"
    if role < DEVELOPER:
        yield wrong(f"the account's role in the project is {named}", "give it the role Developer", where=_page(facts))
    else:
        yield ok(f"the account's role in the project is {named}")


CHECK = Check(
    "gitlab.role",
    "role",
    _judge,
    wrong_if="the account is no Developer of the project",
    exit_code=CREDENTIALS,
    by_hand=_page,
)
