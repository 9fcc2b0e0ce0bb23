"""Builds a tree of nodes from YAML, within bounds.

Only plain YAML is read: mappings, lists and the scalars of YAML 1.2 (so `no` and `on` are text), anchors and
aliases, one document. No tag is ever run, and nothing is judged but the notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn, Protocol

import yaml

from draftgate.config.complaints import shorten
from draftgate.config.nodes import BrokenDocument, Document, Mark, Node, problem_at
from draftgate.config.syntax import explain
from draftgate.errors import Limit, Problem

MAX_VALUES: Final = Limit("values in the configuration, counted each time an alias repeats them", 10_000)
MAX_DEPTH: Final = Limit("levels of nesting in the configuration", 20)

# https://yaml.org/spec/1.2.2/#103-core-schema, without octal and hexadecimal numbers.
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_SWITCH: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,300})")
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan")


def compose(name: str, text: str) -> Document:
    """The tree of a text.

    Raises:
        BrokenDocument: The text is not YAML, or exceeds a bound.
    """
    return _Composer(name, text).document()


def scalar(text: str) -> str | float | bool | None:
    """What a plain scalar stands for in YAML 1.2."""
    if text in _NULL:
        return None
    if text in _SWITCH:
        return _SWITCH[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text.replace(".inf", "inf").replace(".nan", "nan"))
    return text


class _Composer:
    """One pass over the events of the parser, which keeps no stack of its own that a file could exhaust."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.problems: list[Problem] = []
        self.anchors: dict[str | None, Node] = {}
        self.values = 0
        # The parser in Python, not the one in C: it alone refuses every tab outside quotes, and its messages do
        # not depend on how PyYAML was built. The bounds keep its slowness under a second.
        self.events: Iterator[yaml.Event] = yaml.parse(text, yaml.SafeLoader)

    def document(self) -> Document:
        root: Node | None = None
        try:
            for event in self.events:
                if isinstance(event, yaml.DocumentStartEvent):
                    if root is not None:
                        self._break(event, "a second document begins here", "keep one and delete this `---`")
                    root = self._node(next(self.events), depth=0)
        except yaml.MarkedYAMLError as error:
            wrong, write = explain(error)
            raise BrokenDocument(self._problem(error.problem_mark or error.context_mark, wrong, write)) from None
        except (ValueError, OverflowError):  # chr() of an escape that is no character, such as "\UFFFFFFFF"
            raise BrokenDocument(self._problem(None, "an escape that is no character", "use single quotes")) from None
        return Document(self.name, root or Node(Mark(1, 1)), tuple(self.problems))

    def _node(self, event: yaml.Event, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(event)
        if depth > MAX_DEPTH.value:
            self._break(event, f"this is nested more than {MAX_DEPTH.value} levels deep", "flatten it")
        node = Node(_mark(event.start_mark))
        self._count(1, event)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self.anchors[event.anchor] = node
        self._refuse_tag(event)
        if isinstance(event, yaml.ScalarEvent):
            node.content = scalar(event.value) if event.style is None else event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            self._fill_list(node, depth)
        else:
            self._fill_mapping(node, depth)
        node.closed = True
        return node

    def _fill_list(self, node: Node, depth: int) -> None:
        children: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            child = self._node(event, depth + 1)
            children.append(child)
            node.size += child.size
        node.content = children

    def _fill_mapping(self, node: Node, depth: int) -> None:
        children: dict[str, Node] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                self._break(event, "this key is not text", "write a plain word and a colon")
            self._refuse_tag(event)
            child = self._node(next(self.events), depth + 1)
            node.size += child.size
            if self._is_key_usable(event, node.key_marks):
                node.key_marks[event.value] = _mark(event.start_mark)
                children[event.value] = child
        node.content = children

    def _is_key_usable(self, event: yaml.ScalarEvent, earlier: dict[str, Mark]) -> bool:
        key = event.value
        if key == "<<" and event.style is None:
            self._complain(event, "merge keys are not read", "write the keys out, or repeat a whole block by alias")
            return False
        if key in earlier:
            wrong = f"the key '{shorten(key)}' is written twice, on line {earlier[key].line} and here"
            self._complain(event, wrong, "keep one of them")
            return False
        return True

    def _aliased(self, event: yaml.AliasEvent) -> Node:
        target = self.anchors.get(event.anchor)
        if target is None:
            name = shorten(str(event.anchor))
            self._break(event, f"the alias *{name} has no anchor", f"write `&{name}` before the value it repeats")
        if not target.closed:
            self._break(event, "this alias stands inside the block it repeats", "write the block out")
        self._count(target.size, event)
        return Node(_mark(event.start_mark), target.content, target.key_marks, target.size, closed=True)

    def _count(self, values: int, event: yaml.Event) -> None:
        self.values += values
        if self.values > MAX_VALUES.value:
            wrong = f"there are more than {MAX_VALUES.value} values, counted each time an alias repeats them"
            self._break(event, wrong, "shorten the file")

    def _refuse_tag(self, event: yaml.Event) -> None:
        tag: str | None = getattr(event, "tag", None)
        if tag is not None:
            name = shorten(tag.replace("tag:yaml.org,2002:", "!!"))
            self._complain(event, f"tags are not read ({name})", "delete the tag; quotes make text")

    def _complain(self, event: yaml.Event, wrong: str, write: str) -> None:
        self.problems.append(self._problem(event.start_mark, wrong, write))

    def _break(self, event: yaml.Event, wrong: str, write: str) -> NoReturn:
        raise BrokenDocument(self._problem(event.start_mark, wrong, write))

    def _problem(self, mark: _Position | None, wrong: str, write: str) -> Problem:
        return problem_at(self.name, _mark(mark) if mark else None, wrong, write)


class _Position(Protocol):
    """What the marks of both of PyYAML's parsers have: 0-based numbers."""

    line: int
    column: int


def _mark(mark: _Position | None) -> Mark:
    return Mark(mark.line + 1, mark.column + 1) if mark else Mark(1, 1)
