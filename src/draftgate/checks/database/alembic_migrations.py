"""Alembic migrations read into operations; only ``upgrade`` counts.

Columns and tables are read, and the SQL text of ``op.execute``; a name computed at run time is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.operations import (
    AddColumn,
    AddIndex,
    CreateTable,
    DropColumn,
    DropTable,
    Operation,
    Span,
)
from draftgate.checks.database.sql_statements import read_sql
from draftgate.checks.database.syntax import (
    Arguments,
    call_arguments,
    first_line,
    last_line,
    literal_name,
    literal_names,
    method_name,
    receiver,
    string_text,
    text_of,
    walk,
)
from draftgate.checks.grammar.tree import parse


def read_alembic(text: str) -> tuple[Operation, ...]:
    """What ``upgrade`` does, in source order."""
    for node in walk(parse(text, "python")):
        name = node.field("name") if node.kind() == "function_definition" else None
        if name is not None and name.text() == "upgrade":
            return tuple(_read(node, {}))
    return ()


def _read(node: SgNode, batches: dict[str, str]) -> Iterator[Operation]:
    for item in walk(node):
        if item.kind() == "as_pattern":
            batches |= _batch(item)
        elif item.kind() == "call":
            target = receiver(item)
            owner = target.text() if target is not None else ""
            span = Span(first_line(item), last_line(item), first_line(item))
            if owner == "op":
                yield from _operation(method_name(item), call_arguments(item), span)
            elif owner in batches:
                yield from _column(method_name(item), batches[owner], call_arguments(item), span)


def _batch(pattern: SgNode) -> dict[str, str]:
    """``with op.batch_alter_table("users") as batch`` binds the name to the table."""
    parts = [part for part in pattern.children() if part.is_named()]
    if len(parts) != 2 or parts[0].kind() != "call" or method_name(parts[0]) != "batch_alter_table":
        return {}
    table = literal_name(call_arguments(parts[0]).at(0, "table_name"))
    return {parts[1].text(): table} if table else {}


def _operation(name: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    if name == "execute":
        text = string_text(arguments.positional[0]) if arguments.positional else None
        yield from read_sql(text, span.start) if text else ()
    elif name in {"create_index", "create_unique_constraint"}:
        yield from _index(name, arguments, span)
    else:
        table = literal_name(arguments.at(0, "old_table_name" if name == "rename_table" else "table_name"))
        if table:
            yield from _on_table(name, table, arguments, span)


def _on_table(name: str, table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    if name == "create_table":
        yield CreateTable(table, span)
        for node in arguments.positional[1:]:
            yield from _created_column(table, node, span)
    elif name == "drop_table":
        yield DropTable(table, span)
    elif name == "rename_table":
        yield DropTable(table, span, renamed_to=literal_name(arguments.at(1, "new_table_name")))
    else:
        yield from _column(name, table, Arguments(arguments.positional[1:], arguments.named), span)


def _column(name: str, table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    if name == "add_column":
        node = arguments.at(0, "column")
        yield from _created_column(table, node, span) if node is not None else ()
        return
    column = literal_name(arguments.at(0, "column_name"))
    new = literal_name(arguments.named.get("new_column_name"))
    if column and name == "drop_column":
        yield DropColumn(table, column, span)
    elif column and new and name == "alter_column":
        yield DropColumn(table, column, span, renamed_to=new)
        yield AddColumn(table, new, span)


def _created_column(table: str, node: SgNode, span: Span) -> Iterator[Operation]:
    if node.kind() != "call" or method_name(node) not in {"Column", "UniqueConstraint", "PrimaryKeyConstraint"}:
        return
    arguments = call_arguments(node)
    if method_name(node) == "Column":
        column = literal_name(arguments.at(0, "name"))
        if column:
            yield AddColumn(table, column, span)
            if "True" in (text_of(arguments.named.get("unique")), text_of(arguments.named.get("primary_key"))):
                yield AddIndex(table, (column,), unique=True, span=span)
        return
    columns = [literal_name(item) for item in arguments.positional]
    if columns and all(columns):
        yield AddIndex(table, tuple(column for column in columns if column), unique=True, span=span)


def _index(name: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    table = literal_name(arguments.at(1, "table_name"))
    columns = literal_names(arguments.at(2, "columns"))
    flag = arguments.named.get("unique")
    unique = name == "create_unique_constraint" or (flag is not None and flag.text() == "True")
    if table and columns:
        partial = any(option.endswith("_where") for option in arguments.named)
        yield AddIndex(table, columns, unique=unique, span=span, partial=partial)
