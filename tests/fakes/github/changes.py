"""What a change does to each file, and which of its lines a review comment may hang on.

Read from git's own output, with a reader of its own: the simulator must not share the program's mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from tests.fakes.github.entities import Side
from tests.fakes.github.refusals import bad_anchor
from tests.git_builder import Repo

NO_PATH = "Path could not be resolved"
NO_LINE = "Pull request review thread line must be part of the diff"
TWO_HUNKS = "Pull request review thread start line must be part of the same hunk as the line."

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_ABSENT = "0" * 40
_HEADER = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")

Place = tuple[Side, int]


@dataclass(frozen=True)
class ChangedFile:
    """One file of a change.

    Attributes:
        sha: The blob at the head, or the one that is gone.
        patch: From the first ``@@`` on; ``None`` for binary files, pure renames and changes of mode.
        modes: Before and after; ``000000`` where there is no file.
    """

    path: str
    previous_path: str | None
    status: str
    sha: str
    patch: str | None
    modes: tuple[str, str]

    @property
    def additions(self) -> int:
        return sum(row.startswith("+") for row in (self.patch or "").split("\n"))

    @property
    def deletions(self) -> int:
        return sum(row.startswith("-") for row in (self.patch or "").split("\n"))

    @cached_property
    def places(self) -> dict[Place, tuple[int, int]]:
        """Each place a comment may hang on: the row its hunk starts at in the patch, and its own row."""
        return dict(_places(self.patch or ""))

    def hunk_until(self, row: int) -> str:
        """The ``diff_hunk`` of a comment on a row of the patch: its hunk up to there."""
        start = max(start for start, other in self.places.values() if other <= row)
        return "\n".join((self.patch or "").split("\n")[start : row + 1])


def changed_files(git: Repo, base: str, head: str) -> list[ChangedFile]:
    """The files that differ, in git's order, which is GitHub's."""
    return list(_changed_files(git.path, base, head))


@lru_cache(maxsize=256)
def _changed_files(path: Path, base: str, head: str) -> tuple[ChangedFile, ...]:
    """The same by ids, which never mean anything else: nearly every request asks for it."""
    git = Repo(path)
    options = ("diff", "--find-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color")
    entries = git.git(*options, "--raw", "-z", base, head).decode("utf-8", "replace").split("\0")
    text = git.git(*options, "--patch", base, head).decode("utf-8", "replace")
    patches = iter(re.split(r"^diff --git ", text, flags=re.MULTILINE)[1:])
    return tuple(_read(iter(entries[:-1]), patches))


def find_place(
    file: ChangedFile | None, line: int | None, side: Side, start_line: int | None, start_side: Side | None
) -> int:
    """The row of the file's patch that a comment names.

    Raises:
        BadAnchor: It is not in the diff, or goes over two hunks, or runs backwards.
    """
    if file is None:
        raise bad_anchor(NO_PATH)
    if line is None or (side, line) not in file.places:
        raise bad_anchor(NO_LINE)
    if start_line is not None:
        first, last = file.places.get((start_side or side, start_line)), file.places[side, line]
        if first is None or first[0] != last[0] or first[1] >= last[1]:
            raise bad_anchor(TWO_HUNKS)
    return file.places[side, line][1]


def _read(entries: Iterator[str], patches: Iterator[str]) -> Iterator[ChangedFile]:
    for entry in entries:
        old_mode, new_mode, old_blob, new_blob, letter = entry.removeprefix(":").split(" ")
        previous = next(entries) if letter[0] in "RC" else None
        path = next(entries)
        patch = _body(next(patches))
        if letter == "T":  # printed as a removal and an addition
            patch = f"{patch or ''}\n{_body(next(patches)) or ''}"
        sha = old_blob if new_blob == _ABSENT else new_blob
        yield ChangedFile(path, previous, _STATUS[letter[0]], sha, patch, (old_mode, new_mode))


def _body(section: str) -> str | None:
    start = re.search(r"^@@ ", section, flags=re.MULTILINE)
    return section[start.start() :].removesuffix("\n") if start else None


def _places(patch: str) -> Iterator[tuple[Place, tuple[int, int]]]:
    start = old = new = 0
    for row, text in enumerate(patch.split("\n")):
        if header := _HEADER.match(text):
            start, old, new = row, int(header[1]), int(header[2])
            continue
        if text.startswith(("-", " ")):
            yield (Side.LEFT, old), (start, row)
            old += 1
        if text.startswith(("+", " ")):
            yield (Side.RIGHT, new), (start, row)
            new += 1
