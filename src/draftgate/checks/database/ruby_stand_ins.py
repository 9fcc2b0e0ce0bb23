"""What a Ruby model has under a column's name besides the column, and its associations over a column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.column_tie import Replacement
from draftgate.checks.database.syntax import (
    call_arguments,
    find,
    first_line,
    literal_name,
    method_name,
    receiver,
    text_of,
    walk,
)
from draftgate.checks.grammar.tree import parse

STANDS_IN = (
    dict.fromkeys("attr_reader delegate alias_method define_method memoize has_secure_token".split(), Replacement.READS)
    | dict.fromkeys(
        "attr_accessor attribute store_accessor translates composed_of has_attached_file monetize typed_store "
        "preference has_one_attached has_many_attached has_rich_text jsonb_accessor".split(),
        Replacement.WRITES,
    )
    | dict.fromkeys("has_one has_many belongs_to has_and_belongs_to_many alias_attribute".split(), Replacement.ALL)
)
_ASSIGNMENTS = frozenset({"assignment", "operator_assignment"})


def stand_in_ruby(text: str, column: str) -> Replacement:
    """What goes on working under the column's name because of what a model's file defines."""
    defining = find(parse(text, "ruby"), ("method", "call", *_ASSIGNMENTS), re.escape(column))
    return max((_stand_in(node, column) for node in defining), default=Replacement.NONE)


def _stand_in(node: SgNode, column: str) -> Replacement:
    if node.kind() == "method":
        return Replacement.READS if text_of(node.field("name")).rstrip("?") == column else Replacement.NONE
    if node.kind() == "call":
        return STANDS_IN.get(method_name(node), Replacement.NONE) if declares(node, column) else Replacement.NONE
    ignores = "ignored_columns" in text_of(node.field("left"))
    return Replacement.ALL if ignores and any(literal_name(part) == column for part in walk(node)) else Replacement.NONE


def declares(call: SgNode, name: str) -> bool:
    """Whether a declaration such as ``attr_accessor`` or ``field`` names this as what it declares."""
    declared = [literal_name(node) for node in call_arguments(call).positional]
    return name in (declared[:1] if method_name(call) == "alias_attribute" else declared)


def associations_on(text: str, column: str) -> Iterator[int]:
    """The lines of a model's file that declare a ``belongs_to`` over the column."""
    for node in find(parse(text, "ruby"), ("call",), r"^belongs_to\b"):
        arguments = call_arguments(node)
        named = literal_name(arguments.positional[0]) if arguments.positional else None
        key = literal_name(arguments.named["foreign_key"]) if "foreign_key" in arguments.named else f"{named}_id"
        if receiver(node) is None and named and key == column:
            yield first_line(node)
