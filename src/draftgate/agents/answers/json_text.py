"""The one JSON object in what a model wrote, with prose and fences around it and slips that can only mean one thing.

A raw newline in a string, a comma too many and a backslash that escapes nothing are mended. What is cut off is never
closed, and what is no JSON (single quotes, comments, Python) is never guessed at: the model is asked again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from draftgate.agents.answers.claim import UnusableAnswer

MOST_CHARACTERS = 1024 * 1024
DEEPEST = 100
"""Lists and objects inside each other; no answer needs a tenth of it."""

_MOST_UNCLOSED = 8
"""Brackets of prose or code that nothing closes: each costs a look at the rest of the text."""

_MOST_DIGITS = 20

_START = re.compile(r"\{|\[(?=\s*\{)")
_PLAINLY_JSON = re.compile(r"""(?:\[\s*)?\{\s*(?:["']|//|/\*|\w++\s*:)""")
"""What code in a sentence, such as ``{self.name}``, does not look like: if it is broken, the answer is."""

_MARK = re.compile(r'["{}\[\]]')
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SLIP = re.compile(rf"(?P<string>{_STRING.pattern})|(?<=[^\s\[{{,])(?P<blank>\s*+),(?=\s*[}}\]])", re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')

_NOT_JSON = "The answer is not valid JSON. Send one JSON object, with double quotes and without comments."


def read_json(text: str) -> object:
    """The object, or the list of objects, that the text holds; NaN is ``None``, the last of equal keys wins.

    Raises:
        UnusableAnswer: There is none, more than one, or none that can be read in only one way.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnusableAnswer("The answer is far too long. Send a shorter one.")
    text = text.removeprefix("\ufeff").strip()
    found: list[object] = []
    for chunk in _cut_out(text):
        value = _parse(chunk)
        if value is None and _PLAINLY_JSON.match(chunk):
            raise UnusableAnswer(_NOT_JSON)
        # Empty brackets in a sentence are a piece of code; alone they are an answer, if a useless one.
        if (value or chunk == text) and value is not None and value not in found:
            found.append(value)
        if len(found) > 1:
            raise UnusableAnswer("The answer holds several different JSON objects. Send exactly one.")
    if not found:
        raise UnusableAnswer("The answer holds no JSON object. Send one JSON object and nothing else.")
    return found[0]


def read_items(text: str, key: str) -> list[object]:
    """The list under a key of the answer; a list of objects that stands alone is taken for it.

    Raises:
        UnusableAnswer: There is no such list.
    """
    value = read_json(text)
    items = value.get(key) if isinstance(value, dict) else value
    if isinstance(items, str) and items.lstrip().startswith("["):  # some models write a list as a string of JSON
        items = read_json(items)
    if not isinstance(items, list):
        raise UnusableAnswer(f"The answer has no list under `{key}`. Send one JSON object with that list.")
    return items


def _cut_out(text: str) -> Iterator[str]:
    """The outermost brackets, each with what is between them; those inside are not looked at again.

    Raises:
        UnusableAnswer: What looks like JSON ends before its brackets do.
    """
    unclosed = 0
    start = _START.search(text)
    while start is not None:
        end = _find_end(text, start.start())
        if end is not None:
            yield text[start.start() : end]
        elif unclosed == _MOST_UNCLOSED or start.start() == 0 or _PLAINLY_JSON.match(text, start.start()):
            raise UnusableAnswer("The JSON is cut off or a bracket is missing. Send the whole object again, shorter.")
        unclosed += end is None
        start = _START.search(text, start.end() if end is None else end)


def _find_end(text: str, start: int) -> int | None:
    """Where the bracket at ``start`` is closed, not counting those in strings."""
    depth, position = 0, start
    while mark := _MARK.search(text, position):
        position = mark.end()
        if mark[0] == '"':
            string = _STRING.match(text, mark.start())
            if string is None:
                return None
            position = string.end()
            continue
        depth += 1 if mark[0] in "{[" else -1
        if depth > DEEPEST:
            raise UnusableAnswer("The JSON is nested too deeply. Send one flat JSON object.")
        if depth == 0:
            return position
    return None


def _parse(chunk: str) -> object:
    """The value of a piece of JSON, mended where it must be; ``None`` if it is none."""
    for text in (chunk, _SLIP.sub(_mend, chunk)):
        try:
            return json.loads(text, strict=False, parse_constant=_nothing, parse_float=_read_float, parse_int=_read_int)
        except ValueError:
            continue
    return None


def _mend(slip: re.Match[str]) -> str:
    """A string whose every backslash escapes something, or nothing for a comma that nothing follows."""
    if slip["string"] is None:
        return slip["blank"]
    return _ESCAPE.sub(lambda escape: escape[0] if escape[1] else r"\\", slip[0])


def _nothing(_name: str) -> None:
    """NaN and infinities are no numbers of JSON, and none that a line or a confidence could be."""


def _read_float(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _read_int(digits: str) -> int | None:
    """A number of any length would take quadratic time, and Python refuses the longest."""
    return int(digits) if len(digits) <= _MOST_DIGITS else None
