"""Reviews begin by events of pull requests and commands by those of comments; each event must arrive, and once."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.workflows import COMMAND_EVENTS, REVIEW_EVENTS, Workflow, WorkflowFacts

_WANTED = ("opened", "reopened", "synchronize", "ready_for_review", "labeled", "closed")
_BY_DEFAULT = ("opened", "reopened", "synchronize")
"""https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request"""

_REVIEWS = ("on:", "  pull_request:", f"    types: [{', '.join(_WANTED)}]")
_COMMENTS = ("on:", "  issue_comment:", "    types: [created]")


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    if not facts.ours:
        return
    reviewing = _with_event(facts, REVIEW_EVENTS)
    commanding = _with_event(facts, COMMAND_EVENTS)
    if not reviewing:
        yield wrong("no job with Draftgate runs for pull requests, so that nothing is reviewed", "add", lines=_REVIEWS)
    if not commanding:
        says = "no job with Draftgate runs for comments, so that nothing can be approved"
        yield wrong(says, "add, with a job for it", lines=_COMMENTS)
    events = [event for workflow, event in reviewing]
    if len(set(events)) > 1:
        says = "jobs with Draftgate run for `pull_request` and for `pull_request_target`: two reviews of every push"
        yield wrong(says, "keep one of the two")
    for workflow, event in reviewing:
        missing = [kind for kind in _WANTED if kind not in (workflow.events[event] or _BY_DEFAULT)]
        if missing:
            says = f"{workflow.path} does not run `{event}` for {', '.join(missing)}"
            yield warning(says, "list all that count", lines=(f"    types: [{', '.join(_WANTED)}]",))
    if reviewing and commanding and len(set(events)) == 1:
        yield ok(f"reviews by `{events[0]}`, commands by `issue_comment`")


def _with_event(facts: WorkflowFacts, events: tuple[str, ...]) -> list[tuple[Workflow, str]]:
    found = [(workflow, event) for workflow, job in facts.ours for event in events if workflow.takes(job, event)]
    return [pair for index, pair in enumerate(found) if pair not in found[:index]]


CHECK = Check(
    "workflow.events",
    "events",
    _judge,
    wrong_if="no job runs for pull requests, none for comments, or both kinds of pull request events begin a review",
    warns_if="a kind of activity is left out",
    exit_code=CONFIGURATION,
)
