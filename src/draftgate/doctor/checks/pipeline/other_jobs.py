"""A webhook's pipeline runs every job without `rules`: one for each comment that somebody writes."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.pipeline import PipelineFacts

_MOST_NAMED = 5
_RULES = (
    "rules:",
    '  - if: $CI_PIPELINE_SOURCE == "trigger" && $TRIGGER_PAYLOAD',
    "    when: never",
    "  - when: on_success",
)


def _judge(facts: PipelineFacts) -> Iterator[Verdict]:
    if not facts.has_webhook_route:
        return
    if facts.unguarded:
        named = ", ".join(facts.unguarded[:_MOST_NAMED])
        yield warning(
            f"these jobs have no rules, and every comment would run them: {named}", "add to each", lines=_RULES
        )
    else:
        yield ok("no other job of this file runs for each comment")


CHECK = Check(
    "pipeline.other-jobs",
    "other jobs",
    _judge,
    warns_if="the route is the webhook, and a job has no `rules`",
)
