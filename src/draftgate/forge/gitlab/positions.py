"""Where a comment stands in GitLab's terms: a position on the diff that GitLab made, or none.

GitLab takes a draft with any position and loses it when it is published, so a position is computed from the diff and
never guessed. An added line has a new number alone, a removed one an old number alone, a line of context both; a range
names its ends by their line codes. https://docs.gitlab.com/api/discussions/#create-a-new-thread-in-the-merge-request-diff
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from draftgate.domain.anchor import line_pair
from draftgate.domain.diff import FileDiff, Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.forge.gitlab.facts import DiffRefs

Position = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Positions:
    """Makes positions on one version of the diff.

    Attributes:
        refs: Its commits.
        files: What changed, as GitLab shows it.
    """

    refs: DiffRefs
    files: Sequence[FileDiff]

    def of(self, anchor: Anchor) -> Position | None:
        """The position of an anchor; ``None`` if the diff does not show its place."""
        file = self._file(anchor)
        if file is None:
            return None
        common = {
            "base_sha": self.refs.base,
            "start_sha": self.refs.start,
            "head_sha": self.refs.head,
            "old_path": file.old_path or file.path,
            "new_path": file.new_path or file.path,
        }
        if anchor.kind is AnchorKind.FILE:
            return {**common, "position_type": "file"}
        side, line = anchor.side or Side.RIGHT, anchor.line
        end = None if line is None else _Spot.at(file, side, line)
        if end is None:
            return None
        placed = {**common, "position_type": "text", **end.numbers}
        if anchor.start_line is None or anchor.start_line == line:
            return placed
        start = _Spot.at(file, side, anchor.start_line)
        return None if start is None else {**placed, "line_range": {"start": start.named, "end": end.named}}

    def _file(self, anchor: Anchor) -> FileDiff | None:
        """An anchor names the path at head, or at base if the file is gone, whichever side it is on."""
        by_new = (file for file in self.files if anchor.path == file.new_path)
        by_old = (file for file in self.files if anchor.path == file.old_path)
        return next((file for group in (by_new, by_old) for file in group), None)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A line of the diff.

    Attributes:
        path: Of the file, as line codes are made with it.
        old, new: Both counters at the line.
        is_added, is_removed: What the diff says of it; neither for a line of context.
    """

    path: str
    old: int
    new: int
    is_added: bool
    is_removed: bool

    @classmethod
    def at(cls, file: FileDiff, side: Side, line: int) -> _Spot | None:
        pair = line_pair(file, side, line)
        if pair is None:
            return None
        old, new = pair
        is_added = side is Side.RIGHT and line in file.added_lines
        is_removed = side is Side.LEFT and line in file.removed_lines
        return cls(file.path, old, new, is_added, is_removed)

    @property
    def numbers(self) -> dict[str, object]:
        """The numbers that the line has."""
        old: dict[str, object] = {} if self.is_added else {"old_line": self.old}
        return old if self.is_removed else {**old, "new_line": self.new}

    @property
    def named(self) -> dict[str, object]:
        """The line as the end of a range; of a line of context GitLab keeps no type."""
        code = f"{hashlib.sha1(self.path.encode(), usedforsecurity=False).hexdigest()}_{self.old}_{self.new}"
        kind = {"type": "new"} if self.is_added else {"type": "old"} if self.is_removed else {}
        return {"line_code": code, **kind, **self.numbers}
