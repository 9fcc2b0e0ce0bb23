"""Python and Ruby syntax trees as this package needs them: a walk, a call's arguments, literal names.

It resolves no names and evaluates nothing: what is not
a literal in the source is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ast_grep_py import Rule, SgNode

_RUBY_NAMES = frozenset({"simple_symbol", "hash_key_symbol", "bare_symbol", "bare_string"})
_RUBY_LISTS = frozenset({"array", "symbol_array", "string_array"})
_PYTHON_LISTS = frozenset({"list", "tuple", "set", "parenthesized_expression"})


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call: what stands by position and what stands by name."""

    positional: tuple[SgNode, ...]
    named: dict[str, SgNode]

    def at(self, position: int, name: str) -> SgNode | None:
        """The argument by its name, else by its position."""
        if name in self.named:
            return self.named[name]
        return self.positional[position] if position < len(self.positional) else None


def walk(node: SgNode) -> Iterator[SgNode]:
    """The node and everything below it, in source order."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(current.children()))


def find(node: SgNode, kinds: Collection[str], pattern: str = "") -> list[SgNode]:
    """The nodes below of these kinds whose text matches ``pattern`` somewhere, in source order.

    Runs inside the parser, so it is many times faster than `walk`.
    """
    rules: list[Rule] = [{"kind": kind} for kind in kinds]
    return node.find_all(any=rules, regex=pattern) if pattern else node.find_all(any=rules)


def first_line(node: SgNode) -> int:
    """The 1-based line that the node starts on."""
    return int(node.range().start.line) + 1


def last_line(node: SgNode) -> int:
    """The 1-based line that the node ends on."""
    return int(node.range().end.line) + 1


def text_of(node: SgNode | None) -> str:
    """The source text; "" for no node."""
    return node.text() if node is not None else ""


def string_text(node: SgNode) -> str | None:
    """The text of a string literal of either language; ``None`` for anything else or with interpolation."""
    if node.kind() not in {"string", "bare_string", "concatenated_string"}:
        return None
    inner = list(walk(node))
    if any(part.kind() == "interpolation" for part in inner):
        return None
    return "".join(part.text() for part in inner if part.kind() == "string_content")


def literal_name(node: SgNode | None) -> str | None:
    """The name that a symbol or string literal spells; ``None`` for anything computed."""
    if node is None:
        return None
    if node.kind() in _RUBY_NAMES:
        return node.text().strip(":").strip("'\"")
    return string_text(node)


def literal_names(node: SgNode | None) -> tuple[str, ...] | None:
    """The names of a literal or of a list of literals; ``None`` if any of them is computed."""
    if node is None:
        return None
    if node.kind() not in _RUBY_LISTS | _PYTHON_LISTS:
        name = literal_name(node)
        return None if name is None else (name,)
    names = [literal_name(item) for item in node.children() if item.is_named() and item.kind() != "comment"]
    return None if any(name is None for name in names) else tuple(name for name in names if name is not None)


def call_arguments(call: SgNode) -> Arguments:
    """The arguments of a call in either language, Ruby's trailing hash taken as named ones."""
    positional: list[SgNode] = []
    named: dict[str, SgNode] = {}
    listed = call.field("arguments")
    for node in listed.children() if listed is not None else ():
        if node.kind() in {"pair", "keyword_argument"}:
            named |= _named(node)
        elif node.kind() == "hash":
            named |= hash_pairs(node)
        elif node.is_named() and node.kind() != "comment":
            positional.append(node)
    return Arguments(tuple(positional), named)


def hash_pairs(node: SgNode) -> dict[str, SgNode]:
    """The values of a hash or dict literal by their literal keys."""
    pairs: dict[str, SgNode] = {}
    for child in node.children():
        if child.kind() == "pair":
            pairs |= _named(child)
    return pairs


def _named(pair: SgNode) -> dict[str, SgNode]:
    key = pair.field("key") or pair.field("name")
    value = pair.field("value")
    if key is None or value is None:
        return {}
    name = literal_name(key) or key.text()
    return {name: value}


def method_name(call: SgNode) -> str:
    """What a call calls, without its receiver: ``a.b.c(1)`` calls ``c``."""
    target = call.field("method") or call.field("function")
    if target is None:
        return ""
    if target.kind() == "attribute":
        target = target.field("attribute") or target
    return target.text()


def receiver(call: SgNode) -> SgNode | None:
    """What a call is sent to; ``None`` for a bare call."""
    if call.kind() == "call" and call.field("method") is not None:
        return call.field("receiver")
    target = call.field("function")
    return target.field("object") if target is not None and target.kind() == "attribute" else None
