"""The few SQL statements that change columns and unique indexes, read conservatively.

Migrations carry SQL as text with holes and dialects, so this reads whole, plainly written statements and
leaves out the rest; it is not a parser of SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from draftgate.checks.database.operations import AddColumn, AddIndex, CreateTable, DropColumn, Operation, Span
from draftgate.checks.lines import LineIndex

_NAME = r"[`\"\[]?(?:\w+[`\"\]]?\.[`\"\[]?)?(\w+)[`\"\]]?"
_ALTER = re.compile(rf"\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?{_NAME}\s+([^;]*)", re.IGNORECASE)
_DROP = re.compile(
    rf"\bDROP\s+(?:COLUMN\s+)(?:IF\s+EXISTS\s+)?{_NAME}|\bRENAME\s+COLUMN\s+{_NAME}\s+TO\s+{_NAME}", re.IGNORECASE
)
_UNIQUE = re.compile(
    r"\bADD\s+(?:CONSTRAINT\s+\S+\s+)?(UNIQUE|PRIMARY\s+KEY)[^(,]{0,200}\(([^)]{0,2000})\)", re.IGNORECASE
)
_INDEX = re.compile(
    rf"\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?:(?!ON\b){_NAME}\s+)?"
    rf"ON\s+(?:ONLY\s+)?{_NAME}\s*(?:USING\s+\w+\s*)?\(([^;]*)",
    re.IGNORECASE,
)
_CREATE = re.compile(rf"\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}\s*\(([^;]*)", re.IGNORECASE)
_KEY_IN_TABLE = re.compile(r"\s*(?:CONSTRAINT\s+\S+\s+)?(UNIQUE|PRIMARY)\b[^(]*\(([^)]*)\)", re.IGNORECASE)
_NO_COLUMN = re.compile(
    r"\s*(CONSTRAINT|PRIMARY|UNIQUE|KEY|INDEX|FULLTEXT|FOREIGN|CHECK|EXCLUDE|LIKE)\b", re.IGNORECASE
)
_EXPRESSION_COLUMN = re.compile(r"\b\w+\s*\([\s(]*[`\"]?(\w+)")
_SEPARATOR = re.compile(r"[(),]")


def read_sql(text: str, first_line: int) -> Iterator[Operation]:
    """The operations in SQL text that starts on ``first_line`` of its file."""
    text = re.sub(r"--[^\n]*", "", text)
    index = LineIndex(text, first_line)
    for statement in _CREATE.finditer(text):
        yield from _read_create(statement, _span(index, statement))
    for statement in _ALTER.finditer(text):
        yield from _read_alter(statement, index)
    for statement in _INDEX.finditer(text):
        yield _read_index(statement, _span(index, statement))


def _read_create(statement: re.Match[str], span: Span) -> Iterator[Operation]:
    table, (body, _) = statement[1], _split_parenthesis(statement[2])
    yield CreateTable(table, span)
    for part in cut_list(body):
        key = _KEY_IN_TABLE.match(part)
        if key:
            yield AddIndex(table, _columns(key[2]), unique=True, span=span)
        elif part.strip() and not _NO_COLUMN.match(part):
            column = column_of(part.strip().split(maxsplit=1)[0])
            yield AddColumn(table, column, span)
            if re.search(r"\b(UNIQUE|PRIMARY\s+KEY)\b", part, re.IGNORECASE):
                yield AddIndex(table, (column,), unique=True, span=span)


def _read_alter(statement: re.Match[str], index: LineIndex) -> Iterator[Operation]:
    table, text = statement[1], statement.string
    for drop in _DROP.finditer(text, statement.start(2), statement.end()):
        yield DropColumn(table, drop[1] or drop[2], _span(index, drop), drop[3])
    for unique in _UNIQUE.finditer(text, statement.start(2), statement.end()):
        yield AddIndex(table, _columns(unique[2]), unique=True, span=_span(index, unique))


def _read_index(statement: re.Match[str], span: Span) -> AddIndex:
    listed, rest = _split_parenthesis(statement[4])
    return AddIndex(
        table=statement[3],
        columns=_columns(listed),
        unique=bool(statement[1]),
        span=span,
        partial=bool(re.search(r"\bWHERE\b", rest, re.IGNORECASE)),
        nulls_equal=bool(re.search(r"\bNULLS\s+NOT\s+DISTINCT\b", rest, re.IGNORECASE)),
        name=statement[2],
    )


def column_of(expression: str) -> str:
    """The column that an index expression is about: ``lower((email)::text)`` is about ``email``."""
    inner = _EXPRESSION_COLUMN.search(expression)
    plain = re.match(r"\s*[`\"]?(\w+)", expression)
    found = inner or plain
    return found[1] if found else expression.strip()


def _columns(listed: str) -> tuple[str, ...]:
    return tuple(column_of(part) for part in cut_list(listed) if part.strip())


def cut_list(listed: str) -> list[str]:
    """The text cut at its commas, but for those that a closing parenthesis follows before an opening one."""
    parts: list[str] = []
    end, is_inside = len(listed), False
    for separator in reversed(list(_SEPARATOR.finditer(listed))):
        if separator[0] != ",":
            is_inside = separator[0] == ")"
        elif not is_inside:
            parts.append(listed[separator.end() : end])
            end = separator.start()
    return [listed[:end], *reversed(parts)]


def _split_parenthesis(text: str) -> tuple[str, str]:
    """The text up to the closing parenthesis of the one already open, and what follows it."""
    depth = 1
    for separator in _SEPARATOR.finditer(text):
        depth += (separator[0] == "(") - (separator[0] == ")")
        if depth == 0:
            return text[: separator.start()], text[separator.end() :]
    return text, ""


def _span(index: LineIndex, found: re.Match[str]) -> Span:
    line = index.line_at(found.start())
    return Span(line, index.line_at(found.end()), line)
