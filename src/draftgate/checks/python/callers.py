"""The places at head that a changed Python definition breaks.

Reads only the files that hold a changed name. A place is broken if it resolves to the changed
definition and a use there fitted the old one and does not fit the new one, or if what it names is
gone. A member of a receiver of unknown type counts only if nothing else defines such a member and the
receiver is called like the class. Places that expect the name to be missing are silent.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ast_grep_py import SgNode

from draftgate.checks.base import Change, Snapshot
from draftgate.checks.bounds import Effort
from draftgate.checks.grammar.python import Imported, Outline, end_line_of, imported_from, imports_of, line_of
from draftgate.checks.python.breaks import BrokenUse, Sureness, overrides_old, what_breaks
from draftgate.checks.python.calls import read_arguments
from draftgate.checks.python.candidates import (
    COMMON_NAME_FILES,
    MAX_FILES_READ,
    MAX_WORDS,
    Candidates,
    find_candidates,
    find_heirs,
)
from draftgate.checks.python.changes import CONSTRUCTOR, ChangedSymbol, PythonChanges
from draftgate.checks.python.modules import MAX_PARSED, Codebase, Entity, EntityKind
from draftgate.checks.python.names import Names, binding_of
from draftgate.checks.python.suspects import Suspect, Suspects, Unless
from draftgate.checks.python.uses import (
    Guards,
    call_of,
    is_called_like,
    is_class_body,
    is_docstring,
    receiver_of,
)

MAX_STEPS = 3_000_000
"""Steps up the trees, one for each level that a use is nested in."""
MAX_USES = 100_000
_MAX_ALTERNATIVES = 200
_MAX_NAMESAKES = 20
_SHOWN_CHARACTERS = 300
_NAMES_SAID = 20


@dataclass(slots=True)
class Affected:
    """A changed definition with the places that it breaks and those that nobody can tell."""

    symbol: ChangedSymbol
    broken: list[BrokenUse] = field(default_factory=list)
    unsure: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _File:
    """A file while it is read."""

    path: str
    outline: Outline
    names: Names
    guards: Guards


def find_affected(change: Change, changes: PythonChanges, texts: Snapshot) -> tuple[Affected, ...]:
    """The changed definitions that break something at head, in the order of the changes.

    Args:
        change: What is read by its trees.
        changes: What it did to definitions.
        texts: The head once more, to be searched as plain text.
    """
    return _Search(change, changes, texts).run() if changes.symbols else ()


class _Search:
    """Reads the files one by one; what needs all of them is decided at the end."""

    def __init__(self, change: Change, changes: PythonChanges, texts: Snapshot) -> None:
        self._head = change.head
        self._texts = texts
        self._limited = change.limited
        self._added = {f.new_path: f.added_lines for f in change.files if f.new_path}
        self._codebase = Codebase(change.head, changes.ghosts)
        self._symbols = {(s.path, s.name): s for s in changes.symbols}
        self._affected = {key: Affected(symbol) for key, symbol in self._symbols.items()}
        self._members: dict[str, list[ChangedSymbol]] = {}
        for symbol in changes.symbols:
            if symbol.owner and not symbol.is_constructor:
                self._members.setdefault(symbol.searched, []).append(symbol)
        self._changed_words = {s.searched for s in changes.symbols if not s.is_removed}
        self._has_gone_modules = any(s.is_module for s in changes.symbols)
        self._suspects = Suspects(self._codebase)
        self._steps = Effort(MAX_STEPS)
        self._uses = Effort(MAX_USES)

    def run(self) -> tuple[Affected, ...]:
        """Read, decide the suspects, and give back what breaks something."""
        candidates = find_candidates(self._texts, tuple(self._symbols.values()))
        for path, words in candidates.words.items():
            self._read(path, words)
        heirs = self._heirs(candidates)
        self._changed_words |= heirs
        for path, words in find_heirs(self._head, heirs).words.items() if heirs else ():
            self._read(path, words)
        order = {key: position for position, key in enumerate(self._symbols)}
        for suspect in self._suspects.convict(order, candidates.common, is_cut=candidates.is_cut):
            self._of(suspect.symbol).broken.append(suspect.use)
        self._say_limits(candidates)
        for affected in self._affected.values():
            affected.broken = _without_repeats(affected.broken)
        return tuple(a for a in self._affected.values() if a.broken)

    def _say_limits(self, candidates: Candidates) -> None:
        if candidates.unsearched:
            self._limited(
                f"impact.callers: {candidates.unsearched:,} changed Python names beyond the first {MAX_WORDS:,} "
                "were not searched"
            )
        if self._steps.is_spent:
            self._limited(
                "impact.callers: uses of changed Python names that are many and nested deep were not all followed"
            )
        if self._codebase.is_spent:
            self._limited(f"impact.callers: only {MAX_PARSED:,} characters of Python were read to resolve names")
        if self._uses.is_spent:
            self._limited(f"impact.callers: only {MAX_USES:,} uses of changed Python names were judged")
        if candidates.is_cut:
            self._limited(
                f"impact.callers: only the nearest {MAX_FILES_READ} files that hold a changed Python name were read"
            )
        for name in sorted(candidates.common)[:_NAMES_SAID]:
            self._limited(
                f"impact.callers: `{name}` stands in more than {COMMON_NAME_FILES} files; "
                "of those only the ones that also name its class or module were read"
            )
        if len(candidates.common) > _NAMES_SAID:
            self._limited(f"impact.callers: so do {len(candidates.common) - _NAMES_SAID:,} other changed names")

    def _of(self, symbol: ChangedSymbol) -> Affected:
        return self._affected[symbol.path, symbol.name]

    def _read(self, path: str, words: Collection[str]) -> None:
        outline = self._codebase.outline(path)
        if outline is None:
            return
        file = _File(path, outline, Names(self._codebase, path, outline, self._steps), Guards())
        aliases = {d.name for d in outline.definitions.values() if d.imported and d.imported.symbol in words}
        self._changed_words |= aliases
        wanted = frozenset((*words, *aliases, CONSTRUCTOR))
        for node in _spelled(outline.root, wanted):
            above = node.ancestors()
            if not self._steps.spend(len(above)):
                break
            self._identifier(file, node, above)
        for node in outline.root.find_all(kind="string_content", regex=r"^(\w+[.:])*\w+$"):
            self._string(path, node, wanted)
        if self._has_gone_modules:
            self._imports_of_gone(file)
        for owner, definition in outline.definitions.items():
            for word in definition.members.keys() & words:
                self._override(path, owner, word)

    def _identifier(self, file: _File, node: SgNode, above: Sequence[SgNode]) -> None:
        """One identifier that is spelled like a changed name."""
        parent = node.parent()
        match parent.kind() if parent else "":
            case "attribute" if parent and parent.field("attribute") == node:
                self._reference(file, parent)
            case "keyword_argument" if parent and parent.field("name") == node:
                self._suspects.hand_over(node.text())
            case "dotted_name":
                self._import(file, node)
            case "aliased_import":
                pass
            case "function_definition" | "class_definition" if parent and parent.field("name") == node:
                self._define(file, parent, node.text())
            case _:
                binding = binding_of(node, above)
                if binding is None and (node.text() in self._changed_words or file.names.has_stars):
                    self._reference(file, node)
                elif binding is not None and is_class_body(binding):
                    self._define(file, binding, node.text())

    def _define(self, file: _File, node: SgNode, word: str) -> None:
        owner = file.names.enclosing_class(node)
        self._suspects.define(word, file.path, line_of(node), owner.name if owner else "")

    def _reference(self, file: _File, expression: SgNode) -> None:
        """A name on its own or an attribute access."""
        parent, attribute = expression.parent(), expression.field("attribute")
        word = (attribute or expression).text()
        if parent is None or (attribute is None and hasattr(builtins, word)) or file.guards.stand_around(expression):
            return
        if parent.field("left") == expression and parent.kind() in ("assignment", "augmented_assignment"):
            self._define(file, parent, word)
            return
        entity = file.names.resolve(expression)
        if entity is None and attribute is not None:
            self._guess(file.path, expression, word)
        elif entity is not None and entity.kind is not EntityKind.EXTERNAL:
            self._judge(file.path, expression, entity)

    def _judge(self, path: str, expression: SgNode, entity: Entity) -> None:
        symbol = self._symbols.get((entity.path, entity.name))
        by = Sureness.BY_RECEIVER if entity.kind is EntityKind.MEMBER else Sureness.BY_IMPORT
        if symbol is None and entity.kind is EntityKind.CLASS:
            symbol = self._constructor(entity)
        if symbol is None:
            return
        if not symbol.is_removed:
            self._changed(path, expression, symbol, entity, by)
        elif entity.kind is EntityKind.MEMBER:
            unless = Unless.RELATED if entity.complete else Unless.ANY
            self._suspect(path, expression, symbol, _missing(symbol, expression), unless)
        elif expression.kind() == "attribute" or path != symbol.path:
            # In the file that defined it, a name that is gone is undefined: linters say so (F821).
            self._broken(path, expression, symbol, _missing(symbol, expression), by)

    def _constructor(self, of: Entity) -> ChangedSymbol | None:
        """The changed constructor that calling the class calls; a decorator may have made another one."""
        for path, definition in self._codebase.lineage(of.path, of.name)[0]:
            symbol = self._symbols.get((path, f"{definition.name}.{CONSTRUCTOR}"))
            if symbol is not None or CONSTRUCTOR in definition.members or definition.decorators:
                return symbol
        return None

    def _changed(self, path: str, expression: SgNode, symbol: ChangedSymbol, entity: Entity, by: Sureness) -> None:
        what = self._breaks(path, expression, symbol, bound=entity.bound)
        call = call_of(expression)
        if what:
            self._broken(path, expression, symbol, what, by)
        elif call is not None and read_arguments(call).unpacks:
            self._of(symbol).unsure.append((path, line_of(call)))

    def _breaks(self, path: str, expression: SgNode, symbol: ChangedSymbol, *, bound: bool) -> str | None:
        lines = range(line_of(expression), end_line_of(call_of(expression) or expression) + 1)
        is_touched = not self._added.get(path, frozenset()).isdisjoint(lines)
        return what_breaks(symbol, expression, bound=bound, is_touched=is_touched)

    def _guess(self, path: str, expression: SgNode, word: str) -> None:
        """A member of a receiver that nobody can tell: the changed class's if it is called like that.

        So is an attribute with a name of several words that nothing defines any more, if little else reads it.
        """
        is_own_word = "_" in word.strip("_") and call_of(expression) is None
        for symbol in self._members.get(word, ())[:_MAX_NAMESAKES]:
            is_like = is_called_like(receiver_of(expression), symbol.owner)
            if not is_like and not (is_own_word and symbol.is_removed):
                continue
            gone = _missing(symbol, expression) if symbol.is_removed else None
            what = gone or self._breaks(path, expression, symbol, bound=True)
            if what:
                unless = Unless.ANY if is_like else Unless.ANY_OR_MANY
                self._suspect(path, expression, symbol, what, unless, by=Sureness.BY_NAME)

    def _suspect(  # noqa: PLR0917 - one row of facts, in the order of every method here
        self,
        path: str,
        expression: SgNode,
        symbol: ChangedSymbol,
        what: str,
        unless: Unless,
        by: Sureness = Sureness.BY_RECEIVER,
    ) -> None:
        if self._uses.spend(1):
            line = line_of(expression.field("attribute") or expression)
            use = BrokenUse(path, line, what[:_SHOWN_CHARACTERS], by)
            self._suspects.accuse(Suspect(symbol, use, unless, is_call=call_of(expression) is not None))

    def _import(self, file: _File, node: SgNode) -> None:
        """A name in a ``from … import``."""
        statement = next((a for a in node.ancestors() if a.kind() == "import_from_statement"), None)
        source = statement.field("module_name") if statement else None
        if source is None or node.range().start.index < source.range().end.index or file.guards.stand_around(node):
            return
        entity = self._codebase.imported(file.path, imported_from(source, node.text()))
        symbol = self._symbols.get((entity.path, entity.name)) if entity else None
        if symbol is not None and symbol.is_removed and not symbol.is_module:
            what = f"`ImportError`: '{symbol.name}' is gone"
            self._broken(file.path, node, symbol, what, Sureness.BY_IMPORT, is_import=True)

    def _imports_of_gone(self, file: _File) -> None:
        for kind in ("import_from_statement", "import_statement"):
            for statement in file.outline.root.find_all(kind=kind):
                for imported in imports_of(statement):
                    symbol = self._gone_module(file.path, imported)
                    if symbol and not file.guards.stand_around(statement):
                        what = "`ImportError`: the module is gone"
                        self._broken(file.path, statement, symbol, what, Sureness.BY_IMPORT, is_import=True)

    def _gone_module(self, path: str, imported: Imported) -> ChangedSymbol | None:
        """The module that is gone and that the import reads, if what it takes cannot come from elsewhere."""
        where = self._codebase.module(path, imported.module, imported.level)
        if imported.symbol and (where is None or where.endswith("__init__.py")):
            dotted = f"{imported.module}.{imported.symbol}" if imported.module else imported.symbol
            where = self._codebase.module(path, dotted, imported.level) or where
        symbol = self._symbols.get((where, "")) if where else None
        if symbol is None or self._codebase.exists(symbol.path):
            return None
        is_namespace = symbol.path.endswith("__init__.py") and self._codebase.has_files_below(symbol.path)
        return symbol if not is_namespace or imported.symbol in symbol.names else None

    def _string(self, path: str, node: SgNode, wanted: Collection[str]) -> None:
        """A string that is a name, maybe a dotted one that something imports when it runs."""
        module, _, name = node.text().replace(":", ".").rpartition(".")
        if name not in wanted:
            return
        if not module:
            self._suspects.hand_over(name)
        where = self._codebase.module(path, module, 0) if "." in module and not is_docstring(node) else None
        entity = self._codebase.find(where, name) if where else None
        symbol = self._symbols.get((entity.path, entity.name)) if entity else None
        if symbol is not None and symbol.is_removed and not symbol.is_module:
            self._broken(path, node, symbol, "the dotted name leads nowhere", Sureness.BY_RECEIVER)

    def _override(self, path: str, owner: str, word: str) -> None:
        """A class that overrides a changed method and keeps the old signature."""
        lineage, _ = self._codebase.lineage(path, owner)
        for where, base in lineage[1:]:
            symbol = self._symbols.get((where, f"{base.name}.{word}"))
            member = lineage[0][1].members[word]
            if symbol is not None and overrides_old(symbol, member):
                what = f"`{owner}.{word}` overrides it with the old signature"
                self._of(symbol).broken.append(BrokenUse(path, member.line, what, Sureness.BY_RECEIVER))

    def _heirs(self, candidates: Candidates) -> set[str]:
        """The classes that inherit a changed constructor: calling them calls it."""
        if not any(s.is_constructor for s in self._symbols.values()):
            return set()
        heirs: set[str] = set()
        for path in candidates.words:
            outline = self._codebase.outline(path)
            for name, definition in outline.definitions.items() if outline else ():
                of = Entity(EntityKind.CLASS, path, name)
                if definition.bases and (path, f"{name}.{CONSTRUCTOR}") not in self._symbols and self._constructor(of):
                    heirs.add(name)
        return heirs

    def _broken(
        self, path: str, node: SgNode, symbol: ChangedSymbol, what: str, by: Sureness, *, is_import: bool = False
    ) -> None:
        if self._uses.spend(1):
            line = line_of(node.field("attribute") or node)
            self._of(symbol).broken.append(BrokenUse(path, line, what[:_SHOWN_CHARACTERS], by, is_import))


def _spelled(root: SgNode, words: Collection[str]) -> Iterable[SgNode]:
    """The identifiers that are one of the words; a pattern of many words is dearer than to look at each identifier."""
    if len(words) > _MAX_ALTERNATIVES:
        return (node for node in root.find_all(kind="identifier") if node.text() in words)
    pattern = "|".join(re.escape(word) for word in sorted(words))
    return root.find_all(kind="identifier", regex=f"^({pattern})$")


def _missing(symbol: ChangedSymbol, expression: SgNode) -> str:
    error = "AttributeError" if expression.kind() == "attribute" else "NameError"
    return f"`{error}`: '{symbol.searched}' is gone"


def _without_repeats(uses: list[BrokenUse]) -> list[BrokenUse]:
    """One use a line; where the import fails, what the file does with the name does not matter."""
    failing = {u.path for u in uses if u.is_import}
    kept: dict[tuple[str, int], BrokenUse] = {}
    for use in sorted(uses, key=lambda u: (u.path, u.line, -u.sureness)):
        if use.is_import or use.path not in failing:
            kept.setdefault((use.path, use.line), use)
    return list(kept.values())
