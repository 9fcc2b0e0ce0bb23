"""What an expression in a Python file refers to: a definition of the repository, an instance, or unknown.

Conservative by design: a variable counts as an instance only if everything that is assigned to it in
its scope says the same class. Flow, containers and anything computed are unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ast_grep_py import SgNode

from draftgate.checks.bounds import Effort
from draftgate.checks.grammar.python import DefinitionKind, Outline, read_imports
from draftgate.checks.python.modules import EXTERNAL, Codebase, Entity, EntityKind

_FUNCTIONS = ("function_definition", "lambda")
_MAX_DEPTH = 12
_INSTANCE_QUERIES = frozenset(("get", "create", "first", "last", "latest", "earliest"))
_READS = frozenset(("attribute", "call", "subscript", "block", "module", "keyword_argument", "argument_list"))
_BINDS_ANYTHING = frozenset(("import_statement", "import_from_statement", "global_statement", "as_pattern_target"))
_BINDS_FIELD = {
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
    "function_definition": "name",
    "class_definition": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
}


@dataclass(frozen=True, slots=True)
class _Bindings:
    """What binds a name in a scope; ``is_global``: the scope says that the name is the module's."""

    nodes: tuple[SgNode, ...]
    is_global: bool


class Names:
    """Resolves expressions of one file.

    Args:
        codebase: All files.
        path: This one.
        outline: Of it.
        steps: Up the tree that may be taken; what is not looked at any more is unknown.
    """

    def __init__(self, codebase: Codebase, path: str, outline: Outline, steps: Effort) -> None:
        self._codebase = codebase
        self._path = path
        self._outline = outline
        self._steps = steps
        self._identifiers: dict[str, list[SgNode]] = {}
        self._starts: dict[str, list[int]] = {}
        self._bindings: dict[tuple[SgNode, str], _Bindings] = {}
        self._agreements: dict[tuple[SgNode, str, int], Entity | None] = {}
        self._stores: dict[tuple[str, str, str], Entity | None] = {}
        self._others: dict[str, Names | None] = {path: self}

    @property
    def has_stars(self) -> bool:
        """Names may come from a star import."""
        return bool(self._outline.stars)

    def resolve(self, node: SgNode, depth: int = 0) -> Entity | None:
        """What the expression refers to, ``None`` if nobody can tell."""
        if depth > _MAX_DEPTH:
            return None
        match node.kind():
            case "identifier":
                return self._name(node, depth)
            case "attribute":
                return self._attribute(node, depth)
            case "call":
                return self._result(node, depth)
            case "await" | "parenthesized_expression":
                return self.resolve(node.named_children()[0], depth + 1) if node.named_children() else None
            case _:
                return None

    def enclosing_class(self, node: SgNode) -> Entity | None:
        """The class whose method or body the node lies in, if it is one of the module's own."""
        for ancestor in node.ancestors():
            if ancestor.kind() == "class_definition":
                name = ancestor.field("name")
                known = self._outline.definitions.get(name.text()) if name else None
                if known and known.node == ancestor:
                    return Entity(EntityKind.CLASS, self._path, known.name)
                return None
        return None

    def _name(self, node: SgNode, depth: int) -> Entity | None:
        name = node.text()
        is_inner = False
        for ancestor in node.ancestors():
            kind = ancestor.kind()
            if kind in _FUNCTIONS or kind.endswith("comprehension"):
                bindings = self._bindings_in(ancestor, name)
                if bindings.is_global:
                    break
                if bindings.nodes:
                    return self._agreed(ancestor, bindings.nodes, name, depth)
            elif kind == "class_definition" and not is_inner:
                own = self._outline.definitions.get((ancestor.field("name") or ancestor).text())
                if own and name in own.members:
                    return None
            is_inner = is_inner or kind in _FUNCTIONS or kind == "class_definition"
        return self._global(name, depth)

    def _bindings_in(self, scope: SgNode, name: str) -> _Bindings:
        if (scope, name) not in self._bindings:
            nodes = tuple(self._find_bindings(scope, name))
            self._bindings[scope, name] = _Bindings(nodes, any(b.kind() == "global_statement" for b in nodes))
        return self._bindings[scope, name]

    def _find_bindings(self, scope: SgNode, name: str) -> Iterator[SgNode]:
        """The binding statements and parameters; the scope itself stands for what was not looked at."""
        for node in self._named_in(scope, name):
            above = node.ancestors()
            if not self._steps.spend(len(above)):
                yield scope
                return
            binding = binding_of(node, above, scope)
            if binding is not None:
                yield binding

    def _named_in(self, scope: SgNode, name: str) -> Sequence[SgNode]:
        """The identifiers of this spelling inside a node, in source order."""
        if not self._identifiers:
            for node in self._outline.root.find_all(kind="identifier"):
                self._identifiers.setdefault(node.text(), []).append(node)
        named = self._identifiers.get(name, [])
        if name not in self._starts:
            self._starts[name] = [node.range().start.index for node in named]
        place, starts = scope.range(), self._starts[name]
        return named[bisect_left(starts, place.start.index) : bisect_left(starts, place.end.index)]

    def _global(self, name: str, depth: int) -> Entity | None:
        definition = self._outline.definitions.get(name)
        if definition is None or definition.kind is not DefinitionKind.VALUE:
            return self._codebase.find(self._path, name)
        if not definition.ambiguous and definition.node.kind() == "assignment":
            value = self.assigned(definition.node, depth)
            if value:
                return value
        return Entity(EntityKind.VALUE, self._path, name)

    def _agreed(self, scope: SgNode, bindings: Sequence[SgNode], name: str, depth: int) -> Entity | None:
        """What all bindings say; of itself a name says nothing, however often it is bound."""
        key = scope, name, depth
        if key not in self._agreements:
            found = {self._bound(scope, b, name, depth) for b in bindings}
            self._agreements[key] = found.pop() if len(found) == 1 else None
        return self._agreements[key]

    def _bound(self, scope: SgNode, binding: SgNode, name: str, depth: int) -> Entity | None:
        match binding.kind():
            case "assignment":
                return self.assigned(binding, depth)
            case "import_statement" | "import_from_statement":
                for local, imported in read_imports(binding):
                    if local == name:
                        return self._codebase.imported(self._path, imported)
                return None
            case "identifier":
                return self._receiver(scope, binding)
            case "typed_parameter" | "typed_default_parameter":
                return self.annotated(binding.field("type"))
            case _:
                return None

    def assigned(self, assignment: SgNode, depth: int = 0) -> Entity | None:
        """What an assignment gives its target, by annotation or by value."""
        declared = assignment.field("type")
        left, right = assignment.field("left"), assignment.field("right")
        if declared is not None:
            return self.annotated(declared)
        if right is None or left is None or left.kind() not in ("identifier", "attribute"):
            return None
        return self.resolve(right, depth + 1)

    def _receiver(self, scope: SgNode, parameter: SgNode) -> Entity | None:
        """``self`` or ``cls`` of a method."""
        parameters = scope.field("parameters")
        first = parameters.named_children()[:1] if parameters else []
        owner = self.enclosing_class(scope)
        if owner is None or first != [parameter] or not _is_method(scope):
            return None
        decorators = _decorators_of(scope)
        if "staticmethod" in decorators:
            return None
        of_class = "classmethod" in decorators or (scope.field("name") or scope).text() == "__new__"
        return owner if of_class else Entity(EntityKind.INSTANCE, owner.path, owner.name)

    def annotated(self, annotation: SgNode | None) -> Entity | None:
        """An instance of the class that an annotation names, ``Optional`` and quotes looked through."""
        text = annotation.text().strip("\"' ") if annotation else ""
        text = re.sub(r"^(?:typing\.)?Optional\[(.*)\]$", r"\1", text).replace("| None", "").strip("\"' ")
        if not re.fullmatch(r"[A-Za-z_][\w.]*", text):
            return None
        entity = self._codebase.dotted(self._path, text)
        if entity and entity.kind is EntityKind.CLASS:
            return Entity(EntityKind.INSTANCE, entity.path, entity.name)
        return EXTERNAL if entity is EXTERNAL else None

    def _attribute(self, node: SgNode, depth: int) -> Entity | None:
        target, attribute = node.field("object"), node.field("attribute")
        if target is None or attribute is None:
            return None
        name = attribute.text()
        if _is_super(target):
            owner = self.enclosing_class(node)
            instance = Entity(EntityKind.INSTANCE, owner.path, owner.name) if owner else None
            return self._codebase.member(instance, name, skip_own=True) if instance else None
        of = self.resolve(target, depth + 1) or self._dotted_module(target)
        if of is None:
            return None
        if of.kind is EntityKind.MEMBER:
            value = self._value_of(of, depth)
            return self._codebase.attribute(value, name) if value else None
        found = self._codebase.attribute(of, name)
        if of.kind is EntityKind.MODULE and found is None:
            return self._dotted_module(node)
        if of.kind is EntityKind.INSTANCE:
            return self._stored(of, name, depth) if found is None or found.kind is not EntityKind.MEMBER else found
        return found

    def _dotted_module(self, node: SgNode) -> Entity | None:
        """``a.b`` after ``import a.b``, where ``a`` itself is no module with a file."""
        text = node.text()
        head = self._outline.definitions.get(text.split(".")[0])
        if head is None or head.imported is None or head.imported.symbol or not re.fullmatch(r"[\w.]+", text):
            return None
        path = self._codebase.module(self._path, text, 0) if head.imported.module.startswith(text) else None
        return Entity(EntityKind.MODULE, path) if path else None

    def _stored(self, of: Entity, name: str, depth: int) -> Entity | None:
        """The value of an instance attribute, if every assignment in its class agrees on it."""
        key = of.path, of.name, name
        if key not in self._stores:
            self._stores[key] = None  # an attribute made of itself is unknown
            names = self._in(of.path)
            found = set(names.assigned_in(of.name, name, depth)) if names else set()
            self._stores[key] = found.pop() if len(found) == 1 else None
        return self._stores[key]

    def assigned_in(self, owner: str, name: str, depth: int) -> Iterator[Entity | None]:
        """What the assignments to ``self.name`` (or any attribute of that name) in a class of the module give it."""
        definition = self._outline.definitions.get(owner)
        for node in self._named_in(definition.node, name) if definition else ():
            attribute = node.parent()
            statement = attribute.parent() if attribute and attribute.kind() == "attribute" else None
            if statement and statement.kind() == "assignment" and statement.field("left") == attribute:
                yield self.assigned(statement, depth + 1)

    def _in(self, path: str) -> Names | None:
        """The same for another file."""
        if path not in self._others:
            outline = self._codebase.outline(path)
            self._others[path] = Names(self._codebase, path, outline, self._steps) if outline else None
        return self._others[path]

    def _value_of(self, member: Entity, depth: int) -> Entity | None:
        """What a class attribute holds, such as a Django manager; the member itself where that is unknown."""
        definition, names = self._codebase.definition(member), self._in(member.path)
        if definition is None or names is None or definition.ambiguous or definition.node.kind() != "assignment":
            return None
        return names.assigned(definition.node, depth + 1)

    def _result(self, call: SgNode, depth: int) -> Entity | None:
        function, arguments = call.field("function"), call.field("arguments")
        if function is None or arguments is None:
            return None
        if function.text().rpartition(".")[2] in ("get_object_or_404", "aget_object_or_404"):
            return self._instance(arguments.named_children()[:1], depth)
        manager = function.field("object") if function.kind() == "attribute" else None
        if manager is not None and manager.text().endswith(".objects"):
            is_one = (function.field("attribute") or function).text() in _INSTANCE_QUERIES
            return self._instance(manager.named_children()[:1], depth) if is_one else None
        if manager is not None and (function.field("attribute") or function).text() == "as_manager":
            return self._instance([manager], depth)
        made = self.resolve(function, depth + 1)
        if made is None or made.kind is EntityKind.EXTERNAL:
            return made
        if made.kind is EntityKind.CLASS:
            return Entity(EntityKind.INSTANCE, made.path, made.name)
        return self._returned(made)

    def _instance(self, of: list[SgNode], depth: int) -> Entity | None:
        entity = self.resolve(of[0], depth + 1) if of else None
        if entity is None or entity.kind is not EntityKind.CLASS:
            return None
        return Entity(EntityKind.INSTANCE, entity.path, entity.name)

    def _returned(self, function: Entity) -> Entity | None:
        """The class that a function of the repository says it returns."""
        names = self._in(function.path)
        if names is None or function.kind not in (EntityKind.FUNCTION, EntityKind.MEMBER):
            return None
        definition = self._codebase.definition(function)
        return names.annotated(definition.node.field("return_type")) if definition else None


def binding_of(node: SgNode, above: Sequence[SgNode], scope: SgNode | None = None) -> SgNode | None:
    """The statement or parameter that makes this identifier a binding, ``None`` where it is only read."""
    inner = node
    for parent in above:
        kind = parent.kind()
        if kind in _READS or parent == scope:
            return None
        if kind in ("parameters", "lambda_parameters"):
            return inner
        if kind in _BINDS_ANYTHING:
            return parent
        if kind in _BINDS_FIELD:
            return parent if parent.field(_BINDS_FIELD[kind]) == inner else None
        if kind == "typed_parameter":
            return parent if inner.kind() != "type" else None
        inner = parent
    return None


def _nearest_scope(node: SgNode) -> SgNode | None:
    return next((a for a in node.ancestors() if a.kind() in (*_FUNCTIONS, "class_definition")), None)


def _is_method(function: SgNode) -> bool:
    return (_nearest_scope(function) or function).kind() == "class_definition"


def _decorators_of(function: SgNode) -> tuple[str, ...]:
    parent = function.parent()
    if parent is None or parent.kind() != "decorated_definition":
        return ()
    return tuple(d.text()[1:].strip() for d in parent.named_children() if d.kind() == "decorator")


def _is_super(node: SgNode) -> bool:
    function = node.field("function") if node.kind() == "call" else None
    return function is not None and function.text() == "super"
