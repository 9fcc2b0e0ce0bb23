"""What a Python model has under a column's name besides the column."""

from __future__ import annotations

import re

from ast_grep_py import SgNode

from draftgate.checks.database.column_tie import Replacement
from draftgate.checks.database.migration_files import Framework
from draftgate.checks.database.python_classes import bases_of, definition_of
from draftgate.checks.database.syntax import find, method_name, text_of
from draftgate.checks.grammar.tree import parse

_COLUMN_CALLS = frozenset({"Column", "mapped_column", "deferred"})


def stand_in_python(text: str, column: str, classes: frozenset[str], framework: Framework) -> Replacement:
    """What goes on working under the column's name because of what the named classes define in this file."""
    for node in find(parse(text, "python"), ("class_definition",)):
        if text_of(node.field("name")) in classes:
            found = definition_of(node, column)
            if found is not None:
                return _replacement(found, node, framework)
    return Replacement.NONE


def _replacement(found: SgNode, around: SgNode, framework: Framework) -> Replacement:
    if found.kind() == "function_definition":
        setter = f"@{text_of(found.field('name'))}.setter"
        return Replacement.WRITES if setter in around.text() else Replacement.READS
    value = found.field("right")
    if framework is Framework.ALEMBIC and (value is None or is_column(value)):
        # The class still maps the column that the migration drops: every query on it fails.
        return Replacement.NONE
    return Replacement.ALL if value is not None and value.kind() == "call" else Replacement.READS


def is_column(value: SgNode) -> bool:
    """Whether an assigned value maps a column in SQLAlchemy."""
    return value.kind() == "call" and method_name(value) in _COLUMN_CALLS


def classes_defining(text: str, column: str) -> tuple[str, ...]:
    """The classes of this file whose body defines the column's name."""
    return tuple(
        text_of(node.field("name"))
        for node in find(parse(text, "python"), ("class_definition",), rf"\b{re.escape(column)}\b")
        if definition_of(node, column) is not None
    )


def base_names(text: str, classes: frozenset[str]) -> frozenset[str]:
    """The direct base classes of the named classes in this file."""
    found = set()
    for node in find(parse(text, "python"), ("class_definition",)):
        if text_of(node.field("name")) in classes:
            found |= set(bases_of(node))
    return frozenset(found)
