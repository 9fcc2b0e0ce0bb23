"""The YAML parser's complaints in words for people who do not know its grammar.

The texts on the left are PyYAML's own; one that is not listed is passed on as it is.
"""

from __future__ import annotations

from typing import Final

import yaml

from draftgate.config.complaints import shorten

_QUOTES: Final = "put the value in quotes"
_EXPLANATIONS: Final = (
    ("found character '\\t'", "tabs are not allowed", "use spaces"),
    ("mapping values are not allowed here", "a colon where no key can stand", f"{_QUOTES}, or mend the indentation"),
    ("expected ',' or ']'", "the list that opens at {opened} is not closed", "write `]` or a comma"),
    ("expected ',' or '}'", "the mapping that opens at {opened} is not closed", "write `}` or a comma"),
    ("could not find expected ':'", "a key without a colon", "write `key: value`"),
    ("found unexpected end of stream", "the quotes that open at {opened} are not closed", "write the closing quote"),
    (
        "found unexpected document separator",
        "the quotes that open at {opened} are not closed",
        "write the closing quote",
    ),
    ("found unknown escape character", "an unknown escape in double quotes", "use single quotes, or write `\\\\`"),
    ("expected <block end>", "the indentation does not fit the lines above", "align it with its neighbours"),
    ("found undefined tag handle", "tags are not read", "delete it, quotes make text"),
    ("block sequence entries are not allowed here", "a list cannot begin on this line", "begin it on the next line"),
    ("sequence entries are not allowed here", "a list cannot begin on this line", "begin it on the next line"),
    ("that cannot start any token", "a value cannot begin with this character", _QUOTES),
)


def explain(error: yaml.MarkedYAMLError) -> tuple[str, str]:
    """What is wrong, and what to write instead."""
    problem = error.problem or error.context or "this is not YAML"
    opened = f"{error.context_mark.line + 1}:{error.context_mark.column + 1}" if error.context_mark else "its start"
    for theirs, wrong, write in _EXPLANATIONS:
        if theirs in problem:
            return wrong.replace("{opened}", opened), write
    return f"not valid YAML ({shorten(problem)})", _QUOTES
