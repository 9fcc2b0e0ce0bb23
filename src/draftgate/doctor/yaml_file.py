"""A YAML file of others as plain values: texts, lists and mappings, with no type guessed and nothing made from tags."""

from __future__ import annotations

from typing import Any

import yaml

from draftgate.render.visible import one_line

MOST_BYTES = 512 * 1024
"""Of one file; what is longer is not read."""


class Unreadable(Exception):
    """It is no YAML, or too large; the text says so."""


def read_documents(text: str) -> tuple[Any, ...]:
    """The documents of a file, each of texts, lists and mappings alone; ``on`` and ``yes`` are texts.

    Raises:
        Unreadable: there are none.
    """
    if len(text) > MOST_BYTES:
        raise Unreadable(f"it is larger than {MOST_BYTES // 1024} KiB")
    try:
        return tuple(yaml.load_all(text, Loader=yaml.BaseLoader))
    except yaml.YAMLError as error:
        raise Unreadable(f"it is no YAML: {one_line(str(error), 150)}") from error
    except (RecursionError, ValueError, TypeError) as error:
        raise Unreadable("it is no YAML that can be read") from error


def mapping(value: object) -> dict[str, Any]:
    """A mapping with texts for keys; empty if it is something else."""
    return {str(key): inner for key, inner in value.items()} if isinstance(value, dict) else {}


def items(value: object) -> tuple[Any, ...]:
    """The items of a list; a text is a list of itself, anything else an empty one."""
    if isinstance(value, list):
        return tuple(value)
    return (value,) if isinstance(value, str) and value else ()


def text(value: object) -> str:
    """A text; "" if it is something else."""
    return value if isinstance(value, str) else ""
