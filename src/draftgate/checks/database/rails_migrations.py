"""Rails migrations and ``db/schema.rb`` read into operations.

Only the forward direction counts: ``down``, ``dir.down`` and ``revert`` are left out. A table or column
that is computed at run time is left out too; loops over literal names are followed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from ast_grep_py import SgNode

from draftgate.checks.database.operations import (
    AddColumn,
    AddIndex,
    CreateTable,
    DropColumn,
    DropIndex,
    DropTable,
    Operation,
    Span,
)
from draftgate.checks.database.sql_statements import column_of, read_sql
from draftgate.checks.database.syntax import (
    Arguments,
    call_arguments,
    find,
    first_line,
    hash_pairs,
    last_line,
    literal_name,
    literal_names,
    method_name,
    receiver,
    string_text,
    walk,
)
from draftgate.checks.grammar.tree import parse

_NO_COLUMN_TYPES = frozenset({"index", "references", "belongs_to", "timestamps", "foreign_key", "check_constraint"})
_BACKWARD = frozenset({"down", "revert"})
# No person nests this deep; it bounds the recursion for whoever wants to exhaust it.
_MAX_DEPTH = 100
# Nodes and characters of SQL, after which loops over literals end: in one another they multiply.
_MAX_VISITS = 500_000
_PAPERCLIP = ("file_name", "content_type", "file_size", "updated_at")
# GitLab and strong_migrations users wrap the same two calls under these names.
_ADD_INDEX = frozenset({"add_index", "add_concurrent_index", "safe_add_index"})


def read_rails(text: str) -> tuple[Operation, ...]:
    """What a migration's forward direction does, in source order."""
    root = parse(text, "ruby")
    return tuple(_Reader(root).read(root))


class _Reader:
    """One pass over a file; it knows which block variable stands for which table or literal."""

    def __init__(self, root: SgNode) -> None:
        self._tables: dict[str, str] = {}
        self._values: dict[str, SgNode] = {}
        self._heredocs = [(first_line(body), body) for body in find(root, ("heredoc_body",))]
        self._read_heredocs: set[int] = set()
        self._depth = 0
        self._visits = 0

    def read(self, node: SgNode) -> Iterator[Operation]:
        if node.kind() in {"method", "singleton_method"} and _name_of(node) in _BACKWARD:
            return
        if node.kind() in {"heredoc_body", "string"} or self._depth > _MAX_DEPTH:
            return
        self._depth += 1
        self._visits += 1
        if node.kind() == "call":
            yield from self._read_call(node)
        else:
            for child in node.children():
                yield from self.read(child)
        self._depth -= 1

    def _read_call(self, call: SgNode) -> Iterator[Operation]:
        name = method_name(call)
        if name in _BACKWARD:
            return
        arguments = self._resolve(call_arguments(call))
        target = receiver(call)
        if target is not None and target.text() in self._tables:
            yield from _table_block_call(name, self._tables[target.text()], arguments, _span(call))
        elif name in _STATEMENTS:
            yield from _STATEMENTS[name](arguments, _span(call))
        elif name == "execute":
            yield from self._read_execute(arguments)
        yield from self._read_inside(call, name, arguments, target)

    def _resolve(self, arguments: Arguments) -> Arguments:
        """Puts the literal for a loop variable, where the loop runs over exactly one literal at a time."""
        if not self._values:
            return arguments
        return Arguments(tuple(self._values.get(node.text(), node) for node in arguments.positional), arguments.named)

    def _read_execute(self, arguments: Arguments) -> Iterator[Operation]:
        for node in arguments.positional:
            text = string_text(node)
            if text is not None:
                self._visits += len(text)
                yield from read_sql(text, first_line(node))
            elif any(part.kind() == "heredoc_beginning" for part in walk(node)):
                yield from self._read_heredoc(first_line(node))

    def _read_heredoc(self, opened: int) -> Iterator[Operation]:
        """The body of a heredoc follows the line that opens it, and its text begins with that line's break."""
        for position in range(bisect_left(self._heredocs, opened, key=lambda heredoc: heredoc[0]), len(self._heredocs)):
            line, body = self._heredocs[position]
            if line > opened + 1:
                return
            if position not in self._read_heredocs:
                self._read_heredocs.add(position)
                yield from read_sql(body.text(), line)
                return

    def _read_inside(self, call: SgNode, name: str, arguments: Arguments, target: SgNode | None) -> Iterator[Operation]:
        block = call.field("block")
        variable = _block_variable(block)
        if block is None:
            for child in call.children():
                yield from self.read(child)
            return
        if name in {"create_table", "change_table", "create_join_table"} and variable:
            table = _table_of(name, arguments)
            if table:
                self._tables[variable] = table
            yield from self.read(block)
            self._tables.pop(variable, None)
        elif name == "each" and variable and target is not None and literal_names(target):
            for item in target.children():
                if literal_name(item) is not None and self._visits < _MAX_VISITS:
                    self._values[variable] = item
                    yield from self.read(block)
            self._values.pop(variable, None)
        else:
            yield from self.read(block)


def _name_of(method: SgNode) -> str:
    name = method.field("name")
    return name.text() if name is not None else ""


def _block_variable(block: SgNode | None) -> str | None:
    parameters = block.field("parameters") if block is not None else None
    if parameters is None:
        return None
    names = [node.text() for node in parameters.children() if node.kind() == "identifier"]
    return names[0] if names else None


def _span(call: SgNode) -> Span:
    """The lines of the call without its block."""
    listed = call.field("arguments")
    return Span(first_line(call), last_line(listed) if listed is not None else first_line(call), first_line(call))


def _table_of(name: str, arguments: Arguments) -> str | None:
    tables = [literal_name(node) for node in arguments.positional[:2]]
    if name == "create_join_table":
        named = literal_name(arguments.named.get("table_name"))
        return named or ("_".join(sorted(t for t in tables if t)) if all(tables) and len(tables) == 2 else None)
    return tables[0] if tables else None


def _is_true(node: SgNode | None) -> bool:
    return node is not None and node.text() == "true"


# --- statements with the table as first argument -------------------------------------------------


def _create_table(arguments: Arguments, span: Span) -> Iterator[Operation]:
    table = _table_of("create_table", arguments)
    if table is None:
        return
    keys = literal_names(arguments.named.get("primary_key"))
    has_id = arguments.named.get("id") is None or arguments.named["id"].text() != "false"
    key = keys or (("id",) if has_id else ())
    yield CreateTable(table, span, key)
    if has_id and len(key) == 1:
        yield AddColumn(table, key[0], span)


def _create_join_table(arguments: Arguments, span: Span) -> Iterator[Operation]:
    table = _table_of("create_join_table", arguments)
    if table:
        yield CreateTable(table, span)


def _drop_table(arguments: Arguments, span: Span) -> Iterator[Operation]:
    for node in arguments.positional:
        table = literal_name(node)
        if table:
            yield DropTable(table, span)


def _rename_table(arguments: Arguments, span: Span) -> Iterator[Operation]:
    names = [literal_name(node) for node in arguments.positional[:2]]
    if len(names) == 2 and names[0] and names[1]:
        yield DropTable(names[0], span, renamed_to=names[1])


def _on_table(
    act: Callable[[str, Arguments, Span], Iterator[Operation]],
) -> Callable[[Arguments, Span], Iterator[Operation]]:
    """Makes a statement out of what may be done to a table in a block as well."""

    def statement(arguments: Arguments, span: Span) -> Iterator[Operation]:
        table = literal_name(arguments.positional[0]) if arguments.positional else None
        if table is not None:
            yield from act(table, Arguments(arguments.positional[1:], arguments.named), span)

    return statement


# --- what is done to a table, in a block or as a statement ------------------------------------------


def _add_column(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    column = literal_name(arguments.at(0, "name"))
    if column is not None:
        yield AddColumn(table, column, span)
        yield from _inline_index(table, (column,), arguments, span)


def _remove_columns(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    for node in arguments.positional:
        for column in literal_names(node) or ():
            yield DropColumn(table, column, _span_at(span, node))


def _remove_column(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    # `remove_column :users, :name, :string`: what follows the name is its type, for the way back. Rails
    # before 4.0 took several columns here, so a second name that is no type is a column.
    first, *rest = arguments.positional or (None,)
    names = [*(literal_names(first) or ()), *(n for node in rest if (n := literal_name(node)) and n not in _TYPES)]
    for column in names:
        yield DropColumn(table, column, span)


def _rename_column(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    old, new = literal_name(arguments.at(0, "")), literal_name(arguments.at(1, ""))
    if old and new:
        yield DropColumn(table, old, span, renamed_to=new)
        yield AddColumn(table, new, span)


def _add_references(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    for node in arguments.positional:
        name = literal_name(node)
        if name is None or name in _TYPES:
            continue
        columns = (f"{name}_type", f"{name}_id") if "polymorphic" in arguments.named else (f"{name}_id",)
        for column in columns:
            yield AddColumn(table, column, span)
        yield from _inline_index(table, columns, arguments, span)


def _remove_references(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    for node in arguments.positional:
        name = literal_name(node)
        if name:
            yield DropColumn(table, f"{name}_id", span)
            if "polymorphic" in arguments.named:
                yield DropColumn(table, f"{name}_type", span)


def _add_timestamps(table: str, _: Arguments, span: Span) -> Iterator[Operation]:
    yield AddColumn(table, "created_at", span)
    yield AddColumn(table, "updated_at", span)


def _remove_timestamps(table: str, _: Arguments, span: Span) -> Iterator[Operation]:
    yield DropColumn(table, "created_at", span)
    yield DropColumn(table, "updated_at", span)


def _remove_attachment(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    for node in arguments.positional:
        name = literal_name(node)
        if name:
            for part in _PAPERCLIP:
                yield DropColumn(table, f"{name}_{part}", span)


def _add_index(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    columns = literal_names(arguments.at(0, "column"))
    if columns:
        yield _index(table, columns, arguments.named, span)


def _add_unique_constraint(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    columns = literal_names(arguments.at(0, "column"))
    if columns:
        yield AddIndex(table, columns, unique=True, span=span, name=literal_name(arguments.named.get("name")))


def _remove_index(table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    columns = literal_names(arguments.at(0, "column")) or ()
    yield DropIndex(table, tuple(column_of(c) for c in columns), literal_name(arguments.named.get("name")), span)


def _inline_index(table: str, columns: tuple[str, ...], arguments: Arguments, span: Span) -> Iterator[Operation]:
    index = arguments.named.get("index")
    if index is not None and index.kind() == "hash":
        yield _index(table, columns, hash_pairs(index), span)


def _index(table: str, columns: tuple[str, ...], options: Mapping[str, SgNode], span: Span) -> AddIndex:
    # One text may hold several columns: add_index :t, "lower(a), b".
    parts = tuple(column_of(part) for name in columns for part in _split_expression(name))
    return AddIndex(
        table=table,
        columns=parts,
        unique=_is_true(options.get("unique")),
        span=span,
        partial="where" in options,
        nulls_equal=_is_true(options.get("nulls_not_distinct")),
        name=literal_name(options.get("name")),
    )


def _split_expression(text: str) -> list[str]:
    return [text] if "(" in text and "," not in text else [part for part in text.split(",") if part.strip()]


def _table_block_call(name: str, table: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    if name in _IN_BLOCK:
        yield from _IN_BLOCK[name](table, arguments, span)
    elif name not in _NO_COLUMN_TYPES:
        for node in arguments.positional:
            column = literal_name(node)
            if column and column not in _TYPES:
                yield AddColumn(table, column, span)
                yield from _inline_index(table, (column,), arguments, span)


def _span_at(span: Span, node: SgNode) -> Span:
    return Span(span.start, span.end, max(span.start, first_line(node)))


_TYPES = frozenset(
    {
        "string", "text", "integer", "bigint", "float", "decimal", "datetime", "timestamp", "time", "date", "binary",
        "boolean", "json", "jsonb", "uuid", "inet", "hstore", "primary_key", "timestamptz", "citext", "numeric",
    }
)  # fmt: skip
_IN_BLOCK: Mapping[str, Callable[[str, Arguments, Span], Iterator[Operation]]] = {
    "column": _add_column,
    "remove": _remove_columns,
    "rename": _rename_column,
    "index": _add_index,
    "unique_constraint": _add_unique_constraint,
    "references": _add_references,
    "belongs_to": _add_references,
    "timestamps": _add_timestamps,
    "remove_references": _remove_references,
    "remove_belongs_to": _remove_references,
    "remove_timestamps": _remove_timestamps,
    "remove_index": _remove_index,
}
_STATEMENTS: Mapping[str, Callable[[Arguments, Span], Iterator[Operation]]] = {
    "create_table": _create_table,
    "create_join_table": _create_join_table,
    "drop_table": _drop_table,
    "rename_table": _rename_table,
    "add_column": _on_table(_add_column),
    "remove_column": _on_table(_remove_column),
    "remove_columns": _on_table(_remove_columns),
    "rename_column": _on_table(_rename_column),
    "add_reference": _on_table(_add_references),
    "add_belongs_to": _on_table(_add_references),
    "remove_reference": _on_table(_remove_references),
    "remove_belongs_to": _on_table(_remove_references),
    "add_timestamps": _on_table(_add_timestamps),
    "remove_timestamps": _on_table(_remove_timestamps),
    "remove_attachment": _on_table(_remove_attachment),
    "add_unique_constraint": _on_table(_add_unique_constraint),
    "remove_index": _on_table(_remove_index),
} | {name: _on_table(_add_index) for name in _ADD_INDEX}
