"""What a token may write, only a write would tell, and none is made here; so this says where it is written down."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, could_not_look, ok
from draftgate.doctor.facts.github import WORKFLOW_ACCOUNT, GitHubFacts, TokenForm

_WANTED = "Contents read, Pull requests write, Issues write, Checks write"


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    if facts.form is TokenForm.CLASSIC or facts.headers.value.scopes is not None:
        yield ok("the scopes of a classic token, and the role, say what it may write")
        return
    if facts.form is TokenForm.FINE_GRAINED:
        where = f"{facts.page.rsplit('/', 2)[0]}/settings/personal-access-tokens"
        yield could_not_look(f"a fine-grained token does not say what it may write; it needs {_WANTED}", where=where)
    elif facts.account.was_seen and facts.account.value.login == WORKFLOW_ACCOUNT:
        if facts.workflows.workflows.was_seen and facts.workflows.ours:
            yield ok("the `permissions:` of the workflow say what its token may write; they are looked at there")
        else:
            yield could_not_look(f"a workflow's token does not say what it may write; its job needs {_WANTED}")
    elif facts.form is TokenForm.INSTALLATION:
        site = facts.page.rsplit("/", 2)[0]
        of = f"organizations/{facts.owner}/" if facts.repository.value.owner_is_organization else ""
        where = f"{site}/{of}settings/installations → Configure"
        yield could_not_look(f"an App's token does not say what it may write; the App needs {_WANTED}", where=where)
    else:
        yield could_not_look(f"this token does not say what it may write; it needs {_WANTED}")


CHECK = Check(
    "github.writes",
    "what it may write",
    _judge,
)
