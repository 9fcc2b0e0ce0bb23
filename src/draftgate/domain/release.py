"""Releases as stored state names them: text that anybody may have written there."""

from __future__ import annotations

import re

_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")


def name_release(said: object) -> str:
    """The release of a version, for people to read; "" if it is none."""
    return f"Draftgate {said}" if isinstance(said, str) and _VERSION.fullmatch(said) else ""
