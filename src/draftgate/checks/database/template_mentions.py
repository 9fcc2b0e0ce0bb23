"""Reads of a column in templates (ERB, Haml, Slim, Jinja, Django), by pattern.

There is no grammar for these files, so only two plain forms count: ``receiver.column`` in code parts, and a
form helper that is given the column's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from draftgate.checks.database.column_tie import Sought, Tie
from draftgate.checks.database.owners import Owner

_MAX_ON_LINE = 100
GENERIC = frozenset("object obj instance record resource item self it form f entry row".split())
_COMMENTS = re.compile(r"{#|<%#|<!--|^[ \t]*-#|{%\s*comment", re.MULTILINE)
_CODES = re.compile(r"{{|{%|<%")
_ENDS = {"{#": "#}", "<%#": "%>", "<!--": "-->", "{{": "}}", "{%": "%}", "<%": "%>"}
_END_OF_COMMENT = re.compile(r"endcomment\s*%}")
# A string without interpolation: a translation key such as 'admin.price' reads nothing.
_STRING = re.compile(r"'[^'\n]*'|\"(?:(?!#{)[^\"\n])*\"")
_FORM_HELPER = r"\b(?:f|form|ff|fields?|builder)\.(?!label|error|field_container|object)\w+[\s(]+:"


def judge_template(path: str, text: str, lines: frozenset[int], sought: Sought) -> Mapping[int, Tie]:
    """The lines of a template that read the column, with their ties."""
    code = _code_only(path, text)
    owner, name = sought.owner, re.escape(sought.column)
    attribute = re.compile(
        rf"(?<!\w)([A-Za-z_]\w*)(?:\[[^\]]{{0,200}}\]|\([^)]{{0,200}}\))?[?!]?(?:&?\.|\.try[!]?\(:)@?{name}(?![\w(?!]|\s*\()"
    )
    helper = re.compile(rf"{_FORM_HELPER}{name}(?!\w)")
    qualified = re.compile(rf"[\"'`\s(,]{re.escape(owner.table)}[\"`]?\.[\"`]?{name}\b")
    ties: dict[int, Tie] = {}
    for number, line in enumerate(code.split("\n"), start=1):
        if number not in lines:
            continue
        bare = _STRING.sub('""', line)
        found = [_receiver_tie(match[1], path, owner) for match in islice(attribute.finditer(bare), _MAX_ON_LINE)]
        if helper.search(line):
            found.append(Tie.NAMED if owner.is_home(path) else None)
        if qualified.search(line):
            found.append(Tie.MODEL)
        firm = [tie for tie in found if tie is not None]
        if firm:
            ties[number] = max(firm)
    return ties


def _receiver_tie(name: str, path: str, owner: Owner) -> Tie | None:
    if owner.is_named(name):
        return Tie.INSTANCE
    if name in GENERIC:
        return Tie.NAMED if owner.is_home(path) else None
    return Tie.LOOSE


def _code_only(path: str, text: str) -> str:
    """The text with everything blanked that is no code, line breaks kept."""
    kept, position = [], 0
    for start, end in _regions(text, _COMMENTS):
        kept += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end
    text = "".join((*kept, text[position:]))
    if path.endswith((".haml", ".slim", ".sql")):
        return text
    kept, position = [], 0
    for start, end in _regions(text, _CODES):
        kept += ["\n" * text.count("\n", position, start), text[start:end]]
        position = end
    return "".join(kept)


def _regions(text: str, openings: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """From each opening to its end; one that never ends opens nothing, and its like are not sought any more."""
    endless: set[str] = set()
    position = 0
    while (opening := openings.search(text, position)) is not None:
        kind = _kind_of(opening[0])
        end = -1 if kind in endless else _end_of(kind, text, opening.end())
        if end < 0:
            endless.add(kind)
            position = opening.end()
        else:
            yield opening.start(), end
            position = end


def _kind_of(opening: str) -> str:
    return "comment" if opening.endswith("comment") else opening.strip()


def _end_of(kind: str, text: str, position: int) -> int:
    """Where what was opened ends, -1 if it does not."""
    if kind == "-#":
        end = text.find("\n", position)
        return end if end >= 0 else len(text)
    if kind == "comment":
        found = _END_OF_COMMENT.search(text, position)
        return found.end() if found is not None else -1
    end = text.find(_ENDS[kind], position)
    return end if end < 0 else end + len(_ENDS[kind])
