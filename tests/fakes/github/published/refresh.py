"""Make the committed descriptions of GitHub anew from the npm packages that publish them.

A slice, because the whole is 13 MB and a test process would load all of it. It cuts and strips; it corrects
nothing, so what `schemas.py` holds against GitHub's own words is written down there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from graphql import (
    REMOVE,
    DirectiveDefinitionNode,
    DirectiveNode,
    DocumentNode,
    EnumValueDefinitionNode,
    FieldDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    NamedTypeNode,
    Node,
    ObjectTypeDefinitionNode,
    TypeDefinitionNode,
    UnionTypeDefinitionNode,
    Visitor,
    parse,
    print_ast,
    specified_scalar_types,
    visit,
)

HERE = Path(__file__).parent
OPENAPI = "octokit-openapi-23.0.2/package/generated/api.github.com.json"
GRAPHQL = "octokit-graphql-schema-15.26.1/package/schema.graphql"

# --- REST ----------------------------------------------------------------------------------------

REPOSITORY = "/repos/{owner}/{repo}"
REST_PATHS = frozenset({
    "/app", "/installation/repositories", "/meta", "/rate_limit", "/search/issues", "/user", "/users/{username}",
    "/orgs/{org}", "/orgs/{org}/members/{username}", "/orgs/{org}/memberships/{username}",
    "/orgs/{org}/teams/{team_slug}", "/orgs/{org}/teams/{team_slug}/members",
    "/orgs/{org}/teams/{team_slug}/memberships/{username}", REPOSITORY,
    *(f"{REPOSITORY}/{rest}" for rest in (
        "actions/permissions/workflow", "branches", "branches/{branch}", "languages", "readme", "teams",
        "statuses/{sha}", "contents/{path}", "compare/{basehead}", "rules/branches/{branch}",
        "environments/{environment_name}", "environments/{environment_name}/deployment-branch-policies",
    )),
})  # fmt: skip
REST_FOLDERS = tuple(
    f"{REPOSITORY}/{folder}"
    for folder in ("check-runs", "check-suites", "collaborators", "commits", "git", "issues", "labels", "pulls")
)
LEFT_OUT = (
    "codespaces", "sub_issue", "dependencies", "issue-field-values", "parent", "/suggestions",
    "/merge-async", "/pin", "/timeline", "/preferences", "/events/{event_id}", "issues/events",
)  # fmt: skip
ANNOTATIONS = frozenset(
    {"description", "example", "examples", "externalDocs", "summary", "tags", "title"}
    | {"x-github", "x-github-breaking-changes", "x-githubEnterpriseOverlays", "x-multi-segment"}
)


def slice_openapi(whole: dict[str, object]) -> dict[str, object]:
    """The paths a review bot may use with everything that they refer to, without prose and examples."""
    paths = whole["paths"]
    assert isinstance(paths, dict)
    kept: dict[str, object] = {"openapi": whole["openapi"], "paths": {}, "components": {}}
    waiting = [f"#/paths/{_escape(path)}" for path in paths if _is_kept(path)]
    seen: set[str] = set()
    while waiting:
        pointer = waiting.pop()
        if pointer not in seen:
            seen.add(pointer)
            part = _strip(_look_up(whole, pointer))
            _put(kept, pointer, part)
            waiting.extend(_references(part))
    return kept


def _is_kept(path: str) -> bool:
    return path in REST_PATHS or (path.startswith(REST_FOLDERS) and not any(part in path for part in LEFT_OUT))


def _strip(node: object, *, names: bool = False) -> object:
    """Without annotations; the keys of a mapping of `names` are names, whatever they look like."""
    if isinstance(node, list):
        return [_strip(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _strip(value, names=key in ("properties", "responses") and not names)
        for key, value in node.items()
        if names or key not in ANNOTATIONS
    }


def _references(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from _references(value)


def _look_up(document: object, pointer: str) -> object:
    for step in _steps(pointer):
        assert isinstance(document, dict)
        document = document[step]
    return document


def _put(document: dict[str, object], pointer: str, part: object) -> None:
    *parents, last = _steps(pointer)
    for step in parents:
        inner = document.setdefault(step, {})
        assert isinstance(inner, dict)
        document = inner
    document[last] = part


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.removeprefix("#/").split("/")]


def _escape(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


# --- GraphQL -------------------------------------------------------------------------------------

OBJECTS = frozenset(
    """App Blob Bot CheckAnnotation CheckRun CheckSuite Commit CommitComment EnterpriseUserAccount GitActor Issue
    IssueComment Label Mannequin Mutation Organization PageInfo PullRequest PullRequestChangedFile PullRequestCommit
    PullRequestReview PullRequestReviewComment PullRequestReviewThread Query RateLimit ReactionGroup Reaction Ref
    Repository ReviewDismissedEvent ReviewRequest ReviewRequestedEvent Status StatusCheckRollup StatusContext Tag Team
    Tree TreeEntry User UserContentEdit""".split()
)
MUTATIONS = frozenset(
    """addComment addLabelsToLabelable addPullRequestReview addPullRequestReviewComment addPullRequestReviewThread
    addPullRequestReviewThreadReply addReaction closePullRequest createCheckRun deleteIssueComment
    deletePullRequestReview deletePullRequestReviewComment dismissPullRequestReview mergePullRequest minimizeComment
    removeLabelsFromLabelable removeReaction requestReviews resolveReviewThread submitPullRequestReview
    unminimizeComment unresolveReviewThread updateCheckRun updateIssueComment updatePullRequest updatePullRequestReview
    updatePullRequestReviewComment""".split()
)

DESCRIBED = (TypeDefinitionNode, FieldDefinitionNode, InputValueDefinitionNode, EnumValueDefinitionNode)


def slice_graphql(source: str) -> str:
    """The schema with only these objects and mutations, and with what their fields take and return."""
    document = parse(source, no_location=True)
    cut = visit(document, _Cut(_kept_types(document)))
    types = {node.name.value: node for node in cut.definitions if isinstance(node, TypeDefinitionNode)}
    reached = {"Query", "Mutation"} | (OBJECTS & types.keys())
    waiting = list(reached)
    while waiting:
        found = set(_named_types(types[waiting.pop()])) & types.keys() - reached
        reached |= found
        waiting.extend(found)
    left = tuple(node for name, node in types.items() if name in reached)
    return print_ast(DocumentNode(definitions=left)) + "\n"


def _kept_types(document: DocumentNode) -> frozenset[str]:
    """These objects, their pages, the unions and interfaces with one of them, and every leaf and input."""
    types = [node for node in document.definitions if isinstance(node, TypeDefinitionNode)]
    objects = [node for node in types if isinstance(node, ObjectTypeDefinitionNode) and node.name.value in OBJECTS]
    implemented = frozenset(each.name.value for node in objects for each in node.interfaces or ())
    kept = OBJECTS | set(specified_scalar_types) | {f"{name[0].upper()}{name[1:]}Payload" for name in MUTATIONS}
    while grown := {node.name.value for node in types if _stays(node, kept, implemented)} - kept:
        kept |= grown
    return kept


def _stays(node: TypeDefinitionNode, kept: frozenset[str], implemented: frozenset[str]) -> bool:
    match node:
        case UnionTypeDefinitionNode():
            return any(member.name.value in kept for member in node.types or ())
        case ObjectTypeDefinitionNode():
            fields = {field.name.value: next(_named_types(field.type)) for field in node.fields or ()}
            is_page = node.name.value.endswith(("Connection", "Edge"))
            return is_page and fields.get("nodes", fields.get("node")) in kept
        case InterfaceTypeDefinitionNode():
            fields_stay = any(next(_named_types(field.type)) in kept for field in node.fields or ())
            return node.name.value in implemented and fields_stay
        case _:
            return True


class _Cut(Visitor):
    """Removes types and fields that do not stay, descriptions, and directives other than `deprecated`."""

    def __init__(self, kept: frozenset[str]) -> None:
        super().__init__()
        self._kept = kept

    def enter(self, node: Node, *_where: object) -> object:
        """Called with each node; what a removed field returns, a union holds or a type implements goes with it."""
        match node:
            case DirectiveNode():
                goes = node.name.value != "deprecated"
            case TypeDefinitionNode() | NamedTypeNode():
                goes = node.name.value not in self._kept
            case FieldDefinitionNode():
                goes = next(_named_types(node.type)) not in self._kept
            case _:
                goes = isinstance(node, DirectiveDefinitionNode)
        if goes:
            return REMOVE
        return replace(node, description=None) if isinstance(node, DESCRIBED) and node.description else None


def _named_types(node: Node) -> Iterator[str]:
    """The names of the types that this definition or type mentions."""
    found: list[str] = []

    class Names(Visitor):
        def enter_named_type(self, named: NamedTypeNode, *_where: object) -> None:
            found.append(named.name.value)

    visit(node, Names())
    return iter(found)


def main() -> None:
    """Write both slices next to this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", type=Path, help=f"a folder that holds {OPENAPI} and {GRAPHQL}")
    packages = parser.parse_args().packages
    rest = slice_openapi(json.loads((packages / OPENAPI).read_text(encoding="utf-8")))
    (HERE / "openapi.json").write_text(json.dumps(rest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    schema = slice_graphql((packages / GRAPHQL).read_text(encoding="utf-8"))
    (HERE / "schema.graphql").write_text(schema, encoding="utf-8")


if __name__ == "__main__":
    main()
