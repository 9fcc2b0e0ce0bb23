"""The files of a commit where only a few of them are known: what a check sees when there is no clone.

A file that is not known is as absent as one that is not there, and every answer is incomplete, which whoever uses
it has to say. Fetching the texts is for the adapter of each forge.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from draftgate.domain.match import Match
from draftgate.domain.paths import matches_any

_LINE_KEPT = 4096


class KnownFiles:
    """What a built-in check sees of a commit (`draftgate.domain.snapshot.Snapshot`).

    Args:
        texts: Path to text of the regular files that were read.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = {path: texts[path] for path in sorted(texts, key=str.encode)}

    def read(self, path: str) -> str | None:
        """The text of a file; ``None`` if it is not known."""
        return self._texts.get(path)

    def paths(self) -> Sequence[str]:
        """The known files, in the order of their bytes."""
        return tuple(self._texts)

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        """Lines of the known files that hold any of `words` between identifier boundaries."""
        wanted = "|".join(re.escape(word) for word in sorted(words) if word)
        if not wanted:
            return
        expression = re.compile(f"(?<![A-Za-z0-9_])(?:{wanted})(?![A-Za-z0-9_])")
        for path, text in self._texts.items():
            if globs and not matches_any(path, globs):
                continue
            for number, line in enumerate(text.split("\n"), start=1):
                if expression.search(line):
                    yield Match(path, number, line[:_LINE_KEPT].removesuffix("\r"))
