"""Other bots under the account of all workflows: GitHub keeps one draft review for each account, and so one bot's.

Told by the names of actions and programs; a bot of another name is not seen here, but see `github.foreign-drafts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.workflows import Job, WorkflowFacts

_BOTS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("PR-Agent", r"(?:^|/)pr-agent(?:@|:|/|$)"),
        ("reviewdog", r"(?:^|[/\s])reviewdog(?:/|@|\s|$)|-reporter[= ]github-pr-review"),
        ("Danger", r"^danger/|(?:^|[\s/])danger(?:-js|-swift|-python)?(?:\s+(?:ci|pr)\b|@)"),
        ("Claude Code", r"^anthropics/claude-code-(?:action|base-action)"),
        ("CodeRabbit", r"^coderabbitai/"),
        ("AI Code Reviewer", r"^(?:freeedcom|villesau|anc95|presubmit)/"),
        ("Gemini", r"^google-github-actions/run-gemini-cli"),
        ("Trunk", r"^trunk-io/trunk-action"),
        ("MegaLinter", r"^oxsecurity/megalinter"),
        ("a script that writes reviews", r"pulls\.(?:createReview|submitReview)\b|\bgh\s+pr\s+review\b"),
    )
)


def _judge(facts: WorkflowFacts) -> Iterator[Verdict]:
    found = sorted({(name, workflow.path) for workflow in facts.workflows.value for name in _names(workflow.jobs)})
    if not facts.ours:
        return
    if found and facts.shares_account:
        listed = ", ".join(f"{name} in {path}" for name, path in found)
        yield warning(
            f"the account of Draftgate, github-actions[bot], is that of other workflows too: {listed}; while one of "
            "them holds a draft review on a pull request, GitHub refuses the other's",
            "give Draftgate an account of its own, as examples/github/recommended.yml does with a GitHub App",
        )
    elif found:
        listed = ", ".join(f"{name} in {path}" for name, path in found)
        yield ok(f"other bots have an account of their own: {listed}")
    else:
        yield ok("no other review bot is known by its name in these workflows")


def _names(jobs: tuple[Job, ...]) -> Iterator[str]:
    for step in (step for job in jobs for step in job.steps):
        script = step.inputs.get("script", "")
        for name, pattern in _BOTS:
            if any(pattern.search(text) for text in (step.uses, step.run, script)):
                yield name


CHECK = Check(
    "workflow.other-bots",
    "other bots in workflows",
    _judge,
    warns_if="another review bot writes as the account that Draftgate writes as",
)
