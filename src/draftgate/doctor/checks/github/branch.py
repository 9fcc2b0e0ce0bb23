"""The default branch holds the workflow and the configuration, so whoever may push to it decides what the bot does."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.github import GitHubFacts


def _judge(facts: GitHubFacts) -> Iterator[Verdict]:
    name = facts.repository.value.default_branch
    is_protected = facts.is_protected.value or bool(facts.rules.was_seen and facts.rules.value)
    if not is_protected:
        yield warning(
            f"{name} is not protected: whoever may write can change the workflow and the configuration of the bot",
            "add a rule that asks for a pull request",
            where=f"{facts.page}/settings/rules",
        )
    rules = facts.rules.value
    if is_protected:
        yield ok(f"{name} is protected" + (f" by the rules {', '.join(rules)}" if rules else ""))


CHECK = Check(
    "github.branch",
    "default branch",
    _judge,
    warns_if="the default branch is not protected",
    by_hand=lambda facts: f"{facts.page}/settings/rules",
)
