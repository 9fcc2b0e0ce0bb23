"""Holds requests against the published forms: what a provider would refuse raises `Refused`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.fakes.llm.script import Json

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Refused(Exception):
    """The provider would answer this request with an error."""

    def __init__(self, message: str, *, status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code


def require(is_met: object, message: str) -> None:
    """Refuse the request unless this is so."""
    if not is_met:
        raise Refused(message)


def an_object(value: object, at: str, *, required: str = "", optional: str = "") -> Json:
    """An object with the keys that must and may be there."""
    if not isinstance(value, dict):
        raise Refused(f"{at}: expected an object, got {type(value).__name__}")
    missing = set(required.split()) - value.keys()
    unknown = value.keys() - set(required.split()) - set(optional.split())
    require(not missing, f"{at}: missing {sorted(missing)}")
    require(not unknown, f"{at}: Unknown parameter: {sorted(unknown)}")
    return value


def a_list(value: object, at: str) -> list[object]:
    """A list that is not empty."""
    if not isinstance(value, list) or not value:
        raise Refused(f"{at}: expected a list that is not empty, got {value!r:.80}")
    return value


def a_text(value: object, at: str, *, may_be_empty: bool = False) -> str:
    """A text."""
    if not isinstance(value, str) or not (value or may_be_empty):
        raise Refused(f"{at}: expected a text, got {value!r:.80}")
    return value


def a_number(value: object, at: str) -> int:
    """A positive whole number."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Refused(f"{at}: expected a positive number, got {value!r:.80}")
    return value


def a_function(tool: Json, at: str, *, schema_key: str) -> str:
    """The name of a tool whose parameters are an object, and a closed one if it is strict."""
    name = a_text(tool.get("name"), f"{at}.name")
    require(_NAME.fullmatch(name), f"{at}.name: {name!r} is no name")
    a_text(tool.get("description", ""), f"{at}.description", may_be_empty=True)
    a_schema(tool.get(schema_key), f"{at}.{schema_key}", is_strict=tool.get("strict") is True)
    return name


def a_schema(schema: object, at: str, *, is_strict: bool) -> None:
    """A schema of an object; a strict one is closed and requires every property."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise Refused(f"{at}: expected the schema of an object")
    if is_strict:
        require(schema.get("additionalProperties") is False, f"{at}: 'additionalProperties' must be false")
        is_complete = set(schema.get("required", ())) == set(schema.get("properties", {}))
        require(is_complete, f"{at}: 'required' must hold every property")


def a_choice(name: object, offered: Iterable[str], at: str) -> None:
    """The name of a tool that is offered."""
    require(name in set(offered), f"{at}: {name!r} is not among the tools")
