"""Unique constraints that SQLAlchemy models declare, which only a migration can put into the database."""

from __future__ import annotations

from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.python_classes import definition_of, statements
from draftgate.checks.database.python_stand_ins import is_column
from draftgate.checks.database.syntax import (
    call_arguments,
    find,
    first_line,
    last_line,
    literal_name,
    method_name,
    text_of,
)
from draftgate.checks.database.uniqueness_rule import RuleKind, UniquenessRule
from draftgate.checks.grammar.tree import parse


def read_sqlalchemy_rules(text: str) -> Iterator[UniquenessRule]:
    """The unique columns and constraints of the mapped classes of a Python file, by the names of their columns."""
    for node in find(parse(text, "python"), ("class_definition",), r"\b__tablename__\b"):
        named = definition_of(node, "__tablename__")
        table = literal_name(named.field("right")) if named is not None else None
        if table is not None:
            yield from _columns(node, table)
            yield from _constraints(node, table)


def _columns(node: SgNode, table: str) -> Iterator[UniquenessRule]:
    for statement in statements(node):
        value = statement.field("right") if statement.kind() == "assignment" else None
        if value is None or not is_column(value):
            continue
        arguments = call_arguments(value)
        if text_of(arguments.named.get("unique")) == "True":
            column = literal_name(arguments.at(0, "name")) or text_of(statement.field("left"))
            yield _rule(node, table, (column,), value, "unique=True")


def _constraints(node: SgNode, table: str) -> Iterator[UniquenessRule]:
    declared = definition_of(node, "__table_args__")
    for call in find(declared, ("call",), r"\b(UniqueConstraint|Index)\(") if declared is not None else ():
        arguments = call_arguments(call)
        names = [literal_name(argument) for argument in arguments.positional]
        if method_name(call) == "Index" and text_of(arguments.named.get("unique")) == "True":
            names = names[1:]  # the first one is the name of the index
        elif method_name(call) != "UniqueConstraint":
            continue
        columns = tuple(name for name in names if name is not None)
        if columns and len(columns) == len(names):
            yield _rule(node, table, columns, call, method_name(call))


def _rule(node: SgNode, table: str, columns: tuple[str, ...], place: SgNode, call: str) -> UniquenessRule:
    return UniquenessRule(
        kind=RuleKind.DECLARED,
        model=text_of(node.field("name")),
        attributes=columns,
        line=first_line(place),
        start=first_line(place),
        end=last_line(place),
        tables=(table,),
        call=call,
    )
