"""Which places of a diff a comment may hang on, by GitLab's rules, and where pushes move them.

Read from git's own output, with the simulators' own reader: they must not share the program's mistakes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tests.fakes.github.changes import ChangedFile, changed_files
from tests.fakes.gitlab.entities import MergeRequest, Position, Version
from tests.git_builder import Repo

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HUNKS = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_WHOLE_FILE = "--unified=1000000"

Line = tuple[int | None, int | None]
"""A line of a diff: its number before and after; an added one has none before, a removed one none after."""


def line_code(path: str, old: int, new: int) -> str:
    """GitLab's name for a line of a diff."""
    return f"{hashlib.sha1(path.encode()).hexdigest()}_{old}_{new}"  # noqa: S324, GitLab's choice


def files_of(merge_request: MergeRequest, version: Version | None = None) -> list[ChangedFile]:
    """What a version of a merge request changes; the newest if none is named."""
    shown = version or merge_request.version
    return changed_files(merge_request.project.git, shown.base, shown.head)


def find_line_code(merge_request: MergeRequest, position: Position) -> str | None:
    """The code of the line that a position names, ``None`` if there is no such line in any version.

    Lines outside of the hunks count, since GitLab unfolds them: those of a changed file that did not change, if both
    of their numbers are given and belong together.
    """
    version = _version_of(merge_request, position)
    file = None if version is None else find_file(merge_request, version, position)
    if position.position_type != "text" or version is None or file is None:
        return None
    if (position.new_path, position.new_line) in merge_request.lost_lines:
        return None
    counters = _lines(merge_request.project.git.path, version.base, version.head, _paths(file))
    found = counters.get((position.old_line, position.new_line))
    return None if found is None else line_code(file.path, *found)


def is_placed(merge_request: MergeRequest, position: Position) -> bool:
    """Whether a comment can be made there."""
    if not position.complete or (position.new_path, position.new_line) in merge_request.lost_places:
        return False
    if position.position_type == "text":
        return find_line_code(merge_request, position) is not None
    version = _version_of(merge_request, position)
    return version is not None and find_file(merge_request, version, position) is not None


def find_file(merge_request: MergeRequest, version: Version, position: Position) -> ChangedFile | None:
    """The file of a position, which has to have both of its names."""
    named = (position.old_path, position.new_path)
    for file in files_of(merge_request, version):
        if named == (file.previous_path or file.path, file.path):
            return file
    return None


def trace(merge_request: MergeRequest, position: Position) -> Position | None:
    """The same place in the newest version; ``None`` if its line changed or is not there any more."""
    before, after = _version_of(merge_request, position), merge_request.version
    if before is None or before is after:
        return position if before is after else None
    file = find_file(merge_request, after, position)
    if file is None:
        return None
    if position.position_type != "text":
        return position.at(after, position.old_line, position.new_line)
    git, path = merge_request.project.git, position.new_path or position.old_path or ""
    new = None if position.new_line is None else _moved(git, before.head, after.head, path, position.new_line)
    old = None
    if position.old_line is not None:
        old = _moved(git, before.base, after.base, file.previous_path or path, position.old_line)
    counters = _lines(git.path, after.base, after.head, _paths(file))
    lost = (position.new_line is not None and new is None) or (position.old_line is not None and old is None)
    return None if lost or (old, new) not in counters else position.at(after, old, new)


def _version_of(merge_request: MergeRequest, position: Position) -> Version | None:
    named = (position.base_sha, position.start_sha, position.head_sha)
    versions = reversed(merge_request.versions)
    return next((each for each in versions if (each.base, each.start, each.head) == named), None)


def _paths(file: ChangedFile) -> tuple[str, ...]:
    return (file.path,) if file.previous_path is None else (file.previous_path, file.path)


@lru_cache(maxsize=512)
def _lines(path: Path, base: str, head: str, names: tuple[str, ...]) -> Mapping[Line, tuple[int, int]]:
    """Every line of a file in a diff, with the two counters that its code has."""
    options = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", _WHOLE_FILE)
    patch = Repo(path).git("diff", *options, base, head, "--", *names).decode("utf-8", "replace")
    lines: dict[Line, tuple[int, int]] = {}
    old = new = 0
    inside = False
    for row in patch.split("\n"):
        if header := _HUNK.match(row):
            old, new, inside = int(header[1]), int(header[3]), True
        elif inside and row.startswith("-"):
            lines[old, None] = (old, new)
            old += 1
        elif inside and row.startswith("+"):
            lines[None, new] = (old, new)
            new += 1
        elif inside and row.startswith(" "):
            lines[old, new] = (old, new)
            old, new = old + 1, new + 1
        elif not row.startswith("\\"):
            inside = False
    return lines


def _moved(git: Repo, before: str, after: str, path: str, line: int) -> int | None:
    """The number of a line of `before` in `after`, ``None`` if the line changed."""
    if before == after:
        return line
    shift = 0
    for header in _HUNKS.findall(git.git("diff", "--unified=0", "--no-renames", before, after, "--", path)):
        old_start, gone, new_start, come = (int(number or 1) for number in header)
        first = old_start + (gone == 0)  # the first line at or after the change, before and after it
        if line < first:
            break
        if line < first + gone:
            return None
        shift = new_start + (come == 0) + come - first - gone
    return line + shift
