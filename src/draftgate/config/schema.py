"""The JSON Schema of the configuration file, as editors use it.

Made from the model, and of draft 7, which every editor reads whole. It refuses what the loader refuses wherever a
schema can; what it cannot say are rules that compare two keys, files that must be there, secrets, and ranges in globs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from draftgate.config.default_models import PROVIDERS
from draftgate.config.model import MODEL_FORM, NO_EFFECT, Config
from draftgate.config.rules import Known

Json = dict[str, Any]

NOT_YET: Final = " Without effect in this release."
"""Ends the description of such a key, which is what an editor shows."""

_REFERENCE: Final = "#/definitions/"


def json_schema(known: Known) -> Json:
    """The schema of the file.

    Args:
        known: The names that settings may refer to: checks and languages.
    """
    model = Config.model_json_schema(ref_template=f"{_REFERENCE}{{model}}")
    definitions: Json = model.pop("$defs")
    schema: Json = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "urn:draftgate:schema:configuration:1",
        **model,
        "title": "Draftgate configuration",
        "definitions": definitions,
    }
    _allow_nothing(schema, definitions)
    _name_checks(schema, definitions, known)
    _name_languages(schema["properties"]["language"], known.languages)
    for part in _parts(schema):
        _name_providers(part)
        _document(part, definitions)
    return schema


def _parts(schema: object) -> Iterator[Json]:
    """Every mapping in the schema, the outer before the inner."""
    if isinstance(schema, dict):
        yield schema
        for below in list(schema.values()):
            yield from _parts(below)
    elif isinstance(schema, list):
        for below in schema:
            yield from _parts(below)


def _allow_nothing(schema: Json, definitions: Json) -> None:
    """A section whose keys are all commented out has no value, and means its defaults."""
    in_unions = {option["$ref"] for part in _parts(schema) for option in part.get("oneOf", ()) if "$ref" in option}
    sections = [
        section
        for name, section in definitions.items()
        if section.get("type") == "object" and f"{_REFERENCE}{name}" not in in_unions and not section.get("required")
    ]
    mappings = [part for part in _parts(schema) if isinstance(part.get("additionalProperties"), dict)]
    for part in (schema, *sections, *mappings):
        part["type"] = ["object", "null"]
    for part in mappings:
        part["default"] = {}


def _name_checks(schema: Json, definitions: Json, known: Known) -> None:
    checks = schema["properties"]["checks"]
    checks["propertyNames"] = {"enum": sorted(known.check_ids)}
    never_off = {
        "properties": {
            "enabled": {"enum": [True, None]},
            "paths": {"properties": {"exclude": {"maxItems": 0}}},
        }
    }
    settings = checks["additionalProperties"]
    definitions["AlwaysOn"] = {
        "description": "A check that cannot be switched off.",
        "allOf": [settings, never_off],
    }
    checks["properties"] = {
        check: {"$ref": f"{_REFERENCE}AlwaysOn"} if check in known.always_on else settings
        for check in sorted(known.check_ids)
    }


def _name_languages(language: Json, known: Iterable[str]) -> None:
    """A region may follow; upper and lower case are one."""
    names = sorted(known)
    if not names:
        return
    either = "|".join("".join(f"[{letter.lower()}{letter.upper()}]" for letter in name) for name in names)
    del language["type"]
    with_region = {
        "title": "one with a region, as in `pt-BR`",
        "type": "string",
        "pattern": f"^(?:{either})(?:[-_][^\\n]*)?$",
    }
    language["anyOf"] = [{"enum": names}, with_region]


def model_form() -> str:
    """The pattern of a model whose provider is known."""
    return rf"^(?:{'|'.join(PROVIDERS)}):[^\s:]\S*$"


def _name_providers(part: Json) -> None:
    if part.get("pattern") == MODEL_FORM:
        part["pattern"] = model_form()


def _document(part: Json, definitions: Json) -> None:
    """Descriptions as editors show them: what stands beside a reference, they would leave out."""
    for field in part.get("properties", {}).values():
        field.pop("title", None)
        if "examples" in field and "description" not in field:  # pydantic leaves it out where the section says the same
            field["description"] = definitions[field["$ref"].removeprefix(_REFERENCE)]["description"]
        if field.pop(NO_EFFECT, False):
            field["description"] += NOT_YET
            field[NO_EFFECT] = True
        if "$ref" in field and len(field) > 1:
            field["allOf"] = [{"$ref": field.pop("$ref")}]
            field.pop("default", None)  # each of its keys has its own; an editor would write out all of them
