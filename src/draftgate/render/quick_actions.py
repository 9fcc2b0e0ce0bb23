"""Lines that a forge would obey: a text in which none begins with a slash, whoever wrote it.

GitLab executes ``/merge`` in a comment as whoever posted it, and other bots read such lines on both forges. A
backslash before the slash is not shown by Markdown. GitLab leaves code alone, but finds code by a search of its own
(lib/gitlab/quick_actions/extractor.rb): only a block between lines of exactly three backticks is surely that.
"""

from __future__ import annotations

import re

_SLASH = re.compile(r"([ \t\u00a0]*)/")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}(?=[^`]*$)|~{3,}).*")
_SUGGESTION = re.compile(r"^([ ]{0,3}[`~]{3,})[ ]*suggestion.*")
_PLAIN_OPENING = re.compile(r"```(?!`)[^`]*")
_PLAIN_CLOSING = "```"


def escape_commands(text: str) -> str:
    """``text`` with a backslash before the slash that a line begins with, but in plain code blocks.

    Doing it twice is doing it once.
    """
    if "/" not in text:
        return text
    lines = text.split("\n")
    plain = _plain_code(lines)
    return "\n".join(line if number in plain else _escape_all(line) for number, line in enumerate(lines))


def without_leading_slashes(text: str) -> str:
    """``text`` in which no line begins with a slash, in code neither: there a blank stands before it.

    What Markdown takes for code and what GitLab leaves alone are not the same, and a person can write what one of them
    reads otherwise, so this is the last gate where lines are obeyed. A suggested change with such a line could not be
    applied as it was meant, and becomes plain code. Doing it twice is doing it once.
    """
    if "/" not in text:
        return text
    lines = text.split("\n")
    fence, opener = "", 0
    for number, line in enumerate(lines):
        opening = _FENCE.fullmatch(line)
        if not fence and opening is not None:
            fence, opener = opening[1], number
        elif not fence:
            lines[number] = _escape_all(line)
        elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif line.startswith("/"):
            lines[number] = f" {line}"
            lines[opener] = _SUGGESTION.sub(r"\1", lines[opener])
    return "\n".join(lines)


def _escape_all(line: str) -> str:
    """A carriage return alone ends a line for some readers too."""
    return "\r".join(map(_escape, line.split("\r")))


def _escape(line: str) -> str:
    found = _SLASH.match(line)
    return line if found is None else f"{found[1]}\\{line[len(found[1]) :]}"


def _plain_code(lines: list[str]) -> frozenset[int]:
    """The lines inside of blocks that the forge and Markdown both take for code, to the same end."""
    inside: set[int] = set()
    opened: int | None = None
    for number, line in enumerate(lines):
        if opened is None:
            if _PLAIN_OPENING.fullmatch(line):
                opened = number
        elif line == _PLAIN_CLOSING:
            inside.update(range(opened + 1, number))
            opened = None
    return frozenset(inside)
