"""What a change did to the Python definitions that other code uses: removed, or given another signature.

Compares the outlines of base and head of each changed file, so a changed parameter counts even where
its ``def`` is outside every hunk. A change that every old call survives is no change here, and neither
is one whose effect cannot be read: other unknown decorators than before, names bound more than once,
syntax errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ast_grep_py import SgNode

from draftgate.checks.base import Change
from draftgate.checks.grammar.python import (
    Definition,
    DefinitionKind,
    Outline,
    Parameter,
    ParameterKind,
    Signature,
    read_outline,
    without_tree,
)
from draftgate.checks.python.calls import is_widened
from draftgate.checks.python.modules import module_parts
from draftgate.checks.python.uses import is_test_path
from draftgate.domain.diff import FileDiff, FileStatus

CONSTRUCTOR = "__init__"
_KEEP_SIGNATURE = frozenset(
    (
        "abstractmethod", "asynccontextmanager", "atomic", "cache", "classmethod", "contextmanager", "csrf_exempt",
        "deprecated", "final", "login_required", "lru_cache", "never_cache", "override", "permission_required",
        "require_GET", "require_POST", "require_http_methods", "shared_task", "staticmethod", "task",
        "user_passes_test",
    )
)  # fmt: skip
_BOUND = re.compile(r"\bbind\s*=\s*True")
_WORD = re.compile(r"\w+")
_PROPERTIES = frozenset(("property", "cached_property", "abstractproperty", "hybrid_property", "classproperty"))
_NOT_CALLED = frozenset(("overload", "setter", "getter", "deleter", "fixture"))
_COLUMNS = ("Field", "ForeignKey", "Column", "mapped_column", "relationship", "OneToOne", "ManyToMany")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a definition is used.

    Attributes:
        signature: What a call has to fit; ``None`` if that cannot be told.
        is_read: A property: it is read, not called.
        is_async: A call has to be awaited.
        returns: The length of the tuple that every ``return`` gives, ``None`` if not all give one.
    """

    signature: Signature | None
    is_read: bool = False
    is_async: bool = False
    returns: int | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """A definition without its tree, since a change may hold many: what binds it, and its lines as in `Definition`."""

    kind: DefinitionKind
    line: int
    header_end: int
    last_line: int
    decorators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One definition that the change removed or made incompatible.

    Attributes:
        diff: The file's part of the change.
        path: Where callers look for it: the path at head, or the old path of a file that is gone.
        name: Qualified within the file; ``C.__init__`` for the constructor of ``C``, "" for a whole module.
        before: At base.
        after: At head, ``None`` if it is gone.
        old: How callers had to use it, ``None`` if it is gone or that cannot be told.
        new: How they have to use it now.
        names: What a module that is gone defined at its top level.
        has_new_base: A member of a class that got another base, which may bring the name.
    """

    diff: FileDiff
    path: str
    name: str
    before: Extent | None
    after: Extent | None = None
    old: Shape | None = None
    new: Shape | None = None
    names: frozenset[str] = frozenset()
    has_new_base: bool = False

    @property
    def is_module(self) -> bool:
        """The whole file is gone."""
        return not self.name

    @property
    def is_removed(self) -> bool:
        """The name is gone, not changed."""
        return self.after is None

    @property
    def is_import(self) -> bool:
        """The module only imported the name."""
        return self.before is not None and self.before.kind is DefinitionKind.IMPORT

    @property
    def is_constructor(self) -> bool:
        """It is how its class is called."""
        return self.name.endswith(f".{CONSTRUCTOR}")

    @property
    def owner(self) -> str:
        """The class of a member, "" at the top level."""
        return self.name.rpartition(".")[0]

    @property
    def searched(self) -> str:
        """The word that a file has to hold to use it; whoever imports a module spells its last part."""
        if self.is_module:
            return module_parts(self.path)[-1]
        return self.owner if self.is_constructor else self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class PythonChanges:
    """Everything the change did to definitions.

    Attributes:
        symbols: In the order of the files and of the lines at base.
        ghosts: By path, what is gone, by qualified name and without trees; a file that is gone is there without names.
    """

    symbols: tuple[ChangedSymbol, ...]
    ghosts: Mapping[str, Mapping[str, Definition]]


def read_changes(change: Change) -> PythonChanges:
    """Compare every changed Python file."""
    at_head = frozenset(change.head.paths())
    symbols: list[ChangedSymbol] = []
    ghosts: dict[str, dict[str, Definition]] = {}
    for diff in change.files:
        if diff.old_path is None or not diff.old_path.endswith(".py") or diff.is_symlink:
            continue
        if is_test_path(diff.old_path) or diff.status is FileStatus.COPIED:
            continue  # who uses a test helper is test code, and the test run tells; a copy takes nothing away
        before = _outline(change.base.read(diff.old_path))
        if before is None:
            continue
        if diff.old_path not in at_head:
            ghosts[diff.old_path] = {}
            symbols.append(ChangedSymbol(diff, diff.old_path, "", None, names=frozenset(before.definitions)))
        after = _outline(change.head.read(diff.new_path)) if diff.new_path else None
        if diff.new_path and after:
            found = list(_compare(diff, diff.new_path, before, after))
            symbols += found
            ghosts.setdefault(diff.new_path, {}).update(_gone(before, found))
    return PythonChanges(tuple(symbols), ghosts)


def _outline(text: str | None) -> Outline | None:
    return None if text is None else read_outline(text)


def _gone(before: Outline, found: Iterable[ChangedSymbol]) -> Iterator[tuple[str, Definition]]:
    for symbol in found:
        if symbol.is_removed:
            owner, _, name = symbol.name.rpartition(".")
            among = before.definitions[owner].members if owner else before.definitions
            yield symbol.name, without_tree(among[name])


def _extent(definition: Definition) -> Extent:
    return Extent(definition.kind, definition.line, definition.header_end, definition.last_line, definition.decorators)


def _compare(diff: FileDiff, path: str, before: Outline, after: Outline) -> Iterator[ChangedSymbol]:
    unread = frozenset(_WORD.findall(after.root.text())) if after.is_broken else frozenset()
    for name, old in before.definitions.items():
        new = after.definitions.get(name)
        if new is None:
            if not after.is_dynamic and name not in unread:
                yield ChangedSymbol(diff, path, name, _extent(old))
        elif old.kind is new.kind is DefinitionKind.FUNCTION:
            yield from _compare_functions(diff, path, name, old, new)
        elif old.kind is new.kind is DefinitionKind.CLASS:
            yield from _compare_classes(diff, path, old, new)


def _compare_classes(diff: FileDiff, path: str, old: Definition, new: Definition) -> Iterator[ChangedSymbol]:
    if old.ambiguous or new.ambiguous:
        return
    made, make = constructor_signature(old), constructor_signature(new)
    if _is_narrowed(made, make):
        name = f"{old.name}.{CONSTRUCTOR}"
        yield ChangedSymbol(diff, path, name, _extent(old), _extent(new), Shape(made), Shape(make))
    has_new_base = not set(new.bases) <= set(old.bases)
    for name, member in old.members.items():
        qualified = f"{old.name}.{name}"
        now = new.members.get(name)
        if name.startswith("__") or _is_column(member):
            continue
        if now is None:
            if member.kind is not DefinitionKind.CLASS and not _overrides(member):
                yield ChangedSymbol(diff, path, qualified, _extent(member), has_new_base=has_new_base)
        elif member.kind is now.kind is DefinitionKind.FUNCTION:
            yield from _compare_functions(diff, path, qualified, member, now)


def _compare_functions(
    diff: FileDiff, path: str, name: str, old: Definition, new: Definition
) -> Iterator[ChangedSymbol]:
    if old.ambiguous or new.ambiguous or _text(old) == _text(new) or not _is_comparable(old, new):
        return
    before, after = _shape_of(old), _shape_of(new)
    if (
        _is_narrowed(before.signature, after.signature)
        or before.is_read != after.is_read
        or (after.is_async and not before.is_async)
        or (before.returns and after.returns and before.returns != after.returns)
    ):
        yield ChangedSymbol(diff, path, name, _extent(old), _extent(new), before, after)


def _is_comparable(old: Definition, new: Definition) -> bool:
    """The decorators leave the signature alone, or are the same and so did to callers what they do now."""
    names = {decorator_name(d) for d in (*old.decorators, *new.decorators)}
    is_same_kind = ("staticmethod" in old.decorators) == ("staticmethod" in new.decorators)
    is_known = names <= _KEEP_SIGNATURE | _PROPERTIES or old.decorators == new.decorators
    return is_same_kind and is_known and not names & _NOT_CALLED


def _text(definition: Definition) -> tuple[str, tuple[str, ...]]:
    return definition.node.text(), definition.decorators


def _shape_of(definition: Definition) -> Shape:
    node = definition.node
    own = [r for r in node.find_all(kind="return_statement") if _function_of(r) == node]
    is_generator = "yield" in node.text() and any(_function_of(y) == node for y in node.find_all(kind="yield"))
    return Shape(
        _called_signature(definition),
        is_read=is_property(definition),
        is_async=node.text().startswith("async") and not is_generator and not definition.decorators,
        returns=None if is_generator else _common_length(own),
    )


def _function_of(node: SgNode) -> SgNode | None:
    return next((a for a in node.ancestors() if a.kind() in ("function_definition", "lambda")), None)


def _common_length(returns: list[SgNode]) -> int | None:
    """The number of values, if every ``return`` spells out a tuple of that many."""
    lengths: set[int | None] = set()
    for statement in returns:
        value = next(iter(statement.named_children()), None)
        is_tuple = value is not None and value.kind() in ("expression_list", "tuple")
        items = value.named_children() if value is not None and is_tuple else []
        lengths.add(None if any(i.kind() == "list_splat" for i in items) else len(items) or None)
    return lengths.pop() if len(lengths) == 1 else None


def _called_signature(definition: Definition) -> Signature | None:
    """The signature as callers see it: Celery fills the first parameter of a bound task."""
    is_bound_task = any(_BOUND.search(d.partition("task(")[2]) for d in definition.decorators)
    return definition.signature[1:] if definition.signature and is_bound_task else definition.signature


def _is_narrowed(before: Signature | None, after: Signature | None) -> bool:
    return before is not None and after is not None and before != after and not is_widened(before, after)


def decorator_name(decorator: str) -> str:
    """The last part of a decorator's name, without arguments."""
    return decorator.partition("(")[0].strip().rpartition(".")[2]


def is_property(definition: Definition) -> bool:
    """It is read, not called."""
    return any(decorator_name(d) in _PROPERTIES for d in definition.decorators)


def constructor_signature(definition: Definition) -> Signature | None:
    """How a class is called, ``None`` if its own body does not say."""
    names = {decorator_name(d) for d in definition.decorators}
    if "__new__" in definition.members or any(b.startswith("metaclass") for b in definition.bases):
        return None
    if names - {"dataclass", "final"}:
        return None
    own = definition.members.get(CONSTRUCTOR)
    if own is not None:
        usable = own.kind is DefinitionKind.FUNCTION and not own.ambiguous and not own.decorators
        return own.signature[1:] if usable and own.signature else None
    if "dataclass" in names:
        return _dataclass_signature(definition)
    return () if set(definition.bases) <= {"object"} else None


def _dataclass_signature(definition: Definition) -> Signature | None:
    """The fields of a dataclass without bases, ``None`` where options make it more than their list."""
    has_options = any("init=" in d or "kw_only=" in d for d in definition.decorators)
    if definition.bases or has_options:
        return None
    fields: list[Parameter] = []
    for member in definition.members.values():
        declared = member.node.field("type") if member.node.kind() == "assignment" else None
        if declared is None or "ClassVar" in declared.text():
            continue
        value = member.node.field("right")
        text = value.text() if value else ""
        if "InitVar" in declared.text() or "KW_ONLY" in declared.text() or "init=" in text or "kw_only" in text:
            return None
        required = value is None or (text.startswith(("field(", "dataclasses.field(")) and "default" not in text)
        fields.append(Parameter(member.name, ParameterKind.EITHER, required, member.line))
    return tuple(fields)


def _is_column(member: Definition) -> bool:
    """A database column: who still reads it is `db.column-removed`'s to say."""
    value = member.node.field("right") if member.node.kind() == "assignment" else None
    function = value.field("function") if value and value.kind() == "call" else None
    return function is not None and any(c in function.text() for c in _COLUMNS)


def _overrides(member: Definition) -> bool:
    """Its own body calls the inherited one, so removing it leaves that."""
    text = member.node.text() if member.kind is DefinitionKind.FUNCTION else ""
    return "super(" in text and f").{member.name}(" in text
