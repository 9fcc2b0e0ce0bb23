"""What people write, as GraphQL shows it: issues, comments, their edits and reactions.

Reviews and what belongs to them are `graphql_reviews`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final, TypeVar

from tests.fakes.github.entities import (
    Account,
    Edit,
    Issue,
    IssueComment,
    Label,
    PullRequest,
    Reaction,
    Remark,
    Repository,
    Review,
    ReviewComment,
    Role,
)
from tests.fakes.github.graphql_call import Call, Fields

R = TypeVar("R", bound=Remark)

REACTIONS: Final = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
"""GraphQL's name of each reaction and that of REST."""


def repository_of(remark: Remark) -> Repository:
    """The repository in which something was written."""
    match remark:
        case Issue():
            return remark.repository
        case IssueComment():
            return remark.issue.repository
        case Review():
            return remark.pull.repository
        case ReviewComment():
            return remark.thread.pull.repository
    raise AssertionError(remark)


def page_of(thing: Issue | IssueComment | Review | ReviewComment) -> str:
    """The path of the web page where something can be read."""
    match thing:
        case Issue():
            kind = "pull" if isinstance(thing, PullRequest) else "issues"
            return f"/{thing.repository.full_name}/{kind}/{thing.number}"
        case IssueComment():
            return f"{page_of(thing.issue)}#issuecomment-{thing.id}"
        case Review():
            return f"{page_of(thing.pull)}#pullrequestreview-{thing.id}"
        case ReviewComment():
            return f"{page_of(thing.thread.pull)}#discussion_r{thing.id}"


def in_order(remarks: Sequence[R], call: Call) -> Sequence[R]:
    """As the argument `orderBy` says, oldest first without it."""
    order = call.arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    key = {"CREATED_AT": "created_at", "UPDATED_AT": "updated_at"}[order["field"]]
    return sorted(remarks, key=attrgetter(key, "id"), reverse=order["direction"] == "DESC")


def reaction_groups(remark: Remark, call: Call) -> list[Mapping[str, object]]:
    """All eight kinds, also those that nobody gave."""
    return [
        {
            "content": name,
            "viewerHasReacted": any(reaction.account is call.caller.account for reaction in given),
            "createdAt": given[0].created_at if given else None,
            "reactors": _reactors(given),
            "subject": remark,
        }
        for name, content in REACTIONS.items()
        for given in [[reaction for reaction in remark.reactions if reaction.content == content]]
    ]


def _reactors(given: list[Reaction]) -> Callable[[object, Call], object]:
    return lambda _, call: call.page(reaction.account for reaction in given)


def may_update(remark: Remark, call: Call) -> bool:
    role = call.world.role(repository_of(remark), call.caller.account)
    return remark.author is call.caller.account or role >= Role.WRITE


def as_user(account: Account | None) -> Account | None:
    """Where the schema has a `User`, an app that did it is not shown."""
    return account if account is not None and account.app is None else None


COMMENT: Fields[Remark] = {
    "id": lambda it, _: it.node_id,
    "databaseId": lambda it, _: it.id,
    "fullDatabaseId": lambda it, _: str(it.id),
    "author": lambda it, _: it.author,
    "authorAssociation": lambda it, call: call.world.association(repository_of(it), it.author),
    "body": lambda it, _: it.body,
    "bodyText": lambda it, _: it.body,
    "createdAt": lambda it, _: it.created_at,
    "createdViaEmail": lambda _, __: False,
    "editor": lambda it, _: it.editor,
    "includesCreatedEdit": lambda it, _: bool(it.edits),
    "lastEditedAt": lambda it, _: it.last_edited_at,
    "publishedAt": lambda it, _: it.created_at,
    "reactionGroups": reaction_groups,
    "repository": lambda it, _: repository_of(it),
    "updatedAt": lambda it, _: it.updated_at,
    "userContentEdits": lambda it, call: call.page(reversed(it.edits)),
    "viewerCanUpdate": may_update,
    "viewerDidAuthor": lambda it, call: it.author is call.caller.account,
}
MINIMIZABLE: Fields[Remark] = {
    "isMinimized": lambda it, _: it.minimized is not None,
    "minimizedReason": lambda it, _: it.minimized and it.minimized.lower().replace("_", "-"),
}
PAGES: Fields[Issue | IssueComment | Review | ReviewComment] = {
    "resourcePath": lambda it, _: page_of(it),
    "url": lambda it, call: call.web + page_of(it),
}
USER_CONTENT_EDIT: Fields[Edit] = {
    "id": lambda edit, _: edit.node_id,
    "createdAt": lambda edit, _: edit.at,
    "deletedAt": lambda _, __: None,
    "deletedBy": lambda _, __: None,
    "diff": lambda edit, _: edit.body,
    "editedAt": lambda edit, _: edit.at,
    "editor": lambda edit, _: edit.editor,
    "updatedAt": lambda edit, _: edit.at,
}
REACTION: Fields[Reaction] = {
    "id": lambda reaction, _: reaction.node_id,
    "databaseId": lambda reaction, _: reaction.id,
    "content": lambda reaction, _: next(name for name, content in REACTIONS.items() if content == reaction.content),
    "createdAt": lambda reaction, _: reaction.created_at,
    "user": lambda reaction, _: as_user(reaction.account),
}
LABEL: Fields[Label] = {
    "id": lambda label, _: label.node_id,
    "name": lambda label, _: label.name,
}
ISSUE: Fields[Issue] = {
    "closed": lambda issue, _: issue.state == "closed",
    "closedAt": lambda issue, _: issue.closed_at,
    "comments": lambda issue, call: call.page(in_order(issue.comments, call)),
    "labels": lambda issue, call: call.page(issue.labels),
    "locked": lambda _, __: False,
    "number": lambda issue, _: issue.number,
    "state": lambda issue, _: issue.state.upper(),
    "title": lambda issue, _: issue.title,
}
ISSUE_COMMENT: Fields[IssueComment] = {
    "issue": lambda comment, _: comment.issue,
    "pullRequest": lambda comment, _: comment.issue if isinstance(comment.issue, PullRequest) else None,
}
