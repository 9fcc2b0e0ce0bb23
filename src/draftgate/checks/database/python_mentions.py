"""Reads of a column in Python, by what the name hangs on: a receiver, an ORM call, a class of the model.

Django (models, forms, serializers, admin, tables, filters, GraphQL types) and SQLAlchemy. A property or
method of the model that bears the name ends the reads by that name; queries on the column stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from draftgate.checks.database.column_tie import MAX_ON_LINE, Replacement, Sought, Tie
from draftgate.checks.database.owners import Owner
from draftgate.checks.database.python_classes import bases_of, class_around, definition_of, model_of
from draftgate.checks.database.python_stand_ins import is_column
from draftgate.checks.database.syntax import (
    call_arguments,
    find,
    first_line,
    method_name,
    receiver,
    string_text,
    text_of,
)
from draftgate.checks.grammar.tree import parse

_ORM = frozenset(
    "filter exclude get create update get_or_create update_or_create values values_list order_by only defer distinct "
    "aggregate latest earliest filter_by select_related prefetch_related in_bulk bulk_update bulk_create "
    "get_object_or_404 get_list_or_404 first_or_404 dates datetimes annotate alias".split()
)  # fmt: skip
_BY_NAME = frozenset({"getattr", "setattr", "hasattr", "attrgetter"})
_EXPRESSIONS = frozenset("Q F Sum Count Avg Max Min Lower Upper Coalesce Prefetch OuterRef desc asc Index".split())
_GENERIC = frozenset("obj object instance record item row self o".split())
# A field declared under the name that gets its value elsewhere.
_COMPUTED = ("MethodField", "TemplateColumn", "ReadOnlyPassword", "property", "HiddenField")
_ELSEWHERE = frozenset("source accessor method field_name lookup_field name queryset resolver to_field".split())
_FREE_CLASSES = tuple("Form FilterSet Filter View Mixin Factory Enum Choices Config Command Mutation".split())


def judge_python(text: str, lines: frozenset[int], sought: Sought) -> Mapping[int, Tie]:
    """The lines of a Python file that read the column, with their ties."""
    root = parse(text, "python")
    file = _PythonFile(root, sought)
    ties: dict[int, Tie] = {}
    judged: Counter[int] = Counter()
    for node in find(root, ("identifier", "string"), re.escape(sought.column)):
        line = first_line(node)
        if line in lines and judged[line] < MAX_ON_LINE:
            judged[line] += 1
            tie = file.judge(node)
            if tie is not None:
                ties[line] = max(tie, ties.get(line, tie))
    return ties


class _PythonFile:
    """What is known of the file while its nodes are judged."""

    def __init__(self, root: SgNode, sought: Sought) -> None:
        self._column = sought.column
        self._owner = sought.owner
        self._kept = sought.kept
        self._classes = {text_of(node.field("name")): node for node in find(root, ("class_definition",))}
        self._registered = frozenset(_registered(root, sought.owner))
        self._class_ties: dict[SgNode, Tie | None] = {}
        self._computing: dict[SgNode, bool] = {}

    def judge(self, node: SgNode) -> Tie | None:
        """The tie of a node that spells the column's name; ``None`` if it reads nothing of the model."""
        if node.kind() == "string":
            text = string_text(node)
            return self._string(node) if text is not None and text.lstrip("-") == self._column else None
        if node.text() != self._column:
            return None
        parent = node.parent()
        if parent is None:
            return None
        if parent.kind() == "keyword_argument" and parent.field("name") == node:
            return self._in_call(node)
        if parent.kind() == "attribute" and parent.field("attribute") == node:
            return None if self._kept else self._attribute(parent)
        if parent.kind() == "assignment" and parent.field("left") == node:
            return self._declaration(parent)
        return None

    def _attribute(self, attribute: SgNode) -> Tie | None:
        parent = attribute.parent()
        if parent is not None and attribute in (parent.field("function"), parent.field("left")):
            # A method call, or an assignment, which sets a plain attribute and fails on no column.
            return None
        target = attribute.field("object")
        if target is None:
            return None
        name = _tail(target)
        if name == "self":
            around = class_around(attribute)
            mine = around is not None and text_of(around.field("name")) in self._owner.classes
            return Tie.MODEL if mine else None
        if name in self._owner.classes:
            return Tie.MODEL
        if self._owner.is_named(name):
            return Tie.INSTANCE
        if name in _GENERIC:
            return self._class_tie(attribute)
        return Tie.LOOSE if target.kind() in {"identifier", "attribute"} and name.islower() else None

    def _string(self, node: SgNode) -> Tie | None:
        parent = node.parent()
        if parent is None or parent.kind() in {"subscript", "pair", "comparison_operator", "dictionary"}:
            return None
        if any(name in _ORM | _EXPRESSIONS | _BY_NAME for name, _ in _calls_around(node)):
            return self._in_call(node)
        around = class_around(node)
        if around is None or not _is_listed(node) or self._kept:
            return None
        if text_of(around.field("name")) in self._owner.classes:
            return Tie.MODEL
        return None if self._computes(around) else self._class_tie(node)

    def _in_call(self, node: SgNode) -> Tie | None:
        """A keyword or string argument: a column if the ORM call, or the constructor, is the model's."""
        calls = list(_calls_around(node))
        if not calls:
            return None
        name, call = calls[0]
        if name in self._owner.classes and node.kind() == "identifier":
            return None if self._kept >= Replacement.WRITES else Tie.MODEL
        if name in _BY_NAME:
            first = call_arguments(call).positional[:1]
            return Tie.INSTANCE if first and not self._kept and self._owner.is_named(_tail(first[0])) else None
        for outer, around in calls:
            if outer in _ORM:
                return Tie.MODEL if self._is_query_on_model(around) and not _only_annotates(outer, node) else None
            if outer not in _EXPRESSIONS:
                return None
        return None

    def _is_query_on_model(self, call: SgNode) -> bool:
        roots = [node for node in call_arguments(call).positional[:1] if method_name(call).startswith("get_")]
        target = receiver(call)
        chain = list(_chain(target)) if target is not None else []
        chain += [node.text() for node in roots]
        known = self._owner.classes | self._owner.related
        return any(name in known or self._owner.is_named(name.removesuffix("_set")) for name in chain)

    def _declaration(self, assignment: SgNode) -> Tie | None:
        """``total = serializers.DecimalField()`` in a class of the model reads ``total`` of it."""
        around = class_around(assignment)
        value = assignment.field("right")
        if self._kept or around is None or value is None or not _is_class_level(assignment, around):
            return None
        if value.kind() != "call":
            return None
        if text_of(around.field("name")) in self._owner.classes:
            # Django's own model would make the migration put the column back; SQLAlchemy selects a column that is gone.
            return Tie.MODEL if is_column(value) else None
        free = any(name.endswith(_FREE_CLASSES) for name in (text_of(around.field("name")), *bases_of(around)))
        return None if free or self._computes(around) else self._class_tie(assignment)

    def _class_tie(self, node: SgNode) -> Tie | None:
        around = class_around(node)
        if around is None:
            return None
        if around not in self._class_ties:
            self._class_ties[around] = self._tie_of(around)
        return self._class_ties[around]

    def _tie_of(self, around: SgNode) -> Tie | None:
        model = model_of(around)
        if model is not None:
            return Tie.MODEL if model in self._owner.classes else None
        name = text_of(around.field("name"))
        if name in self._registered:
            return Tie.MODEL
        return Tie.NAMED if self._owner.is_about(name) and name not in self._owner.classes else None

    def _computes(self, around: SgNode) -> bool:
        """Whether the class, or a base of it in this file, gives the name a value of its own."""
        if around not in self._computing:
            self._computing[around] = self._finds_value(around)
        return self._computing[around]

    def _finds_value(self, around: SgNode) -> bool:
        pending, seen = [around], set()
        while pending:
            current = pending.pop()
            found = definition_of(current, self._column)
            if found is not None and not _reads_model(found, current, self._column):
                return True
            for base in bases_of(current):
                if base in self._classes and base not in seen:
                    seen.add(base)
                    pending.append(self._classes[base])
        return False


def _reads_model(found: SgNode, around: SgNode, column: str) -> bool:
    """Whether a declared field takes its value from the attribute of the same name."""
    value = found.field("right")
    if found.kind() != "assignment" or value is None or value.kind() != "call":
        return False
    if any(method_name(value).endswith(mark) for mark in _COMPUTED) or _ELSEWHERE & set(call_arguments(value).named):
        return False
    return not any(definition_of(around, f"{prefix}_{column}") for prefix in ("get", "resolve", "render", "filter"))


def _is_class_level(assignment: SgNode, around: SgNode) -> bool:
    statement = assignment.parent()
    body = statement.parent() if statement is not None else None
    return body is not None and body == around.field("body")


def _is_listed(node: SgNode) -> bool:
    parent = node.parent()
    return parent is not None and parent.kind() in {"list", "tuple", "set", "assignment", "binary_operator"}


def _calls_around(node: SgNode) -> Iterator[tuple[str, SgNode]]:
    """The calls that a node is an argument of, innermost first, by name."""
    for outer in node.ancestors():
        kind = outer.kind()
        if kind in {"function_definition", "class_definition", "block"}:
            return
        if kind == "call":
            yield method_name(outer), outer


def _tail(node: SgNode) -> str:
    """The last name of a receiver: ``request.user`` is ``user``, ``users[0]`` is ``users``."""
    if node.kind() == "attribute":
        return text_of(node.field("attribute"))
    if node.kind() == "subscript":
        return _tail(node.field("value") or node.children()[0])
    if node.kind() == "call":
        name = method_name(node)
        target = receiver(node)
        return _tail(target) if name in {"first", "last", "get", "one"} and target is not None else name
    return node.text() if node.kind() == "identifier" else ""


def _chain(node: SgNode) -> Iterator[str]:
    """The names that a query may run on, from the manager outwards, up to the first that is no query method."""
    while True:
        if node.kind() == "call":
            name = method_name(node)
            if name == "query":
                yield from (argument.text().rsplit(".", 1)[-1] for argument in call_arguments(node).positional)
                return
            target = receiver(node)
            if target is None:
                yield name
                return
            node = target
        elif node.kind() == "attribute":
            name = text_of(node.field("attribute"))
            if name not in {"objects", "query", "_default_manager", "all_objects"}:
                yield name
                return
            node = node.field("object") or node
        else:
            yield node.text()
            return


def _only_annotates(name: str, node: SgNode) -> bool:
    """``annotate(total=...)`` gives the name a value instead of reading it."""
    return name in {"annotate", "alias", "aggregate"} and node.kind() == "identifier"


def _registered(root: SgNode, owner: Owner) -> Iterator[str]:
    """The admin classes of the model: ``@admin.register(User)`` and ``admin.site.register(User, UserAdmin)``."""
    for node in find(root, ("decorated_definition", "call"), r"\bregister\b"):
        if node.kind() == "decorated_definition":
            definition = node.field("definition")
            for decorator in node.children():
                call = decorator.children()[1] if decorator.kind() == "decorator" else None
                if call is not None and call.kind() == "call" and method_name(call) == "register":
                    models = [n.text().rsplit(".", 1)[-1] for n in call_arguments(call).positional]
                    if owner.classes & set(models) and definition is not None:
                        yield text_of(definition.field("name"))
        elif method_name(node) == "register":
            given = [n.text().rsplit(".", 1)[-1] for n in call_arguments(node).positional]
            if len(given) > 1 and given[0] in owner.classes:
                yield given[1]
