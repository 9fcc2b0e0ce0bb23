"""The columns that the migrations of a change remove for good, each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from draftgate.checks.base import Change
from draftgate.checks.database.migration_files import Migration, changed_migrations
from draftgate.checks.database.operations import AddColumn, CreateTable, DropColumn, DropTable
from draftgate.checks.database.rails_migrations import read_rails


@dataclass(frozen=True, slots=True)
class Removal:
    """A dropped or renamed column and the migration that does it."""

    drop: DropColumn
    migration: Migration


def find_removals(change: Change) -> list[Removal]:
    """What an added line of a migration removes and nothing later in the change brings back, in the diff's order."""
    removals = list(_removals(tuple(changed_migrations(change))))
    kept = _columns_in_changed_schema(change) if removals else frozenset()
    return [removal for removal in removals if (removal.drop.table, removal.drop.column) not in kept]


def _removals(migrations: Sequence[Migration]) -> Iterator[Removal]:
    gone = {op.table for m in migrations for op in m.operations if isinstance(op, DropTable) and not op.renamed_to}
    made = {op.table for m in migrations for op in m.operations if isinstance(op, CreateTable)}
    gone -= made
    added = _last_added(migrations)
    seen = set()
    for number, migration in enumerate(migrations):
        for position, drop in enumerate(migration.operations):
            if not isinstance(drop, DropColumn) or drop.span.line not in migration.added_lines:
                continue
            key = (drop.table, drop.column)
            comes_back = added.get(key, (0, 0)) > (number, position)
            if key in seen or drop.table in gone or comes_back:
                continue
            seen.add(key)
            yield Removal(drop, migration)


def _last_added(migrations: Sequence[Migration]) -> Mapping[tuple[str, str], tuple[int, int]]:
    """Where each column is added for the last time: the number of the migration and of the operation in it."""
    return {
        (op.table, op.column): (number, position)
        for number, migration in enumerate(migrations)
        for position, op in enumerate(migration.operations)
        if isinstance(op, AddColumn)
    }


def _columns_in_changed_schema(change: Change) -> frozenset[tuple[str, str]]:
    """The columns of the schema file that the change brings along: what it still has is not gone."""
    paths = [file.new_path for file in change.files if file.new_path and file.new_path.endswith("db/schema.rb")]
    operations = [op for path in paths for op in read_rails(change.head.read(path) or "")]
    return frozenset((op.table, op.column) for op in operations if isinstance(op, AddColumn))
