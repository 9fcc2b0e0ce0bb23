"""Where each GraphQL field finds its value: one table for each type, by GitHub's names.

What is missing here but is in the schema is refused loudly by `graphql`, never answered with null. Who may see
what is `world`'s; this only asks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from tests.fakes.github import graphql_git as git
from tests.fakes.github import graphql_remarks as remarks
from tests.fakes.github import graphql_reviews as reviews
from tests.fakes.github.entities import (
    Account,
    AccountKind,
    CheckRun,
    Issue,
    Node,
    PullRequest,
    Repository,
    Role,
    TokenKind,
)
from tests.fakes.github.graphql_call import Call, Fields
from tests.fakes.github.refusals import NotFound

NAMES: Final = {
    "Review": "PullRequestReview",
    "ReviewComment": "PullRequestReviewComment",
    "Thread": "PullRequestReviewThread",
}
"""The GraphQL types that are called otherwise here."""
LIMIT: Final = 5000
"""Points in an hour. The simulator counts none: a limit that is hit is a fault that a test asks for."""


def type_name(thing: object) -> str:
    """The GraphQL type of something that a field with several possible types found."""
    if isinstance(thing, Account):
        return thing.kind.value
    name = type(thing).__name__
    return NAMES.get(name, name)


def _find_repository(call: Call, owner: str, name: str) -> Repository:
    """A repository that the caller may see.

    Raises:
        NotFound: With GraphQL's words.
    """
    try:
        repository = call.world.repository(owner, name)
        call.world.require(call.caller, repository, "read", "metadata")
    except NotFound:
        raise NotFound(f"Could not resolve to a Repository with the name '{owner}/{name}'.") from None
    return repository


def _find_pull(repository: Repository, call: Call) -> PullRequest:
    """A pull request by the argument `number`.

    Raises:
        NotFound: With GraphQL's words.
        Forbidden: The app may not read pull requests.
    """
    call.world.require(call.caller, repository, "read", "pull_requests")
    issue = repository.issues.get(call.arguments["number"])
    if not isinstance(issue, PullRequest):
        raise NotFound(f"Could not resolve to a PullRequest with the number of {call.arguments['number']}.")
    return issue


def _find_issue(repository: Repository, call: Call) -> Issue:
    """An issue that is no pull request, by the argument `number`."""
    call.world.require(call.caller, repository, "read", "issues")
    issue = repository.issues.get(call.arguments["number"])
    if issue is None or isinstance(issue, PullRequest):
        raise NotFound(f"Could not resolve to an Issue with the number of {call.arguments['number']}.")
    return issue


def _viewer_permission(repository: Repository, call: Call) -> str | None:
    """An app has permissions and no role."""
    role = call.world.role(repository, call.caller.account)
    return None if call.caller.kind is TokenKind.INSTALLATION or role is Role.NONE else role.name


def _object(repository: Repository, call: Call) -> git.GitObject | None:
    call.world.require(call.caller, repository, "read", "contents")
    return git.find_object(repository, call.arguments.get("oid") or call.arguments.get("expression") or "")


def _pulls(repository: Repository, call: Call) -> Sequence[PullRequest]:
    """By number unless asked otherwise."""
    call.world.require(call.caller, repository, "read", "pull_requests")
    states = call.arguments.get("states")
    found = [
        pull
        for pull in call.world.pulls(repository)
        if (states is None or reviews.state_of(pull) in states)
        and call.arguments.get("baseRefName") in {None, pull.base_ref}
        and call.arguments.get("headRefName") in {None, pull.head_ref}
    ]
    return remarks.in_order(found, call)


def _node_or_refusal(call: Call, node_id: str) -> Node | NotFound:
    """What is missing in a list is null there and an error of its own."""
    try:
        return call.world.node(call.caller, node_id)
    except NotFound as refusal:
        return refusal


ACTOR: Fields[Account] = {
    "id": lambda account, _: account.node_id,
    "databaseId": lambda account, _: account.id,
    "avatarUrl": lambda account, call: f"{call.web}/avatars/{account.id}",
    "login": lambda account, _: account.bare_login,
    "resourcePath": lambda account, _: f"/{account.bare_login}",
    "url": lambda account, call: f"{call.web}/{account.bare_login}",
}
VIEWER: Fields[Account] = {
    # The viewer is a `User`, also when an app looks; this is the one login in GraphQL that ends in `[bot]`.
    "login": lambda account, _: account.login,
    "name": lambda _, __: None,
    "isViewer": lambda account, call: account is call.caller.account,
}
REPOSITORY: Fields[Repository] = {
    "id": lambda repository, _: repository.node_id,
    "databaseId": lambda repository, _: repository.id,
    "name": lambda repository, _: repository.name,
    "nameWithOwner": lambda repository, _: repository.full_name,
    "owner": lambda repository, _: repository.owner,
    "isInOrganization": lambda repository, _: repository.owner.kind is AccountKind.ORGANIZATION,
    "isPrivate": lambda repository, _: repository.private,
    "isFork": lambda repository, _: repository.parent is not None,
    "isArchived": lambda _, __: False,
    "parent": lambda repository, _: repository.parent,
    "visibility": lambda repository, _: "PRIVATE" if repository.private else "PUBLIC",
    "url": lambda repository, call: f"{call.web}/{repository.full_name}",
    "viewerPermission": _viewer_permission,
    "defaultBranchRef": lambda repository, _: git.find_ref(repository, repository.default_branch),
    "ref": lambda repository, call: git.find_ref(repository, call.arguments["qualifiedName"]),
    "object": _object,
    "issue": _find_issue,
    "pullRequest": _find_pull,
    "pullRequests": lambda repository, call: call.page(_pulls(repository, call)),
}
CHECK_RUN: Fields[CheckRun] = {
    "id": lambda run, _: run.node_id,
    "databaseId": lambda run, _: run.id,
    "name": lambda run, _: run.name,
    "status": lambda run, _: run.status.upper(),
    "conclusion": lambda run, _: run.conclusion and run.conclusion.upper(),
    "externalId": lambda run, _: run.external_id,
    "repository": lambda run, _: run.repository,
    "summary": lambda run, _: run.output.get("summary"),
    "text": lambda run, _: run.output.get("text"),
    "title": lambda run, _: run.output.get("title"),
}
QUERY: Fields[None] = {
    "node": lambda _, call: call.world.node(call.caller, call.arguments["id"]),
    "nodes": lambda _, call: [_node_or_refusal(call, node_id) for node_id in call.arguments["ids"]],
    "rateLimit": lambda _, call: {
        "cost": 1,
        "limit": LIMIT,
        "nodeCount": 1,
        "remaining": LIMIT - 1,
        "used": 1,
        "resetAt": call.world.now + timedelta(hours=1),
    },
    "repository": lambda _, call: _find_repository(call, call.arguments["owner"], call.arguments["name"]),
    "user": lambda _, call: call.world.account(call.arguments["login"]),
    "viewer": lambda _, call: call.caller.account,
}

TYPES: Final[Mapping[str, Fields[Any]]] = {
    "Blob": {**git.GIT_OBJECT, **git.BLOB},
    "Bot": ACTOR,
    "CheckRun": CHECK_RUN,
    "Commit": {**git.GIT_OBJECT, **git.COMMIT},
    "Issue": {**remarks.COMMENT, **remarks.PAGES, **remarks.ISSUE},
    "IssueComment": {**remarks.COMMENT, **remarks.MINIMIZABLE, **remarks.PAGES, **remarks.ISSUE_COMMENT},
    "Label": remarks.LABEL,
    "Organization": ACTOR,
    "PullRequest": {**remarks.COMMENT, **remarks.PAGES, **remarks.ISSUE, **reviews.PULL_REQUEST},
    "PullRequestChangedFile": reviews.CHANGED_FILE,
    "PullRequestReview": {**remarks.COMMENT, **remarks.MINIMIZABLE, **remarks.PAGES, **reviews.REVIEW},
    "PullRequestReviewComment": {**remarks.COMMENT, **remarks.MINIMIZABLE, **remarks.PAGES, **reviews.REVIEW_COMMENT},
    "PullRequestReviewThread": reviews.REVIEW_THREAD,
    "Query": QUERY,
    "Reaction": remarks.REACTION,
    "Ref": git.REF,
    "Repository": REPOSITORY,
    "Tree": {**git.GIT_OBJECT, **git.TREE},
    "TreeEntry": git.TREE_ENTRY,
    "User": {**ACTOR, **VIEWER},
    "UserContentEdit": remarks.USER_CONTENT_EDIT,
}
