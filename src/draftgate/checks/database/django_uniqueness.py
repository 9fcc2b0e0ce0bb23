"""Uniqueness rules of Django code; whether a model guarantees them is `django_models`' to say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.syntax import (
    Arguments,
    call_arguments,
    find,
    first_line,
    last_line,
    literal_names,
    method_name,
    receiver,
)
from draftgate.checks.database.uniqueness_rule import RuleKind, UniquenessRule
from draftgate.checks.grammar.tree import parse

_CREATES = frozenset({"get_or_create", "update_or_create", "aget_or_create", "aupdate_or_create"})
_EXISTS = frozenset({"exists", "count", "first"})
_RAISES_DUPLICATE = re.compile(r"\b(unique|already|exists?|duplicate|taken|in use|registered)\b", re.IGNORECASE)
_CATCHES_REFUSAL = re.compile(r"\bexcept\b[^:]{0,500}\bIntegrityError\b")


def read_django_rules(text: str) -> Iterator[UniquenessRule]:
    """The uniqueness rules of a Python file, in source order within each kind."""
    root = parse(text, "python")
    guarded: dict[SgNode, bool] = {}
    for call in find(root, ("call",), r"UniqueValidator|UniqueTogetherValidator|_or_create"):
        name = method_name(call)
        if name in {"UniqueValidator", "UniqueTogetherValidator"}:
            yield from _validator(name, call)
        elif name in _CREATES:
            yield from _create(call, guarded)
    for statement in find(root, ("if_statement",), r"\.(exists|count|first)\("):
        yield from _check_first(statement)


def _validator(name: str, call: SgNode) -> Iterator[UniquenessRule]:
    arguments = call_arguments(call)
    model = _model_of(arguments.at(0, "queryset"))
    fields = literal_names(arguments.at(1, "fields")) if name == "UniqueTogetherValidator" else _declared_field(call)
    if model and fields:
        yield _rule(RuleKind.VALIDATION, model, fields, call, name)


def _create(call: SgNode, guarded: dict[SgNode, bool]) -> Iterator[UniquenessRule]:
    """``get_or_create`` and the like; ``guarded`` remembers of each statement around whether it makes that safe."""
    target = receiver(call)
    model = _model_of(target) if target is not None and target.text().endswith(".objects") else None
    keys = _plain_keys(call_arguments(call), leave_out=("defaults", "create_defaults"))
    around = call.ancestors() if model and keys else []
    for node in around:
        if node not in guarded:
            guarded[node] = _is_locking(node) or _expects_refusal(node)
    if model and keys and not any(guarded[node] for node in around):
        yield _rule(RuleKind.FIND_OR_CREATE, model, keys, call, method_name(call))


def _check_first(statement: SgNode) -> Iterator[UniquenessRule]:
    """``if User.objects.filter(email=email).exists(): raise ValidationError("already …")`` in a clean method."""
    condition, body = statement.field("condition"), statement.field("consequence")
    function = next((node for node in statement.ancestors() if node.kind() == "function_definition"), None)
    if condition is None or body is None or function is None or not _is_validation(function):
        return
    raised = body.find(kind="raise_statement")
    if raised is None or not _RAISES_DUPLICATE.search(raised.text()) or "ValidationError" not in raised.text():
        return
    for call in find(condition, ("call",), r"\.filter\("):
        target = receiver(call)
        if method_name(call) != "filter" or target is None or not target.text().endswith(".objects"):
            continue
        arguments = call_arguments(call)
        keys = _plain_keys(arguments, leave_out=())
        model = _model_of(target)
        if model and keys and all(_carries(arguments, key) for key in arguments.named):
            yield _rule(RuleKind.CHECK_FIRST, model, keys, call, "filter")


def _is_validation(function: SgNode) -> bool:
    name = function.field("name")
    return name is not None and name.text().startswith(("clean", "validate"))


def _carries(arguments: Arguments, key: str) -> bool:
    """Whether the value is what is about to be written: it bears the name of the column."""
    column = key.split("__", 1)[0]
    return bool(re.search(rf"\b{re.escape(column)}\b|\bvalue\b", arguments.named[key].text()))


def _rule(kind: RuleKind, model: str, fields: tuple[str, ...], call: SgNode, name: str) -> UniquenessRule:
    return UniquenessRule(
        kind=kind,
        model=model,
        attributes=fields,
        line=first_line(call.field("arguments") or call),
        start=first_line(call),
        end=last_line(call),
        call=name,
    )


def _plain_keys(arguments: Arguments, leave_out: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that are looked up for equality; empty if any lookup is something else."""
    keys = []
    for name in arguments.named:
        column, _, lookup = name.partition("__")
        if name in leave_out:
            continue
        if lookup not in {"", "exact", "iexact"}:
            return ()
        keys.append(column)
    # A positional argument is a Q object or ``**lookup``: more conditions, that are not known.
    return () if arguments.positional else tuple(keys)


def _is_locking(node: SgNode) -> bool:
    return node.kind() == "with_statement" and bool(re.search(r"lock", node.text().split(":", 1)[0], re.IGNORECASE))


def _expects_refusal(node: SgNode) -> bool:
    """Whether a ``try`` handles the database's refusal: its author relies on a constraint."""
    return node.kind() == "try_statement" and bool(_CATCHES_REFUSAL.search(node.text()))


def _model_of(queryset: SgNode | None) -> str | None:
    """The model of ``models.User.objects…``."""
    if queryset is None:
        return None
    named = re.match(r"(?:\w+\.)*([A-Z]\w*)\.objects\b", queryset.text())
    return named[1] if named else None


def _declared_field(call: SgNode) -> tuple[str, ...]:
    """The serializer field whose ``validators`` the call stands in."""
    for node in call.ancestors():
        if node.kind() == "assignment":
            left = node.field("left")
            return (left.text(),) if left is not None and left.kind() == "identifier" else ()
    return ()
