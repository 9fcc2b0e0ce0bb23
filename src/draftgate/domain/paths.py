"""Path globs as the configuration writes them: ``*`` within a folder, ``**`` across folders.

A pattern without a slash matches the file's name in any folder, as in ``.gitignore``; a pattern that ends in
a slash matches everything below that folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_PARTS = re.compile(r"(?:\*\*/)+|\*\*|\*|\?|\[!?[^\]/]+\]|[^*?\[]+|\[")
_SET_SIGNS = re.compile(r"[\\\[&|~]|(?<=-)-")
_ESCAPED = r"\\\g<0>"
_NOTHING = "(?!)"


def matches_any(path: str, globs: Iterable[str]) -> bool:
    """Whether any of the globs matches the whole path."""
    return any(_compiled(glob).fullmatch(path) is not None for glob in globs)


def can_match(glob: str) -> bool:
    """Whether a glob can match any path at all."""
    return all(_translate(part) != _NOTHING for part in _PARTS.findall(glob))


def printable(path: str) -> str:
    """A path as it can stand in a sentence: on one line, and unable to end a code span."""
    return "".join(char if char.isprintable() and char != "`" else f"\\x{ord(char):02x}" for char in path)


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[str]:
    pattern = glob.removeprefix("./").removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    if "/" not in glob.rstrip("/"):
        pattern = f"**/{pattern}"
    return re.compile("".join(_translate(part) for part in _PARTS.findall(pattern)), re.DOTALL)


def _translate(part: str) -> str:
    if part.startswith("**"):
        return "(?:.*/)?" if part.endswith("/") else ".*"
    if part == "*":
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if part.startswith("[") and part != "[":
        negated = part.startswith("[!")
        inner = part[2:-1] if negated else part[1:-1]
        return _class(inner, negated=negated)
    return re.escape(part)


def _class(inner: str, *, negated: bool) -> str:
    """A class of characters; one with a range that goes downwards (``[z-a]``) matches nothing, as in git."""
    written = f"[{'^' if negated else ''}{_SET_SIGNS.sub(_ESCAPED, inner)}]"
    try:
        re.compile(written)
    except re.error:
        return _NOTHING
    return written
