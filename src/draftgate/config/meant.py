"""What a wrong value was probably meant to be, so that a problem can say what to write and not only show an example.

A guess is made only from what was written: a list from a text with commas, a number from its digits in quotes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Final

from pydantic_core import ErrorDetails

from draftgate.config.complaints import Path, nearest, spell
from draftgate.config.composer import scalar
from draftgate.config.keys import annotation_at, choices_of, section_of
from draftgate.config.model import HOST_FORM, MODEL_FORM

_SWITCHES: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_PROGRAM: Final = "command"
_ALL_ELSE: Final = "default"
_HEXADECIMAL: Final = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
_ADDRESS: Final = re.compile(r"https?://([A-Za-z0-9.-]{1,253})(?::[0-9]{1,5})?(?:/.*)?")
_MAKERS: Final = (
    (re.compile(r"claude-[\w.-]{1,100}"), "anthropic"),
    (re.compile(r"(?:gpt-|o[0-9])[\w.-]{0,100}"), "openai"),
)
_LARGEST: Final = 10**15


def what_was_meant(details: ErrorDetails, path: Path, value: object) -> object | None:
    """The value as it was probably meant; ``None`` where nothing can be guessed.

    Args:
        details: Pydantic's error.
        path: The key that it is about.
        value: What was written.
    """
    kind = details["type"]
    if kind == "string_pattern_mismatch" and isinstance(value, str):
        return _of_a_form(details.get("ctx", {}).get("pattern", ""), value)
    guess = _GUESSES.get(kind)
    return None if guess is None or value in ("", None) else guess(path, value)


def _text(_path: Path, value: object) -> object | None:
    return spell(value) if isinstance(value, int | float) else None


def _switch(_path: Path, value: object) -> object | None:
    return _SWITCHES.get(value.lower()) if isinstance(value, str) else None


def _whole_number(_path: Path, value: object) -> object | None:
    if isinstance(value, str):
        value = int(value, 16) if _HEXADECIMAL.fullmatch(value) else scalar(value.replace("_", ""))
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        return int(value)
    return value if type(value) is int else None


def _list(path: Path, value: object) -> object | None:
    if not isinstance(value, str):
        return None
    if path[-1] == _PROGRAM:
        return _words(value)
    parts = value.split(",") if "{" not in value else [value]
    return [part.strip() for part in parts if part.strip()] or None


def _words(command: str) -> list[str] | None:
    try:
        return shlex.split(command) or None
    except ValueError:  # an open quotation
        return None


def _choice(path: Path, value: object) -> object | None:
    choices = {str(choice): choice for choice in choices_of(annotation_at(path)) if isinstance(choice, str)}
    return choices.get(nearest(value, choices) or "") if isinstance(value, str) else None


def _section(path: Path, value: object) -> object | None:
    """One value in the place of several, where one key stands for all of them."""
    section = section_of(annotation_at(path))
    if section is None or type(value) is not int or _ALL_ELSE not in section.model_fields:
        return None
    return {_ALL_ELSE: value}


def _of_a_form(form: object, value: str) -> object | None:
    if form == HOST_FORM and (address := _ADDRESS.fullmatch(value)):
        return address[1].strip(".-") or None
    if form == MODEL_FORM:
        return next((f"{maker}:{value}" for names, maker in _MAKERS if names.fullmatch(value)), None)
    return None


_GUESSES: Final[Mapping[str, Callable[[Path, object], object | None]]] = {
    "string_type": _text,
    "bool_type": _switch,
    "int_type": _whole_number,
    "tuple_type": _list,
    "literal_error": _choice,
    "model_type": _section,
}
