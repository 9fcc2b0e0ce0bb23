"""Pydantic's errors in words: what was expected, what was got, and what to write instead.

No word of pydantic reaches the reader. Where the key was written is added by `layers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from draftgate.config.complaints import Complaint, Path, dotted, nearest, shorten, shown, spell
from draftgate.config.key_shapes import is_secret_name
from draftgate.config.keys import (
    annotation_at,
    choices_of,
    documented_at,
    documented_paths,
    names_of_mapping,
    section_of,
)
from draftgate.config.meant import what_was_meant
from draftgate.config.model import FORMS, Section

_TAGS: Final = frozenset({"~text", "~mapping", "~switch"})

_EXPECTED: Final = {
    "int_type": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_unicode": "text of whole characters",
    "tuple_type": "a list",
    "mapping_type": "keys with values",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "too_short": "at least one entry",
    "string_too_short": "text",
    "string_too_long": "at most {max_length} characters",
}

_MANY: Final = 10
_ASK_THE_SCHEMA: Final = "delete it; `draftgate config schema` lists the keys"

_VERSION: Final = ("version",)

Speller = Callable[[str, object], str]
"""Says how a key and its value are written where they were written wrongly."""


def translate(error: ValidationError, speller: Speller) -> Iterator[Complaint]:
    """A complaint for each error of one source; what is absent there may stand in another."""
    errors = error.errors(include_url=False)
    yield from (_complaint(details, speller) for details in errors if details["type"] != "missing")


def missing_keys(error: ValidationError, speller_at: Callable[[Path], Speller]) -> Iterator[Complaint]:
    """A complaint for each key that must be there and is not."""
    for details in error.errors(include_url=False):
        if details["type"] == "missing":
            path = path_of(details)
            yield Complaint(
                path[:-1], f"the key `{path[-1]}` is missing", _example(path, speller_at(path)), at_key=True
            )


def path_of(details: ErrorDetails) -> Path:
    """The path of the key that an error is about, without the marks that pydantic adds."""
    *above, last = details["loc"]
    path = [step for step in above if step not in _TAGS]
    if details["type"] == "extra_forbidden" or last not in (*_TAGS, "[key]"):
        path.append(last)
    return tuple(path)


def unknown_key(path: Path) -> Complaint:
    """The complaint about a key that does not exist, with the one that was probably meant."""
    name, above = str(path[-1]), path[:-1]
    section = section_of(annotation_at(above))
    known = tuple(section.model_fields) if section else ()
    write = f"write one of: {', '.join(known)}" if 0 < len(known) <= _MANY else _ASK_THE_SCHEMA
    if (meant := nearest(name, known)) is not None:
        write = f"did you mean `{meant}`?"
    elif (elsewhere := next((path for path in documented_paths() if path[-1] == name), None)) is not None:
        write = f"write it as `{dotted(elsewhere)}`"
    return Complaint(path, f"there is no key '{shorten(name)}' here", write, at_key=True)


def _complaint(details: ErrorDetails, speller: Speller) -> Complaint:
    path, value = path_of(details), details["input"]
    match details["type"]:
        case "extra_forbidden":
            return unknown_key(path)
        case "no_agents":
            return Complaint(path, "a review without agents", "name one, such as `[correctness]`, or delete the key")
        case "not_in_this_release":
            available = speller(_name(path), details["ctx"]["available"])
            return Complaint(path, f"{shown(value)} is not in this release", available)
    if path == _VERSION and details["type"] == "less_than_equal":
        wrong = f"this release reads version 1 of the file's format, got {shown(value)}"
        return Complaint(path, wrong, "write `version: 1`, or run a release that reads it")
    if details["loc"][-1] == "[key]":
        known = ", ".join(names_of_mapping(annotation_at(path[:-1])))
        write = f"write one of: {known}" if known else "give it a name"
        return Complaint(path, f"there is no '{shorten(str(value))}' here", write, at_key=True)
    is_hidden = is_secret_name(_name(path))
    wrong = f"expected {_expected(details, path)}, got {'a secret' if is_hidden else shown(value)}"
    return Complaint(path, wrong, _example(path, speller) if is_hidden else _instead(details, path, value, speller))


def _expected(details: ErrorDetails, path: Path) -> str:
    kind, context = details["type"], details.get("ctx", {})
    section = section_of(annotation_at(path))
    if kind == "literal_error":
        choices = tuple(spell(choice) for choice in choices_of(annotation_at(path)))
        return _listed((*choices, *((_keys_of(section),) if section else ())))
    if kind == "string_type" and section is not None:
        return f"text or {_keys_of(section)}"
    if kind == "string_pattern_mismatch":
        return FORMS[context["pattern"]]
    if kind == "form":
        return str(context["expected"])
    bounds = {name: spell(bound) for name, bound in context.items()}
    return _EXPECTED.get(kind, "something else").format(**bounds)


def _keys_of(section: type[Section]) -> str:
    return f"the keys {', '.join(section.model_fields)}"


def _instead(details: ErrorDetails, path: Path, value: object, speller: Speller) -> str:
    """The value as it was probably meant, else the example of the key."""
    meant = what_was_meant(details, path, value)
    if meant is None:
        return _example(path, speller)
    return f"write `{spell(meant)}`" if isinstance(path[-1], int) else speller(_name(path), meant)


def _example(path: Path, speller: Speller) -> str:
    documented = documented_at(path)
    if documented is None or not documented[1].examples:
        return "delete it"
    return speller(documented[0], documented[1].examples[0])


def _name(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + f" or {words[-1]}" if len(words) > 1 else "".join(words)
