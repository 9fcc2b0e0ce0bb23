"""What goes wrong at one use of a Python definition whose shape changed.

Only what is certain from the text of the use: the interpreter refuses the call, values land in other
parameters or in the wrong number of variables, a property is called, a coroutine is never awaited. A
use that did not fit the old shape either says nothing about this change.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ast_grep_py import SgNode

from draftgate.checks.grammar.python import Definition, Signature
from draftgate.checks.python.calls import accepts, read_arguments, refusal, swapped, without_receiver
from draftgate.checks.python.changes import ChangedSymbol, Shape, is_property
from draftgate.checks.python.uses import call_of, is_test_path

_UNAWAITED = frozenset(("expression_statement", "attribute", "subscript", "comparison_operator", "not_operator"))
_OUTSIDE_ASYNC = frozenset(("assignment", "boolean_operator", "if_statement", "for_statement"))


class Sureness(IntEnum):
    """How a place was tied to the definition, weakest first."""

    BY_NAME = 1
    BY_RECEIVER = 2
    BY_IMPORT = 3


@dataclass(frozen=True, slots=True)
class BrokenUse:
    """One place that breaks: what happens there, in plain words."""

    path: str
    line: int
    what: str
    sureness: Sureness
    is_import: bool = False

    @property
    def in_tests(self) -> bool:
        """It is test code."""
        return is_test_path(self.path)


def what_breaks(symbol: ChangedSymbol, expression: SgNode, *, bound: bool, is_touched: bool) -> str | None:
    """What goes wrong where ``expression`` names the symbol, ``None`` if nothing that is certain.

    Args:
        symbol: A definition with another shape than before.
        expression: The name or attribute access.
        bound: It is reached through an instance, which fills the first parameter.
        is_touched: The change edited these lines, so their order of arguments is meant.
    """
    old, new = symbol.old, symbol.new
    call = call_of(expression)
    if old is None or new is None:
        return None
    if old.is_read != new.is_read:
        return _misread(expression, new)
    if call is None or old.is_read:
        return None
    is_bound = bound and not symbol.is_constructor
    return _refused(old, new, call, is_bound=is_bound, is_touched=is_touched) or _misused(old, new, call)


def overrides_old(symbol: ChangedSymbol, member: Definition) -> bool:
    """An override fits the old signature and not the new one."""
    if symbol.old is None or symbol.new is None or member.signature is None or is_property(member):
        return False
    old, new = symbol.old.signature, symbol.new.signature
    if old is None or new is None or symbol.old.is_read or symbol.new.is_read:
        return False
    before = symbol.before.decorators if symbol.before else ()
    own = _seen(member.signature, is_bound="staticmethod" not in member.decorators)
    is_bound = "staticmethod" not in before
    return accepts(own, _seen(old, is_bound=is_bound)) and not accepts(own, _seen(new, is_bound=is_bound))


def _misread(expression: SgNode, new: Shape) -> str | None:
    """A property that became a method, or the other way round."""
    parent = expression.parent()
    is_called = parent is not None and parent.kind() == "call" and parent.field("function") == expression
    if new.is_read and is_called:
        return "calls it, but it is a property now"
    if not new.is_read and not is_called:
        return "reads it, but it is a method now that has to be called"
    return None


def _refused(old: Shape, new: Shape, call: SgNode, *, is_bound: bool, is_touched: bool) -> str | None:
    if old.signature is None or new.signature is None:
        return None
    before, after = _seen(old.signature, is_bound=is_bound), _seen(new.signature, is_bound=is_bound)
    arguments = read_arguments(call)
    if refusal(before, arguments) is not None:
        return None
    refused = refusal(after, arguments)
    if refused:
        return f"`TypeError`: {refused}"
    return None if is_touched else swapped(before, after, arguments)


def _seen(signature: Signature, *, is_bound: bool) -> Signature:
    return without_receiver(signature) if is_bound else signature


def _misused(old: Shape, new: Shape, call: SgNode) -> str | None:
    """The result is not what the caller takes it for."""
    parent = call.parent()
    if parent is None:
        return None
    left = parent.field("left") if parent.kind() == "assignment" else None
    targets = left.named_children() if left is not None and left.kind() in ("pattern_list", "tuple_pattern") else []
    is_exact = not any(t.kind() == "list_splat_pattern" for t in targets)
    if new.returns and old.returns == len(targets) != new.returns and is_exact:
        return f"`ValueError`: unpacks {old.returns} values, gets {new.returns}"
    is_unawaited = parent.kind() in _UNAWAITED or (parent.kind() in _OUTSIDE_ASYNC and not _in_async(call))
    if new.is_async and not old.is_async and is_unawaited:
        return "does not await it, but it is a coroutine function now"
    return None


def _in_async(node: SgNode) -> bool:
    function = next((a for a in node.ancestors() if a.kind() in ("function_definition", "lambda")), None)
    return function is not None and function.text().startswith("async")
