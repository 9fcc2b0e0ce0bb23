"""Whether the fields and the ``Meta`` of Django models guarantee what a rule wants unique.

The models at head are the authority, since Django writes its migrations from them. A model whose fields are
not all found (a base class from elsewhere) is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ast_grep_py import SgNode

from draftgate.checks.base import Snapshot
from draftgate.checks.database.python_classes import bases_of, definition_of, meta_of, statements
from draftgate.checks.database.syntax import call_arguments, find, literal_names, method_name, text_of, walk
from draftgate.checks.database.uniqueness_rule import UniquenessRule
from draftgate.checks.grammar.tree import parse

_FIELD_CALL = re.compile(r"Field$|ForeignKey$|^Column$")
_KEY_FIELDS = re.compile(r"OneToOne\w*Field$|^ParentalOneToOne")
_MODEL_FILE = re.compile(r"(^|/)(models(/[^/]+)*|\w*models?)\.py$")
_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
_MAX_LEVELS = 4


@dataclass(frozen=True, slots=True)
class _Known:
    """The fields of a model and its bases, and the sets of them that are unique."""

    fields: frozenset[str]
    keys: frozenset[frozenset[str]]


class Models:
    """The models at head, each read once; what is not asked for is not parsed."""

    def __init__(self, head: Snapshot) -> None:
        self._head = head
        self._files: dict[str, list[str]] | None = None
        self._known: dict[str, _Known | None] = {}
        self._latest: tuple[str, dict[str, list[SgNode]]] = ("", {})

    def guarantee(self, rule: UniquenessRule) -> bool | None:
        """Whether fields and constraints forbid duplicates; ``None`` if the model is not well known."""
        if rule.model not in self._known:
            self._known[rule.model] = self._read(rule.model)
        known = self._known[rule.model]
        if known is None:
            return None
        wanted = _field_names(rule.attributes, known.fields)
        if any(_field_names(key, known.fields) <= wanted for key in known.keys):
            return True
        return False if wanted <= known.fields else None

    def _read(self, model: str) -> _Known | None:
        fields: set[str] = set()
        keys = {frozenset({"id"}), frozenset({"pk"})}
        pending, seen = [model], set()
        for _ in range(_MAX_LEVELS):
            found = [node for name in pending for node in self._classes_named(name)]
            seen |= set(pending)
            if seen == {model} and len(found) != 1:
                return None
            for node in found:
                fields |= set(_fields(node))
                keys |= set(_keys(node))
            pending = list(dict.fromkeys(base for node in found for base in bases_of(node) if base not in seen))
        return _Known(frozenset(fields), frozenset(keys))

    def _classes_named(self, name: str) -> Iterator[SgNode]:
        for path in self._files_by_class().get(name, ()):
            if path != self._latest[0]:
                self._latest = path, _classes_in(self._head.read(path) or "")
            yield from self._latest[1].get(name, ())

    def _files_by_class(self) -> dict[str, list[str]]:
        if self._files is None:
            self._files = {}
            for path in self._head.paths():
                text = self._head.read(path) if _MODEL_FILE.search(path) else None
                for name in dict.fromkeys(_CLASS.findall(text or "")):
                    self._files.setdefault(name, []).append(path)
        return self._files


def _classes_in(text: str) -> dict[str, list[SgNode]]:
    classes: dict[str, list[SgNode]] = {}
    for node in find(parse(text, "python"), ("class_definition",)):
        classes.setdefault(text_of(node.field("name")), []).append(node)
    return classes


def _field_names(names: Iterable[str], fields: frozenset[str]) -> frozenset[str]:
    """A foreign key may be called by its field or by its column: ``order`` or ``order_id``."""
    return frozenset(name if name in fields else name.removesuffix("_id") for name in names)


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
