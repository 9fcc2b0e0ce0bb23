"""The names in git's text output, which C-quotes any path that holds an unusual byte.

Names in ``-z`` output are never quoted and must not come here.
"""

from __future__ import annotations

import re

_CODE = rb'[abfnrtv"\\]|[0-3][0-7]{2}'
QUOTED = re.compile(rb'"([^\0-\x1f"\\]*(?:\\(?:' + _CODE + rb')[^\0-\x1f"\\]*)*)"')
"""One name in quotes."""
_ESCAPE = re.compile(rb"\\(" + _CODE + rb")")
_PLAIN = re.compile(rb'[^\0-\x1f"\\\x7f]+')
_CONTROL = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))


def unquote(name: bytes) -> bytes | None:
    """The path that a printed name means, ``None`` if git would not print such a name."""
    if _PLAIN.fullmatch(name):
        return name
    found = QUOTED.fullmatch(name)
    path = _ESCAPE.sub(lambda escape: _byte_of(escape[1]), found[1]) if found else b""
    return path if path and b"\0" not in path else None


def _byte_of(code: bytes) -> bytes:
    return bytes([_CONTROL[code[0]] if len(code) == 1 else int(code, 8)])
