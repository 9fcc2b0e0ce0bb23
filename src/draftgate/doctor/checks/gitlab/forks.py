"""A fork's pipeline in the parent project runs what the fork wrote, with the parent's unprotected variables.

https://docs.gitlab.com/ci/pipelines/merge_request_pipelines/#run-pipelines-in-the-parent-project
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, could_not_look, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/settings/ci_cd (General pipelines)"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    runs_here = facts.project.value.fork_pipelines_run_here
    if runs_here is None:
        yield could_not_look("GitLab shows this setting to Maintainers alone", where=_page(facts))
    elif runs_here and not facts.pipeline.has_webhook_route:
        yield warning(
            "a member may run the pipeline of a fork in this project, and what the fork wrote then runs with the token",
            "untick *Run pipelines in the parent project for merge requests from forks*, or use the webhook route",
            where=_page(facts),
        )
    else:
        yield ok("no pipeline of a fork gets the token")


CHECK = Check(
    "gitlab.forks",
    "pipelines of forks",
    _judge,
    warns_if="a fork's pipeline can run in the project, and the route is not the webhook",
    by_hand=_page,
)
