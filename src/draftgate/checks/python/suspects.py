"""Uses of a member that break unless something else defines that name: decided when all files are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from draftgate.checks.python.breaks import BrokenUse, Sureness
from draftgate.checks.python.changes import ChangedSymbol
from draftgate.checks.python.modules import Codebase

_FEW = 3


class Unless(Enum):
    """Which other definition of a member's name makes a use of it innocent."""

    RELATED = "one in a class above or below"
    ANY = "any"
    ANY_OR_MANY = "any, or more than a few places that read it"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A use that breaks, unless."""

    symbol: ChangedSymbol
    use: BrokenUse
    unless: Unless
    is_call: bool


@dataclass(frozen=True, slots=True)
class _Site:
    """Where a name is defined as a member: by ``def``, in a class body, or by ``self.name = …``."""

    path: str
    line: int
    owner: str


class Suspects:
    """What was read so far that accuses or clears a use."""

    def __init__(self, codebase: Codebase) -> None:
        self._codebase = codebase
        self._all: list[Suspect] = []
        self._defined: dict[str, set[_Site]] = {}
        self._readers: dict[str, set[tuple[str, int]]] = {}
        self._passed: set[str] = set()
        self._lineages: dict[str, tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]] = {}

    def accuse(self, suspect: Suspect) -> None:
        """Remember a use that may break."""
        if suspect.use.sureness is Sureness.BY_NAME:
            self._readers.setdefault(suspect.symbol.searched, set()).add((suspect.use.path, suspect.use.line))
        self._all.append(suspect)

    def define(self, word: str, path: str, line: int, owner: str) -> None:
        """Something defines the name as a member; ``owner`` is its class, "" if it has none of the module's own."""
        self._defined.setdefault(word, set()).add(_Site(path, line, owner))

    def hand_over(self, word: str) -> None:
        """The name is passed on as a keyword or text, so anything may set it."""
        self._passed.add(word)

    def convict(
        self, order: Mapping[tuple[str, str], int], common: Collection[str], *, is_cut: bool
    ) -> Iterator[Suspect]:
        """Those that nothing clears; a place that is only guessed counts once, for the first symbol it may mean.

        Args:
            order: Of the symbols, by path and name.
            common: Names of which not every use was read.
            is_cut: Some files were not read at all.
        """
        guessed: set[tuple[str, int]] = set()
        for suspect in sorted(self._all, key=lambda s: order[s.symbol.path, s.symbol.name]):
            place = suspect.use.path, suspect.use.line
            is_guess = suspect.use.sureness is Sureness.BY_NAME
            if (is_guess and place in guessed) or self._is_innocent(suspect, common, is_cut=is_cut):
                continue
            yield suspect
            if is_guess:
                guessed.add(place)

    def _is_innocent(self, suspect: Suspect, common: Collection[str], *, is_cut: bool) -> bool:
        symbol, word = suspect.symbol, suspect.symbol.searched
        if symbol.has_new_base and not self._codebase.lineage(symbol.path, symbol.owner)[1]:
            return True
        if suspect.unless is Unless.RELATED:
            return self._is_in_family(symbol)
        if suspect.unless is Unless.ANY_OR_MANY and len(self._readers[word]) > _FEW:
            return True
        own = symbol.path, symbol.after.line if symbol.after else 0
        has_others = any((site.path, site.line) != own for site in self._defined.get(word, ()))
        is_passed = not suspect.is_call and word in self._passed
        return has_others or is_passed or is_cut or word in common

    def _is_in_family(self, symbol: ChangedSymbol) -> bool:
        """A class that defines the name inherits from the one that lost it, or the other way round."""
        below, defining = self._families(symbol.searched)
        ours, _ = self._codebase.lineage(symbol.path, symbol.owner)
        return (symbol.path, symbol.owner) in below or any((path, d.name) in defining for path, d in ours)

    def _families(self, word: str) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
        """The classes that define the name with all their bases, and without."""
        if word not in self._lineages:
            defining = frozenset((site.path, site.owner) for site in self._defined.get(word, ()))
            above = frozenset((path, d.name) for site in defining for path, d in self._codebase.lineage(*site)[0])
            self._lineages[word] = above, defining
        return self._lineages[word]
