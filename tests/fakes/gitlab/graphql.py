"""The little of GraphQL that reviews need: asking for changes, setting reviewers, and a read to check it.

As at GitLab a mutation that is refused says so inside of ``data``; what the schema lacks is a top-level error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from graphql import GraphQLError, GraphQLResolveInfo, GraphQLSchema, build_schema, graphql_sync

from tests.fakes.forge_http.messages import Answer
from tests.fakes.gitlab import graphql_reads, reviewing
from tests.fakes.gitlab.access import may_administer, may_know, may_read_code, may_update
from tests.fakes.gitlab.entities import MergeRequest, Project
from tests.fakes.gitlab.merge_requests import status_of
from tests.fakes.gitlab.people import Caller, TokenKind, User
from tests.fakes.gitlab.refusals import Unauthorized
from tests.fakes.gitlab.world import World

SCHEMA: Final = """
    scalar UserID
    enum MutationOperationMode { APPEND REMOVE REPLACE }
    type Query {
        currentUser: User
        project(fullPath: ID!): Project
        metadata: Metadata
        (QUERY)
    }
    type Metadata { version: String! enterprise: Boolean! }
    type User { id: UserID! username: String! name: String! bot: Boolean! }
    type Project {
        id: ID!
        fullPath: ID!
        mergeRequest(iid: String!): MergeRequest
        (PROJECT)
    }
    type MergeRequest {
        id: ID!
        iid: String!
        title: String!
        state: String!
        diffHeadSha: String
        approved: Boolean!
        detailedMergeStatus: String
        (MERGE_REQUEST)
        reviewers(first: Int, after: String): MergeRequestReviewerConnection
    }
    type MergeRequestReviewerConnection { nodes: [MergeRequestReviewer] }
    type MergeRequestReviewer {
        id: UserID!
        username: String!
        mergeRequestInteraction: UserMergeRequestInteraction
    }
    type UserMergeRequestInteraction { reviewState: String approved: Boolean! }
    type Mutation {
        mergeRequestRequestChanges(input: MergeRequestRequestChangesInput!): MergeRequestRequestChangesPayload
        mergeRequestSetReviewers(input: MergeRequestSetReviewersInput!): MergeRequestSetReviewersPayload
    }
    input MergeRequestRequestChangesInput { projectPath: ID! iid: String! clientMutationId: String }
    type MergeRequestRequestChangesPayload {
        clientMutationId: String
        errors: [String!]!
        mergeRequest: MergeRequest
    }
    input MergeRequestSetReviewersInput {
        projectPath: ID!
        iid: String!
        reviewerUsernames: [String!]!
        operationMode: MutationOperationMode = REPLACE
        clientMutationId: String
    }
    type MergeRequestSetReviewersPayload { clientMutationId: String errors: [String!]! mergeRequest: MergeRequest }
"""
NO_ACCESS: Final = (
    "The resource that you are attempting to access does not exist or you don't have permission to perform this action"
)
REQUEST_CHANGES_SINCE: Final = "16.9"
PERMISSION_SINCE: Final = "17.0"
"""When `canApprove` came is not documented; a release that lacks it has to be coped with."""


@dataclass(frozen=True)
class Asking:
    world: World
    caller: Caller
    web: str


@cache
def schema(*, request_changes: bool, permissions: bool, reads: bool) -> GraphQLSchema:
    """The schema, with or without what came later, and what reads whole merge requests."""
    parts = {"(QUERY)": "QUERY", "(PROJECT)": "PROJECT", "(MERGE_REQUEST)": "MERGE_REQUEST"}
    text = SCHEMA + (graphql_reads.TYPES if reads else "")
    for place, name in parts.items():
        text = text.replace(place, getattr(graphql_reads, name) if reads else "")
    later = {"mergeRequestRequestChanges(": request_changes, "userPermissions:": permissions}
    lacking = [name for name, is_there in later.items() if not is_there]
    rows = (row for row in text.splitlines() if not any(name in row for name in lacking))
    return build_schema("\n".join(rows))


def answer(world: World, caller: Caller, body: Any, web: str) -> Answer:  # noqa: ANN401, JSON
    """Answer one GraphQL request; nobody known reads what is public."""
    known = Caller("", None) if caller.kind is TokenKind.JOB else caller
    if known.user is not None and not {"api", "read_api"} & known.scopes:
        raise Unauthorized
    if not isinstance(body, Mapping) or not isinstance(body.get("query"), str):
        return Answer(400, {"errors": [{"message": "Unexpected end of document"}]})
    result = graphql_sync(
        schema(
            request_changes=world.has_request_mutation and world.since(REQUEST_CHANGES_SINCE),
            permissions=world.since(PERMISSION_SINCE),
            reads=world.answers_bundles,
        ),
        body["query"],
        context_value=Asking(world, known, web),
        variable_values=body.get("variables") or {},
        operation_name=body.get("operationName"),
        field_resolver=_resolve,
    )
    shown: dict[str, Any] = {} if result.data is None and result.errors else {"data": result.data}
    if result.errors:
        shown["errors"] = [error.formatted for error in result.errors]
    return Answer(200, shown)


def _resolve(source: Any, info: GraphQLResolveInfo[Asking], **arguments: Any) -> object:  # noqa: ANN401, any thing
    asking, name = info.context, info.field_name
    match info.parent_type.name:
        case "Query":
            return _query(asking, name, arguments)
        case "Mutation":
            return _mutation(asking, name, arguments["input"])
        case "Project" if name == "mergeRequest":
            return _show(asking, source["_project"].merge_requests.get(int(arguments["iid"])))
    value = source.get(name)
    return value(**arguments) if callable(value) else value


def _query(asking: Asking, name: str, arguments: Mapping[str, Any]) -> object:
    world, user = asking.world, asking.caller.user
    if name == "currentUser":
        return None if user is None else _person(user)
    if name == "metadata":
        return {"version": world.version, "enterprise": world.edition.value != "ce"}
    if name == "note":
        found = graphql_reads.note_by_id(world, user, arguments["id"], _person)
        if found is None:
            raise GraphQLError(NO_ACCESS)
        return found
    project = _project(asking, arguments["fullPath"])
    if project is None:
        return None
    return {
        "id": f"gid://gitlab/Project/{project.id}",
        "fullPath": project.full_path,
        "repository": graphql_reads.repository(project),
        "_project": project,
    }


def _mutation(asking: Asking, name: str, given: Mapping[str, Any]) -> object:
    project, user = _project(asking, given["projectPath"]), asking.caller.user
    one = project.merge_requests.get(int(given["iid"])) if project is not None else None
    scoped = "api" in asking.caller.scopes
    if one is None or user is None or not scoped or not may_update(one, user):
        raise GraphQLError(NO_ACCESS)
    errors = (_request_changes if name == "mergeRequestRequestChanges" else _set_reviewers)(
        asking.world, user, one, given
    )
    return {
        "clientMutationId": given.get("clientMutationId"),
        "errors": errors,
        "mergeRequest": _show(asking, one),
    }


def _request_changes(world: World, user: User, one: MergeRequest, given: Mapping[str, Any]) -> list[str]:
    done = reviewing.set_state(world, one, user, "requested_changes")
    return [] if done else ["Reviewer not found"]


def _set_reviewers(world: World, user: User, one: MergeRequest, given: Mapping[str, Any]) -> list[str]:
    if not may_administer(one, user):
        raise GraphQLError(NO_ACCESS)
    named = [world.users[name.lower()] for name in given["reviewerUsernames"] if name.lower() in world.users]
    before = [each.user for each in one.reviewers]
    match given.get("operationMode"):
        case "APPEND":
            named = [*before, *named]
        case "REMOVE":
            named = [each for each in before if each not in named]
    reviewing.set_reviewers(world, one, named, user)
    return []


def _project(asking: Asking, path: str) -> Project | None:
    project, moved = asking.world.find_project(path)
    user = asking.caller.user
    visible = project is not None and not moved and may_know(project, user) and may_read_code(project, user)
    return project if visible else None


def _show(asking: Asking, one: MergeRequest | None) -> dict[str, Any] | None:
    if one is None:
        return None
    reviewers = [
        {
            **_person(each.user),
            "mergeRequestInteraction": {"reviewState": each.state.upper(), "approved": one.approved_by(each.user)},
        }
        for each in one.reviewers
    ]
    return {
        "id": f"gid://gitlab/MergeRequest/{one.id}",
        "iid": str(one.iid),
        "title": one.title,
        "state": one.state,
        "diffHeadSha": asking.world.head_sha(one),
        "approved": bool(one.approvals),
        "detailedMergeStatus": status_of(asking.world, one).upper(),
        "reviewers": lambda first=None, after=None: {"nodes": reviewers},
        **graphql_reads.merge_request(asking.world, asking.caller.user, one, asking.web, _person),
    }


def _person(user: User) -> dict[str, Any]:
    return {"id": f"gid://gitlab/User/{user.id}", "username": user.username, "name": user.name, "bot": user.bot}
