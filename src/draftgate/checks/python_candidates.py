"""The files that may use a changed Python definition: one `git grep` for all names, nothing parsed.

A name that many files hold says little: of those only the ones that also name its class or module, or
lie beside it, are read. What is left out because of a limit makes guesses impossible, so it is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from draftgate.checks.base import Snapshot
from draftgate.checks.python_changes import ChangedSymbol
from draftgate.checks.python_modules import module_parts
from draftgate.checks.python_uses import is_hidden_path

COMMON_NAME_FILES = 60
"""A name in more files than this says little."""
MAX_FILES_READ = 400
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
    sought = {word for symbol in symbols for word in (symbol.searched, *_context(symbol))}
    hits = _grep(head, sought)
    counts = Counter(word for found in hits.values() for word in found)
    common = frozenset(word for word, count in counts.items() if count > COMMON_NAME_FILES)
    words: dict[str, set[str]] = {}
    for symbol in symbols:
        says_little = symbol.is_module or symbol.is_import or symbol.searched in common
        for path, found in hits.items():
            if symbol.searched in found and (not says_little or _is_near(symbol, path, found)):
                words.setdefault(path, set()).add(symbol.searched)
    return _limited(words, common)


def find_heirs(head: Snapshot, names: Collection[str]) -> Candidates:
    """The files to read for classes that inherit a changed constructor, the common ones left out."""
    hits = _grep(head, names)
    counts = Counter(word for found in hits.values() for word in found)
    common = frozenset(word for word, count in counts.items() if count > COMMON_NAME_FILES)
    return _limited({path: found - common for path, found in hits.items() if found - common}, common)


def _limited(words: Mapping[str, set[str]], common: frozenset[str]) -> Candidates:
    return Candidates(dict(list(words.items())[:MAX_FILES_READ]), common, is_cut=len(words) > MAX_FILES_READ)


def _grep(head: Snapshot, words: Collection[str]) -> dict[str, set[str]]:
    hits: dict[str, set[str]] = {}
    for match in head.grep(sorted(words), globs=("*.py",)) if words else ():
        if not is_hidden_path(match.path):
            hits.setdefault(match.path, set()).update(w for w in _IDENTIFIER.findall(match.text) if w in words)
    return hits


def _is_near(symbol: ChangedSymbol, path: str, found: set[str]) -> bool:
    """The file also names the symbol's class or module, or lies in its folder."""
    folder = symbol.path.rpartition("/")[0]
    return not found.isdisjoint(_context(symbol)) or path.rpartition("/")[0] == folder or path.startswith(f"{folder}/")


def _context(symbol: ChangedSymbol) -> tuple[str, ...]:
    """The words, one of which a file holds that means this definition and not another of its name."""
    if symbol.is_module:
        return module_parts(symbol.path)[-2:-1]
    owner = symbol.owner
    return (owner,) if owner and owner != symbol.searched else module_parts(symbol.path)[-2:]
