"""The Python modules of one commit, and what a dotted name in one of them refers to.

A `Codebase` reads files when asked and remembers their outlines. It is given what the change removed
("ghosts"), so that a name that is gone can still be traced to the place it was taken from; whatever
exists at the commit comes before a ghost. A name that can mean two things means nothing here.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import PurePosixPath

from draftgate.checks.base import Snapshot
from draftgate.checks.bounds import Effort
from draftgate.checks.grammar.python import Definition, DefinitionKind, Imported, Outline, read_outline

_SOURCE_ROOTS = ("", "src", "lib", "python")
_MAX_HOPS = 12
_MAX_BASES = 50
_KEPT_OUTLINES = 100
_KEPT_AT_LEAST = 2
_KEPT_CHARACTERS = 1_000_000  # a tree takes up to a hundred times the memory of its text
MAX_PARSED = 60_000_000
"""Characters of the files that are read to resolve names, again each time that they were forgotten."""
_PLAIN_BASES = frozenset(("object", "Generic", "Protocol", "ABC", "ABCMeta", "NamedTuple", "TypedDict"))
_ENUM_BASES = frozenset(("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices"))


class EntityKind(Enum):
    """What a name refers to."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    VALUE = "value"
    MEMBER = "member"
    INSTANCE = "instance"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class Entity:
    """Something a name refers to.

    Attributes:
        kind: An ``INSTANCE`` names its class; ``EXTERNAL`` comes from outside the repository.
        path: The file that defines it.
        name: Qualified within the file, "" for a module.
        bound: A member reached through an instance or, for a class method, its class.
        complete: Every base class on the way to it was read.
    """

    kind: EntityKind
    path: str
    name: str = ""
    bound: bool = False
    complete: bool = True


EXTERNAL = Entity(EntityKind.EXTERNAL, "")
_KINDS = {
    DefinitionKind.FUNCTION: EntityKind.FUNCTION,
    DefinitionKind.CLASS: EntityKind.CLASS,
    DefinitionKind.VALUE: EntityKind.VALUE,
    DefinitionKind.IMPORT: EntityKind.VALUE,
}
Lineage = tuple[list[tuple[str, Definition]], bool]
"""A class and its bases with the files that define them, and whether all of them could be read."""
Ghosts = Mapping[str, Mapping[str, Definition]]
"""By path, what the change removed, by qualified name."""


def module_parts(path: str) -> tuple[str, ...]:
    """The dotted name of a file by its path from the top of the repository, as parts."""
    parts = tuple(path.removesuffix(".py").split("/"))
    return parts[:-1] if parts[-1] == "__init__" else parts


def _files_of(root: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """The files that hold the module, if its dotted name begins in this folder."""
    path = "/".join((root, *parts) if root else parts)
    return () if parts[-1] == "__init__" else (f"{path}.py", f"{path}/__init__.py")


class Codebase:
    """The modules of one commit."""

    def __init__(self, snapshot: Snapshot, ghosts: Ghosts) -> None:
        self._snapshot = snapshot
        self._ghosts = ghosts
        self._outlines: dict[str, Outline | None] = {}
        self._sizes: dict[str, int] = {}
        self._kept = 0
        self._characters = Effort(MAX_PARSED)
        self._real = frozenset(p for p in snapshot.paths() if p.endswith(".py"))
        self._folders: frozenset[str] | None = None
        self._modules: dict[tuple[str, str, int], str | None] = {}
        self._found: dict[tuple[str, str], Entity | None] = {}
        self._lineages: dict[tuple[str, str], Lineage] = {}
        self._by_stem: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._by_tail: dict[tuple[str, int], dict[tuple[str, ...], list[str]]] = {}
        self._known = self._real | ghosts.keys()
        for path in sorted(self._known):
            parts = module_parts(path)
            if parts:
                self._by_stem.setdefault(parts[-1], []).append((parts, path))

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, ``None`` if it is absent or too large."""
        if path not in self._outlines:
            text = self._snapshot.read(path) if path in self._real and not self._characters.is_spent else None
            self._characters.spend(len(text or ""))
            self._kept += len(text or "")
            self._outlines[path] = None if text is None else read_outline(text)
            self._sizes[path] = len(text or "")
            self._forget()
        return self._outlines[path]

    def _forget(self) -> None:
        """Let go of the outlines that were read first, and of whatever holds parts of their trees."""
        while len(self._outlines) > _KEPT_AT_LEAST and (
            len(self._outlines) > _KEPT_OUTLINES or self._kept > _KEPT_CHARACTERS
        ):
            path = next(iter(self._outlines))
            del self._outlines[path]
            self._kept -= self._sizes.pop(path)
            self._lineages.clear()

    @property
    def is_spent(self) -> bool:
        """Files were not read any more, so that names in them are unknown."""
        return self._characters.is_spent

    def ghost(self, path: str, name: str) -> Definition | None:
        """What the change removed under this name."""
        return self._ghosts.get(path, {}).get(name)

    def exists(self, path: str) -> bool:
        """The file is there at this commit."""
        return path in self._real

    def has_files_below(self, path: str) -> bool:
        """The folder of a file still holds Python files, so it is a package without ``__init__.py``."""
        if self._folders is None:
            self._folders = frozenset(str(folder) for p in self._real for folder in PurePosixPath(p).parents)
        return path.rpartition("/")[0] in self._folders

    def module(self, importer: str, module: str, level: int) -> str | None:
        """The file that ``import module`` in ``importer`` reads, ``None`` if it is outside or nobody can tell."""
        key = importer.rpartition("/")[0], module, level
        if key not in self._modules:
            find = self._relative if level else self._absolute
            self._modules[key] = find(importer, module, level)
        return self._modules[key]

    def _absolute(self, importer: str, module: str, _level: int) -> str | None:
        parts = tuple(module.split("."))
        return self._nearest(importer, parts, self._real) or self._nearest(importer, parts, self._known)

    def _relative(self, importer: str, module: str, level: int) -> str | None:
        folder = PurePosixPath(importer).parent
        for _ in range(level - 1):
            folder = folder.parent
        target = folder.joinpath(*module.split(".")) if module else folder
        names = (f"{target}.py", f"{target}/__init__.py", "__init__.py" if str(target) == "." else "")
        return next((n for known in (self._real, self._ghosts) for n in names if n in known), None)

    def _nearest(self, importer: str, parts: tuple[str, ...], known: frozenset[str]) -> str | None:
        """The candidate whose import root is a usual one, else one the importer lies under, else the only one."""
        usual = [path for root in _SOURCE_ROOTS for path in _files_of(root, parts) if path in known]
        if usual:
            return min(usual)
        folders = [str(folder) for folder in PurePosixPath(importer).parents][:-1]
        roots = [folder for folder in folders if self._is_root(folder, parts)]
        above = sorted(path for root in roots for path in _files_of(root, parts) if path in known)
        if above:
            return max(above, key=len)
        anywhere = [path for path in self._ending_in(parts) if path in known] if len(parts) > 1 else []
        return anywhere[0] if len(anywhere) == 1 else None

    def _ending_in(self, parts: tuple[str, ...]) -> Sequence[str]:
        """The modules whose dotted name ends in these parts, found once for all names of that end and length."""
        key = parts[-1], len(parts)
        if key not in self._by_tail:
            tails = self._by_tail[key] = {}
            for own, path in self._by_stem.get(parts[-1], ()):
                if len(own) >= len(parts):
                    tails.setdefault(own[-len(parts) :], []).append(path)
        return self._by_tail[key].get(parts, ())

    def _is_root(self, root: str, parts: tuple[str, ...]) -> bool:
        """One part alone is found only beside scripts: inside a package it would be another module."""
        return len(parts) > 1 or (f"{root}/__init__.py" not in self._real and parts[0] not in sys.stdlib_module_names)

    def imported(self, importer: str, what: Imported) -> Entity | None:
        """What an import binds its name to."""
        name = what.module if what.whole else what.module.split(".")[0]
        path = self.module(importer, name, what.level)
        if path is None:
            return self._beside(importer, what) or (None if what.level else EXTERNAL)
        return self.find(path, what.symbol) if what.symbol else Entity(EntityKind.MODULE, path)

    def _beside(self, importer: str, what: Imported) -> Entity | None:
        """``from package import module`` where the package has no ``__init__.py``."""
        if what.symbol is None:
            return None
        dotted = f"{what.module}.{what.symbol}" if what.module else what.symbol
        path = self.module(importer, dotted, what.level)
        return Entity(EntityKind.MODULE, path) if path else None

    def find(self, path: str, name: str, hops: int = 0) -> Entity | None:
        """What ``name`` in the module means, followed through re-exports; ``None`` if it has no such name."""
        if hops > _MAX_HOPS:
            return None
        if (path, name) not in self._found:
            self._found[path, name] = None  # a cycle of re-exports ends here
            self._found[path, name] = self._find(path, name, hops)
        return self._found[path, name]

    def _find(self, path: str, name: str, hops: int) -> Entity | None:
        outline = self.outline(path)
        definition = outline.definitions.get(name) if outline else None
        if definition and definition.imported:
            return self._reexported(path, definition.imported, hops)
        if definition:
            return Entity(_KINDS[definition.kind], path, name)
        return self._starred(path, name, hops) or self._submodule(path, name) or self._gone(path, name)

    def _reexported(self, path: str, what: Imported, hops: int) -> Entity | None:
        source = self.module(path, what.module, what.level)
        if source is None or what.symbol is None or source == path:
            return self.imported(path, what) if source != path else self._submodule(path, what.symbol or "")
        return self.find(source, what.symbol, hops + 1)

    def _starred(self, path: str, name: str, hops: int) -> Entity | None:
        outline = self.outline(path)
        for star in outline.stars if outline else ():
            source = self.module(path, star.module, star.level)
            found = self.find(source, name, hops + 1) if source and source != path else None
            if found and not name.startswith("_"):
                return found
        return None

    def _submodule(self, path: str, name: str) -> Entity | None:
        if not path.endswith("__init__.py"):
            return None
        folder = path.removesuffix("__init__.py") + name
        for known in (self._real, self._ghosts):
            for candidate in (f"{folder}.py", f"{folder}/__init__.py"):
                if candidate in known:
                    return Entity(EntityKind.MODULE, candidate)
        return None

    def _gone(self, path: str, name: str) -> Entity | None:
        definition = self.ghost(path, name)
        return Entity(_KINDS[definition.kind], path, name) if definition else None

    def dotted(self, path: str, text: str) -> Entity | None:
        """What a dotted name at the top level of a module means."""
        first, *rest = text.split(".")
        entity = self.find(path, first)
        for name in rest:
            entity = self.attribute(entity, name) if entity else None
        return entity

    def attribute(self, of: Entity, name: str) -> Entity | None:
        """What ``of.name`` means, ``None`` if nobody can tell."""
        match of.kind:
            case EntityKind.MODULE:
                return self.find(of.path, name)
            case EntityKind.CLASS | EntityKind.INSTANCE:
                return self.member(of, name)
            case EntityKind.EXTERNAL:
                return EXTERNAL
            case EntityKind.FUNCTION | EntityKind.VALUE | EntityKind.MEMBER:
                return None

    def member(self, of: Entity, name: str, *, skip_own: bool = False) -> Entity | None:
        """The member that attribute access on a class or its instance reaches, by its defining class."""
        classes, complete = self.lineage(of.path, of.name)
        classes = classes[1:] if skip_own else classes
        for path, definition in classes:
            member = definition.members.get(name)
            if member:
                return self._member(of, path, definition, member)
        for path, definition in classes:
            member = self.ghost(path, f"{definition.name}.{name}")
            if member:
                return replace(self._member(of, path, definition, member), complete=complete)
        return None

    def _member(self, of: Entity, path: str, owner: Definition, member: Definition) -> Entity:
        bound = "staticmethod" not in member.decorators and (
            of.kind is EntityKind.INSTANCE or "classmethod" in member.decorators
        )
        return Entity(EntityKind.MEMBER, path, f"{owner.name}.{member.name}", bound=bound)

    def class_of(self, path: str, name: str) -> Definition | None:
        """The class a module defines under this name."""
        outline = self.outline(path)
        definition = (outline.definitions.get(name) if outline else None) or self.ghost(path, name)
        return definition if definition and definition.kind is DefinitionKind.CLASS else None

    def definition(self, of: Entity) -> Definition | None:
        """The definition of something at the top level of a module, or of a member of a class there."""
        owner, _, name = of.name.rpartition(".")
        holder = self.class_of(of.path, owner) if owner else None
        outline = self.outline(of.path)
        known = holder.members if holder else outline.definitions if outline and not owner else {}
        return known.get(name)

    def lineage(self, path: str, name: str) -> Lineage:
        """The class and its bases, nearest first, and whether all of them could be read."""
        if (path, name) not in self._lineages:
            lineage = self._lineage(path, name)
            self._lineages[path, name] = lineage
        return self._lineages[path, name]

    def _lineage(self, path: str, name: str) -> Lineage:
        found: list[tuple[str, Definition]] = []
        complete = True
        pending = [(path, name)]
        while pending and len(found) < _MAX_HOPS:
            where, what = pending.pop(0)
            definition = self.class_of(where, what)
            if definition is None or any(where == p and d.name == what for p, d in found):
                continue
            found.append((where, definition))
            complete = complete and not {"__getattr__", "__getattribute__"} & definition.members.keys()
            for base in self._bases(where, definition):
                if base is None:
                    complete = False
                else:
                    pending.append((base.path, base.name))
        return found, complete

    def _bases(self, path: str, definition: Definition) -> Iterator[Entity | None]:
        """Base classes in the repository; ``None`` for one outside that may have any member."""
        if len(definition.bases) > _MAX_BASES:
            yield None
        for text in definition.bases[:_MAX_BASES]:
            base = re.sub(r"\[.*", "", text, flags=re.DOTALL).removeprefix("metaclass=")
            last = base.rpartition(".")[2]
            if last in _PLAIN_BASES or last in _ENUM_BASES or hasattr(builtins, last):
                continue
            entity = self.dotted(path, base) if re.fullmatch(r"[\w.]+", base) else None
            yield entity if entity and entity.kind is EntityKind.CLASS and base == text.split("[")[0] else None
