"""Django migrations read into operations; a table is ``app.model`` in lower case.

``RunSQL`` and ``RunPython`` are not read: the first names tables, not models.
In ``SeparateDatabaseAndState`` the database's side decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

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
from draftgate.checks.database.syntax import (
    Arguments,
    call_arguments,
    first_line,
    last_line,
    literal_name,
    literal_names,
    method_name,
    walk,
)
from draftgate.checks.grammar.tree import parse


def app_of(path: str) -> str | None:
    """The app label of a migration's path: the folder above ``migrations``; ``None`` if there is none."""
    folders = path.split("/")[:-1]
    if "migrations" not in folders[1:]:
        return None
    return folders[len(folders) - 2 - folders[::-1].index("migrations")]


def read_django(path: str, text: str) -> tuple[Operation, ...]:
    """What a migration does, in source order; a file outside an app's ``migrations`` does nothing."""
    app = app_of(path)
    return tuple(_read(parse(text, "python"), app)) if app else ()


def _read(root: SgNode, app: str) -> Iterator[Operation]:
    pending = [root]
    while pending:
        node = pending.pop()
        name = method_name(node) if node.kind() == "call" else ""
        if name == "SeparateDatabaseAndState":
            database = call_arguments(node).at(0, "database_operations")
            pending.extend([database] if database is not None else [])
        elif name in _OPERATIONS:
            span = Span(first_line(node), last_line(node), first_line(node))
            yield from _OPERATIONS[name](app, call_arguments(node), span)
        elif name not in {"RunSQL", "RunPython"}:
            pending.extend(reversed(node.children()))


def _table(app: str, model: SgNode | None) -> str:
    return f"{app}.{(literal_name(model) or '').lower()}"


def _at(span: Span, node: SgNode | None) -> Span:
    """The same operation, hung on the line that names the column."""
    return span if node is None else Span(span.start, span.end, first_line(node))


def _remove_field(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    field = arguments.at(1, "name")
    column = literal_name(field)
    if column:
        yield DropColumn(_table(app, arguments.at(0, "model_name")), column, _at(span, field))


def _rename_field(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    field = arguments.at(1, "old_name")
    old, new = literal_name(field), literal_name(arguments.at(2, "new_name"))
    if old and new:
        table = _table(app, arguments.at(0, "model_name"))
        yield DropColumn(table, old, _at(span, field), renamed_to=new)
        yield AddColumn(table, new, span)


def _add_field(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    column = literal_name(arguments.at(1, "name"))
    if column:
        yield AddColumn(_table(app, arguments.at(0, "model_name")), column, span)


def _create_model(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    table = _table(app, arguments.at(0, "name"))
    yield CreateTable(table, span)
    fields = arguments.at(1, "fields")
    for pair in fields.children() if fields is not None else ():
        name = pair.children()[1] if pair.kind() == "tuple" and len(pair.children()) > 1 else None
        column = literal_name(name)
        if column:
            yield AddColumn(table, column, span)


def _delete_model(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    yield DropTable(_table(app, arguments.at(0, "name")), span)


def _rename_model(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    new = _table(app, arguments.at(1, "new_name"))
    yield DropTable(_table(app, arguments.at(0, "old_name")), span, renamed_to=new)


def _add_constraint(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    constraint = arguments.at(1, "constraint")
    if constraint is not None and method_name(constraint) == "UniqueConstraint":
        given = call_arguments(constraint).named
        columns = literal_names(given.get("fields"))
        if columns:
            table = _table(app, arguments.at(0, "model_name"))
            yield AddIndex(table, columns, unique=True, span=span, partial="condition" in given)


def _alter_unique_together(app: str, arguments: Arguments, span: Span) -> Iterator[Operation]:
    value = arguments.at(1, "unique_together")
    for node in walk(value) if value is not None else ():
        columns = literal_names(node) if node.kind() in {"tuple", "list"} else None
        if columns:
            yield AddIndex(_table(app, arguments.at(0, "name")), columns, unique=True, span=span)


_OPERATIONS: Mapping[str, Callable[[str, Arguments, Span], Iterator[Operation]]] = {
    "RemoveField": _remove_field,
    "RenameField": _rename_field,
    "AddField": _add_field,
    "CreateModel": _create_model,
    "DeleteModel": _delete_model,
    "RenameModel": _rename_model,
    "AddConstraint": _add_constraint,
    "AlterUniqueTogether": _alter_unique_together,
}
