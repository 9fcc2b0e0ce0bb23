"""Reads of a column in Ruby, by what the name hangs on: a receiver, a query, a list, the model's own class.

Methods that stand in for the column (``def``, ``attr_accessor``, ``delegate``, an association, an attachment)
end the reads by that name; queries on the column stay. Types are not inferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from draftgate.checks.database.column_tie import Replacement, Tie
from draftgate.checks.database.owners import Owner
from draftgate.checks.database.syntax import (
    call_arguments,
    find,
    first_line,
    literal_name,
    method_name,
    parse,
    receiver,
    string_text,
    walk,
)

# Methods that take column names or values by column and reach the database.
QUERIES = frozenset(
    "where not find_by find_by! order reorder pluck pick select group maximum minimum sum average update_all update "
    "update! update_columns update_column update_attribute update_attributes update_attributes! create create! new build "
    "insert insert_all insert_all! upsert upsert_all find_or_create_by find_or_create_by! find_or_initialize_by "
    "create_or_find_by exists? rewhere having increment! decrement! toggle! in_order_of read_attribute write_attribute "
    "assign_attributes first_or_create first_or_initialize find_each touch increment_counter decrement_counter "
    "update_counters destroy_by delete_by unscope find_or_create_by_! reselect regroup ransack".split()
)  # fmt: skip
_READS_BY_NAME = frozenset("send public_send try try! read_attribute attribute_present? slice as_json to_json".split())
# Declarations in serializers, resources and admin pages that show what they name.
_LISTS = frozenset(
    "attributes attribute field fields column columns expose property properties row rows input list permit_params "
    "index_columns show_columns node has_one_field sortable search_fields".split()
)  # fmt: skip
_LISTS_FOR = frozenset("extract! child object collection node array! call".split())
# Writes that go through the attribute's writer, so that an accessor answers them.
_ASSIGNMENTS = frozenset(
    "new build create create! update update! update_attribute update_attributes update_attributes! assign_attributes "
    "first_or_create first_or_initialize".split()
)  # fmt: skip
_ON_COLUMN = frozenset("enum serialize normalizes encrypts default_value_for friendly_id mount_uploader store".split())
_STANDS_IN = (
    dict.fromkeys("attr_reader delegate alias_method define_method memoize has_secure_token".split(), Replacement.READS)
    | dict.fromkeys(
        "attr_accessor attribute store_accessor translates composed_of has_attached_file monetize typed_store "
        "preference has_one_attached has_many_attached has_rich_text jsonb_accessor".split(),
        Replacement.WRITES,
    )
    | dict.fromkeys("has_one has_many belongs_to has_and_belongs_to_many alias_attribute".split(), Replacement.ALL)
)
_ASSOCIATIONS = frozenset("has_one has_many belongs_to has_and_belongs_to_many".split())
# They name the column without reading it from the table.
_NO_READ = frozenset("attr_accessible attr_protected permit human_attribute_name t translate label error_message_on".split())
_GENERIC = frozenset("object obj record resource instance model item".split())
_CALLS = frozenset({"call", "element_reference"})


def judge_ruby(
    path: str, text: str, lines: frozenset[int], column: str, owner: Owner, kept: Replacement
) -> Mapping[int, Tie]:
    """The lines of a Ruby file that read the column, with their ties; what is ``kept`` does not count."""
    root = parse(text, "ruby")
    file = _RubyFile(path, column, owner, kept)
    ties: dict[int, Tie] = {}
    for node in find(root, _NAMING, re.escape(column)):
        line = first_line(node)
        tie = file.judge(node) if _may_name(node, column, lines) else None
        if tie is not None:
            line = line if line in lines else min(n for n in lines if n >= line)
            ties[line] = max(tie, ties.get(line, tie))
    return ties


def stand_in_ruby(text: str, column: str) -> Replacement:
    """What goes on working under the column's name because of what a model's file defines."""
    found = [Replacement.NONE]
    for node in find(parse(text, "ruby"), ("method", "call", "assignment", "operator_assignment"), re.escape(column)):
        if node.kind() == "method" and _text(node.field("name")).rstrip("?") == column:
            found.append(Replacement.READS)
        elif node.kind() == "call" and _names(node, column):
            found.append(_STANDS_IN.get(method_name(node), Replacement.NONE))
        elif node.kind() in {"assignment", "operator_assignment"} and "ignored_columns" in _text(node.field("left")):
            if any(literal_name(part) == column for part in walk(node)):
                found.append(Replacement.ALL)
    return max(found)


def associations_on(text: str, column: str) -> Iterator[int]:
    """The lines of a model's file that declare a ``belongs_to`` over the column."""
    for node in find(parse(text, "ruby"), ("call",), r"^belongs_to\b"):
        if receiver(node) is None:
            arguments = call_arguments(node)
            named = literal_name(arguments.positional[0]) if arguments.positional else None
            key = literal_name(arguments.named.get("foreign_key")) if "foreign_key" in arguments.named else f"{named}_id"
            if named and key == column:
                yield first_line(node)


_PLAIN = ("identifier", "simple_symbol", "hash_key_symbol", "bare_symbol", "bare_string")
_NAMING = (*_PLAIN, "string_content", "heredoc_content")


def _may_name(node: SgNode, column: str, lines: frozenset[int]) -> bool:
    kind = node.kind()
    if kind in _PLAIN:
        return first_line(node) in lines and node.text().strip(":\"'") == column
    if kind in {"string_content", "heredoc_content"}:
        start = first_line(node)
        end = start + node.text().count("\n")
        return any(start <= line <= end for line in lines) and column in node.text()
    return False


def _names(call: SgNode, column: str) -> bool:
    """Whether a declaration names the column as what it declares (Paperclip and uploads by their prefix)."""
    declared = [name for node in call_arguments(call).positional if (name := literal_name(node))]
    if method_name(call) == "alias_attribute":
        declared = declared[:1]
    return column in declared


class _RubyFile:
    """What is known of the file while its nodes are judged."""

    def __init__(self, path: str, column: str, owner: Owner, kept: Replacement) -> None:
        self._path = path
        self._column = column
        self._owner = owner
        self._is_model = path in owner.files
        self._kept = kept

    def judge(self, node: SgNode) -> Tie | None:
        """The tie of a node that spells the column's name; ``None`` if it reads nothing of the model."""
        kind = node.kind()
        if kind == "identifier":
            return self._identifier(node)
        if kind in {"string_content", "heredoc_content"}:
            return self._text(node)
        return self._symbol(node)

    def _identifier(self, node: SgNode) -> Tie | None:
        parent = node.parent()
        if parent is None or parent.kind() != "call" or method_name(parent) != self._column:
            return self._bare(node)
        if parent.field("method") is None or _text(parent.field("method")) != node.text() or call_has_arguments(parent):
            return None
        target = parent.field("receiver")
        return self._bare(node) if target is None else self._receiver(target, node)

    def _bare(self, node: SgNode) -> Tie | None:
        """A name without a receiver: the column only in the model's own class, and only if it is no local one."""
        if not self._is_model or self._kept or _is_local(node, self._column):
            return None
        parent = node.parent()
        if parent is not None and parent.kind() in {"method", "singleton_method", "pair", "alias"}:
            return None
        return Tie.MODEL

    def _receiver(self, target: SgNode, node: SgNode) -> Tie | None:
        name = _tail(target)
        if self._kept:
            return None
        if name == "self":
            return Tie.MODEL if self._is_model else None
        if self._owner.is_named(name):
            return Tie.MODEL if name[:1].isupper() else Tie.INSTANCE
        if name in _GENERIC:
            return Tie.NAMED if any(self._owner.is_about(n) for n in _enclosing(node)) else None
        return Tie.LOOSE if re.fullmatch(r"[@a-z_]\w*", name) else None

    def _symbol(self, node: SgNode) -> Tie | None:
        for call, place in _calls_around(node):
            name = method_name(call)
            if name in _NO_READ or name in _STANDS_IN:
                return None
            if name in QUERIES or name.startswith(("validates", "find_by_")):
                return self._query(call, node, place)
            if name in _ON_COLUMN:
                return Tie.MODEL if self._is_model and not self._kept else None
            if name in _READS_BY_NAME:
                target = receiver(call)
                return self._receiver(target, node) if target is not None else None
            if name in _LISTS_FOR:
                return self._listed(call, node)
        return self._declared(node)

    def _query(self, call: SgNode, node: SgNode, place: SgNode) -> Tie | None:
        key = _outer_key(node, place)
        if key is not None:
            return Tie.MODEL if key == self._owner.table else None
        name = method_name(call)
        if not self._spells_column(node) or (self._kept and name.startswith("validates")):
            return None
        if self._kept >= Replacement.WRITES and name in _ASSIGNMENTS:
            return None
        target = receiver(call)
        if target is None:
            return Tie.MODEL if self._is_model and not _is_for_association(call) else None
        return Tie.MODEL if any(self._owner.is_named(part) for part in _chain(target)) else None

    def _spells_column(self, node: SgNode) -> bool:
        """A key or a symbol is a column; the value of a pair is not: ``where(kind: :score)``."""
        parent = node.parent()
        if parent is None or parent.kind() != "pair":
            return True
        key = parent.field("key")
        return key is not None and key.text() == node.text()

    def _listed(self, call: SgNode, node: SgNode) -> Tie | None:
        """``json.extract! order, :total`` or ``child(:order) { attributes :total }`` list for their first argument."""
        if self._kept:
            return None
        positional = call_arguments(call).positional
        named = [literal_name(n) or _tail(n) for n in positional[:1]] + list(call_arguments(call).named)
        if any(self._owner.is_named(name) for name in named):
            return Tie.MODEL if literal_name(node) == self._column else None
        return None

    def _declared(self, node: SgNode) -> Tie | None:
        """An entry of a list in something named after the model: a serializer, ``order_attributes``, a resource."""
        parent = node.parent()
        if parent is None or self._kept or not _is_entry(node, parent):
            return None
        if self._path.endswith(".rabl"):
            return Tie.MODEL if any(self._owner.is_named(n) for n in _rabl_subjects(node)) else None
        around = _enclosing(node)
        if not any(self._owner.is_about(name) for name in around) or _is_hidden(node):
            return None
        if self._is_model and not any("attributes" in name.lower() for name in around):
            return None
        return None if _class_defines(node, self._column) else Tie.NAMED

    def _text(self, node: SgNode) -> Tie | None:
        text = node.text()
        name = re.escape(self._column)
        if re.search(rf"(?<![\w.]){re.escape(self._owner.table)}[`\"]?\.[`\"]?{name}(?!\w)", text):
            return Tie.MODEL
        if not re.search(rf"(?<![\w.:@$/-]){name}(?![\w:/-])", text):
            return None
        exact = text.strip() == self._column
        for call, _ in _calls_around(node):
            called = method_name(call)
            if called in QUERIES:
                target = receiver(call)
                own = self._is_model and not _is_for_association(call)
                mine = own if target is None else any(self._owner.is_named(p) for p in _chain(target))
                return Tie.MODEL if mine and not re.search(rf"\bas\s+{name}\b", text, re.IGNORECASE) else None
            if exact and (called in _READS_BY_NAME | _NO_READ or called in _STANDS_IN):
                return None
        return self._declared_string(node) if exact else None

    def _declared_string(self, node: SgNode) -> Tie | None:
        outer = node.parent()
        return self._declared(outer) if outer is not None and string_text(outer) == self._column else None


def call_has_arguments(call: SgNode) -> bool:
    """Whether a call passes anything: a column's reader takes nothing."""
    listed = call.field("arguments")
    return listed is not None and any(child.is_named() for child in listed.children())


def _text(node: SgNode | None) -> str:
    return node.text() if node is not None else ""


def _tail(node: SgNode) -> str:
    """The last name of a receiver: ``order.user`` is ``user``, ``@users.first`` is ``users``."""
    while node.kind() == "call" and receiver(node) is not None:
        name = method_name(node)
        target = receiver(node)
        if name not in _PASS_THROUGH or target is None:
            return name
        node = target
    if node.kind() == "element_reference":
        return _tail(node.children()[0])
    return method_name(node) if node.kind() == "call" else node.text()


_PASS_THROUGH = frozenset(
    "first last find find_by find_by! first! last! take dup reload decorate sample object model all new clone "
    "build create create! where not order includes joins tap presence unscoped limit".split()
)  # fmt: skip


def _chain(node: SgNode) -> Iterator[str]:
    """The names that a query may run on: its root, or the last association before the query methods."""
    while node.kind() == "call":
        target = receiver(node)
        name = method_name(node)
        if target is None:
            yield name
            return
        if name not in QUERIES and name not in _PASS_THROUGH and not _is_scope_like(node):
            yield name
            return
        node = target
    yield node.text()


def _is_scope_like(call: SgNode) -> bool:
    """A scope in the middle of a query chain on a constant: ``Story.active.where(...)``."""
    node: SgNode | None = call
    while node is not None and node.kind() == "call":
        node = receiver(node)
    return node is not None and node.kind() in {"constant", "scope_resolution"}


def _calls_around(node: SgNode) -> Iterator[tuple[SgNode, SgNode]]:
    """The calls that the node is an argument of, innermost first, each with the argument."""
    child, parent = node, node.parent()
    while parent is not None and parent.kind() not in {"method", "class", "module", "singleton_method", "program"}:
        if parent.kind() == "argument_list":
            call = parent.parent()
            if call is not None and call.kind() == "call":
                yield call, child
        elif parent.kind() == "element_reference" and child.text() != parent.children()[0].text():
            return
        child, parent = parent, parent.parent()


def _is_for_association(call: SgNode) -> bool:
    """Whether a query stands in an association's scope, where it runs on the other model."""
    return any(method_name(around) in _ASSOCIATIONS for around, _ in _calls_around(call))


def _outer_key(node: SgNode, place: SgNode) -> str | None:
    """The key of the hash around a key: ``orders`` for ``total`` in ``where(orders: { total: 1 })``."""
    parent = node.parent()
    current = parent.parent() if parent is not None and parent.kind() == "pair" else None
    while current is not None and current.range().start.index > place.range().start.index:
        if current.kind() == "pair":
            return literal_name(current.field("key"))
        current = current.parent()
    if current is not None and current.kind() == "pair" and current.text() == place.text():
        key = literal_name(current.field("key"))
        return key if parent is not None and current.text() != parent.text() else None
    return None


def _is_entry(node: SgNode, parent: SgNode) -> bool:
    if parent.kind() == "argument_list":
        call = parent.parent()
        return call is not None and method_name(call) in _LISTS
    return parent.kind() in {"array", "symbol_array", "string_array"}


def _enclosing(node: SgNode) -> Iterator[str]:
    """The names of the methods, classes and assigned constants or variables around a node, innermost first."""
    current = node.parent()
    while current is not None:
        if current.kind() in {"method", "singleton_method"}:
            yield _text(current.field("name"))
        elif current.kind() in {"class", "module"} and current.field("name") is not None:
            yield _text(current.field("name")).rsplit("::", 1)[-1]
            if current.kind() == "class":
                return
        elif current.kind() in {"assignment", "operator_assignment"}:
            yield _text(current.field("left"))
        current = current.parent()


def _rabl_subjects(node: SgNode) -> Iterator[str]:
    """What a RABL list belongs to: the nearest ``child`` or ``node`` block, else the file's ``object``."""
    current = node.parent()
    while current is not None:
        if current.kind() == "call" and method_name(current) in {"child", "node", "glue"}:
            arguments = call_arguments(current)
            yield from (literal_name(n) or _tail(n) for n in arguments.positional[:1])
            yield from arguments.named
            return
        if current.kind() == "program":
            for call in current.children():
                if call.kind() == "call" and method_name(call) in {"object", "collection"}:
                    yield from (_tail(n) for n in call_arguments(call).positional[:1])
        current = current.parent()


def _is_hidden(node: SgNode) -> bool:
    """An admin field that is never shown (``visible: false`` or a lambda to it) reads nothing."""
    for call, _ in _calls_around(node):
        visible = call_arguments(call).named.get("visible")
        if visible is not None and re.search(r"\bfalse\b", visible.text()):
            return True
    return False


def _class_defines(node: SgNode, column: str) -> bool:
    """Whether the class around a list defines a method of that name itself, as serializers may."""
    current = node.parent()
    while current is not None and current.kind() not in {"class", "program"}:
        current = current.parent()
    if current is None:
        return False
    if any(n.kind() == "method" and _text(n.field("name")) == column for n in walk(current)):
        return True
    for call in walk(current):
        if call.kind() == "call" and method_name(call) in {"attribute", "field", "node"} and _names(call, column):
            if call.field("block") is not None:
                return True
    return False


def _is_local(node: SgNode, column: str) -> bool:
    """Whether the method around a bare name binds it: a parameter, a block variable or an assignment."""
    scope = node.parent()
    while scope is not None and scope.kind() not in {"method", "singleton_method", "class", "module", "program"}:
        scope = scope.parent()
    if scope is None or scope.kind() not in {"method", "singleton_method"}:
        return True
    for part in walk(scope):
        if part.kind() in {"method_parameters", "block_parameters", "lambda_parameters", "left_assignment_list"}:
            if any(child.kind() == "identifier" and child.text() == column for child in walk(part)):
                return True
        elif part.kind() in {"assignment", "operator_assignment"} and _text(part.field("left")) == column:
            return True
    return False
