"""Single values of a model's answer, each read for what it can only mean; what is unclear is nothing, never a guess."""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HALF_PAIRS = re.compile("[\ud800-\udfff]")

_LONGEST_NUMBER = 40
"""Characters of a text that can be a line, a range or a percentage."""

_GREATEST_LINE = 2**31 - 1
_LINE = re.compile(r"(?:lines?\s*|#?L)?([0-9]{1,10})(?:\.0+)?", re.IGNORECASE)
_RANGE = re.compile(r"(?:lines?\s*)?(#?L?[0-9]{1,10})\s*(?:[-\u2013\u2014,]|\.\.|to)\s*(L?[0-9]{1,10})", re.IGNORECASE)

_CONFIDENCE = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,20})?)\s*(%?)")
_CONFIDENCE_WORDS = {"high": 75, "medium": 50, "low": 25}

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def clean(text: str) -> str:
    """The text as it can be stored and shown: no control characters but newline and tab, no half of a character."""
    return _HALF_PAIRS.sub("\ufffd", _CONTROLS.sub("", text))


def one_line(text: str, limit: int) -> str:
    """The text on one line, cut with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def read_text(value: object) -> str:
    """A string, or the lines of a list of strings; "" for anything else."""
    if isinstance(value, list):
        value = "\n".join(part for part in value if isinstance(part, str))
    return clean(value) if isinstance(value, str) else ""


def read_line(value: object) -> int | None:
    """A line's number, also as text; `True` is none, and neither is zero."""
    if isinstance(value, str):
        match = _LINE.fullmatch(value.strip()) if len(value) <= _LONGEST_NUMBER else None
        value = int(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 < value <= _GREATEST_LINE and value == int(value) else None


def read_lines(value: object) -> tuple[int, ...]:
    """A line, or both ends of a range in any of its spellings, as far as they are lines; in no certain order."""
    ends: tuple[object, ...] = (value,)
    match value:
        case str() if len(value) <= _LONGEST_NUMBER and (spelled := _RANGE.fullmatch(value.strip())):
            ends = spelled.groups()
        case [first, last]:
            ends = (first, last)
        case {"start": first, "end": last}:
            ends = (first, last)
    return tuple(line for line in map(read_line, ends) if line is not None)


def read_confidence(value: object) -> int | None:
    """0 to 100, also from a share of one, a percentage or a word."""
    is_percent = False
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER:
        word = value.strip().lower()
        match = _CONFIDENCE.fullmatch(word)
        is_percent = match is not None and bool(match[2])
        value = float(match[1]) if match else _CONFIDENCE_WORDS.get(word)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    share = 100 if 0 < value < 1 and not is_percent else 1
    return round(max(0, min(100, value * share)))


def read_quote(value: object) -> tuple[str, ...]:
    """Quoted lines from a text, a list of lines or an object that holds them, without a fence around them."""
    if isinstance(value, dict):
        value = value.get("lines")
    parts = value if isinstance(value, list) else [value]
    lines = [line for part in parts if isinstance(part, str) for line in clean(part).split("\n")]
    lines = without_fence(lines)
    return tuple(lines) if any(line.strip() for line in lines) else ()


def without_fence(lines: list[str]) -> list[str]:
    """The lines inside a Markdown fence that holds all of them; else the lines as they are."""
    written = [number for number, line in enumerate(lines) if line.strip()]
    opener = _FENCE.match(lines[written[0]]) if len(written) > 1 else None
    if opener is None or not lines[written[-1]].strip().startswith(opener[1]):
        return lines
    return lines[written[0] + 1 : written[-1]]
