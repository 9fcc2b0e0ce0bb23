"""The files that may use a changed Python definition: one `git grep` for all names, nothing parsed.

A name that many files hold says little: of those only the ones that also name its class or module, or
lie beside it, are read. What is left out because of a limit makes guesses impossible, so it is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from draftgate.checks.base import Snapshot
from draftgate.checks.bounds import Effort
from draftgate.checks.python.changes import ChangedSymbol
from draftgate.checks.python.modules import module_parts
from draftgate.checks.python.uses import is_hidden_path

COMMON_NAME_FILES = 60
"""A name in more files than this says little."""
MAX_FILES_READ = 300
"""The nearest ones by their path, if more files hold a changed name."""
MAX_LINES = 50_000
MAX_WORDS = 5_000
"""Names that are searched, the first ones of the change: each five hundred are a search through the commit."""
_MAX_DOUBTS = 200_000
_IDENTIFIER = re.compile(r"\w+")
# What `_absolute_imports` makes, at every place of a line where one may begin.
_PHRASE = re.compile(r"\b(?=(from \w+ import\b|import \w+|\w+ import\b|\w+\.\w+))")
_IMPORT_LINE = re.compile(r"^[ \t]*(?:from|import)[ \t].*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What to read.

    Attributes:
        words: By path, the changed names that the file holds and that are worth a look there.
        common: Names that too many files hold.
        is_cut: More files would have to be read than the limit allows.
        unsearched: How many names were not searched.
    """

    words: Mapping[str, Collection[str]]
    common: frozenset[str]
    is_cut: bool
    unsearched: int = 0


def find_candidates(head: Snapshot, symbols: Sequence[ChangedSymbol]) -> Candidates:
    """The files to read for these symbols."""
    by_word: dict[str, list[ChangedSymbol]] = {}
    for symbol in symbols:
        for word in _absolute_imports(symbol.path) if symbol.is_module else (symbol.searched,):
            by_word.setdefault(word, []).append(symbol)
    searched = dict(islice(by_word.items(), MAX_WORDS))
    hits, is_cut = _grep(head, searched.keys())
    common = _common(hits)
    doubts = Effort(_MAX_DOUBTS)
    words: dict[str, set[str]] = {}
    nearness: dict[str, int] = {}
    for path, found in hits.items():
        meant = [symbol for word in sorted(found) for symbol in searched[word][: max(doubts.left, 0)]]
        doubts.spend(len(meant) or 1)
        for symbol in _worth_reading(head, path, meant, common):
            words.setdefault(path, set()).add(symbol.searched)
            nearness[path] = max(nearness.get(path, 0), _shared(path, symbol.path))
    for path, symbol in _beside_gone(head, symbols):
        words.setdefault(path, set()).add(symbol.searched)
        nearness[path] = _shared(path, symbol.path)
    nearest = dict(sorted(words.items(), key=lambda item: -nearness[item[0]]))
    candidates = _limited(nearest, common, is_cut=is_cut or doubts.is_spent)
    return replace(candidates, unsearched=len(by_word) - len(searched))


def find_heirs(head: Snapshot, names: Collection[str]) -> Candidates:
    """The files to read for classes that inherit a changed constructor, the common ones left out."""
    hits, is_cut = _grep(head, frozenset(sorted(names)[:MAX_WORDS]))
    common = _common(hits)
    words = {path: found - common for path, found in hits.items() if found - common}
    return _limited(words, common, is_cut=is_cut)


def _limited(words: Mapping[str, set[str]], common: frozenset[str], *, is_cut: bool) -> Candidates:
    kept = dict(list(words.items())[:MAX_FILES_READ])
    return Candidates(kept, common, is_cut=is_cut or len(kept) < len(words))


def _common(hits: Mapping[str, set[str]]) -> frozenset[str]:
    counts = Counter(word for found in hits.values() for word in found)
    return frozenset(word for word, count in counts.items() if count > COMMON_NAME_FILES)


def _grep(head: Snapshot, words: Collection[str]) -> tuple[dict[str, set[str]], bool]:
    """By path, the words that it holds, hidden folders left out; and whether there were too many lines."""
    has_phrases = not all(word.isidentifier() for word in words)
    hits: dict[str, set[str]] = {}
    lines = 0
    for lines, match in enumerate(head.grep(sorted(words), globs=("*.py",)) if words else (), start=1):
        if lines >= MAX_LINES:
            break
        if not is_hidden_path(match.path):
            found = {word for word in _IDENTIFIER.findall(match.text) if word in words}
            if has_phrases:
                found.update(phrase for phrase in _PHRASE.findall(match.text) if phrase in words)
            if found:
                hits.setdefault(match.path, set()).update(found)
    return hits, lines >= MAX_LINES


def _worth_reading(
    head: Snapshot, path: str, symbols: Sequence[ChangedSymbol], common: frozenset[str]
) -> Iterator[ChangedSymbol]:
    """The symbols that the file may mean: where a name says little, those whose class or module it names too."""
    imports: str | None = None
    text = ""
    for symbol in symbols:
        if (
            symbol.is_module
            or not (symbol.is_import or symbol.searched in common)
            or _folder(path) == _folder(symbol.path)
        ):
            yield symbol
            continue
        if imports is None:
            text = head.read(path) or ""
            imports = "\n".join(_IMPORT_LINE.findall(text))
        if symbol.owner and not symbol.is_constructor:
            is_near = symbol.owner in text
        else:
            is_near = any(phrase in imports for phrase in _imports(symbol.path))
        if is_near:
            yield symbol


def _beside_gone(head: Snapshot, symbols: Sequence[ChangedSymbol]) -> Iterator[tuple[str, ChangedSymbol]]:
    """The files that can import a gone module by ``from .module import`` or ``from ..module import``."""
    gone: dict[str, dict[str, ChangedSymbol]] = {}
    for symbol in symbols:
        if symbol.is_module:
            gone.setdefault(_folder(symbol.path), {})[symbol.searched] = symbol
    for path in head.paths() if gone else ():
        if path.endswith(".py"):
            folder = _folder(path)
            near = [gone[f] for f in dict.fromkeys((folder, _folder(folder))) if f in gone]
            named = dict.fromkeys(_IDENTIFIER.findall(head.read(path) or "")) if near else ()
            yield from ((path, modules[name]) for modules in near for name in named if name in modules)


def _shared(path: str, other: str) -> int:
    """How many folders two paths have in common."""
    pairs = zip(path.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _absolute_imports(path: str) -> tuple[str, ...]:
    """How a module is imported by its dotted name, or from its package."""
    *_, package, module = ("", *module_parts(path))
    return (f"{package}.{module}", f"{package} import") if package else (f"from {module} import", f"import {module}")


def _imports(path: str) -> tuple[str, ...]:
    """How a module is imported at all."""
    module = module_parts(path)[-1]
    return (f"{module} import", f"import {module}", *_absolute_imports(path))
