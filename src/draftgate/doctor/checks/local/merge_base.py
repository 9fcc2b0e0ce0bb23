"""Without a merge base with the default branch, `draftgate review` has nothing to compare with unless it is told."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.local import LocalFacts


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    if facts.is_job or not facts.clone.was_seen:
        return  # a job is told what to compare with, and `local.clone` says that there is none
    clone = facts.clone.value
    if not clone.default_branch:
        yield warning(
            "no default branch is known here: no `origin/HEAD`, no `init.defaultBranch`, no `main`, no `master`",
            "let git ask the remote, or name it each time: `draftgate review --base REF`",
            lines=("git remote set-head origin --auto",),
        )
    elif not clone.has_merge_base:
        yield warning(
            f"what is checked out has no commit in common with {clone.default_branch}",
            "fetch the whole history, or name another base: `draftgate review --base REF`",
        )
    else:
        yield ok(f"what is checked out can be compared with {clone.default_branch}")


CHECK = Check(
    "local.merge-base",
    "merge base",
    _judge,
    warns_if="no default branch is known, or what is checked out has no commit in common with it",
)
