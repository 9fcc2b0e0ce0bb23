"""What GitLab reads in a text that people write: quick actions, and whom or what it names.

Both are looked for outside of code; quick actions also outside of quotes and blocks of HTML. What a quick action does
is `quick_actions`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST_NOTE = 1_000_000
"""Bytes of a comment."""

ALIASES = {
    "reviewer": "assign_reviewer",
    "request_review": "assign_reviewer",
    "remove_reviewer": "unassign_reviewer",
    "remove_assignee": "unassign",
    "labels": "label",
    "remove_label": "unlabel",
    "spend_time": "spend",
    "estimate_time": "estimate",
    "award": "react",
}
NAMES = frozenset(
    """
    approve assign assign_reviewer blocked_by blocks clear_weight close copy_metadata done draft due epic estimate
    label link lock merge milestone move page ready reassign reassign_reviewer rebase relabel relate react
    remove_due_date remove_epic remove_estimate remove_milestone remove_parent remove_time_spent reopen
    request_changes set_parent spend submit_review subscribe target_branch title todo unapprove
    unassign unassign_reviewer unlabel unlock unsubscribe weight
    """.split()
)
"""Quick actions that GitLab knows, with the names in `ALIASES`. Some fit issues alone; they are taken out as well."""

_COMMAND = re.compile(r"/(?P<name>[a-z_]+)(?: (?P<argument>[^\n]*))?\s*", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TAG = re.compile(r"<(\w+)[^>]*>\s*")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
"""Inline code on a page: within one paragraph, and not begun by a backtick that is escaped."""
_UNREAD = re.compile(r"<!--.*?-->|<(code|pre)\b[^>]*>.*?</\1>", re.DOTALL)
_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_.\-/]*[A-Za-z0-9_\-])?"
_MENTION = re.compile(rf"(?<![\w`@/.])@{_NAME}")
_PATH = r"(?<![\w/.])(?:[A-Za-z0-9_][\w.\-]*(?:/[\w.\-]+)+)?"
_REFERENCE = re.compile(
    rf"""
      {_PATH}\#\d+ | {_PATH}!\d+ | {_PATH}\$\d+ | {_PATH}&\d+ | (?<!\w)\^(?:alert)?\#?\d+
    | (?<![\w~])~(?:"[^"\n]+"|[A-Za-z0-9_][\w.?&:\-]*) | (?<![\w%])%(?:"[^"\n]+"|[A-Za-z0-9_][\w.\-]*)
    | (?<!\w)\[vulnerability:\d+\] | (?<!\w)(?:GL-\d+)
    """,
    re.VERBOSE,
)
_CLOSING = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s+"
    r"(?:issues?\s+)?(?:[\w./\-]*\#\d+|https?://\S+/issues/\d+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Called:
    """A quick action in a text, under its first name."""

    name: str
    argument: str


def take_commands(text: str) -> tuple[str, list[Called]]:
    """The text without its quick actions, and those in their order."""
    rows = text.replace("\r", "").split("\n")
    silent = _in_blocks(rows) | _in_spans(rows)
    kept, called = [], []
    for number, row in enumerate(rows):
        found = _COMMAND.fullmatch(row)
        name = found["name"].lower() if found else ""
        name = ALIASES.get(name, name)
        if found is None or number in silent or name not in NAMES:
            kept.append(row)
        else:
            called.append(Called(name, (found["argument"] or "").strip()))
    return "\n".join(kept).rstrip(), called


def mentions_in(text: str) -> list[str]:
    """The names that a text tells of itself: ``@name``, ``@group/subgroup``, ``@all``."""
    return [found[0] for found in _MENTION.finditer(_without_code(text))]


def references_in(text: str) -> list[str]:
    """What a text links: ``#1``, ``!1``, ``$1``, ``&1``, ``~label``, ``%milestone``; and what its merge would close."""
    prose = _without_code(text)
    return [found[0] for pattern in (_REFERENCE, _CLOSING) for found in pattern.finditer(prose)]


def _without_code(text: str) -> str:
    rows = text.replace("\r", "").split("\n")
    fenced = _in_blocks(rows, fences_only=True)
    prose = "\n".join("" if number in fenced or _indented(rows, number) else row for number, row in enumerate(rows))
    return html.unescape(_UNREAD.sub(" ", _CODE.sub(" ", prose)))  # on the page entities are characters


def _indented(rows: Sequence[str], number: int) -> bool:
    """Whether a row is code because it is indented: after a blank row, or another such row."""
    if not rows[number].startswith(("    ", "\t")):
        return False
    return number == 0 or not rows[number - 1].strip() or _indented(rows, number - 1)


def _in_blocks(rows: Sequence[str], *, fences_only: bool = False) -> set[int]:
    """The rows inside of fences, and of quotes and blocks of HTML."""
    inside: set[int] = set()
    closing: re.Pattern[str] | None = None
    for number, row in enumerate(rows):
        if closing is not None:
            inside.add(number)
            closing = None if closing.fullmatch(row) else closing
        else:
            closing = _closing_of(row, fences_only=fences_only)
            if closing is not None:
                inside.add(number)
    return inside


def _closing_of(row: str, *, fences_only: bool) -> re.Pattern[str] | None:
    """What ends the block that a row opens."""
    if fence := _FENCE.match(row):
        return re.compile(rf" {{0,3}}{re.escape(fence[1][0])}{{{len(fence[1])},}}\s*")
    if fences_only:
        return None
    if row.rstrip() == ">>>":
        return re.compile(r">>>\s*")
    if tag := _TAG.fullmatch(row):
        return re.compile(rf".*</{tag[1]}>\s*|\s*")
    return None


def _in_spans(rows: Sequence[str]) -> set[int]:
    """The rows that begin inside of inline code, which may run over several rows of a paragraph."""
    return {number for first, paragraph in _paragraphs(rows) for number in _rows_within(first, paragraph)}


def _paragraphs(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    first, paragraph = 0, list[str]()
    for number, row in enumerate([*rows, ""]):
        if row.strip():
            paragraph.append(row)
        elif paragraph:
            yield first, "\n".join(paragraph)
            paragraph = []
        if not paragraph:
            first = number + 1


def _rows_within(first: int, paragraph: str) -> Iterator[int]:
    for span in _SPAN.finditer(paragraph):
        before = paragraph[: span.start()].count("\n")
        for extra in range(1, span[0].count("\n") + 1):
            yield first + before + extra
