"""Finds quoted lines in a file: as they stand there, or as a model copies them.

White space at the ends and inside of lines, the marks of a diff and the numbers of a listing may differ, for they are
what models change when they copy. Words may not. Where a quote stands several times, the place that was named decides.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from draftgate.agents.answers.fields import clean
from draftgate.domain.diff import Side

_MOST_LINES = 200
"""Of a quote; one of more than seven lines is already more than was asked for."""

_SHORTEST_PART = 8
"""Visible characters that a part of a line must have to say which line it is."""

_KEPT_TEXTS = 8

_NUMBERED = re.compile(r"\s*L?[0-9]{1,7}(?:\s*[|:│→]|[\t ])(.*)")
_DIFF_ROW = re.compile(r"\s*[0-9]{1,7}\s+(?:[0-9]{1,7}\s)?([-+ ]) (.*)")

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file, from the first to the last, 1-based."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many lines."""
        return self.last - self.first + 1

    def holds(self, other: Span) -> bool:
        """Whether the other lies inside."""
        return self.first <= other.first and other.last <= self.last

    def gap_to(self, other: Span) -> int:
        """0 if both share a line, else how far they are apart."""
        return max(0, self.first - other.last, other.first - self.last)

    def cut(self, lines: Lines) -> Lines:
        """The lines it stands for."""
        return lines[self.first - 1 : self.last]


@lru_cache(maxsize=_KEPT_TEXTS)
def split_lines(text: str) -> Lines:
    """The lines of a file as they are; a final newline begins none."""
    lines = text.split("\n")
    return tuple(lines[:-1] if not lines[-1] else lines)


def find_quote(quote: Lines, text: str, near: Span | None, *, side: Side, hide: Callable[[str], str]) -> Span | None:
    """Where a quote stands in a file; ``None`` if nowhere.

    A place that holds the named lines goes before all others, and how exact the copy is comes second. A quote
    without a letter or digit, such as a brace, stands only where it was named.

    Args:
        quote: As written.
        text: The file.
        near: The lines that the quote is said to be.
        side: The version of the file: the other one's lines in a quoted diff are passed over.
        hide: Takes keys out of a text and keeps its lines; the quote was copied from what it makes.
    """
    if len(quote) > _MOST_LINES:
        return None
    elsewhere = None
    for span, has_words in _find_all(quote, text, near, side, hide):
        if near is not None and span.gap_to(near) == 0:
            return span
        elsewhere = elsewhere or (span if has_words else None)
        if near is None and elsewhere:
            break
    return elsewhere


def _find_all(
    quote: Lines, text: str, near: Span | None, side: Side, hide: Callable[[str], str]
) -> Iterator[tuple[Span, bool]]:
    """The nearest place under each reading of the quote, exact readings first, and whether it was read as words."""
    forms, versions = _forms(quote, side), _versions(text, hide)
    for form in forms:
        for key, version in product((_without_end, _without_blanks), versions):
            spans = _index(version, key).find(tuple(map(key, form)))
            yield from ((span, _has_words(form)) for span in _nearest(spans, near))
    for form in forms:
        part = _without_blanks(form[0])
        if len(form) == 1 and len(part) >= _SHORTEST_PART:
            for version in versions:
                spans = _index(version, _without_blanks).find_part(part)
                yield from ((span, _has_words(form)) for span in _nearest(spans, near))


def _has_words(lines: Lines) -> bool:
    return re.search(r"\w", "".join(lines)) is not None


@dataclass(frozen=True, slots=True)
class _Index:
    """The lines of a file under a key that two lines share if they count as equal, and where each key is."""

    keys: Lines
    places: Mapping[str, Sequence[int]]

    def find(self, keys: Lines) -> Iterator[Span]:
        """Every run of lines with these keys."""
        for start in self.places.get(keys[0], ()):
            if self.keys[start : start + len(keys)] == keys:
                yield Span(start + 1, start + len(keys))

    def find_part(self, part: str) -> Iterator[Span]:
        """Every line whose key holds the text."""
        return (Span(number, number) for number, key in enumerate(self.keys, start=1) if part in key)


@lru_cache(maxsize=_KEPT_TEXTS)
def _index(text: str, key: Callable[[str], str]) -> _Index:
    keys = tuple(map(key, split_lines(text)))
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(keys):
        places[line].append(number)
    return _Index(keys, places)


@lru_cache(maxsize=_KEPT_TEXTS)
def _versions(text: str, hide: Callable[[str], str]) -> Lines:
    """The file as it is and as a model is shown it, if that has the same lines."""
    shown = hide(text)
    keeps_lines = len(split_lines(shown)) == len(split_lines(text))
    return tuple(dict.fromkeys((text, shown))) if keeps_lines else (text,)


def _nearest(spans: Iterator[Span], near: Span | None) -> Iterator[Span]:
    """The span that shares a line with the named ones or is closest to them; the first one where none were named."""
    if near is None:
        yield from islice(spans, 1)
        return
    nearest = min(spans, key=lambda span: (span.gap_to(near), abs(span.first - near.first)), default=None)
    if nearest is not None:
        yield nearest


def _without_end(line: str) -> str:
    return line.rstrip()


def _without_blanks(line: str) -> str:
    return "".join(clean(line).split())


def _forms(quote: Lines, side: Side) -> Sequence[Lines]:
    """What the quote may be a copy of, without blank lines around it: itself first, then without what was added."""
    unnumbered, rows = _each(_NUMBERED, quote), _each(_DIFF_ROW, quote)
    forms = (quote, _unmarked(quote, side), unnumbered, _unmarked(unnumbered, side), _unmarked(rows, side))
    return [form for form in dict.fromkeys(map(_trimmed, forms)) if form]


def _each(pattern: re.Pattern[str], quote: Lines) -> Lines:
    """What a pattern keeps of each line that is not blank; nothing unless it fits all of them."""
    # Blanks at the end may be gone, and a row of an empty line ends in nothing else.
    rows = [pattern.fullmatch(f"{line}  ") if line.strip() else None for line in quote]
    if any(row is None and line.strip() for row, line in zip(rows, quote, strict=True)):
        return ()
    return tuple("".join(row.groups()) if row else "" for row in rows)


def _unmarked(quote: Lines, side: Side) -> Lines:
    """The lines of a quoted diff that are on this side, without their marks; nothing if it is no diff."""
    if not all(line[:1] in {"", " ", "+", "-"} for line in quote) or not any(line[:1] in {"+", "-"} for line in quote):
        return ()
    other = "-" if side is Side.RIGHT else "+"
    return tuple(line[1:] for line in quote if not line.startswith(other))


def _trimmed(quote: Lines) -> Lines:
    """The quote from its first to its last line that is not blank."""
    written = [number for number, line in enumerate(quote) if line.strip()]
    return quote[written[0] : written[-1] + 1] if written else ()
