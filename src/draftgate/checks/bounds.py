"""What of a change a check reads and how much it may do: hostile text costs no more than its size, and is said.

Bounds are counts, never times, so that a review says the same on every machine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from draftgate.checks.base import Change, Match, Snapshot
from draftgate.checks.grammar.tree import MAX_SOURCE_CHARACTERS, language_of, why_refused

_FILES_SAID = 20


@dataclass(slots=True)
class Effort:
    """How much work is left, in whatever unit its owner counts."""

    left: int

    def spend(self, units: int) -> bool:
        """Take from it; whether there was enough."""
        self.left -= units
        return self.left >= 0

    @property
    def is_spent(self) -> bool:
        """More was asked for than there was."""
        return self.left < 0


class BoundedSnapshot:
    """A `Snapshot` in which a file that is too large or unlike code counts as absent."""

    def __init__(self, snapshot: Snapshot, refused: Callable[[str, str], None]) -> None:
        self._snapshot = snapshot
        self._refused = refused
        self._reasons: dict[str, str | None] = {}

    def read(self, path: str) -> str | None:
        """The text of a file, ``None`` if there is none or it is refused."""
        text = self._snapshot.read(path)
        if text is None:
            return None
        if path not in self._reasons:
            reason = self._reasons[path] = _why_unread(path, text)
            if reason is not None:
                self._refused(path, reason)
        return text if self._reasons[path] is None else None

    def paths(self) -> Sequence[str]:
        """All regular files, refused ones too."""
        return self._snapshot.paths()

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        """Lines that hold any of the words, in refused files too."""
        return self._snapshot.grep(words, globs=globs)


def within_bounds(change: Change, check: str) -> Change:
    """The change as the check reads it: each file that is refused is said once, many are summed up."""
    said: set[str] = set()

    def refused(path: str, reason: str) -> None:
        change.refused(path, reason)
        if len(said) < _FILES_SAID:
            change.limited(f"{check}: {path} was not read: {reason}")
        elif len(said) == _FILES_SAID:
            change.limited(f"{check}: more files than these were not read")
        said.add(path)

    return dataclasses.replace(
        change, base=BoundedSnapshot(change.base, refused), head=BoundedSnapshot(change.head, refused)
    )


def _why_unread(path: str, text: str) -> str | None:
    language = language_of(path)
    if language is not None:
        return why_refused(text, language)
    if len(text) > MAX_SOURCE_CHARACTERS and not path.endswith(".sql"):  # a dump of a schema may be large
        return f"it is longer than {MAX_SOURCE_CHARACTERS:,} characters"
    return None
