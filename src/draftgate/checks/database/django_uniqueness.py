"""Uniqueness rules of Django code, and whether a model's fields and ``Meta`` guarantee them.

The models at head are the authority, since Django writes its migrations from them. A model whose fields are
not all found (a base class from elsewhere) is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ast_grep_py import SgNode

from draftgate.checks.base import Snapshot
from draftgate.checks.database.python_classes import bases_of, definition_of, meta_of, statements
from draftgate.checks.database.syntax import (
    Arguments,
    call_arguments,
    find,
    first_line,
    last_line,
    literal_names,
    method_name,
    receiver,
    walk,
)
from draftgate.checks.database.uniqueness_rule import RuleKind, UniquenessRule
from draftgate.checks.grammar.tree import parse

_CREATES = frozenset({"get_or_create", "update_or_create", "aget_or_create", "aupdate_or_create"})
_EXISTS = frozenset({"exists", "count", "first"})
_RAISES_DUPLICATE = re.compile(r"\b(unique|already|exists?|duplicate|taken|in use|registered)\b", re.IGNORECASE)
_CATCHES_REFUSAL = re.compile(r"\bexcept\b[^:]{0,500}\bIntegrityError\b")
_FIELD_CALL = re.compile(r"Field$|ForeignKey$|^Column$")
_KEY_FIELDS = re.compile(r"OneToOne\w*Field$|^ParentalOneToOne")
_MODEL_FILE = re.compile(r"(^|/)(models(/[^/]+)*|\w*models?)\.py$")
_MAX_LEVELS = 4


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


def is_guaranteed(rule: UniquenessRule, head: Snapshot) -> bool | None:
    """Whether the model's fields and constraints forbid duplicates; ``None`` if the model is not well known."""
    paths = [path for path in head.paths() if _MODEL_FILE.search(path)]
    fields: set[str] = set()
    keys: list[frozenset[str]] = [frozenset({"id"}), frozenset({"pk"})]
    pending, seen = [rule.model], set()
    for _ in range(_MAX_LEVELS):
        found = [node for name in pending for node in _classes_named(name, paths, head)]
        seen |= set(pending)
        if seen == {rule.model} and len(found) != 1:
            return None
        for node in found:
            fields |= set(_fields(node))
            keys += _keys(node)
        pending = [base for node in found for base in bases_of(node) if base not in seen]
    wanted = _field_names(rule.attributes, fields)
    if any(_field_names(key, fields) <= wanted for key in keys):
        return True
    return False if wanted <= fields else None


def _field_names(names: Iterable[str], fields: set[str]) -> frozenset[str]:
    """A foreign key may be called by its field or by its column: ``order`` or ``order_id``."""
    return frozenset(name if name in fields else name.removesuffix("_id") for name in names)


def _classes_named(name: str, paths: list[str], head: Snapshot) -> Iterator[SgNode]:
    header = re.compile(rf"^class {re.escape(name)}\b", re.MULTILINE)
    for path in paths:
        text = head.read(path) or ""
        if header.search(text):
            yield from find(parse(text, "python"), ("class_definition",), rf"^class {re.escape(name)}\b")


def _field_call(statement: SgNode) -> tuple[str, SgNode] | None:
    left, right = statement.field("left"), statement.field("right")
    if statement.kind() != "assignment" or left is None or right is None or right.kind() != "call":
        return None
    return (left.text(), right) if _FIELD_CALL.search(method_name(right)) else None


def _fields(node: SgNode) -> Iterator[str]:
    for statement in statements(node):
        found = _field_call(statement)
        if found is not None:
            yield found[0]


def _keys(node: SgNode) -> Iterator[frozenset[str]]:
    """What the fields and the ``Meta`` of a model class make unique, partial constraints included."""
    for statement in statements(node):
        found = _field_call(statement)
        if found is not None and _is_key(found[1]):
            yield frozenset({found[0]})
    meta = meta_of(node)
    if meta is not None:
        yield from _meta_keys(meta)


def _is_key(call: SgNode) -> bool:
    options = call_arguments(call).named
    return bool(_KEY_FIELDS.search(method_name(call))) or any(
        name in options and options[name].text() == "True" for name in ("unique", "primary_key")
    )


def _meta_keys(meta: SgNode) -> Iterator[frozenset[str]]:
    for call in find(meta, ("call",), r"UniqueConstraint\("):
        if method_name(call) == "UniqueConstraint":
            arguments = call_arguments(call)
            names = literal_names(arguments.named.get("fields")) or ()
            expressions = re.findall(r"[\"'](\w+)[\"']", " ".join(node.text() for node in arguments.positional))
            yield frozenset((*names, *expressions))
    together = definition_of(meta, "unique_together")
    for part in walk(together) if together is not None else ():
        group = literal_names(part) if part.kind() in {"tuple", "list"} else None
        if group:
            yield frozenset(group)
