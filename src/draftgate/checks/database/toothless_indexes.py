"""Unique indexes that a change adds for a rule of the model, and that let live rows repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from draftgate.checks.base import Change, Snapshot
from draftgate.checks.database.migration_files import Framework, Migration, changed_migrations
from draftgate.checks.database.new_rules import MAX_RULES
from draftgate.checks.database.operations import AddIndex
from draftgate.checks.database.owners import owner_of
from draftgate.checks.database.rails_uniqueness import read_rails_rules
from draftgate.checks.database.unique_keys import SOFT_DELETE, is_toothless
from draftgate.checks.database.uniqueness_rule import RuleKind, UniquenessRule


@dataclass(frozen=True, slots=True)
class ToothlessIndex:
    """The index, the migration that adds it, and the rule that it is for with the file that holds it."""

    index: AddIndex
    migration: Migration
    rule: UniquenessRule
    model_file: str


def find_toothless(change: Change) -> Iterator[ToothlessIndex]:
    """Those that an added line of a Rails migration adds, in the order of the diff."""
    rules: dict[str, list[tuple[UniquenessRule, str]]] = {}
    for migration, index in _added(change):
        if index.table not in rules:
            rules[index.table] = list(islice(_validations_of(index.table, change.head), MAX_RULES))
        rule = _rule_over(index, rules[index.table])
        if rule is not None:
            yield ToothlessIndex(index, migration, *rule)


def _added(change: Change) -> Iterator[tuple[Migration, AddIndex]]:
    for migration in changed_migrations(change):
        for op in migration.operations if migration.framework is Framework.RAILS else ():
            if isinstance(op, AddIndex) and op.unique and is_toothless(op) and op.span.line in migration.added_lines:
                yield migration, op


def _validations_of(table: str, head: Snapshot) -> Iterator[tuple[UniquenessRule, str]]:
    """The validations of the table's model, each with the file it is in."""
    for path in owner_of(Framework.RAILS, table, "", head).files:
        for rule in read_rails_rules(head.read(path) or ""):
            if rule.kind is RuleKind.VALIDATION:
                yield rule, path


def _rule_over(index: AddIndex, rules: Sequence[tuple[UniquenessRule, str]]) -> tuple[UniquenessRule, str] | None:
    """The validation over the index's columns, or over those of them that are no soft delete."""
    rest = set(index.columns) - SOFT_DELETE
    for rule, path in rules:
        # An association may be validated by its name: `user` for `user_id`.
        columns = {name if name in index.columns else f"{name}_id" for name in rule.attributes}
        if rest <= columns <= set(index.columns):
            return rule, path
    return None
