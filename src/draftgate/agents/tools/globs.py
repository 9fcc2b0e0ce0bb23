"""Path globs as a model writes them, matched in a time that no glob and no path can blow up.

They mean what `draftgate.domain.paths` says, but those become one regular expression, which a hostile glob together
with a hostile file name could keep busy for hours; here each folder is matched alone. ``**`` is a whole folder name.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

_PLAIN = re.compile(r"[^*?\[\\\0\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Glob:
    """One glob, taken apart.

    Attributes:
        names: The pattern of each folder and of the file; ``None`` stands for any number of folders.
        hint: A simpler glob that lets through at least the same, ``None`` if there is none; for a first sieve.
    """

    names: tuple[re.Pattern[str] | None, ...]
    hint: str | None

    @classmethod
    def read(cls, written: str) -> Glob:
        """Take a glob apart; every text is one."""
        parts = written.removeprefix("./").removeprefix("/").split("/")
        if parts[-1] in {"", "**"}:
            parts[-1:] = ["**", "*"]
        if "/" not in written.rstrip("/"):
            parts = ["**", *parts]
        # `fnmatch` writes atomic groups, so that a pattern never tries again what it tried.
        compiled = (None if part == "**" else re.compile(fnmatch.translate(part)) for part in parts)
        return cls(tuple(compiled), _find_hint(parts))

    def matches(self, path: str) -> bool:
        """Whether the glob matches the whole path."""
        names = path.split("/")
        at = position = 0
        again_at, again_position = -1, 0
        while position < len(names):
            pattern = self.names[at] if at < len(self.names) else _NOTHING
            if pattern is None:
                again_at, again_position = at, position
                at += 1
            elif pattern.match(names[position]):
                at += 1
                position += 1
            elif again_at < 0:
                return False
            else:  # the last `**` takes one folder more; those before it need never be asked again
                again_position += 1
                at, position = again_at + 1, again_position
        return at == len(self.names)


_NOTHING = re.compile(r"(?!)")


def _find_hint(parts: list[str]) -> str | None:
    folders = []
    for part in parts[:-1]:
        if not _PLAIN.fullmatch(part):
            break
        folders.append(part)
    if folders:
        return "/".join(folders) + "/"
    ending = parts[-1].removeprefix("*")
    return parts[-1] if _PLAIN.fullmatch(ending) else None
