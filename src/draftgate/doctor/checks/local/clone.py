"""A clone must hold enough history to say where a branch left the default one.

In a job nothing has to be cloned: what a workspace lacks is fetched by the run itself, so there it is a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, could_not_look, ok, warning
from draftgate.doctor.facts.local import Clone, LocalFacts


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    if not facts.clone.was_seen and facts.is_job:
        yield ok("there is no clone here, and none is needed: a job fetches the commits of the change by itself")
        return
    if not facts.clone.was_seen:
        yield could_not_look(facts.clone.reason, where=facts.clone_hint)
        return
    clone = facts.clone.value
    if facts.is_job:
        yield _in_a_job(clone)
    elif clone.is_shallow:
        yield warning(
            "the history of this clone is cut off, so that a merge base may be missing",
            "fetch the rest",
            lines=("git fetch --unshallow",),
        )
    elif clone.is_partial:
        yield warning(
            "this clone was made with `--filter`, and a review reads no file that is not here",
            "fetch the files",
            lines=("git fetch --refetch --no-filter",),
        )
    else:
        yield ok("the clone is whole")


def _in_a_job(clone: Clone) -> Verdict:
    cut = "its history is cut off" if clone.is_shallow else "it was made with `--filter`" if clone.is_partial else ""
    if not cut:
        return ok("the clone is whole")
    return ok(f"there is a clone and {cut}; the job fetches what it lacks, so the checkout can as well be left out")


CHECK = Check(
    "local.clone",
    "clone",
    _judge,
    warns_if="the clone of a terminal is shallow or partial, so that the merge base or files may be missing",
)
