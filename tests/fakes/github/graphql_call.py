"""What a GraphQL resolver is given besides the thing itself, and how lists become pages.

Whether a page may be asked for is `graphql`'s to check before anything runs.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.fakes.github.entities import Caller, Remark, Thread
from tests.fakes.github.refusals import Invalid
from tests.fakes.github.world import World

T = TypeVar("T")


class NotSimulated(AssertionError):
    """GitHub has this and the simulator does not; a test that needs it has to add it."""


@dataclass(frozen=True)
class Call:
    """One field of one request.

    Attributes:
        world: All there is.
        caller: Who asks.
        web: The root of the web pages, for addresses.
        arguments: Of the field, in GraphQL's spelling; those with a default are there.
    """

    world: World
    caller: Caller
    web: str
    arguments: Mapping[str, Any]

    def page(self, items: Iterable[object]) -> Mapping[str, object]:
        """The part of a list that the arguments ask for, as a connection.

        Raises:
            Invalid: A cursor that is none.
        """
        everything = list(items)
        keys = [_key(index, item) for index, item in enumerate(everything)]
        start, end = 0, len(keys)
        if (after := _read_cursor(self.arguments.get("after"))) is not None:
            start = keys.index(after) + 1 if after in keys else _where(after, keys)
        if (before := _read_cursor(self.arguments.get("before"))) is not None:
            end = _where(before, keys)
        if (first := self.arguments.get("first")) is not None:
            end = min(end, start + first)
        if (last := self.arguments.get("last")) is not None:
            start = max(start, end - last)
        shown = range(start, max(start, end))
        return {
            "totalCount": len(everything),
            "nodes": [everything[index] for index in shown],
            "edges": [{"cursor": _cursor(keys[index]), "node": everything[index]} for index in shown],
            "pageInfo": {
                "hasPreviousPage": start > 0,
                "hasNextPage": end < len(everything),
                "startCursor": _cursor(keys[shown[0]]) if shown else None,
                "endCursor": _cursor(keys[shown[-1]]) if shown else None,
            },
        }


Fields = Mapping[str, Callable[[T, Call], object]]
"""How to find the value of each field of a type."""


def _key(index: int, item: object) -> int:
    """By what a cursor knows an item: its id, so that a page holds when another item is deleted, else its place."""
    return item.id if isinstance(item, Remark | Thread) else index


def _where(key: int, keys: list[int]) -> int:
    """The place of an item, or where it would be in the order of the ids if it is gone."""
    return keys.index(key) if key in keys else sum(other < key for other in keys)


def _cursor(key: int) -> str:
    return base64.b64encode(f"cursor:v2:{key}".encode()).decode()


def _read_cursor(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("cursor:v2:"))
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise Invalid(f"`{cursor}` does not appear to be a valid cursor.") from None
