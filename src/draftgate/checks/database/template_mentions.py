"""Reads of a column in templates (ERB, Haml, Slim, Jinja, Django), by pattern.

There is no grammar for these files, so only two plain forms count: ``receiver.column`` in code parts, and a
form helper that is given the column's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from draftgate.checks.database.column_tie import Sought, Tie
from draftgate.checks.database.owners import Owner

GENERIC = frozenset("object obj instance record resource item self it form f entry row".split())
_COMMENT = re.compile(r"{#.*?#}|<%#.*?%>|<!--.*?-->|^\s*-#.*$|{%\s*comment.*?endcomment\s*%}", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"{{.*?}}|{%.*?%}|<%.*?%>", re.DOTALL)
# A string without interpolation: a translation key such as 'admin.price' reads nothing.
_STRING = re.compile(r"'[^'\n]*'|\"(?:(?!#{)[^\"\n])*\"")
_FORM_HELPER = r"\b(?:f|form|ff|fields?|builder)\.(?!label|error|field_container|object)\w+[\s(]+:"


def judge_template(path: str, text: str, lines: frozenset[int], sought: Sought) -> Mapping[int, Tie]:
    """The lines of a template that read the column, with their ties."""
    code = _code_only(path, text)
    owner, name = sought.owner, re.escape(sought.column)
    attribute = re.compile(
        rf"([A-Za-z_]\w*)(?:\[[^\]]*\]|\([^)]*\))?[?!]?(?:&?\.|\.try[!]?\(:)@?{name}(?![\w(?!]|\s*\()"
    )
    helper = re.compile(rf"{_FORM_HELPER}{name}(?!\w)")
    qualified = re.compile(rf"[\"'`\s(,]{re.escape(owner.table)}[\"`]?\.[\"`]?{name}\b")
    ties: dict[int, Tie] = {}
    for number, line in enumerate(code.split("\n"), start=1):
        if number not in lines:
            continue
        bare = _STRING.sub('""', line)
        found = [_receiver_tie(match[1], path, owner) for match in attribute.finditer(bare)]
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
    text = _COMMENT.sub(_blank, text)
    if path.endswith((".haml", ".slim", ".sql")):
        return text
    kept, position = [], 0
    for match in _CODE.finditer(text):
        kept += ["\n" * text.count("\n", position, match.start()), match[0]]
        position = match.end()
    return "".join(kept)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")
