"""Which file a model means by a path: the exact one, or one that is only spelled differently and was changed.

Never a file of the same name elsewhere or in another case, and nothing outside the repository.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from draftgate.agents.answers.fields import clean
from draftgate.domain.diff import FileDiff, FileStatus, Side
from draftgate.domain.snapshot import Change

_CONTAINER_ROOT = "/github/workspace"
"""Where GitHub's runner puts the repository in a container."""

_HERE = re.compile(r"(?:\./)+")
_PLACE = re.compile(r"(?::[0-9]+(?:[-:][0-9]+)?|#L[0-9]+(?:-L?[0-9]+)?)\Z")


@dataclass(frozen=True, slots=True)
class ClaimedFile:
    """A file of the repository.

    Attributes:
        path: At head, or at base if the file is gone.
        old_path: At base, ``None`` if the file is new.
        new_path: At head, ``None`` if the file is gone.
    """

    path: str
    old_path: str | None
    new_path: str | None

    def read(self, change: Change, side: Side) -> str | None:
        """The text of the file on one side; ``None`` if there is none to read."""
        path, snapshot = (self.old_path, change.base) if side is Side.LEFT else (self.new_path, change.head)
        return None if path is None else snapshot.read(path)


def find_file(path: str, change: Change, *, side: Side | None = None, roots: Sequence[str] = ()) -> ClaimedFile | None:
    """The file that a path means; ``None`` if it means none.

    Args:
        path: As a model wrote it.
        change: What is under review.
        side: Which of two files is meant where a name was given to another one.
        roots: Absolute folders in which the repository may have been seen.
    """
    exact = _find_changed(path, change.files, side)
    if exact is not None:
        return exact
    if path == clean(path) and change.head.read(path) is not None:
        return ClaimedFile(path, path, path)
    variants = (_find_changed(variant, change.files, side) for variant in _respell(path, roots))
    return next((file for file in variants if file is not None), None)


def _find_changed(path: str, files: Iterable[FileDiff], side: Side | None) -> ClaimedFile | None:
    """The source of a copy is not changed by it, so its name leads nowhere."""
    by_new = next((file for file in files if path == file.new_path), None)
    by_old = next((file for file in files if path == file.old_path and file.status is not FileStatus.COPIED), None)
    file = (by_old or by_new) if side is Side.LEFT else (by_new or by_old)
    return None if file is None else ClaimedFile(file.path, file.old_path, file.new_path)


def _respell(path: str, roots: Sequence[str]) -> Iterator[str]:
    """Other spellings of a path, the ones with fewer liberties first."""
    yield from _unquoted(path)
    plain = path.strip().replace("\\", "/")
    folders = [f"{root.replace(chr(92), '/').rstrip('/')}/" for root in (*roots, _CONTAINER_ROOT) if root]
    plain = plain.removeprefix(next((folder for folder in folders if plain.startswith(folder)), ""))
    here = _HERE.match(plain)
    plain = plain[here.end() :] if here else plain
    for spelling in (plain, _PLACE.sub("", plain)):
        yield spelling
        if spelling.startswith(("a/", "b/")):
            yield spelling[2:]


def _unquoted(path: str) -> Iterator[str]:
    """A name that was listed as a JSON string, because it holds what ends or hides a line."""
    if not path.startswith('"'):
        return
    try:
        yield str(json.loads(path))
    except ValueError:
        return
