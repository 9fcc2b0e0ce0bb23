"""The change as text for a model: what it is about, which files it touches, and their diffs with line numbers.

Everything in it was written by others, so it stands between two marks that nothing in it can forge, and every line of
content begins with something of ours. A file goes in whole or not at all; what is left out is named. Keys are hidden
in the files that the lines are from, since a diff shows a key in parts, and nothing is cut before that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from draftgate.domain.change import ChangeRequest
from draftgate.domain.diff import FileDiff, Hunk, LineKind, Side
from draftgate.domain.hiding import HiddenLines, hide_in

LONGEST_LINE = 1_000
"""Characters of a line that are shown; the rest is named."""

_LONGEST_DESCRIPTION = 8_000
_TOO_LONG = "its diff is longer than the room that is left; read it with `read_file`"
_TOKEN_DIGITS = 16
_MARKS = {LineKind.CONTEXT: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}


@dataclass(frozen=True, slots=True)
class Brief:
    """The change as a model is shown it.

    Attributes:
        text: The same for every agent of a review.
        shown: Files whose whole diff is in the text.
        not_shown: Path to reason, for the other changed files that a model may know of.
    """

    text: str
    shown: tuple[str, ...]
    not_shown: tuple[tuple[str, str], ...]


def make_brief(
    change: ChangeRequest,
    files: Sequence[FileDiff],
    *,
    room: int,
    description: str = "",
    hide: Callable[[str], str] = str,
    lines: HiddenLines | None = None,
) -> Brief:
    """Describe a change.

    Args:
        change: What it is about.
        files: The changed files that may be shown, in the order of the diff.
        room: Characters that the diffs may take together; the list of files may take a quarter of that besides.
        description: What its author says of it.
        hide: Takes keys out of a text without changing its lines.
        lines: The files without keys; ``None`` to hide keys in what each hunk shows.
    """
    names_room = room // 4
    shown: list[str] = []
    parts: list[str] = []
    not_shown: list[tuple[str, str]] = []
    for file in files:
        reason = _why_no_diff(file) or (_TOO_LONG if sum(len(hunk.body) for hunk in file.hunks) > room else "")
        text = "" if reason else hide(_diff(file, hide, lines))
        reason = reason or (_TOO_LONG if len(text) > room else "")
        if reason:
            not_shown.append((file.path, reason))
            continue
        room -= len(text)
        shown.append(file.path)
        parts.append(text)
    names = map(hide, _list(files, dict(not_shown), names_room))
    body = "\n".join((*_facts(change, description, hide), *names, *parts))
    return Brief(_between_marks(body), tuple(shown), tuple(not_shown))


def spell_path(path: str) -> str:
    """A path on one line and as it is; one with quotes, controls or blanks at its ends as a JSON string."""
    plain = path.isprintable() and path == path.strip() and '"' not in path and path
    return path if plain else json.dumps(path.encode("utf-8", "replace").decode())


def _facts(change: ChangeRequest, description: str, hide: Callable[[str], str]) -> Iterator[str]:
    yield f"Title: {_one_line(hide(change.title))}"
    yield f"Target branch: {_one_line(hide(change.base_ref))}"
    yield f"Branch: {_one_line(hide(change.head_ref))}"
    if description:
        yield "Description:"
        text = hide(description)
        yield from (f"| {line}" for line in text[:_LONGEST_DESCRIPTION].replace("\r", "").split("\n"))
        if len(text) > _LONGEST_DESCRIPTION:
            yield f"[…{len(text) - _LONGEST_DESCRIPTION:,} more characters of it are not shown]"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_LINE]


def _list(files: Sequence[FileDiff], not_shown: Mapping[str, str], room: int) -> Iterator[str]:
    yield ""
    yield f"Changed files ({len(files)}):"
    for number, file in enumerate(files):
        reason = not_shown.get(file.path)
        renamed = f" (was {spell_path(file.old_path)})" if file.old_path and file.old_path != file.path else ""
        row = f"- {spell_path(file.path)}{renamed}: {file.status.value}{f'; not shown: {reason}' if reason else ''}"
        room -= len(row)
        if room < 0 and number:
            yield f"- and {len(files) - number:,} more, whose diffs may follow or not"
            return
        yield row


def _why_no_diff(file: FileDiff) -> str:
    if file.is_submodule:
        return "a submodule"
    if file.is_symlink:
        return "a symbolic link"
    if file.binary:
        return "binary"
    return "" if file.hunks else "no lines of it changed"


def _diff(file: FileDiff, hide: Callable[[str], str], lines: HiddenLines | None) -> str:
    header = f"\n### {spell_path(file.path)} ({file.status.value})\n"
    old, new = (
        None if lines is None or path is None else lines.of(path, side)
        for path, side in ((file.old_path, Side.LEFT), (file.new_path, Side.RIGHT))
    )
    return header + "\n".join(row for hunk in file.hunks for row in _rows(hunk, old, new, hide))


def _rows(
    hunk: Hunk, old: Sequence[str] | None, new: Sequence[str] | None, hide: Callable[[str], str]
) -> Iterator[str]:
    """Each line under its numbers in the old and the new file."""
    removed, present = _texts(hunk, Side.LEFT, old, hide), _texts(hunk, Side.RIGHT, new, hide)
    heading = _heading(hunk, old)
    yield f"@@ old {hunk.old_start} new {hunk.new_start} @@{f' {heading}' if heading else ''}"
    for line in hunk.lines:
        text = removed[line.old or 0] if line.new is None else present[line.new]
        yield f"{line.old or '':>6} {line.new or '':>6} {_MARKS[line.kind]} {_cut(text)}"


def _texts(hunk: Hunk, side: Side, lines: Sequence[str] | None, hide: Callable[[str], str]) -> Mapping[int, str]:
    """The lines of one side by number, without keys."""
    rows = ((line.old if side is Side.LEFT else line.new, line.content) for line in hunk.lines)
    shown = {number: content.decode("utf-8", "replace") for number, content in rows if number is not None}
    if lines is not None and max(shown, default=0) <= len(lines):
        return {number: lines[number - 1] for number in shown}
    return dict(zip(shown, hide_in("\n".join(shown.values()), hide).split("\n"), strict=True)) if shown else {}


def _heading(hunk: Hunk, old: Sequence[str] | None) -> str:
    """What git shows of a line above the hunk, cut at some width; left out where that line may hold a key."""
    heading = hunk.heading.decode("utf-8", "replace").rstrip("\ufffd")
    above = () if old is None else old[: hunk.old_start]
    return _one_line(heading) if any(line.startswith(heading) for line in reversed(above)) else ""


def _cut(text: str) -> str:
    text = text.removesuffix("\r").replace("\r", "␍")
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:LONGEST_LINE]} […{len(text) - LONGEST_LINE:,} more characters of this line are not shown]"


def between_marks(parts: Iterable[str]) -> str:
    """Texts of others, between two marks that name a digest of what is between them."""
    return _between_marks("\n".join(parts))


def _between_marks(body: str) -> str:
    """The digest depends on the text, so that no text can hold its own, and is the same whenever the text is."""
    token = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:_TOKEN_DIGITS]
    return f"=== untrusted {token} begins ===\n{body}\n=== untrusted {token} ends ==="
