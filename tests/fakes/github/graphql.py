"""The GraphQL API: parses, validates against GitHub's published schema, and runs over the world.

Reads are `graphql_types`, writes `graphql_mutations`. Limits other than those of pages are not simulated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLResolveInfo,
    OperationDefinitionNode,
    ValidationContext,
    ValidationRule,
    execute_sync,
    get_named_type,
    get_variable_values,
    parse,
    validate,
    value_from_ast_untyped,
)

from tests.fakes.github.answers import iso
from tests.fakes.github.entities import Caller
from tests.fakes.github.graphql_call import Call, NotSimulated
from tests.fakes.github.graphql_mutations import MUTATION
from tests.fakes.github.graphql_types import TYPES, type_name
from tests.fakes.github.refusals import Refusal
from tests.fakes.github.schemas import graphql_schema
from tests.fakes.github.world import World

LARGEST_PAGE: Final = 100
FIELDS: Final = {**TYPES, "Mutation": MUTATION}
Json = dict[str, Any]


@dataclass(frozen=True)
class Asking:
    """Who asks, and for whom addresses are made."""

    world: World
    caller: Caller
    web: str


def execute(
    world: World, caller: Caller, body: object, *, web: str = "https://github.com"
) -> tuple[int, dict[str, str], Json]:
    """Answer one GraphQL request.

    Args:
        world: Read, and changed by mutations.
        caller: Whose token it was.
        body: The decoded JSON: ``query``, and perhaps ``variables`` and ``operationName``.
        web: The root of the web pages, for addresses in the answer.

    Returns:
        Status, further headers, and the answer. As on GitHub the status is 200 whatever goes wrong: an unknown
        field or a page without a size stops everything before it starts; a refused mutation or lookup is null and
        an error with a `type` and a `path`, while its neighbours stand.

    Raises:
        NotSimulated: The schema has what was asked for, and the simulator does not.
    """
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        return 400, {}, {"message": "A query attribute must be specified and must be a string."}
    variables = body.get("variables") or {}
    try:
        document, errors = _read(body["query"])
        errors = errors or _find_errors(document, variables, body.get("operationName"))
    except GraphQLError as error:
        errors = [error]
    if errors:
        return 200, {}, {"errors": [_show(error) for error in errors]}
    result = execute_sync(
        graphql_schema(),
        document,
        context_value=Asking(world, caller, web),
        variable_values=variables,
        operation_name=body.get("operationName"),
        field_resolver=_resolve,
        type_resolver=lambda thing, *_: type_name(thing),
    )
    answer: Json = {"data": result.data}
    if result.errors:
        answer["errors"] = [_show(error) for error in result.errors]
    return 200, {}, answer


# --- Before it runs ------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _read(query: str) -> tuple[DocumentNode, list[GraphQLError]]:
    """A document and what the schema says against it; a client sends the same few again and again."""
    document = parse(query)
    return document, validate(graphql_schema(), document)


def _find_errors(document: DocumentNode, variables: Mapping[str, Any], name: str | None) -> list[GraphQLError]:
    """What is wrong with a document of the schema under these variables."""
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    operation = next((each for each in operations if name is None or (each.name and each.name.value == name)), None)
    if operation is None:
        return [GraphQLError(f"No operation named {name!r}")]
    values = get_variable_values(graphql_schema(), operation.variable_definitions or (), dict(variables))
    if isinstance(values, list):
        return values
    return validate(graphql_schema(), document, [_page_rule(values.coerced)])


def _page_rule(variables: dict[str, Any]) -> type[ValidationRule]:
    """Every connection has to be asked for a page, and for no more than fits in one."""

    class PagesAreBounded(ValidationRule):
        context: ValidationContext

        def enter_field(self, node: FieldNode, *_where: object) -> None:
            field = self.context.get_field_def()
            if field is None or not get_named_type(field.type).name.endswith("Connection"):
                return
            given = {each.name.value: value_from_ast_untyped(each.value, variables) for each in node.arguments or ()}
            sizes = {name: given[name] for name in ("first", "last") if isinstance(given.get(name), int)}
            if not sizes and not _only_counts(node):
                wanted = f"You must provide a `first` or `last` value to properly paginate the `{node.name.value}`"
                self._report("MISSING_PAGINATION_BOUNDARIES", f"{wanted} connection.", node)
            for name, size in sizes.items():
                if not 0 <= size <= LARGEST_PAGE:
                    excess = f"Requesting {size} records on the `{node.name.value}` connection exceeds the `{name}`"
                    self._report("EXCESSIVE_PAGINATION", f"{excess} limit of {LARGEST_PAGE} records.", node)

        def _report(self, kind: str, message: str, node: FieldNode) -> None:
            self.report_error(GraphQLError(message, node, extensions={"type": kind}))

    return PagesAreBounded


def _only_counts(node: FieldNode) -> bool:
    selected = node.selection_set.selections if node.selection_set else ()
    return all(isinstance(each, FieldNode) and each.name.value == "totalCount" for each in selected)


# --- While it runs -------------------------------------------------------------------------------


def _resolve(source: Any, info: GraphQLResolveInfo[Asking], **arguments: object) -> object:  # noqa: ANN401 - any thing at all
    asking = info.context
    kind, name = info.parent_type.name, info.field_name
    fields = FIELDS.get(kind, source)
    if not isinstance(fields, Mapping) or name not in fields:
        raise NotSimulated(f"the field {kind}.{name}")
    value = fields[name]
    if callable(value):
        call = Call(asking.world, asking.caller, asking.web, arguments)
        value = value(source, call)
    return iso(value) if isinstance(value, datetime) else value


# --- When it failed ------------------------------------------------------------------------------


def _show(error: GraphQLError) -> Json:
    """An error in GitHub's shape; what is a mistake of the simulator is raised."""
    where = {"locations": [{"line": each.line, "column": each.column} for each in error.locations or ()]}
    cause = error.original_error
    if isinstance(cause, Refusal):
        return {"type": cause.graphql_type, "path": error.path, **where, "message": cause.graphql_message}
    if error.path is not None:
        raise cause or error
    if unknown := re.match(r"Cannot query field '(\w+)' on type '(\w+)'", error.message):
        code = {"code": "undefinedField", "typeName": unknown[2], "fieldName": unknown[1]}
        return {**where, "extensions": code, "message": f"Field '{unknown[1]}' doesn't exist on type '{unknown[2]}'"}
    return {**(error.extensions or {}), **where, "message": error.message}
