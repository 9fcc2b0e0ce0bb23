"""Other review bots in the same pipelines: with the same token they would share the account and its drafts."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.pipeline import PipelineFacts


def _judge(facts: PipelineFacts) -> Iterator[Verdict]:
    if not facts.is_ours:
        return
    if facts.other_bots:
        yield warning(
            f"other review bots run here too: {', '.join(facts.other_bots)}; with the token of Draftgate one would "
            "publish, or delete, the drafts of the other",
            "give each a token, and so an account, of its own",
        )
    else:
        yield ok("no other review bot is known by its name in this file")


CHECK = Check(
    "pipeline.other-bots",
    "other bots in pipelines",
    _judge,
    warns_if="the file has another review bot",
)
