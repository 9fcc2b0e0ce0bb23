"""Hold requests and answers against GitHub's published descriptions, so that neither side is invented here.

`published/` has the data. The REST description says what an answer has at least and what a request may have at
most; rules between fields, permissions and states are `world`'s. Git and control endpoints are not described.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from graphql import GraphQLSchema, build_schema
from openapi_schema_validator import OAS30ReadValidator, OAS30WriteValidator, oas30_format_checker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

PUBLISHED: Final = Path(__file__).parent / "published"
DESCRIPTION: Final = "urn:api.github.com"
ERROR: Final = "/components/responses/not_found"
"""The shape that every error has."""
SEVERAL_SEGMENTS: Final = frozenset({"basehead", "branch", "path", "ref", "sha", "tree_sha"})
"""Path parameters whose value may hold slashes: names of refs, paths of files."""
PAGING: Final = frozenset({"page", "per_page"})
"""Query parameters that clients send with every list; where a list has no pages, GitHub does not mind them."""
NULL_IN_PRACTICE: Final = (
    *((("commit", "properties"), name) for name in ("author", "committer")),
    *((("pull-request-review-comment", "properties"), name) for name in ("line", "original_line", "position")),
    *(((kind, "properties", "head", "properties"), "repo") for kind in ("pull-request", "pull-request-simple")),
)
"""What GitHub answers with null although its description does not say so: people of commits without an account,
the lines of outdated comments and of those on whole files, the repository of a deleted fork."""
SHOWN: Final = 5
"""How many faults of one body a message names."""


class SchemaViolation(AssertionError):
    """A request or an answer that is not as GitHub describes it; the text names the path and the rule."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a method does at a path.

    Attributes:
        method: Lower case.
        template: The path with its parameters in braces.
        pattern: What its paths look like, with a group for each parameter.
        pointer: Where the description of it stands.
        described: That description.
    """

    method: str
    template: str
    pattern: re.Pattern[str]
    pointer: str
    described: Mapping[str, Any]


def check_request(method: str, path: str, query: Mapping[str, str], body: object) -> None:
    """Refuse a request that GitHub does not describe.

    Args:
        method: As in the request line.
        path: Without a query, and without ``/api/v3`` in front.
        query: One value for each name.
        body: The decoded JSON; ``None`` when nothing was sent.

    Raises:
        SchemaViolation: On an unknown path or method, an unknown or wrong parameter, a missing body, a wrong value,
            and a key that is not declared: GitHub answers many of these with 422, and no client of ours needs one.
    """
    operation = _find_operation(method, path)
    where = f"{method} {path}"
    _check_parameters(operation, where, path, query)
    if body is not None:
        pointer = f"{operation.pointer}/requestBody/content/{_escape('application/json')}/schema"
        if "requestBody" not in operation.described:
            raise SchemaViolation(f"{where}: a body is not declared")
        _check_value(f"{where}: request", pointer, body, writes=True)
    elif operation.described.get("requestBody", {}).get("required"):
        raise SchemaViolation(f"{where}: the request has no body")


def check_answer(method: str, path: str, status: int, body: object) -> None:
    """Refuse an answer that GitHub would not give.

    Args:
        method: Of the request.
        path: Of the request, as in `check_request`.
        status: Of the answer.
        body: The decoded JSON; ``None`` when there is none; text where the media type is another.

    Raises:
        SchemaViolation: On a success that is not declared, a body too many or too few, a missing field or a wrong
            value. Any operation may fail, so an undeclared error status only needs the shape of an error.
    """
    operation = _find_operation(method, path)
    where = f"{method} {path}: answer {status}"
    response, pointer = _find_response(operation, where, status)
    has_json = "application/json" in response.get("content", {})
    if isinstance(body, str):
        return  # a diff or a raw file, of which the description says no more
    if has_json != (body is not None):
        raise SchemaViolation(f"{where} {'needs a' if has_json else 'has no'} body")
    if has_json:
        _check_value(where, f"{pointer}/content/{_escape('application/json')}/schema", body, writes=False)


@cache
def graphql_schema() -> GraphQLSchema:
    """GitHub's GraphQL schema, as far as it is kept here.

    It is assumed valid, because three fields of GitHub's are deprecated in a type and not in its interface.
    """
    return build_schema((PUBLISHED / "schema.graphql").read_text(encoding="utf-8"), assume_valid=True)


def _find_operation(method: str, path: str) -> Operation:
    found = [each for each in _operations() if each.pattern.fullmatch(path)]
    for operation in found:
        if operation.method == method.lower():
            return operation
    rule = "the path has no such method" if found else "the path is not described"
    raise SchemaViolation(f"{method} {path}: {rule}")


def _find_response(operation: Operation, where: str, status: int) -> tuple[Mapping[str, Any], str]:
    """The description of the answer with this status, and where it stands."""
    declared = operation.described["responses"].get(str(status))
    if declared is None and status < HTTPStatus.BAD_REQUEST:
        raise SchemaViolation(f"{where} is not declared")
    if declared is not None and status >= HTTPStatus.BAD_REQUEST and not declared.keys() & {"$ref", "content"}:
        declared = None  # described as empty, and it is an error like every other
    pointer = f"{operation.pointer}/responses/{status}" if declared is not None else ERROR
    if declared is not None and "$ref" in declared:
        pointer = declared["$ref"].removeprefix("#")
    return _at(pointer), pointer


def _check_parameters(operation: Operation, where: str, path: str, query: Mapping[str, str]) -> None:
    match = operation.pattern.fullmatch(path)
    sent = {("path", name): value for name, value in (match.groupdict() if match else {}).items()}
    sent |= {("query", name): value for name, value in query.items()}
    declared = dict(_parameters(operation))
    for (place, name), text in sent.items():
        pointer = declared.get((place, name))
        if pointer is None and name in PAGING:
            continue
        if pointer is None:
            raise SchemaViolation(f"{where}: the {place} parameter {name!r} is not declared")
        value = _read(text, _at(pointer)["type"])
        _check_value(f"{where}: {place} parameter {name!r}", pointer, value, writes=True)


def _parameters(operation: Operation) -> Iterator[tuple[tuple[str, str], str]]:
    """Where (``path`` or ``query``) and under which name each parameter comes, and where its schema stands."""
    for index, listed in enumerate(operation.described.get("parameters", ())):
        pointer = listed["$ref"].removeprefix("#") if "$ref" in listed else f"{operation.pointer}/parameters/{index}"
        parameter = _at(pointer)
        yield (parameter["in"], parameter["name"]), f"{pointer}/schema"


def _read(text: str, kind: str) -> object:
    """The value that a parameter's text stands for, as far as it is one of this kind."""
    if kind == "integer" and re.fullmatch(r"-?\d+", text):
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def _check_value(what: str, pointer: str, value: object, *, writes: bool) -> None:
    faults = [fault for error in _validator(pointer, writes).iter_errors(value) for fault in _faults(error)]
    if faults:
        raise SchemaViolation(f"{what}: {'; '.join(faults[:SHOWN])}")


def _faults(error: Any) -> list[str]:  # noqa: ANN401 - jsonschema has no types
    """What is wrong in words; where none of several schemas fits, what keeps the nearest one from fitting."""
    branches = defaultdict(list)
    for inner in error.context:
        branches[inner.schema_path[0]].append(inner)
    if not branches:
        return [f"{error.json_path} {error.message[:200]}"]
    nearest = min(
        branches.values(), key=lambda branch: (any(_is_of_another_type(each) for each in branch), len(branch))
    )
    return [fault for inner in nearest for fault in _faults(inner)]


def _is_of_another_type(error: Any) -> bool:  # noqa: ANN401 - jsonschema has no types
    return error.validator == "type" and not error.relative_path


@cache
def _validator(pointer: str, writes: bool) -> Any:  # noqa: ANN401, FBT001 - jsonschema has no types; a cache key
    kind = OAS30WriteValidator if writes else OAS30ReadValidator
    resource = Resource.from_contents(_description(), default_specification=DRAFT4)
    registry: Registry[Any] = Registry().with_resource(DESCRIPTION, resource)
    return kind({"$ref": f"{DESCRIPTION}#{pointer}"}, registry=registry, format_checker=oas30_format_checker)


@cache
def _operations() -> tuple[Operation, ...]:
    """Every operation; of two whose patterns match one path, the more literal one comes first."""
    found = [
        Operation(method, template, _pattern(template), f"/paths/{_escape(template)}/{method}", described)
        for template, methods in _description()["paths"].items()
        for method, described in methods.items()
    ]
    return tuple(sorted(found, key=lambda each: (each.template.count("{"), -len(each.template))))


def _pattern(template: str) -> re.Pattern[str]:
    literals_and_names = re.split(r"\{(\w+)\}", template)
    parts = [re.escape(part) for part in literals_and_names]
    for index in range(1, len(parts), 2):
        name = literals_and_names[index]
        parts[index] = f"(?P<{name}>{'.*' if name in SEVERAL_SEGMENTS else '[^/]+'})"
    return re.compile("".join(parts))


@cache
def _description() -> Mapping[str, Any]:
    description: dict[str, Any] = json.loads((PUBLISHED / "openapi.json").read_text(encoding="utf-8"))
    for methods in description["paths"].values():
        for operation in methods.values():
            _close(operation.get("requestBody", {}))
    contents = description["paths"]["/repos/{owner}/{repo}/contents/{path}"]["get"]["responses"]["200"]
    # A folder is answered with an array, which has no property to tell it by.
    del contents["content"]["application/json"]["schema"]["discriminator"]
    _let_null_be_null(description)
    for path, name in NULL_IN_PRACTICE:
        _allow_null(description["components"]["schemas"], path, name)
    return description


def _allow_null(schemas: Any, path: tuple[str, ...], name: str) -> None:  # noqa: ANN401 - JSON of any depth
    for step in path:
        schemas = schemas[step]
    # Of a schema that is one of several, `nullable` alone is not heard.
    schemas[name] = {"anyOf": [schemas[name], {"enum": [None], "nullable": True}]}


def _let_null_be_null(node: object) -> None:
    """Take `nullable` at its word where the enumeration forgets null, as for the conclusion of a running check."""
    if isinstance(node, dict):
        if node.get("nullable") is True and isinstance(node.get("enum"), list) and None not in node["enum"]:
            node["enum"].append(None)
        for value in node.values():
            _let_null_be_null(value)
    elif isinstance(node, list):
        for value in node:
            _let_null_be_null(value)


def _close(node: object) -> None:
    """Declare that objects have no other keys than those declared, unless it is said that they may."""
    if isinstance(node, dict):
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        for value in node.values():
            _close(value)
    elif isinstance(node, list):
        for value in node:
            _close(value)


def _at(pointer: str) -> Any:  # noqa: ANN401 - whatever stands there
    node: Any = _description()
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        node = node[int(key)] if isinstance(node, list) else node[key]
    return node


def _escape(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")
