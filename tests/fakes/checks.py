"""Checks that find what they are told to, and changes that live in memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from draftgate.checks.base import Change, Check
from draftgate.domain.finding import Category, Finding, Label
from draftgate.domain.match import Match
from draftgate.domain.paths import matches_any


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """The files of one commit, by path."""

    files: Mapping[str, str]

    def read(self, path: str) -> str | None:
        """The text of a file."""
        return self.files.get(path)

    def paths(self) -> Sequence[str]:
        """All files."""
        return sorted(self.files)

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        """Lines with one of the words."""
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
        for path in self.paths():
            if globs and not matches_any(path, tuple(globs)):
                continue
            for number, line in enumerate(self.files[path].split("\n"), start=1):
                if pattern.search(line):
                    yield Match(path, number, line)


def change_of(base: Mapping[str, str], head: Mapping[str, str]) -> Change:
    """A change between two trees, of which no diff was made."""
    return Change((), MemorySnapshot(base), MemorySnapshot(head))


def make_check(check_id: str, *findings: Finding) -> Check:
    """A check of Python files that finds exactly these."""
    return Check(
        id=check_id,
        summary="Finds what it is told to.",
        label=Label.ISSUE,
        decorations=(),
        confidence=75,
        category=Category.OTHER,
        covers=("**/*.py", "*.py"),
        run=lambda _change: iter(findings),
    )
