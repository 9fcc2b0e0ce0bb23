"""Reads what providers send without trusting its shape: what is absent and what is of another type are alike empty."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def object_of(value: object) -> Json:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[Json]:
    """The objects of a list, or none."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A text, or an empty one."""
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int:
    """A number of tokens, or 0."""
    return max(value, 0) if isinstance(value, int) else 0
