"""The tools as a model is told of them, always in one order and one wording, so that a provider can cache them.

The schemas are closed and every property is required, as providers ask for that hold a model to them
(https://platform.openai.com/docs/guides/structured-outputs#supported-schemas).
"""

from __future__ import annotations

from draftgate.agents.tools.arguments import COMMITS
from draftgate.llm.base import ToolSpec

LINES_AT_ONCE = 400
NAMES_AT_ONCE = 500
WORDS_AT_ONCE = 10
MATCHES_AT_ONCE = 200
BLAMED_AT_ONCE = 60
COMMITS_AT_ONCE = 30

_PATH = {"type": "string", "description": "A path as list_files gives it, from the top of the repository."}
_PATH_OR_ALL = {"type": ["string", "null"], "description": "A path as list_files gives it; null for the whole history."}
_GLOB = {
    "type": ["string", "null"],
    "description": "A path glob: * within a folder, ** for any folders, as in src/**/*.py; null for every file.",
}
_COMMIT = {
    "type": "string",
    "enum": list(COMMITS),
    "description": "head: after the change. base: before it.",
}
_FIRST = {"type": ["integer", "null"], "description": "The first line, counted from 1; null for the beginning."}
_LAST = {"type": ["integer", "null"], "description": "The last line; null for the end."}
_WORDS = {
    "type": "array",
    "items": {"type": "string"},
    "description": f"1 to {WORDS_AT_ONCE} words; a line with any of them is found.",
}
_LIMIT = {"type": ["integer", "null"], "description": f"How many commits, at most {COMMITS_AT_ONCE}; null for 10."}
_URL = {"type": "string", "description": "An https address on one of the allowed hosts."}


def describe_tools(*, may_fetch: bool) -> tuple[ToolSpec, ...]:
    """Every tool, also where it has nothing to read; fetching only where a person has allowed hosts."""
    return (*_READING, _FETCH) if may_fetch else _READING


def _tool(name: str, description: str, **properties: object) -> ToolSpec:
    schema: dict[str, object] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


_READING = (
    _tool(
        "read_file",
        f"Show lines of a file, at most {LINES_AT_ONCE} at once, each as NUMBER| TEXT. "
        "The number, the bar and the space after it are not part of the file.",
        path=_PATH,
        start_line=_FIRST,
        end_line=_LAST,
        commit=_COMMIT,
    ),
    _tool("list_files", f"List paths, at most {NAMES_AT_ONCE} at once.", glob=_GLOB, commit=_COMMIT),
    _tool(
        "grep",
        "Find lines by whole words: fixed text, upper and lower case matter, no regular expressions. "
        f"At most {MATCHES_AT_ONCE} lines, each as | PATH:NUMBER: TEXT.",
        words=_WORDS,
        glob=_GLOB,
        commit=_COMMIT,
    ),
    _tool(
        "blame",
        f"Say which commit last changed each line of a file at head, at most {BLAMED_AT_ONCE} lines at once.",
        path=_PATH,
        start_line=_FIRST,
        end_line=_LAST,
    ),
    _tool("log", "Show the newest commits up to head, with their messages.", path=_PATH_OR_ALL, limit=_LIMIT),
)

_FETCH = _tool("fetch_url", "Read a page as text.", url=_URL)
