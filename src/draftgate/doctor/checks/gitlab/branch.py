"""The default branch holds jobs and configuration, and a protected variable reaches protected branches alone."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/settings/repository (Protected branches)"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    name = facts.project.value.default_branch
    if facts.is_protected.value:
        yield ok(f"{name} is protected")
        return
    protected = facts.variable.was_seen and facts.variable.value is not None and facts.variable.value.is_protected
    more = ", and the protected variable does not reach it" if protected else ""
    says = f"{name} is not protected: every Developer can change the jobs and the configuration of the bot{more}"
    yield warning(says, "protect it", where=_page(facts))


CHECK = Check(
    "gitlab.branch",
    "default branch",
    _judge,
    warns_if="the default branch is not protected",
    by_hand=_page,
)
