"""Writing configuration files for tests from plain values."""

from __future__ import annotations

from typing import Any


def as_yaml(value: object) -> str:
    """The value in YAML's flow style, escaped to ASCII."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_yaml(str(key))}: {as_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(as_yaml(item) for item in value) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(character):08x}" for character in value) + '"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def nested(path: tuple[str, ...], value: object, *, into: dict[str, Any] | None = None) -> dict[str, Any]:
    """The value under a path of keys; what stands in its way is replaced."""
    data = {} if into is None else into
    below = data
    for step in path[:-1]:
        if not isinstance(below.get(step), dict):
            below[step] = {}
        below = below[step]
    below[path[-1]] = value
    return data
