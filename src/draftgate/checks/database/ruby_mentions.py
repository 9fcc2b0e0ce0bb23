"""Reads of a column in Ruby, by what the name hangs on: a receiver, a query, a list, the model's own class.

Methods that stand in for the column (``def``, ``attr_accessor``, ``delegate``, an association, an attachment)
end the reads by that name; queries on the column stay. Types are not inferred.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ast_grep_py import SgNode

from draftgate.checks.database.column_tie import MAX_ON_LINE, Replacement, Sought, Tie
from draftgate.checks.database.ruby_names import (
    QUERIES,
    binds,
    call_given,
    calls_around,
    enclosing_names,
    has_arguments,
    key_above,
    method_around,
    queried,
    rabl_subjects,
    tail,
)
from draftgate.checks.database.ruby_stand_ins import STANDS_IN, declares
from draftgate.checks.database.syntax import (
    call_arguments,
    find,
    first_line,
    literal_name,
    method_name,
    receiver,
    text_of,
)
from draftgate.checks.grammar.tree import parse

_PLAIN = ("identifier", "simple_symbol", "hash_key_symbol", "bare_symbol", "bare_string")
_TEXTS = ("string_content", "heredoc_content")
_READS_BY_NAME = frozenset("send public_send try try! read_attribute attribute_present? slice as_json to_json".split())
_LISTS_FOR = frozenset("extract! child object collection node array! call".split())
# Declarations in serializers, resources and admin pages that show what they name.
_LISTS = frozenset(
    "attributes attribute field fields column columns expose property properties row rows input list permit_params "
    "index_columns show_columns node sortable search_fields".split()
)  # fmt: skip
# Writes that go through the attribute's writer, so that an accessor answers them.
_ASSIGNMENTS = frozenset(
    "new build create create! update update! update_attribute update_attributes update_attributes! assign_attributes "
    "first_or_create first_or_initialize".split()
)  # fmt: skip
_ON_COLUMN = frozenset("enum serialize normalizes encrypts default_value_for friendly_id mount_uploader store".split())
_ASSOCIATIONS = frozenset("has_one has_many belongs_to has_and_belongs_to_many".split())
# They name the column without reading it from the table.
_NO_READ = frozenset(
    "attr_accessible attr_protected permit human_attribute_name t translate label error_message_on delete".split()
)
_GENERIC = frozenset("object obj record resource instance model item".split())


def judge_ruby(path: str, text: str, lines: frozenset[int], sought: Sought) -> Mapping[int, Tie]:
    """The lines of a Ruby file that read the column, with their ties."""
    file = _RubyFile(path, sought)
    ties: dict[int, Tie] = {}
    judged: Counter[int] = Counter()
    for node in find(parse(text, "ruby"), (*_PLAIN, *_TEXTS), re.escape(sought.column)):
        line = _line_named(node, sought.column, lines)
        if line is None or judged[line] >= MAX_ON_LINE:
            continue
        judged[line] += 1
        tie = file.judge(node)
        if tie is not None:
            ties[line] = max(tie, ties.get(line, tie))
    return ties


def _line_named(node: SgNode, column: str, lines: frozenset[int]) -> int | None:
    """The searched line on which the node spells the name; a text may run over several."""
    start = first_line(node)
    if node.kind() in _PLAIN:
        return start if start in lines and node.text().strip(":\"'") == column else None
    end = start + node.text().count("\n")
    return next((line for line in range(start, end + 1) if line in lines), None)


class _RubyFile:
    """What is known of the file while its nodes are judged."""

    def __init__(self, path: str, sought: Sought) -> None:
        self._column = sought.column
        self._owner = sought.owner
        self._kept = sought.kept
        self._is_model = path in sought.owner.files
        self._is_rabl = path.endswith(".rabl")
        self._defining: dict[SgNode, bool] = {}
        self._local: dict[SgNode, bool] = {}

    def judge(self, node: SgNode) -> Tie | None:
        """The tie of a node that spells the column's name; ``None`` if it reads nothing of the model."""
        if node.kind() == "identifier":
            return self._identifier(node)
        return self._text(node) if node.kind() in _TEXTS else self._symbol(node)

    def _identifier(self, node: SgNode) -> Tie | None:
        parent = node.parent()
        if self._kept or parent is None:
            return None
        if parent.kind() != "call" or parent.field("method") != node:
            return self._bare(node, parent)
        target = parent.field("receiver")
        if has_arguments(parent):
            return None
        return self._bare(node, parent) if target is None else self._receiver(target, node)

    def _bare(self, node: SgNode, parent: SgNode) -> Tie | None:
        """A name without a receiver: the column only in the model's own class, and only if it is no local one."""
        is_definition = parent.kind() in {"method", "singleton_method", "pair", "alias"}
        return Tie.MODEL if self._is_model and not is_definition and not self._is_local(node) else None

    def _is_local(self, node: SgNode) -> bool:
        scope = method_around(node)
        if scope is not None and scope not in self._local:
            self._local[scope] = binds(scope, self._column)
        return scope is None or self._local[scope]

    def _receiver(self, target: SgNode, node: SgNode) -> Tie | None:
        name = tail(target)
        if self._kept:
            return None
        if name == "self":
            return Tie.MODEL if self._is_model else None
        if self._owner.is_named(name):
            return Tie.MODEL if name[:1].isupper() else Tie.INSTANCE
        if name in _GENERIC:
            return Tie.NAMED if any(map(self._owner.is_about, enclosing_names(node))) else None
        return Tie.LOOSE if re.fullmatch(r"[@a-z_]\w*", name) else None

    def _symbol(self, node: SgNode) -> Tie | None:
        call = call_given(node)
        if call is None:
            return self._declared(node)
        name = method_name(call)
        if name in _NO_READ or (name in STANDS_IN and name not in _LISTS):
            return None
        if name in QUERIES or name.startswith(("validates", "find_by_")):
            return self._query(call, node)
        if name in _ON_COLUMN:
            return Tie.MODEL if self._is_model and not self._kept else None
        if name in _READS_BY_NAME:
            target = receiver(call)
            return self._receiver(target, node) if target is not None else None
        return (self._listed(call) if name in _LISTS_FOR else None) or self._declared(node)

    def _query(self, call: SgNode, node: SgNode) -> Tie | None:
        name = method_name(call)
        if name.startswith("validates"):
            return Tie.MODEL if self._is_model and not self._kept else None
        if self._kept >= Replacement.WRITES and name in _ASSIGNMENTS:
            return None
        key = key_above(node)
        if key is not None:
            return Tie.MODEL if key == self._owner.table else None
        return Tie.MODEL if self._runs_on_model(call) else None

    def _runs_on_model(self, call: SgNode) -> bool:
        target = receiver(call)
        if target is not None:
            return self._owner.is_named(queried(target))
        # In an association's scope a query runs on the other model.
        in_scope = any(method_name(outer) in _ASSOCIATIONS for outer in calls_around(call))
        return self._is_model and not in_scope

    def _listed(self, call: SgNode) -> Tie | None:
        """``json.extract! order, :total`` or ``child(:order) { attributes :total }`` list for their first argument."""
        arguments = call_arguments(call)
        named = [literal_name(node) or tail(node) for node in arguments.positional[:1]] + list(arguments.named)
        return Tie.MODEL if not self._kept and any(map(self._owner.is_named, named)) else None

    def _declared(self, node: SgNode) -> Tie | None:
        """An entry of a list in something named after the model: a serializer, ``order_attributes``, a resource."""
        if self._kept or not _is_entry(node):
            return None
        if self._is_rabl:
            return Tie.MODEL if any(map(self._owner.is_named, rabl_subjects(node))) else None
        around = list(enclosing_names(node))
        if not any(map(self._owner.is_about, around)) or _is_hidden(node) or self._class_defines(node):
            return None
        return None if self._is_model and not any("attributes" in name.lower() for name in around) else Tie.NAMED

    def _class_defines(self, node: SgNode) -> bool:
        """Whether the class around a list computes the entry itself, as serializers may."""
        around = next((outer for outer in node.ancestors() if outer.kind() == "class"), None)
        if around is not None and around not in self._defining:
            parts = find(around, ("method", "call"), re.escape(self._column))
            self._defining[around] = any(_computes(part, self._column) for part in parts)
        return around is not None and self._defining[around]

    def _text(self, node: SgNode) -> Tie | None:
        text, name = node.text(), re.escape(self._column)
        if re.search(rf"(?<![\w.]){re.escape(self._owner.table)}[`\"]?\.[`\"]?{name}(?!\w)", text):
            return Tie.MODEL
        if not re.search(rf"(?<![\w.:@$/-]){name}(?![\w:/-])", text):
            return None
        call = call_given(node)
        if call is not None and method_name(call) in QUERIES:
            is_alias = re.search(rf"\bas\s+{name}\b", text, re.IGNORECASE)
            return Tie.MODEL if not is_alias and key_above(node) is None and self._runs_on_model(call) else None
        literal = node.parent()
        return self._symbol(literal) if literal is not None and literal_name(literal) == self._column else None


def _is_entry(node: SgNode) -> bool:
    parent = node.parent()
    if parent is None or parent.kind() != "argument_list":
        return parent is not None and parent.kind() in {"array", "symbol_array", "string_array"}
    call = parent.parent()
    return call is not None and method_name(call) in _LISTS


def _is_hidden(node: SgNode) -> bool:
    """An admin field that is never shown (``visible: false`` or a lambda to it) reads nothing."""
    shown = [call_arguments(call).named.get("visible") for call in calls_around(node)]
    return any(re.search(r"\bfalse\b", text_of(visible)) for visible in shown)


def _computes(part: SgNode, column: str) -> bool:
    if part.kind() == "method":
        return text_of(part.field("name")) == column
    return part.field("block") is not None and method_name(part) in _LISTS and declares(part, column)
