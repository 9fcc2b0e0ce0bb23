"""What an agent sees of a commit: its regular files without the private ones, and no key in any of them.

A private file does not exist here, nor does one whose name holds a key. Keys are hidden in the whole text of a file
before anything is cut out of it, so that no key can be asked for in two halves. How much is shown at once is for
`draftgate.agents.tools.toolbox`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from threading import Lock

from draftgate.agents.tools.globs import Glob
from draftgate.domain.hiding import hide_in, without_named_keys
from draftgate.domain.match import Match
from draftgate.domain.paths import matches_any
from draftgate.domain.snapshot import Snapshot

_CACHED_CHARACTERS = 16 * 1024 * 1024


class Reader:
    """One commit, for agents in several threads.

    Args:
        snapshot: The commit; nothing else may read it without the lock.
        lock: Shared by all readers of one repository: a snapshot answers one at a time.
        hide: Takes keys out of a text, and keeps its lines.
        private: Path globs of files that no model may see.
        private_paths: Further such paths: what a private file is called on the other side of a rename.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        lock: Lock,
        *,
        hide: Callable[[str], str],
        private: Collection[str] = (),
        private_paths: Collection[str] = (),
    ) -> None:
        self._snapshot = snapshot
        self._lock = lock
        self._hide = hide
        self._private = tuple(private)
        self._private_paths = frozenset(private_paths)
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._cached = 0
        self._paths: tuple[str, ...] | None = None

    def read(self, path: str) -> str | None:
        """The text of a file with its keys hidden; ``None`` if there is no such file for an agent."""
        if not _is_writable(path) or self._is_private(path):
            return None
        with self._lock:
            if path in self._texts:
                self._texts.move_to_end(path)
                return self._texts[path]
            text = self._snapshot.read(path)
        if text is None:
            return None
        hidden = hide_in(text, self._hide)
        with self._lock:
            self._remember(path, hidden)
        return hidden

    def paths(self) -> Sequence[str]:
        """All files that an agent may see, in order."""
        with self._lock:
            if self._paths is None:
                every = without_named_keys(self._snapshot.paths(), self._hide)
                self._paths = tuple(path for path in every if not self._is_listed_private(path))
            return self._paths

    def grep(self, words: Collection[str], glob: str | None = None) -> Iterator[Match]:
        """Lines of text files that hold any of the words, as they are with their keys hidden.

        A line whose word is part of a key is not found, or one could guess a key piece by piece.
        """
        wanted = [word for word in words if word and _is_writable(word)]
        sieve = None if glob is None else Glob.read(glob)
        globs = () if sieve is None or sieve.hint is None else (sieve.hint,)
        with self._lock:
            found = tuple(self._snapshot.grep(wanted, globs=globs)) if wanted else ()
        for match in found:
            if sieve is None or sieve.matches(match.path):
                line = self._line(match.path, match.line)
                if any(word in line for word in wanted):
                    yield Match(match.path, match.line, line)

    def _line(self, path: str, number: int) -> str:
        text = self.read(path)
        lines = [] if text is None or is_binary(text) else split_lines(text)
        return lines[number - 1] if number <= len(lines) else ""

    def _is_private(self, path: str) -> bool:
        return self._is_listed_private(path) or self._hide(path) != path

    def _is_listed_private(self, path: str) -> bool:
        return path in self._private_paths or matches_any(path, self._private)

    def _remember(self, path: str, text: str) -> None:
        if path not in self._texts:
            self._texts[path] = text
            self._cached += len(text)
        while self._cached > _CACHED_CHARACTERS:
            self._cached -= len(self._texts.popitem(last=False)[1])


def is_binary(text: str) -> bool:
    """Whether it holds a NUL, which the text of a program never does."""
    return "\0" in text


def split_lines(text: str) -> list[str]:
    """The lines as git counts them, without their ends; an empty file has none."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _is_writable(text: str) -> bool:
    """Whether it can be bytes at all: half of a surrogate pair, which JSON can hold, cannot."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
