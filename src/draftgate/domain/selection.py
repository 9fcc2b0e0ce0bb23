"""Sets of findings and replies as people write them: ``1,3-5``, ``all except 2``, ``A,B``.

Parsing knows no session: it keeps what was written, as ranges that are never expanded. `check` then holds a
set against the numbers that exist. Nothing is guessed: what is not understood in full is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum

from draftgate.domain.refusal import not_a, quoted
from draftgate.errors import CommandRefused

MAX_NUMBER = 9_999
"""No round has so many findings; a longer number is a slip."""

_SPELLED_PARTS = 20


class Kind(Enum):
    """How a set is written."""

    ALL = "all"
    ALL_EXCEPT = "all except"
    SOME = "some"
    CHECKED = "checked"
    NONE = "none"


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """The numbers from ``first`` to ``last``, both of them written."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Selection:
    """A set of numbers: the kind, and the ranges that it names (or leaves out), sorted and each once."""

    kind: Kind
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class Letters:
    """A set of replies, which are lettered A, B, … in the checkpoint."""

    kind: Kind
    letters: tuple[str, ...] = ()


ALL = Selection(Kind.ALL)
NONE = Selection(Kind.NONE)
NO_LETTERS = Letters(Kind.NONE)

_ITEM = re.compile(r"#?(?P<first>[0-9]+)(?:(?:-|[ ]+-[ ]+)#?(?P<last>[0-9]+))?(?=[\s,;&:]|$)")
_SEPARATOR = re.compile(r"\s*[,;]\s*(?:(?:and\s|&)\s*)?|\s*&\s*|\s+and\s+", re.IGNORECASE)
_ALL_EXCEPT = re.compile(r"all[ ]+except[ ]+", re.IGNORECASE)
_LETTER = re.compile(r"[A-Z]{1,2}")

_HOW_NUMBERS = "write numbers and ranges such as `1,3-5`"
_HOW_SELECTION = f"{_HOW_NUMBERS}, or one of `all`, `all except 2`, `checked`, `none`"
_HOW_LETTERS = "write letters such as `A,B`, or one of `all`, `none`"


def parse_selection(text: str) -> Selection:
    """Read a whole set; no number is in it that was not written or lies in a written range.

    Raises:
        CommandRefused: Any part of the text is not understood.
    """
    words = text.lower().split()
    if len(words) == 1 and words[0] in (Kind.ALL.value, Kind.CHECKED.value, Kind.NONE.value):
        return Selection(Kind(words[0]))
    exception = _ALL_EXCEPT.match(text)
    start = exception.end() if exception else 0
    ranges, end = take_ranges(text, start, how=_HOW_SELECTION)
    if end != len(text):
        raise CommandRefused(f"{quoted(text[end:])} is not understood in the set", hint=_HOW_SELECTION)
    return Selection(Kind.ALL_EXCEPT if exception else Kind.SOME, ranges)


def parse_numbers(text: str) -> Selection:
    """Read a set as `parse_selection` does, where only numbers, `all` and `none` have a meaning."""
    selection = parse_selection(text)
    if selection.kind in (Kind.ALL_EXCEPT, Kind.CHECKED):
        raise CommandRefused(f"{quoted(text)} is not possible here", hint=f"{_HOW_NUMBERS}, or `all`, `none`")
    return selection


def parse_number(text: str) -> int:
    """Read exactly one number."""
    item = _ITEM.fullmatch(text)
    if item is None or item["last"] is not None:
        raise CommandRefused(not_a(text, "the number of one finding"), hint="write one number, such as `2`")
    return _number(item["first"])


def parse_letters(text: str) -> Letters:
    """Read a set of lettered replies."""
    if text.lower() in (Kind.ALL.value, Kind.NONE.value):
        return Letters(Kind(text.lower()))
    parts = _SEPARATOR.split(text)
    return Letters(Kind.SOME, tuple(sorted({parse_letter(part, how=_HOW_LETTERS) for part in parts})))


def parse_letter(text: str, *, how: str = "write one letter, such as `A`") -> str:
    """Read exactly one letter."""
    if not _LETTER.fullmatch(text.upper()) or not text.isascii():
        raise CommandRefused(not_a(text, "the letter of a reply"), hint=how)
    return text.upper()


def take_ranges(text: str, start: int = 0, *, how: str = _HOW_NUMBERS) -> tuple[tuple[Range, ...], int]:
    """Read the list of numbers that a text begins with, and say where it ends.

    Raises:
        CommandRefused: There is none, or a range in it means nothing.
    """
    item = _ITEM.match(text, start)
    if item is None:
        raise CommandRefused(not_a(text[start:], "a list of findings"), hint=how)
    found = {_range(item)}
    end = item.end()
    while (separator := _SEPARATOR.match(text, end)) and (item := _ITEM.match(text, separator.end())):
        found.add(_range(item))
        end = item.end()
    return tuple(sorted(found)), end


def _range(item: re.Match[str]) -> Range:
    first = _number(item["first"])
    last = first if item["last"] is None else _number(item["last"])
    if last < first:
        raise CommandRefused(f"the range {quoted(item[0])} runs backwards", hint=f"write `{last}-{first}`")
    return Range(first, last)


def _number(digits: str) -> int:
    if digits.startswith("0"):
        raise CommandRefused(f"{quoted(digits)} is not a finding's number", hint="numbers begin at 1, without zeros")
    if len(digits) > len(str(MAX_NUMBER)):
        raise CommandRefused(f"no finding has the number {quoted(digits)}", hint=_HOW_NUMBERS)
    return int(digits)


def check(selection: Selection, numbers: Collection[int], ticked: Collection[int] | None = None) -> tuple[int, ...]:
    """The findings that a set stands for, in order, given the numbers that exist.

    Every number that is written must exist; inside a range a gap (a dropped finding) is none.

    Args:
        selection: What was written.
        numbers: The findings that can be chosen.
        ticked: The boxes that are ticked now; ``None`` where there are no boxes.

    Raises:
        CommandRefused: A number does not exist, no box is ticked, or nothing is left.
    """
    present = sorted(numbers)
    match selection.kind:
        case Kind.NONE:
            return ()
        case Kind.ALL:
            chosen = set(present)
        case Kind.CHECKED:
            chosen = _ticked(present, ticked)
        case Kind.SOME:
            chosen = _within(selection.ranges, present)
        case Kind.ALL_EXCEPT:
            chosen = set(present) - _within(selection.ranges, present)
    if not chosen:
        raise CommandRefused("no finding is left in the set", hint="write `none` to mean none of them")
    return tuple(sorted(chosen))


def check_number(number: int, numbers: Collection[int]) -> None:
    """Refuse the number of a finding that does not exist."""
    _refuse_unknown((number,), sorted(numbers))


def check_letters(chosen: Letters, letters: Collection[str]) -> tuple[str, ...]:
    """The replies that a set of letters stands for, in order, given those that exist."""
    if chosen.kind is not Kind.SOME:
        return tuple(sorted(letters)) if chosen.kind is Kind.ALL else ()
    unknown = [letter for letter in chosen.letters if letter not in letters]
    if unknown:
        there = f"the replies here are {', '.join(sorted(letters))}" if letters else "there are no replies here"
        raise CommandRefused(f"there is no reply {', '.join(unknown)}", hint=there)
    return chosen.letters


def spell(numbers: Iterable[int]) -> str:
    """Numbers as a person would write them, ``1-3,5``; a very long list is cut."""
    ranges: list[Range] = []
    for number in sorted(set(numbers)):
        joins = bool(ranges) and ranges[-1].last + 1 == number
        first = ranges.pop().first if joins else number
        ranges.append(Range(first, number))
    parts = [str(part.first) if part.first == part.last else f"{part.first}-{part.last}" for part in ranges]
    return ",".join(parts[:_SPELLED_PARTS]) + (",…" if len(parts) > _SPELLED_PARTS else "")


def _within(ranges: tuple[Range, ...], present: list[int]) -> set[int]:
    _refuse_unknown({end for part in ranges for end in (part.first, part.last)}, present)
    chosen: set[int] = set()
    for part in ranges:
        chosen.update(present[bisect_left(present, part.first) : bisect_right(present, part.last)])
    return chosen


def _ticked(present: list[int], ticked: Collection[int] | None) -> set[int]:
    if ticked is None:
        raise CommandRefused("there are no boxes to tick here", hint=_HOW_NUMBERS)
    chosen = set(ticked) & set(present)
    if not chosen:
        raise CommandRefused("no box is ticked", hint=f"tick some, or {_HOW_NUMBERS}, or `none`")
    return chosen


def _refuse_unknown(written: Iterable[int], present: list[int]) -> None:
    unknown = set(written).difference(present)
    if unknown:
        there = f"the findings here are {spell(present)}" if present else "there are no findings here"
        raise CommandRefused(f"there is no finding {spell(unknown)}", hint=there)
