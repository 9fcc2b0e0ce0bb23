"""The places at head that a changed Python definition breaks.

One `git grep` for all changed names, then only the files it hits are parsed. A place is broken if it
resolves to the changed definition and a call there fitted the old signature and does not fit the new
one, or if what it names is gone. A method call on a receiver of unknown type counts only if no other
class has such a member and the receiver is called like the class. Guarded places (``try``/``except
ImportError``, ``hasattr``, ``TYPE_CHECKING``) are silent.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from ast_grep_py import SgNode

from draftgate.checks.base import Change, Match
from draftgate.checks.grammar.python import DefinitionKind, Outline, end_line_of, line_of, read_imports
from draftgate.checks.python_breaks import overrides_old, what_breaks
from draftgate.checks.python_calls import read_arguments
from draftgate.checks.python_changes import CONSTRUCTOR, ChangedSymbol, PythonChanges, module_words
from draftgate.checks.python_modules import Codebase, Entity, EntityKind, module_parts
from draftgate.checks.python_names import Names, binding_of
from draftgate.checks.python_uses import (
    is_called_like,
    is_class_body,
    is_docstring,
    is_guarded,
    is_hidden_path,
    is_test_path,
)

COMMON_NAME_FILES = 60
"""A name in more files than this is too common: only files that also name its class or module are read."""
MAX_FILES_READ = 400


class Sureness(IntEnum):
    """How a place was tied to the definition, weakest first."""

    BY_NAME = 1
    BY_RECEIVER = 2
    BY_IMPORT = 3


@dataclass(frozen=True, slots=True)
class BrokenUse:
    """One place that breaks: what happens there, in plain words."""

    path: str
    line: int
    what: str
    sureness: Sureness
    is_import: bool = False

    @property
    def in_tests(self) -> bool:
        """It is test code."""
        return is_test_path(self.path)


@dataclass(slots=True)
class Affected:
    """A changed definition with the places that it breaks and those that nobody can tell."""

    symbol: ChangedSymbol
    broken: list[BrokenUse] = field(default_factory=list)
    unsure: list[tuple[str, int]] = field(default_factory=list)


class _Unless(IntEnum):
    """Which other definition of a member's name makes a use of it innocent."""

    RELATED = 1
    ANY = 2


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A use of a member that breaks unless something else defines that name; known when all files are read."""

    symbol: ChangedSymbol
    use: BrokenUse
    unless: _Unless
    is_call: bool


@dataclass(frozen=True, slots=True)
class _Site:
    """Where a name is defined as a member: by ``def``, in a class body, or by ``self.name = …``."""

    path: str
    line: int
    owner: str


def find_affected(change: Change, changes: PythonChanges) -> tuple[Affected, ...]:
    """The changed definitions that break something at head, in the order of the changes."""
    search = _Search(change, changes)
    search.run()
    return tuple(a for a in search.affected.values() if a.broken)


class _Search:
    """One pass over the files that hold a changed name."""

    def __init__(self, change: Change, changes: PythonChanges) -> None:
        self._change = change
        self._codebase = Codebase(change.head, changes.ghosts)
        self._symbols = {(s.path, s.name): s for s in changes.symbols}
        self._members: dict[str, list[ChangedSymbol]] = {}
        for symbol in changes.symbols:
            if "." in symbol.name and not symbol.name.endswith(CONSTRUCTOR):
                self._members.setdefault(symbol.word, []).append(symbol)
        self._called = {s.word for s in changes.symbols if s.name and not s.removed}
        self._has_gone_modules = any(not s.name for s in changes.symbols)
        self._has_constructors = any(s.name.endswith(CONSTRUCTOR) for s in changes.symbols)
        self._added = {f.new_path: f.added_lines for f in change.files if f.new_path}
        self._suspects: list[_Suspect] = []
        self._defined: dict[str, set[_Site]] = {}
        self._passed: set[str] = set()
        self._common: frozenset[str] = frozenset()
        self._is_cut = False
        self.affected = {key: Affected(symbol) for key, symbol in self._symbols.items()}

    def run(self) -> None:
        for path, words in self._files().items():
            outline = self._codebase.outline(path)
            if outline is not None:
                self._read(path, outline, words)
        for suspect in self._suspects:
            if not self._is_innocent(suspect):
                self._affected(suspect.symbol).broken.append(suspect.use)
        for affected in self.affected.values():
            affected.broken = _without_repeats(affected.broken)

    def _affected(self, symbol: ChangedSymbol) -> Affected:
        return self.affected[symbol.path, symbol.name]

    def _files(self) -> Mapping[str, set[str]]:
        """The files to read and which of the words each holds, one grep for all."""
        words = {word for symbol in self._symbols.values() for word in (*_searched(symbol), *_context(symbol))}
        hits: dict[str, set[str]] = {}
        for match in self._change.head.grep(sorted(words), globs=("*.py",)) if words else ():
            if not is_hidden_path(match.path):
                hits.setdefault(match.path, set()).update(_found(match, words))
        counts = Counter(word for found in hits.values() for word in found)
        self._common = frozenset(word for word, count in counts.items() if count > COMMON_NAME_FILES)
        files: dict[str, set[str]] = {}
        for symbol in self._symbols.values():
            searched, context = set(_searched(symbol)), set(_context(symbol))
            folder = _folder(symbol.path)
            for path, found in hits.items():
                wanted = searched & found
                if wanted and (wanted - self._common or context & found or _folder(path) == folder):
                    files.setdefault(path, set()).update(wanted)
        self._is_cut = len(files) > MAX_FILES_READ
        return dict(list(files.items())[:MAX_FILES_READ])

    def _read(self, path: str, outline: Outline, words: set[str]) -> None:
        names = Names(self._codebase, path, outline)
        plain = sorted(w for w in words if "." not in w)
        if self._has_constructors:
            plain.append(CONSTRUCTOR)
        pattern = "|".join(map(re.escape, plain))
        for node in outline.root.find_all(kind="identifier", regex=f"^({pattern})$") if plain else ():
            self._use(path, node, names)
        for node in outline.root.find_all(kind="string_content", regex=rf"^(\w+[.:])*({pattern})$") if plain else ():
            self._string(path, node)
        if self._has_gone_modules:
            self._imports_of_gone(path, outline)
        self._overrides(path, outline, words)

    def _use(self, path: str, node: SgNode, names: Names) -> None:
        """One identifier that is spelled like a changed name."""
        parent = node.parent()
        if parent is None:
            return
        match parent.kind():
            case "attribute" if parent.field("attribute") == node:
                self._reference(path, parent, names, node.text())
            case "keyword_argument" if parent.field("name") == node:
                self._passed.add(node.text())
            case "dotted_name" | "aliased_import":
                self._import(path, node)
            case "function_definition" | "class_definition" if parent.field("name") == node:
                self._define(path, parent, node.text(), names)
            case _:
                binding = binding_of(node, parent)
                if binding is None:
                    self._bare(path, node, names)
                elif is_class_body(binding):
                    self._define(path, binding, node.text(), names)

    def _define(self, path: str, node: SgNode, word: str, names: Names) -> None:
        owner = names.enclosing_class(node)
        self._defined.setdefault(word, set()).add(_Site(path, line_of(node), owner.name if owner else ""))

    def _bare(self, path: str, node: SgNode, names: Names) -> None:
        """A name on its own. One that is gone counts at the import that brings it, or behind a star.

        In the file that defined it, it is an undefined name: linters say so (F821).
        """
        if node.text() in self._called or names.has_stars:
            self._reference(path, node, names, node.text())

    def _reference(self, path: str, expression: SgNode, names: Names, word: str) -> None:
        parent = expression.parent()
        if parent is None or is_guarded(expression):
            return
        if parent.field("left") == expression and parent.kind() in ("assignment", "augmented_assignment"):
            self._define(path, parent, word, names)
            return
        if expression.kind() == "identifier" and hasattr(builtins, word):
            return
        entity = names.resolve(expression)
        call = parent if parent.kind() == "call" and parent.field("function") == expression else None
        if entity is None:
            self._guess(path, expression, call, names)
        elif entity.kind is not EntityKind.EXTERNAL:
            self._judge(path, expression, call, entity)

    def _judge(self, path: str, expression: SgNode, call: SgNode | None, entity: Entity) -> None:
        symbol = self._symbols.get((entity.path, entity.name))
        by = Sureness.BY_RECEIVER if entity.kind is EntityKind.MEMBER else Sureness.BY_IMPORT
        if symbol is not None and symbol.removed:
            if expression.kind() == "identifier" and path == symbol.path:
                return
            if entity.kind is EntityKind.MEMBER:
                unless = _Unless.RELATED if entity.complete else _Unless.ANY
                self._suspect(symbol, path, expression, by, unless, call)
            else:
                self._broken(symbol, path, expression, _missing(symbol, expression), by)
            return
        if symbol is None and entity.kind is EntityKind.CLASS:
            symbol = self._constructor(entity)
        if symbol is None:
            return
        what = self._breaks(symbol, path, expression, bound=entity.bound)
        if what:
            self._broken(symbol, path, expression, what, by)
        elif call is not None and read_arguments(call).unpacks:
            self._affected(symbol).unsure.append((path, line_of(call)))

    def _constructor(self, of: Entity) -> ChangedSymbol | None:
        found = self._codebase.member(of, CONSTRUCTOR)
        return self._symbols.get((found.path, found.name) if found else (of.path, f"{of.name}.{CONSTRUCTOR}"))

    def _breaks(self, symbol: ChangedSymbol, path: str, expression: SgNode, *, bound: bool) -> str | None:
        first, last = line_of(expression), end_line_of(expression.parent() or expression)
        is_touched = not self._added.get(path, frozenset()).isdisjoint(range(first, last + 1))
        return what_breaks(symbol, expression, bound=bound, is_touched=is_touched)

    def _guess(self, path: str, expression: SgNode, call: SgNode | None, names: Names) -> None:
        receiver, attribute = expression.field("object"), expression.field("attribute")
        if receiver is None or attribute is None:
            return
        for symbol in self._members.get(attribute.text(), ()):
            if not is_called_like(receiver, symbol.name.partition(".")[0]):
                continue
            if symbol.removed:
                self._suspect(symbol, path, expression, Sureness.BY_NAME, _Unless.ANY, call)
            elif what := self._breaks(symbol, path, expression, bound=True):
                use = BrokenUse(path, line_of(attribute), what, Sureness.BY_NAME)
                self._suspects.append(_Suspect(symbol, use, _Unless.ANY, is_call=call is not None))

    def _suspect(
        self, symbol: ChangedSymbol, path: str, expression: SgNode, by: Sureness, unless: _Unless, call: SgNode | None
    ) -> None:
        line = line_of(expression.field("attribute") or expression)
        use = BrokenUse(path, line, _missing(symbol, expression), by)
        self._suspects.append(_Suspect(symbol, use, unless, is_call=call is not None))

    def _is_innocent(self, suspect: _Suspect) -> bool:
        symbol, word = suspect.symbol, suspect.symbol.word
        own = symbol.after.line if symbol.after else 0
        others = [s for s in self._defined.get(word, ()) if (s.path, s.line) != (symbol.path, own)]
        if suspect.unless is _Unless.RELATED:
            return any(self._is_related(site, symbol) for site in others)
        is_passed = not suspect.is_call and word in self._passed
        return bool(others) or is_passed or self._is_cut or word in self._common

    def _is_related(self, site: _Site, symbol: ChangedSymbol) -> bool:
        """The class that defines the name inherits from the one that lost it, or the other way round."""
        owner = symbol.name.rpartition(".")[0]
        theirs, _ = self._codebase.lineage(site.path, site.owner)
        ours, _ = self._codebase.lineage(symbol.path, owner)
        is_below = any((path, d.name) == (symbol.path, owner) for path, d in theirs)
        return is_below or any((path, d.name) == (site.path, site.owner) for path, d in ours)

    def _import(self, path: str, node: SgNode) -> None:
        statement = next((a for a in node.ancestors() if a.kind() == "import_from_statement"), None)
        if statement is None or is_guarded(statement):
            return
        for _, imported in read_imports(statement):
            if imported.symbol == node.text():
                entity = self._codebase.imported(path, imported)
                symbol = self._symbols.get((entity.path, entity.name)) if entity else None
                if symbol is not None and symbol.removed and symbol.name:
                    what = f"`ImportError`: '{symbol.name}' is gone"
                    self._broken(symbol, path, node, what, Sureness.BY_IMPORT, is_import=True)

    def _imports_of_gone(self, path: str, outline: Outline) -> None:
        statements = [*outline.root.find_all(kind="import_from_statement"), *outline.root.find_all(kind="import_statement")]
        for statement in statements:
            for module in _imported_modules(self._codebase, path, statement):
                symbol = self._symbols.get((module, ""))
                if symbol and not self._codebase.exists(module) and not is_guarded(statement):
                    what = "`ImportError`: the module is gone"
                    self._broken(symbol, path, statement, what, Sureness.BY_IMPORT, is_import=True)

    def _string(self, path: str, node: SgNode) -> None:
        module, _, name = node.text().replace(":", ".").rpartition(".")
        if "." not in module:
            if not module:
                self._passed.add(name)
            return
        where = self._codebase.module(path, module, 0)
        entity = self._codebase.find(where, name) if where else None
        symbol = self._symbols.get((entity.path, entity.name)) if entity else None
        if symbol is not None and symbol.removed and symbol.name and not is_docstring(node):
            self._broken(symbol, path, node, "the dotted name leads nowhere", Sureness.BY_RECEIVER)

    def _overrides(self, path: str, outline: Outline, words: set[str]) -> None:
        for definition in outline.definitions.values():
            for word in words & definition.members.keys():
                member = definition.members[word]
                if member.kind is DefinitionKind.FUNCTION:
                    self._override(path, definition.name, word)

    def _override(self, path: str, owner: str, word: str) -> None:
        lineage, _ = self._codebase.lineage(path, owner)
        member = lineage[0][1].members[word]
        for where, base in lineage[1:]:
            symbol = self._symbols.get((where, f"{base.name}.{word}"))
            if symbol is None or not overrides_old(symbol, member):
                continue
            else:
                use = BrokenUse(path, member.line, f"`{owner}.{word}` overrides it with the old signature", Sureness.BY_RECEIVER)
                self._affected(symbol).broken.append(use)

    def _broken(
        self, symbol: ChangedSymbol, path: str, node: SgNode, what: str, by: Sureness, *, is_import: bool = False
    ) -> None:
        at = node.field("attribute") if node.kind() == "attribute" else node
        self._affected(symbol).broken.append(BrokenUse(path, line_of(at or node), what, by, is_import))


def _searched(symbol: ChangedSymbol) -> tuple[str, ...]:
    """The words that a place has to hold to be broken."""
    if not symbol.name:
        return *symbol.names, *module_words(symbol.path)
    return (symbol.word,)


def _context(symbol: ChangedSymbol) -> tuple[str, ...]:
    """The words, one of which a file holds that means this definition and not another of its name."""
    owner = symbol.name.rpartition(".")[0]
    return (owner,) if owner and owner != symbol.word else module_parts(symbol.path)[-1:]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _found(match: Match, words: Collection[str]) -> Iterator[str]:
    for name in re.findall(r"\w+", match.text):
        if name in words:
            yield name
    for word in words:
        if "." in word and word in match.text:
            yield word


def _imported_modules(codebase: Codebase, path: str, statement: SgNode) -> Iterator[str]:
    """The files an import statement reads, the module it takes names from first."""
    for _, imported in read_imports(statement):
        module = codebase.module(path, imported.module, imported.level)
        if module is not None and (imported.module or imported.symbol is None):
            yield module
        elif imported.symbol is not None:
            dotted = f"{imported.module}.{imported.symbol}" if imported.module else imported.symbol
            inner = codebase.module(path, dotted, imported.level)
            if inner is not None:
                yield inner


def _missing(symbol: ChangedSymbol, expression: SgNode) -> str:
    error = "AttributeError" if expression.kind() == "attribute" else "NameError"
    return f"`{error}`: '{symbol.word}' is gone"


def _without_repeats(uses: list[BrokenUse]) -> list[BrokenUse]:
    """One use a line; where the import fails, what the file does with the name does not matter."""
    failing = {u.path for u in uses if u.is_import}
    kept: dict[tuple[str, int], BrokenUse] = {}
    for use in sorted(uses, key=lambda u: (u.path, u.line, -u.sureness)):
        if use.is_import or use.path not in failing:
            kept.setdefault((use.path, use.line), use)
    return list(kept.values())
