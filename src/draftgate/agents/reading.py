"""What agents read: the two commits behind a lock, without private files, those named for a key, and without keys.

What a model is shown goes through `Reader`. Holding its answer to the commits needs the text as it
is, which stays here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

from draftgate.agents.brief import Brief, make_brief
from draftgate.agents.crew import Material
from draftgate.agents.tools.lookups import World
from draftgate.agents.tools.reader import Reader
from draftgate.agents.tools.toolbox import Toolbox
from draftgate.domain.change import ChangeRequest
from draftgate.domain.diff import FileDiff
from draftgate.domain.hiding import HiddenLines
from draftgate.domain.history import History
from draftgate.domain.match import Match
from draftgate.domain.paths import matches_any
from draftgate.domain.snapshot import Change, Snapshot


@dataclass(frozen=True, slots=True)
class Reading:
    """The two commits and what led to the head, for agents alone: a reader of objects answers one at a time.

    Attributes:
        history: ``None`` where there is no clone.
    """

    base: Snapshot
    head: Snapshot
    history: History | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What agents may not be shown, and whom they may ask.

    Attributes:
        private: Path globs of files that no model may see.
        hide: Takes keys out of a text and keeps its lines.
        fetch: Fetches a page from a host that the configuration lists; ``None`` if it lists none.
        excluded: Path globs of files that are not reviewed.
    """

    private: tuple[str, ...]
    hide: Callable[[str], str]
    fetch: Callable[[str], str] | None = None
    excluded: tuple[str, ...] = ()


def make_material(
    change: ChangeRequest, description: str, files: Sequence[FileDiff], reading: Reading, bounds: Bounds
) -> Material:
    """What the agents of a review are shown and may read of a change.

    Args:
        change: What it is about.
        description: What its author says of it.
        files: The changed files.
        reading: The commits.
        bounds: See `Bounds`.
    """
    lock = Lock()
    names: set[str | None] = set()
    shown: list[FileDiff] = []
    for file in files:
        if is_private(file, bounds.private):
            names |= {file.old_path, file.new_path}
        elif not matches_any(file.path, bounds.excluded):
            shown.append(file)
    hidden = {name for name in names if name is not None}

    def is_hidden(path: str) -> bool:
        return path in hidden or matches_any(path, bounds.private) or bounds.hide(path) != path

    def reader(snapshot: Snapshot) -> Reader:
        return Reader(snapshot, lock, hide=bounds.hide, private=bounds.private, private_paths=hidden)

    world = World(reader(reading.head), reader(reading.base), reading.history, bounds.hide, bounds.fetch)
    view = Change(tuple(shown), _Locked(reading.base, lock, is_hidden), _Locked(reading.head, lock, is_hidden))
    lines = HiddenLines(view, bounds.hide)

    @cache  # the same for every agent of a review
    def brief(room: int) -> Brief:
        return make_brief(change, view.files, room=room, description=description, hide=bounds.hide, lines=lines)

    return Material(bool(description), view, brief, lambda: Toolbox(world), bounds.hide, lines)


def is_private(file: FileDiff, globs: Iterable[str]) -> bool:
    """Whether a changed file may not be shown to a model, under either of its names."""
    return any(matches_any(path, tuple(globs)) for path in (file.old_path, file.new_path) if path is not None)


class _Locked:
    """A snapshot that several threads may ask; what a model may not see, it cannot have quoted."""

    def __init__(self, snapshot: Snapshot, lock: Lock, is_hidden: Callable[[str], bool]) -> None:
        self._snapshot = snapshot
        self._lock = lock
        self._is_hidden = is_hidden

    def read(self, path: str) -> str | None:
        if self._is_hidden(path):
            return None
        with self._lock:
            return self._snapshot.read(path)

    def paths(self) -> Sequence[str]:
        with self._lock:
            return self._snapshot.paths()

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        with self._lock:
            return iter(tuple(self._snapshot.grep(words, globs=globs)))
