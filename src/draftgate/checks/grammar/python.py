"""A Python file as an outline: what it defines with which signatures, and what it imports.

Read with tree-sitter and not with `ast`, because Python 2 files and files with a syntax error have to
give what can be read of them. Nothing is resolved across files here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from ast_grep_py import SgNode, SgRoot

from draftgate.checks.grammar.tree import parse

# CPython itself took no more before 3.7; a call is compared with each of them.
MAX_PARAMETERS = 255
_MAX_NAME = 255
_MAX_STARS = 100
_TARGET_FIELDS = {"assignment": "left", "augmented_assignment": "left", "for_statement": "left"}
_BLOCKS = frozenset(
    (
        "block", "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause",
        "for_statement", "while_statement", "with_statement", "match_statement", "case_clause",
    )
)  # fmt: skip
_BINDS_BY_AS = frozenset(("with_statement", "except_clause", "named_expression", "type_alias_statement"))
_PATTERNS = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"))
_NOWHERE = SgRoot("", "python").root()
_ACCESSORS = ("setter", "deleter", "getter")
_BINDS_WHEN_RUN = re.compile(
    r"(globals|locals|vars)\(\)\s*(\[|\.update)|sys\.modules\[__name__\]|setattr\(sys\.modules"
)


class ParameterKind(Enum):
    """How an argument reaches the parameter."""

    POSITIONAL_ONLY = "positional only"
    EITHER = "positional or keyword"
    REST = "*args"
    KEYWORD_ONLY = "keyword only"
    KEYWORDS = "**kwargs"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature; ``line`` is 1-based and no part of its identity."""

    name: str
    kind: ParameterKind
    required: bool
    line: int = field(default=0, compare=False)


Signature = tuple[Parameter, ...]


class DefinitionKind(Enum):
    """What binds a name."""

    FUNCTION = "function"
    CLASS = "class"
    VALUE = "value"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import binds a name to.

    Attributes:
        module: Dotted, without leading dots; "" for ``from . import x``.
        level: Number of leading dots.
        symbol: The name that is taken from the module, ``None`` for ``import module``.
        whole: ``import a.b`` binds only ``a`` though it names ``a.b``.
    """

    module: str
    level: int
    symbol: str | None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Definition:
    """One name that a module or class body binds.

    Attributes:
        name: Without the class.
        kind: What binds it.
        line: Of the ``def``, ``class`` or assignment, without decorators; 1-based.
        header_end: Last line of the signature or of the value.
        last_line: Last line of the whole.
        signature: Of a function, ``None`` if it could not be read.
        decorators: Source text without ``@``.
        bases: Source text of a class's bases, keyword arguments included.
        members: What a class body binds.
        imported: Of an import.
        node: The definition itself, without decorators.
        ambiguous: Bound more than once or only under a condition: do not rely on its shape.
    """

    name: str
    kind: DefinitionKind
    line: int
    header_end: int
    last_line: int
    node: SgNode = field(compare=False, repr=False)
    signature: Signature | None = None
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    members: Mapping[str, Definition] = field(default_factory=dict, compare=False)
    imported: Imported | None = None
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """What a module binds at its top level.

    Attributes:
        root: The tree.
        definitions: By name.
        stars: Modules of ``from … import *``, each once.
        is_dynamic: Names may appear that no statement binds.
        is_broken: The grammar could not read all of it.
    """

    root: SgNode = field(compare=False, repr=False)
    definitions: Mapping[str, Definition]
    stars: tuple[Imported, ...] = ()
    is_dynamic: bool = False
    is_broken: bool = False


def read_outline(text: str) -> Outline:
    """The outline of a file."""
    root = parse(text, "python")
    definitions = _bound_in(root)
    for statement in root.find_all(kind="global_statement") if "global" in text else ():
        for name in statement.named_children():
            definitions.setdefault(name.text(), _value(name.text(), statement, ambiguous=True))
    return Outline(
        root,
        definitions,
        tuple(dict.fromkeys(_stars(root)))[:_MAX_STARS] if "*" in text else (),
        is_dynamic="__getattr__" in definitions or _BINDS_WHEN_RUN.search(text) is not None,
        is_broken=root.find(kind="ERROR") is not None,
    )


def without_tree(definition: Definition) -> Definition:
    """The same as it can be kept when its file is long forgotten: its nodes lead nowhere."""
    members = {name: without_tree(member) for name, member in definition.members.items()}
    return replace(definition, node=_NOWHERE, members=members)


def line_of(node: SgNode) -> int:
    """The 1-based line a node starts on."""
    return node.range().start.line + 1


def end_line_of(node: SgNode) -> int:
    """The 1-based line a node ends on."""
    return _lines_of(node)[1]


def _lines_of(node: SgNode) -> tuple[int, int]:
    place = node.range()
    return place.start.line + 1, place.end.line + (1 if place.end.column else 0)


def read_signature(parameters: SgNode) -> Signature | None:
    """The signature of a ``parameters`` node, ``None`` if it could not be read or is too long to be compared."""
    found: list[Parameter] = []
    kind = ParameterKind.EITHER
    for node in parameters.named_children():
        match node.kind():
            case "positional_separator":
                found = [Parameter(p.name, ParameterKind.POSITIONAL_ONLY, p.required, p.line) for p in found]
            case "keyword_separator":
                kind = ParameterKind.KEYWORD_ONLY
            case "comment":
                pass
            case "ERROR":
                return None
            case _:
                found.append(_parameter(node, kind))
                if found[-1].kind is ParameterKind.REST:
                    kind = ParameterKind.KEYWORD_ONLY
    return tuple(found) if len(found) <= MAX_PARAMETERS else None


def _parameter(node: SgNode, kind: ParameterKind) -> Parameter:
    inner = node.named_children()[0] if node.kind() == "typed_parameter" else node
    if inner.kind() == "list_splat_pattern":
        return Parameter(inner.text().lstrip("* "), ParameterKind.REST, required=False, line=line_of(node))
    if inner.kind() == "dictionary_splat_pattern":
        return Parameter(inner.text().lstrip("* "), ParameterKind.KEYWORDS, required=False, line=line_of(node))
    name = inner.field("name") or inner
    return Parameter(name.text(), kind, required=node.field("value") is None, line=line_of(node))


def read_imports(statement: SgNode) -> Iterator[tuple[str, Imported]]:
    """The local names that an import statement binds, stars left out."""
    source = statement.field("module_name")
    for item in statement.field_children("name"):
        name = (item.field("name") or item).text()
        alias = item.field("alias")
        if source is not None:
            module, level = _module_of(source)
            yield (alias.text() if alias else name), Imported(module, level, name)
        elif alias is not None:
            yield alias.text(), Imported(name, 0, None)
        else:
            yield name.split(".")[0], Imported(name, 0, None, whole="." not in name)


def imports_of(statement: SgNode) -> Iterator[Imported]:
    """Everything an import statement takes; a star counts as the module."""
    source = statement.field("module_name")
    if source is not None and statement.find(kind="wildcard_import"):
        yield Imported(*_module_of(source), None)
    yield from (imported for _, imported in read_imports(statement))


def imported_from(source: SgNode, name: str) -> Imported:
    """What ``from source import name`` takes."""
    module, level = _module_of(source)
    return Imported(module, level, name)


def _module_of(source: SgNode) -> tuple[str, int]:
    text = source.text().replace(" ", "")
    module = text.lstrip(".")
    return module, len(text) - len(module)


def _stars(root: SgNode) -> Iterator[Imported]:
    for star in root.find_all(kind="wildcard_import"):
        statement = star.parent()
        source = statement.field("module_name") if statement else None
        if source is not None:
            yield Imported(*_module_of(source), None)


def _bound_in(body: SgNode) -> dict[str, Definition]:
    """The names that the statements of a module or class body bind, blocks of ``if`` and the like included."""
    bound: dict[str, Definition] = {}
    pending = [(node, False) for node in reversed(body.named_children())]
    while pending:
        node, conditional = pending.pop()
        kind = node.kind()
        for definition in _definitions(node):
            _bind(bound, definition, conditional=conditional)
        if kind in _BLOCKS:
            pending += [(child, True) for child in reversed(node.named_children())]
        elif kind == "expression_statement":
            pending += [(child, conditional) for child in node.named_children()]
    return bound


def _bind(bound: dict[str, Definition], new: Definition, *, conditional: bool) -> None:
    old = bound.get(new.name)
    if len(new.name) > _MAX_NAME:
        return
    if old is not None and any(d.rpartition(".")[2] in _ACCESSORS for d in new.decorators):
        return
    again = old is not None and not any(d.rpartition(".")[2] == "overload" for d in old.decorators)
    bound[new.name] = _ambiguous(new) if again or conditional else new


def _ambiguous(d: Definition) -> Definition:
    return replace(d, ambiguous=True)


def _definitions(node: SgNode) -> Iterator[Definition]:
    """What one statement binds, its inner statements aside."""
    kind = node.kind()
    if kind == "decorated_definition":
        inner = node.field("definition")
        if inner is not None:
            decorators = tuple(d.text()[1:].strip() for d in node.named_children() if d.kind() == "decorator")
            yield _function_or_class(inner, decorators)
    elif kind in ("function_definition", "class_definition"):
        yield _function_or_class(node, ())
    elif kind in ("import_statement", "import_from_statement"):
        line, end = _lines_of(node)
        for name, imported in read_imports(node):
            yield Definition(name, DefinitionKind.IMPORT, line, end, end, node, imported=imported)
    elif kind in _TARGET_FIELDS:
        yield from _assigned(node)
    elif kind in _BINDS_BY_AS:
        yield from (_value(name, node) for name in _bound_by_as(node))


def _function_or_class(node: SgNode, decorators: tuple[str, ...]) -> Definition:
    name, body = node.field("name"), node.field("body")
    is_class = node.kind() == "class_definition"
    bases, parameters = node.field("superclasses"), node.field("parameters")
    header = bases if is_class else (node.field("return_type") or parameters)
    line, end = _lines_of(node)
    return Definition(
        name.text() if name else "",
        DefinitionKind.CLASS if is_class else DefinitionKind.FUNCTION,
        line,
        end_line_of(header or name or node),
        end,
        node,
        signature=read_signature(parameters) if parameters else None,
        decorators=decorators,
        bases=tuple(b.text() for b in bases.named_children() if b.kind() != "comment") if bases else (),
        members=_bound_in(body) if is_class and body else {},
    )


def _assigned(node: SgNode) -> Iterator[Definition]:
    """The names on the left of ``a = b, c = …`` and of ``for``."""
    inner: SgNode | None = node
    while inner is not None and inner.kind() in _TARGET_FIELDS:
        left = inner.field(_TARGET_FIELDS[inner.kind()])
        for name in names_of_target(left) if left else ():
            yield _value(name, node)
        inner = inner.field("right") if inner.kind() == "assignment" else None


def names_of_target(target: SgNode) -> Iterator[str]:
    """The plain names that an assignment target binds; attributes and items bind none."""
    pending = [target]
    while pending:
        node = pending.pop()
        if node.kind() == "identifier":
            yield node.text()
        elif node.kind() in _PATTERNS:
            pending += reversed(node.named_children())


def _bound_by_as(node: SgNode) -> Iterator[str]:
    """The names behind ``as`` in the head of a statement, of a walrus and of a type alias."""
    match node.kind():
        case "named_expression":
            name = node.field("name")
            yield from names_of_target(name) if name else ()
        case "type_alias_statement":
            yield from (i.text() for i in node.named_children()[0].find_all(kind="identifier"))
        case _:
            for child in node.named_children():
                if child.kind() != "block":
                    for target in child.find_all(kind="as_pattern_target"):
                        yield from (i.text() for i in target.find_all(kind="identifier"))


def _value(name: str, node: SgNode, *, ambiguous: bool = False) -> Definition:
    line, end = _lines_of(node)
    return Definition(name, DefinitionKind.VALUE, line, end, end, node, ambiguous=ambiguous)
