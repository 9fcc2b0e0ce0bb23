"""By the webhook route a comment reaches the jobs in one way: there must be a webhook, on, with the right branch."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.gitlab import GitLabFacts, Hook


def _page(facts: GitLabFacts) -> str:
    return f"{facts.page}/-/hooks"


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    if not facts.pipeline.has_webhook_route:
        return
    hooks, default = facts.hooks.value, facts.project.value.default_branch
    if not hooks:
        address = f"{facts.api_url}/projects/NUMBER/ref/{default}/trigger/pipeline?token=TRIGGER_TOKEN"
        yield wrong(
            "no webhook starts a pipeline, so that nothing reaches the jobs", f"add {address}", where=_page(facts)
        )
    for hook in hooks:
        yield from _of_hook(facts, hook, default)
    if facts.project.value.variables_role == "no_one_allowed":
        where = f"{facts.page}/-/settings/ci_cd (Variables, Minimum role to use pipeline variables)"
        says = "no one may give a pipeline variables, and the payload of a webhook is one"
        yield wrong(says, "set the role to Maintainer", where=where)


def _of_hook(facts: GitLabFacts, hook: Hook, default: str) -> Iterator[Verdict]:
    troubles = []
    if hook.ref != default:
        troubles.append(f"names {f'the branch {hook.ref}' if hook.ref else 'no branch'}, and not {default}")
    if not hook.has_notes:
        troubles.append("has *Comments* not ticked")
    if not hook.has_merge_requests:
        troubles.append("has *Merge request events* not ticked")
    if troubles:
        yield wrong(f"a webhook that starts a pipeline {' and '.join(troubles)}", "correct it", where=_page(facts))
    if hook.is_disabled:
        yield warning(
            "GitLab does not call a webhook any more since its calls failed",
            "see its recent events",
            where=_page(facts),
        )
    if not troubles and not hook.is_disabled:
        yield ok(f"a webhook starts pipelines on {hook.ref} for comments and merge requests")


CHECK = Check(
    "gitlab.webhook",
    "webhook",
    _judge,
    wrong_if="by the webhook route there is none, it names another branch, lacks an event, or may bring no payload",
    warns_if="GitLab has given the webhook up",
    exit_code=CONFIGURATION,
    by_hand=_page,
)
