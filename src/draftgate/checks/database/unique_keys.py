"""What the schema at head guarantees to be unique, from ``schema.rb``, ``structure.sql`` or the migrations.

In Rails the schema file decides for the tables it has; a migration of the change adds to it, since the file may lag
behind. Without one (an engine, Alembic) all migrations that name the table are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from draftgate.checks.base import Change, Snapshot
from draftgate.checks.database.migration_files import changed_migrations, framework_of, may_be_migration, read_migration
from draftgate.checks.database.operations import (
    AddColumn,
    AddIndex,
    CreateTable,
    DropColumn,
    DropIndex,
    DropTable,
    Operation,
)
from draftgate.checks.database.rails_migrations import read_rails
from draftgate.checks.database.sql_statements import read_sql

SOFT_DELETE = frozenset({"deleted_at", "discarded_at", "archived_at", "removed_at"})
_SCHEMA_FILE = re.compile(r"(^|/)db/(\w+_)?(schema\.rb|structure\.sql)$")
# More than any table has; what indexes do to one another is a matter of pairs.
_MAX_INDEXES = 500
_MAX_TABLES = 50
_NOT_THE_APPLICATION = re.compile(r"(^|/)(spec|test|tests|vendor|node_modules)/")


@dataclass(slots=True)
class Table:
    """A table while operations are applied to it."""

    columns: set[str] = field(default_factory=set)
    indexes: list[AddIndex] = field(default_factory=list)

    def columns_for(self, attribute: str) -> frozenset[str] | None:
        """The columns behind an attribute or association; ``None`` if the table has none for it."""
        if attribute in self.columns:
            return frozenset({attribute})
        if f"{attribute}_id" in self.columns:
            return frozenset({f"{attribute}_id", f"{attribute}_type"} & self.columns)
        return None

    def guarantees(self, columns: frozenset[str]) -> bool:
        """Whether some key over no other columns forbids two rows alike in ``columns``."""
        return any(index.unique and set(index.columns) <= columns and not is_toothless(index) for index in self.indexes)

    def refuses(self, columns: frozenset[str]) -> bool:
        """Whether a key over just these columns holds for all rows, deleted ones included."""
        return any(index.unique and not index.partial and set(index.columns) == columns for index in self.indexes)


def is_toothless(index: AddIndex) -> bool:
    """A unique index over a soft-delete column lets live rows repeat: it is NULL in them, and NULLs differ."""
    return bool(SOFT_DELETE & set(index.columns)) and not index.partial and not index.nulls_equal


def tables_at_head(change: Change, wanted: Iterable[str]) -> dict[str, Table]:
    """The wanted tables that exist at head, with their columns and indexes."""
    wanted = frozenset(wanted)
    head = change.head
    tables: dict[str, Table] = {}
    for path in head.paths():
        if _SCHEMA_FILE.search(path) and not _NOT_THE_APPLICATION.search(path):
            text = head.read(path) or ""
            _apply(tables, read_sql(text, 1) if path.endswith(".sql") else read_rails(text))
    added = [op for migration in changed_migrations(change) for op in migration.operations if not _only_removes(op)]
    missing = wanted - set(tables)
    _apply(tables, [op for op in added if op.table not in missing])
    migrations = _Migrations(head, "*.rb")
    for table in _few(missing, change):
        _apply(tables, migrations.on(table))
    return {name: tables[name] for name in wanted if name in tables}


def _only_removes(operation: Operation) -> bool:
    """A schema file that does not lag behind has this already, and maybe the like added again."""
    return isinstance(operation, DropIndex) or (isinstance(operation, DropColumn) and not operation.renamed_to)


def _few(tables: Iterable[str], change: Change) -> list[str]:
    few = sorted(tables)
    if len(few) > _MAX_TABLES:
        change.limited(f"db.unique-validation: the migrations of only {_MAX_TABLES} of {len(few)} tables were read")
    return few[:_MAX_TABLES]


def tables_of_alembic(change: Change, wanted: Iterable[str]) -> dict[str, Table]:
    """The wanted tables that an Alembic migration at head creates, with every index that one ever adds.

    Revisions form a graph, so what is dropped again is not known without it, and counts as kept.
    """
    tables: dict[str, Table] = {}
    migrations = _Migrations(change.head, "*.py")
    for table in _few(set(wanted), change):
        mine = migrations.on(table)
        _apply(tables, [op for op in mine if isinstance(op, CreateTable)])
        _apply(tables, [op for op in mine if isinstance(op, AddColumn | AddIndex)])
    return tables


class _Migrations:
    """The migrations at head, each read once and only if it names a table that is asked for."""

    def __init__(self, head: Snapshot, glob: str) -> None:
        self._head = head
        self._glob = glob
        self._read: dict[str, tuple[Operation, ...]] = {}

    def on(self, table: str) -> list[Operation]:
        """What they do to a table, oldest first by the number in their name."""
        paths = {match.path for match in self._head.grep([table], globs=[self._glob])}
        ordered = sorted(paths, key=lambda path: path.rsplit("/", 1)[-1])
        return [op for path in ordered for op in self._operations(path) if op.table == table]

    def _operations(self, path: str) -> tuple[Operation, ...]:
        if path not in self._read:
            text = self._head.read(path) if may_be_migration(path) else None
            framework = framework_of(path, text) if text is not None else None
            self._read[path] = read_migration(framework, path, text) if text is not None and framework else ()
        return self._read[path]


def _apply(tables: dict[str, Table], operations: Iterable[Operation]) -> None:
    for op in operations:
        match op:
            case CreateTable():
                table = tables.setdefault(op.table, Table())
                if op.key and len(table.indexes) < _MAX_INDEXES:
                    table.indexes.append(AddIndex(op.table, op.key, unique=True, span=op.span))
            case DropTable():
                gone = tables.pop(op.table, None)
                if gone is not None and op.renamed_to:
                    tables[op.renamed_to] = gone
            case _:
                if op.table in tables:
                    _change(tables[op.table], op)


def _change(table: Table, op: Operation) -> None:
    match op:
        case AddColumn():
            table.columns.add(op.column)
        case DropColumn(renamed_to=None):
            table.columns.discard(op.column)
            table.indexes = [index for index in table.indexes if op.column not in index.columns]
        case DropColumn(column=old, renamed_to=new):
            table.columns.discard(old)
            table.indexes = [_renamed(index, old, str(new)) for index in table.indexes]
        case AddIndex():
            table.indexes += [op] if len(table.indexes) < _MAX_INDEXES else []
        case DropIndex():
            table.indexes = [
                index
                for index in table.indexes
                if not ((op.name and index.name == op.name) or (op.columns and index.columns == op.columns))
            ]
        case CreateTable() | DropTable():
            pass


def _renamed(index: AddIndex, old: str, new: str) -> AddIndex:
    return replace(index, columns=tuple(new if column == old else column for column in index.columns))
