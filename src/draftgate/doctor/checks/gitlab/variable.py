"""Whether the variable with the token is protected must go with the route: pipelines of merge requests see no such one.

Its value comes with the answer, and is not kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.gitlab import GitLabFacts, Variable


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/settings/ci_cd (Variables)"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    variable = facts.variable.value
    if variable is None:
        says = f"the project itself has no variable {facts.token_name}; it may be one of a group above"
        yield warning(says, "see that there is one", where=_page(facts))
        return
    if facts.pipeline.is_ours:
        yield _of_route(facts, variable)
    if not variable.is_masked:
        yield warning(f"{facts.token_name} is not masked, and a log may show it", "tick *Masked*", where=_page(facts))


def _of_route(facts: GitLabFacts, variable: Variable) -> Verdict:
    name = facts.token_name
    if facts.pipeline.has_webhook_route and not variable.is_protected:
        says = f"{name} is not protected, so that whoever may push a branch can print it"
        return warning(says, "tick *Protected*: by webhook the jobs run on the default branch", where=_page(facts))
    if not facts.pipeline.has_webhook_route and variable.is_protected:
        says = f"{name} is protected, and pipelines of merge requests run on branches that are not: no job gets it"
        return wrong(says, "use the route by webhook, or untick *Protected*", where=_page(facts))
    return ok(f"{name} is {'protected' if variable.is_protected else 'not protected'}, as the route needs it")


CHECK = Check(
    "gitlab.variable",
    "variable with the token",
    _judge,
    wrong_if="it is protected, and the jobs run on branches that are not",
    warns_if="it is not masked, not protected by the webhook route, or not the project's own",
    exit_code=CREDENTIALS,
    by_hand=_page,
)
