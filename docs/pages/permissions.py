"""The page of permissions: what to grant for each way of running, why, and which request needs what."""

from __future__ import annotations

from collections.abc import Iterator

from docs.pages.requests import GITHUB, GITLAB, Kind

ROOTS = {"GitHub": "/repos/{owner}/{name}", "GitLab": "/projects/{project}"}

_INTRODUCTION = """\
# Permissions

What Draftgate's token may do, for each way of running it, and which of its requests needs what. `draftgate doctor` asks the
forge what a token lacks. In a terminal Draftgate has no token and asks no forge.
"""

_GITHUB = """\
## GitHub

| way of running | grant | who it writes as |
| --- | --- | --- |
| the workflow token | `permissions:` of each job, as in [minimal.yml](../../examples/github/minimal.yml) | `github-actions[bot]`, which every workflow shares |
| a GitHub App | the same as repository permissions of the App, and what the workflow asks of them | the App |
| a person's token | fine-grained: the same; classic: the scope `repo` | that person, whose own drafts are then in the way |

| permission | review | commands | for | without it |
| --- | --- | --- | --- | --- |
| `contents: read` | ✓ | ✓ | commits, files, the configuration | exit 3 before anything is done |
| `pull-requests: write` | ✓ | ✓ | checkpoint, draft, review | with `read` on a pull request from a fork: the result stands in the job's summary; else exit 3 |
| `checks: write` | ✓ | ✓ | the check run, which keeps the seal where no hand edit reaches it | the checkpoint is held against the draft alone |
| `issues: write` | | ✓ | reactions and replies. GitHub lists it beside `pull-requests: write` for comments on a pull request; grant both | as long as GitHub takes the other one, nothing changes |
| `metadata: read` | ✓ | ✓ | who may command | every token has it |
| `members: read` (organization, App only) | | ✓ | teams in `approval.who` | the command is refused, exit 3; without teams it is never asked for |

To name any permission in a workflow sets all others to none. `approve` as a verdict needs a setting besides: Settings →
Actions → General → *Allow GitHub Actions to create and approve pull requests*.

Draftgate never asks for `contents: write`: it pushes nothing, and it resolves no thread of others.
"""

_GITLAB = """\
## GitLab

| way of running | grant | who it writes as |
| --- | --- | --- |
| project access token | role **Developer**, scope **`api`** | an account that GitLab makes for the token |
| group access token | the same, for all projects of the group | an account that GitLab makes for the token |
| personal access token of an account for the bot | scope **`api`**; the account is a member with the role **Developer** | that account |
| `CI_JOB_TOKEN` | nothing to grant | nobody: it cannot write comments, and only reads a merge request from a fork for a review in the job |

| grant | for | without it |
| --- | --- | --- |
| scope `api` | all that is written; `read_api` does not write | exit 3 (403) |
| role Developer | threads, the commit status, the seat of a reviewer | a lower role still comments and publishes; the seat is refused, and the checkpoint says so |
| a place among the approvers (Premium, by rule) | `--as approve` | refused before anything is published; `--as comment` publishes |

Besides the bot's token, the webhook needs a pipeline trigger token: it starts pipelines as its owner, and no more. [Which
variables are protected](../how-to/gitlab.md#the-token) decides whom the seal keeps out.
"""


def permissions() -> str:
    """What to grant on each forge, then every kind of request."""
    return "\n".join(
        (
            _INTRODUCTION,
            _GITHUB,
            *_requests("GitHub", "permission", GITHUB),
            _GITLAB,
            *_requests("GitLab", "who may", GITLAB),
        )
    )


def _requests(forge: str, need: str, kinds: tuple[Kind, ...]) -> Iterator[str]:
    yield f"### Every request to {forge}\n"
    yield f"`…` is `{ROOTS[forge]}`. A document of GraphQL stands in the source under the name that is given here.\n"
    yield f"| request | {need} | for |"
    yield "| --- | --- | --- |"
    for kind in kinds:
        yield f"| `{_shown(kind.line)}` | {kind.need} | {kind.purpose} |"
    yield ""


def _shown(line: str) -> str:
    """GraphQL by the name of its document, REST without what all paths begin with."""
    kind, *words = line.split(" ")
    if kind in {"query", "mutation"}:
        return f"GraphQL {kind} {words[0]}"
    root = next((root for root in ROOTS.values() if f" {root}/" in line), None)
    return line if root is None else line.replace(root, "…")
