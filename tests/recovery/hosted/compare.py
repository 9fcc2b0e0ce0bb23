"""Says where two values differ, in few words: what a failing test of a whole conversation prints."""

from __future__ import annotations

from itertools import takewhile


def differences(present: object, expected: object, place: str = "") -> list[str]:
    """Where two values differ; lists of different lengths are compared as a whole."""
    if isinstance(present, dict) and isinstance(expected, dict):
        keys = sorted({*present, *expected})
        pairs = [(f"{place}/{key}", present.get(key, "absent"), expected.get(key, "absent")) for key in keys]
    elif isinstance(present, list) and isinstance(expected, list) and len(present) == len(expected):
        pairs = [(f"{place}/{at}", *both) for at, both in enumerate(zip(present, expected, strict=True))]
    else:
        return [] if present == expected else [f"{place}: {_where_they_part(str(present), str(expected))}"]
    return [difference for key, one, other in pairs for difference in differences(one, other, key)]


def _where_they_part(present: str, expected: str) -> str:
    at = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(present, expected, strict=False)))
    return f"{present[max(0, at - 40) : at + 100]!r} is not {expected[max(0, at - 40) : at + 100]!r}"
