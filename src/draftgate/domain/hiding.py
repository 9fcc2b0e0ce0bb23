"""Lines of files without keys: they are hidden in the file as a whole, for a key may stand on many lines.

Of a few lines out of the middle of a key nobody can tell what they are, so nothing that quotes a file hides them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from draftgate.domain.diff import Side
from draftgate.domain.snapshot import Change

Hide = Callable[[str], str]


def hide_in(text: str, hide: Hide) -> str:
    """The text without keys and with as many lines: those before and after what changed keep their numbers."""
    hidden = hide(text)
    old, new = text.split("\n"), hidden.split("\n")
    if len(old) == len(new):
        return hidden
    shorter = min(len(old), len(new))
    alike = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - alike) if old[-1 - at] != new[-1 - at]), shorter - alike)
    middle = new[alike : len(new) - tail][: len(old) - alike - tail]
    padding = [""] * (len(old) - alike - tail - len(middle))
    return "\n".join((*new[:alike], *middle, *padding, *new[len(new) - tail :]))


def without_named_keys(paths: Sequence[str], hide: Hide) -> Sequence[str]:
    """Those of the paths whose names hold no key; there may be many thousands, and hardly ever one that does."""
    every = "\n".join(paths)
    return paths if hide(every) == every else tuple(path for path in paths if hide(path) == path)


class HiddenLines:
    """The files of both commits without keys; each is read once.

    Args:
        change: What is under review.
        hide: Takes keys out of a text.
    """

    def __init__(self, change: Change, hide: Hide) -> None:
        self._change = change
        self._hide = hide
        self._files: dict[tuple[str, bool], tuple[str, ...] | None] = {}

    def of(self, path: str, side: Side | None) -> tuple[str, ...] | None:
        """All lines of a file, at head unless the side is ``LEFT``; ``None`` if it cannot be read."""
        is_old = side is Side.LEFT
        if (path, is_old) not in self._files:
            text = (self._change.base if is_old else self._change.head).read(path)
            self._files[path, is_old] = None if text is None else tuple(hide_in(text, self._hide).split("\n"))
        return self._files[path, is_old]
