"""The files that may use a changed Python definition: one `git grep` for all names, nothing parsed.

A name that many files hold says little: of those only the ones that also name its class or module, or
lie beside it, are read. What is left out because of a limit makes guesses impossible, so it is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from draftgate.checks.base import Snapshot
from draftgate.checks.python_changes import ChangedSymbol
from draftgate.checks.python_modules import module_parts
from draftgate.checks.python_uses import is_hidden_path

COMMON_NAME_FILES = 60
"""A name in more files than this says little."""
MAX_FILES_READ = 300
"""The nearest ones by their path, if more files hold a changed name."""
MAX_LINES = 50_000
_IDENTIFIER = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidates:
    """What to read.

    Attributes:
        words: By path, the changed names that the file holds and that are worth a look there.
        common: Names that too many files hold.
        is_cut: More files would have to be read than the limit allows.
    """

    words: Mapping[str, Collection[str]]
    common: frozenset[str]
    is_cut: bool


def find_candidates(head: Snapshot, symbols: Sequence[ChangedSymbol]) -> Candidates:
    """The files to read for these symbols."""
    by_word: dict[str, list[ChangedSymbol]] = {}
    for symbol in symbols:
        for word in _spellings(symbol):
            by_word.setdefault(word, []).append(symbol)
    hits, is_cut = _grep(head, {*by_word, *(word for symbol in symbols for word in _context(symbol))})
    counts = Counter(word for found in hits.values() for word in found)
    common = frozenset(word for word, count in counts.items() if count > COMMON_NAME_FILES)
    words: dict[str, set[str]] = {}
    nearness: dict[str, int] = {}
    for path, found in hits.items():
        for word in found & by_word.keys():
            for symbol in by_word[word]:
                says_little = symbol.is_import or (word in common and not symbol.is_module)
                if not says_little or _is_near(symbol, path, found):
                    words.setdefault(path, set()).add(symbol.searched)
                    nearness[path] = max(nearness.get(path, 0), _shared(path, symbol.path))
    nearest = dict(sorted(words.items(), key=lambda item: -nearness[item[0]]))
    return _limited(nearest, common, is_cut=is_cut)


def find_heirs(head: Snapshot, names: Collection[str]) -> Candidates:
    """The files to read for classes that inherit a changed constructor, the common ones left out."""
    hits, is_cut = _grep(head, names)
    counts = Counter(word for found in hits.values() for word in found)
    common = frozenset(word for word, count in counts.items() if count > COMMON_NAME_FILES)
    words = {path: found - common for path, found in hits.items() if found - common}
    return _limited(words, common, is_cut=is_cut)


def _limited(words: Mapping[str, set[str]], common: frozenset[str], *, is_cut: bool) -> Candidates:
    kept = dict(list(words.items())[:MAX_FILES_READ])
    return Candidates(kept, common, is_cut=is_cut or len(kept) < len(words))


def _grep(head: Snapshot, words: Collection[str]) -> tuple[dict[str, set[str]], bool]:
    """By path, the words that it holds, hidden folders left out; and whether there were too many lines."""
    phrases = [word for word in words if not word.isidentifier()]
    hits: dict[str, set[str]] = {}
    lines = 0
    for lines, match in enumerate(head.grep(sorted(words), globs=("*.py",)) if words else (), start=1):
        if lines >= MAX_LINES:
            break
        if not is_hidden_path(match.path):
            found = hits.setdefault(match.path, set())
            found.update(word for word in _IDENTIFIER.findall(match.text) if word in words)
            if "import" in match.text:
                found.update(phrase for phrase in phrases if phrase in match.text)
    return hits, lines >= MAX_LINES


def _shared(path: str, other: str) -> int:
    """How many folders two paths have in common."""
    pairs = zip(path.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_near(symbol: ChangedSymbol, path: str, found: set[str]) -> bool:
    """The file also names the symbol's class or module, or lies in its folder."""
    folder = symbol.path.rpartition("/")[0]
    return not found.isdisjoint(_context(symbol)) or path.rpartition("/")[0] == folder


def _spellings(symbol: ChangedSymbol) -> tuple[str, ...]:
    """What a place that uses the symbol spells, one of them."""
    return _import_phrases(symbol.path) if symbol.is_module else (symbol.searched,)


def _context(symbol: ChangedSymbol) -> tuple[str, ...]:
    """What a file spells, one of them, that means this definition and not another of its name."""
    if symbol.owner and not symbol.is_constructor:
        return (symbol.owner,)
    return _import_phrases(symbol.path)


def _import_phrases(path: str) -> tuple[str, ...]:
    """How a module is imported: ``from .mod import``, ``import package.mod``, ``from package import mod``."""
    *_, package, module = ("", *module_parts(path))
    inside = (f"{package}.{module}", f"{package} import") if package else (f"from {module} import",)
    return f"{module} import", f"import {module}", *inside
