"""The template clones nothing; a job of one's own that does should have all of the history, or none of it."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.pipeline import PipelineFacts


def _judge(facts: PipelineFacts) -> Iterator[Verdict]:
    if facts.include is not None:
        yield ok("the jobs of the template clone nothing, whatever GIT_DEPTH is, and fetch the change by themselves")
    elif facts.runs_itself and facts.strategy != "none" and facts.depth != "0":
        depth = f"GIT_DEPTH is {facts.depth}" if facts.depth else "GIT_DEPTH is not set, and GitLab's default is 20"
        yield warning(
            f"{depth}, so that the clone may lack the merge base and the change is fetched once more",
            "clone nothing, since Draftgate fetches what it needs",
            lines=("variables:", "  GIT_STRATEGY: none"),
        )
    elif facts.runs_itself:
        yield ok("the job clones nothing, or everything")


CHECK = Check(
    "pipeline.depth",
    "depth of clones",
    _judge,
    warns_if="a job without the template works on a clone that is cut off",
)
