"""Where a remark can hang, known from the diff before anything is sent to a forge.

Forges refuse, drop or misplace a remark on a line that the diff does not show, so a wish for a place
is first resolved here; that it cannot hang on a line is an answer, not an error. No forge's payload is
built here: an adapter takes the anchor and, where it needs them, both counters of a line (`line_pair`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from draftgate.domain.diff import FileDiff, FileStatus, Hunk, LineKind, Side
from draftgate.domain.finding import Anchor, AnchorKind, Scope


@dataclass(frozen=True, slots=True)
class Wanted:
    """The place that a finding names, as a check, a model or a person wrote it: nothing is certain.

    Attributes:
        path: The file; the old name of a renamed one will do.
        side: ``None`` means the new file, or the old one if the file is gone.
        start_line: First line of a range; may be reversed, zero or negative.
        line: The line, or the last line of a range.
    """

    path: str
    side: Side | None = None
    start_line: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where the remark will hang.

    Attributes:
        anchor: A line or range that the diff shows, else the file, else nothing. Its path is the one at
            head, or at base if the file is gone.
        scope: What that means for the finding.
        note: Why the anchor is not the wanted place, as a sentence part; "" if it is.
    """

    anchor: Anchor
    scope: Scope
    note: str


def resolve(files: Sequence[FileDiff], wanted: Wanted) -> Resolution:
    """The nearest place to the wanted one that every forge accepts; no line is ever invented."""
    file = _find(files, wanted)
    if file is None:
        return Resolution(Anchor(AnchorKind.NONE), Scope.OUT_OF_DIFF, "the file is not part of the change")
    reason = _why_no_lines(file)
    if reason:
        return _on_file(file, reason)
    numbers = [number for number in (wanted.start_line, wanted.line) if number is not None and number > 0]
    if not numbers:
        return _on_file(file, "" if wanted.line is None else "there is no such line")
    return _on_lines(file, _side(file, wanted), min(numbers), max(numbers))


def commentable_lines(file: FileDiff, side: Side) -> frozenset[int]:
    """Lines that a remark can hang on: added and context lines on the right, removed ones on the left."""
    if _why_no_lines(file):
        return frozenset()
    if side is Side.LEFT:
        return file.removed_lines
    return frozenset(line for hunk in file.hunks for line in range(hunk.new_start, hunk.new_start + hunk.new_count))


def line_pair(file: FileDiff, side: Side, line: int) -> tuple[int, int] | None:
    """Both counters at a shown line, ``None`` if no hunk shows it.

    At an added line the old counter stands on the next old line, at a removed one the new counter on
    the next new line, each counted from the hunk header. GitLab's ``line_code`` is made of these two
    numbers (gitlab-org/gitlab, lib/gitlab/diff/parser.rb).
    """
    for hunk in file.hunks:
        if line in _span(hunk, side):
            return _pair_in(hunk, side, line)
    return None


def _find(files: Sequence[FileDiff], wanted: Wanted) -> FileDiff | None:
    """The file of that name; an old name counts second, or first for a place in the old file.

    The source of a copy is not changed by it, so its name leads nowhere.
    """
    by_new = (file for file in files if wanted.path == file.new_path)
    by_old = (file for file in files if wanted.path == file.old_path and file.status is not FileStatus.COPIED)
    order = (by_old, by_new) if wanted.side is Side.LEFT else (by_new, by_old)
    return next((file for group in order for file in group), None)


def _why_no_lines(file: FileDiff) -> str:
    if file.binary:
        return "a binary file has no lines to hang on"
    if file.is_symlink:
        return "the text of a symbolic link is its target, not source"
    if file.is_submodule:
        return "the text of a submodule is a commit, not source"
    if not file.hunks:
        return "no line of the file was changed"
    return ""


def _side(file: FileDiff, wanted: Wanted) -> Side:
    if file.new_path is None:
        return Side.LEFT
    return wanted.side or Side.RIGHT


def _on_file(file: FileDiff, reason: str) -> Resolution:
    return Resolution(Anchor(AnchorKind.FILE, path=file.path), Scope.FILE, reason)


def _on_lines(file: FileDiff, side: Side, first: int, last: int) -> Resolution:
    found = _choose(_clip_each(file.hunks, side, first, last), first, last)
    if found is None and side is Side.LEFT:
        return _on_context(file, first, last)
    if found is None:
        return _on_file(file, f"{_name(first, last)} is not shown in the diff")
    note = "" if found == (first, last) else f"{_name(first, last)} is not shown in one hunk"
    return _on_range(file, side, *found, note)


def _on_range(file: FileDiff, side: Side, first: int, last: int, note: str) -> Resolution:
    start = None if first == last else first
    anchor = Anchor(AnchorKind.LINE, path=file.path, side=side, start_line=start, line=last)
    return Resolution(anchor, Scope.IN_DIFF, note)


def _on_context(file: FileDiff, first: int, last: int) -> Resolution:
    """An unchanged line named by its old number hangs on the right, under its new number."""
    for hunk in file.hunks:
        shown = [
            line.new
            for line in hunk.lines
            if line.new is not None and line.old is not None and first <= line.old <= last
        ]
        if shown:
            return _on_range(file, Side.RIGHT, shown[0], shown[-1], "the line is unchanged and named by its new number")
    return _on_file(file, f"old {_name(first, last)} is not shown in the diff")


def _clip_each(hunks: Iterable[Hunk], side: Side, first: int, last: int) -> list[tuple[int, int]]:
    """What each hunk shows of a range, without the hunks that show nothing of it."""
    clipped = []
    for hunk in hunks:
        span = _span(hunk, side)
        low, high = max(first, span.start), min(last, span.stop - 1)
        if low > high:
            continue
        shown = range(low, high + 1) if side is Side.RIGHT else _removed(hunk, low, high)
        if shown:
            clipped.append((shown[0], shown[-1]))
    return clipped


def _choose(clipped: Sequence[tuple[int, int]], first: int, last: int) -> tuple[int, int] | None:
    """A forge refuses a range over two hunks: the part with the end, else with the start, else any."""
    with_end = (part for part in clipped if part[1] == last)
    with_start = (part for part in clipped if part[0] == first)
    return next((part for group in (with_end, with_start, clipped) for part in group), None)


def _span(hunk: Hunk, side: Side) -> range:
    start, count = (hunk.old_start, hunk.old_count) if side is Side.LEFT else (hunk.new_start, hunk.new_count)
    return range(start, start + count)


def _removed(hunk: Hunk, low: int, high: int) -> list[int]:
    return [
        line.old
        for line in hunk.lines
        if line.kind is LineKind.REMOVED and line.old is not None and low <= line.old <= high
    ]


def _pair_in(hunk: Hunk, side: Side, wanted: int) -> tuple[int, int] | None:
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines:
        if wanted == (line.old if side is Side.LEFT else line.new):
            return old, new
        old += line.old is not None
        new += line.new is not None
    return None


def _name(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"range {first}-{last}"
