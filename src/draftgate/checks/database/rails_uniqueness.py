"""Uniqueness rules in Ruby: ``validates … uniqueness``, ``validates_uniqueness_of``, ``find_or_create_by``.

A scope or key that is computed at run time makes the rule unreadable, and it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.inflection import plural, snake
from draftgate.checks.database.syntax import (
    call_arguments,
    find,
    first_line,
    hash_pairs,
    last_line,
    literal_name,
    literal_names,
    method_name,
    receiver,
)
from draftgate.checks.database.uniqueness_rule import RuleKind, UniquenessRule
from draftgate.checks.grammar.tree import parse

_FIND_OR_CREATE = frozenset("find_or_create_by find_or_create_by! create_or_find_by create_or_find_by!".split())
_LOCKS = frozenset("with_lock with_advisory_lock with_advisory_lock! synchronize lock_table".split())
_CONDITIONS = frozenset({"conditions", "if", "unless"})
_ROOT_CLASSES = frozenset({"ApplicationRecord", "ActiveRecord::Base", "Base", "Spree::Base", "Struct", "Object"})
_COP = "Rails/UniqueValidationWithoutIndex"
# A name nests in few modules, and a rule spans few columns; more are cut, since every pair of them is spelled out.
_MAX_MODULES = 6
_MAX_SCOPE = 50
_RULES = r"(?-u:\b)(uniqueness|validates_uniqueness_of\w*|(find_or_create|create_or_find)_by!?)"


def read_rails_rules(text: str) -> Iterator[UniquenessRule]:
    """The uniqueness rules of a Ruby file, in source order, but for those where RuboCop's rule about this is off."""
    off = _lines_without_cop(text)
    yield from (rule for rule in _Reader().read(text) if rule.start not in off and rule.line not in off)


def _lines_without_cop(text: str) -> frozenset[int]:
    """The lines where ``Rails/UniqueValidationWithoutIndex`` is off: the author has decided this very case."""
    off: set[int] = set()
    is_off = False
    for number, line in enumerate(text.split("\n"), start=1):
        if _COP in line:
            is_off = "rubocop:disable" in line and line.lstrip().startswith("#")
            off |= {number} if "rubocop:disable" in line else set()
        if is_off:
            off.add(number)
    return frozenset(off)


class _Reader:
    """One pass over a file; what it learns of a class or block serves every rule inside."""

    def __init__(self) -> None:
        self._own_tables: dict[SgNode, str | None] = {}
        self._is_guarded: dict[SgNode, bool] = {}

    def read(self, text: str) -> Iterator[UniquenessRule]:
        for call in find(parse(text, "ruby"), ("call",), _RULES):
            name = method_name(call)
            if name == "validates":
                yield from self._validates(call)
            elif name.startswith("validates_uniqueness_of") and receiver(call) is None:
                options = call_arguments(call).named
                yield from self._rules(call, options, options, call)
            elif name in _FIND_OR_CREATE:
                yield from self._find_or_create(call)

    def _validates(self, call: SgNode) -> Iterator[UniquenessRule]:
        options = call_arguments(call).named
        value = options.get("uniqueness")
        if value is None or value.kind() not in {"true", "hash"}:
            return
        inner = hash_pairs(value) if value.kind() == "hash" else {}
        yield from self._rules(call, inner, options | inner, value)

    def _rules(
        self, call: SgNode, options: dict[str, SgNode], every: dict[str, SgNode], place: SgNode
    ) -> Iterator[UniquenessRule]:
        """One rule for each validated attribute, all with the same scope."""
        scope = literal_names(options["scope"]) if "scope" in options else ()
        if scope is None or len(scope) > _MAX_SCOPE:
            return
        name, tables = self._model_around(call)
        for node in call_arguments(call).positional:
            attribute = literal_name(node)
            if attribute is not None:
                yield UniquenessRule(
                    kind=RuleKind.VALIDATION,
                    model=name,
                    attributes=(attribute, *scope),
                    line=first_line(place),
                    start=first_line(call),
                    end=last_line(call),
                    tables=tables,
                    conditional=bool(_CONDITIONS & set(every)),
                    call=method_name(call),
                )

    def _find_or_create(self, call: SgNode) -> Iterator[UniquenessRule]:
        target = receiver(call)
        arguments = call_arguments(call)
        if target is None or target.kind() not in {"constant", "scope_resolution"} or arguments.positional:
            return
        around = call.ancestors()
        if not arguments.named or any(self._guards(node) for node in around):
            return
        modules = [name for node in around if node.kind() == "module" and (name := _name(node))][:_MAX_MODULES]
        names = ["::".join([*reversed(modules[i:]), target.text()]) for i in range(len(modules) + 1)]
        yield UniquenessRule(
            kind=RuleKind.FIND_OR_CREATE,
            model=target.text(),
            attributes=tuple(arguments.named),
            line=first_line(call.field("method") or call),
            start=first_line(call),
            end=last_line(call.field("arguments") or call),
            tables=tuple(dict.fromkeys(table for name in names for table in _tables_of(name))),
            call=method_name(call),
        )

    def _guards(self, node: SgNode) -> bool:
        """Whether a lock makes the call safe, or the database's refusal is handled."""
        if node not in self._is_guarded:
            self._is_guarded[node] = _is_locked(node) or _expects_refusal(node)
        return self._is_guarded[node]

    def _model_around(self, call: SgNode) -> tuple[str, tuple[str, ...]]:
        """The class that a validation stands in, and its tables; nothing in a module that classes include."""
        names: list[str] = []
        model: SgNode | None = None
        for node in call.ancestors():
            if node.kind() == "class":
                model = model or node
            elif node.kind() == "call" and method_name(node) == "class_eval" and not names:
                target = receiver(node)
                return (target.text(), _tables_of(target.text())) if target is not None else ("", ())
            if node.kind() in {"class", "module"} and _name(node):
                names.append(_name(node))
        if model is None:
            return "", ()
        name = "::".join(reversed(names))
        own = self._own_table(model)
        if own is not None:
            return name, (own,)
        parent = model.field("superclass")
        parent_name = parent.text().removeprefix("<").strip() if parent is not None else ""
        inherited = () if parent_name in _ROOT_CLASSES or not parent_name else _tables_of(parent_name)
        return name, (*_tables_of(name), *inherited)

    def _own_table(self, model: SgNode) -> str | None:
        if model not in self._own_tables:
            named = next(iter(find(model, ("assignment",), r"^self\.table_name(?-u:\b)")), None)
            self._own_tables[model] = literal_name(named.field("right")) if named is not None else None
        return self._own_tables[model]


def _is_locked(node: SgNode) -> bool:
    return node.kind() == "call" and method_name(node) in _LOCKS


def _expects_refusal(node: SgNode) -> bool:
    """Whether a method or block handles the database's refusal: its author relies on an index."""
    return node.kind() in {"method", "begin", "do_block", "body_statement"} and any(
        child.kind() == "rescue" and "RecordNotUnique" in child.text() for child in node.children()
    )


def _name(node: SgNode) -> str:
    named = node.field("name")
    return named.text() if named is not None else ""


def _tables_of(name: str) -> tuple[str, ...]:
    """``Spree::StockItem`` may be ``spree_stock_items`` or ``stock_items``."""
    parts = name.removeprefix("::").split("::")[-_MAX_MODULES:]
    return tuple(plural(snake("::".join(parts[start:]))) for start in range(len(parts)))
