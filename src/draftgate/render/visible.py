"""Text of others as plain characters: what a reader cannot see, or a terminal would obey, is spelled out.

For every place that shows text as it is (a terminal, a code block, a file name). It knows no Markdown;
that is `neutralize`.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad"  # controls but tab and newline, soft hyphen
    "\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # joiners, fillers, Arabic and Mongolian marks
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidi embeddings and isolates
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"  # fillers, variation selectors (not the emoji one), BOM
    "\ud800-\udfff\U000e0000-\U000e0fff"  # bytes that are no UTF-8 (surrogateescape), tags
    "]"
)
_FIRST_ESCAPED_BYTE = 0xDC80
_LAST_ESCAPED_BYTE = 0xDCFF


def visible(text: str) -> str:
    """Every invisible, directional or control character as ``⟨U+202E⟩``; tab and newline stay."""
    return _HIDDEN.sub(_spell_out, text)


def has_hidden(text: str) -> bool:
    """Whether `visible` would change ``text``; a carriage return before a newline does not count."""
    return _HIDDEN.search(text.replace("\r\n", "\n")) is not None


def _spell_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if _FIRST_ESCAPED_BYTE <= code <= _LAST_ESCAPED_BYTE:
        return f"⟨byte {code - 0xDC00:02X}⟩"
    return f"⟨U+{code:04X}⟩"


def normalize_newlines(text: str) -> str:
    """CRLF and lone CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def terminal(text: str) -> str:
    """Safe to write to a terminal: no control sequence survives, tabs are four columns, newlines stay."""
    return visible(normalize_newlines(text)).replace("\t", "    ")


def no_command(line: str) -> str:
    """A line of a log that no CI system takes for a command to it; blanks before one do not count."""
    plain = line.replace("##[", r"##\[")
    return f"\\{plain}" if plain.lstrip().startswith("::") else plain


def one_line(text: str, limit: int = 300) -> str:
    """``text`` on one line of at most ``limit`` characters, cut with an ellipsis."""
    line = visible(" ".join(text[: 4 * limit].split()))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
