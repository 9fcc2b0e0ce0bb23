"""What `draftgate config` prints: the merged settings with their origins, notes, and the JSON Schema.

It only looks at what was loaded; secrets in values are hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic.fields import FieldInfo

from draftgate.config.complaints import Path, dotted, spell
from draftgate.config.keys import section_of, value_of_mapping
from draftgate.config.layers import holds, merge
from draftgate.config.load import Loaded
from draftgate.config.model import NO_EFFECT, Config, Section


@dataclass(frozen=True, slots=True)
class Row:
    """One setting in force: its dotted key, its value as it is written in the file, and what set it."""

    key: str
    value: str
    origin: str


def describe(loaded: Loaded) -> tuple[Row, ...]:
    """Every setting with its value and origin, in the order of the reference."""
    merged = merge(loaded.layers)
    return tuple(
        Row(dotted(path), spell(value), _origin(path, loaded)) for path, value in _settings(Config, merged, ())
    )


def without_effect(loaded: Loaded) -> tuple[str, ...]:
    """The keys that were written, but do nothing in this release."""
    return tuple(dotted(path) for path in _idle(Config, merge(loaded.layers), ()))


def json_schema() -> dict[str, object]:
    """The JSON Schema of the file, for editors."""
    schema = Config.model_json_schema()
    schema["title"] = "Draftgate configuration"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:draftgate:schema:configuration:1",
        **schema,
    }


def _settings(section: type[Section], written: Mapping[str, object], above: Path) -> Iterator[tuple[Path, object]]:
    for name, field in section.model_fields.items():
        path = (*above, name)
        value = written.get(name)
        below = section_of(field.annotation)
        if below is not None and _is_expanded(field, value):
            yield from _settings(below, value if isinstance(value, Mapping) else {}, path)
        elif value and isinstance(value, Mapping) and (item := section_of(value_of_mapping(field.annotation))):
            for key, settings in value.items():
                yield from _settings(item, settings if isinstance(settings, Mapping) else {}, (*path, key))
        else:
            yield path, value if name in written else _default(field)


def _is_expanded(field: FieldInfo, value: object) -> bool:
    """A section that is always there, or one that was written as a mapping."""
    return isinstance(value, Mapping) or (value is None and isinstance(field.get_default(), Section))


def _default(field: FieldInfo) -> object:
    return field.get_default(call_default_factory=True, validated_data={})


def _origin(path: Path, loaded: Loaded) -> str:
    writer = next((layer for layer in reversed(loaded.layers) if holds(layer.data, path)), None)
    return writer.origin(path) if writer is not None else "default"


def _idle(section: type[Section], written: Mapping[str, object], above: Path) -> Iterator[Path]:
    for name, value in written.items():
        field = section.model_fields[name]
        below = section_of(field.annotation)
        if isinstance(field.json_schema_extra, dict) and NO_EFFECT in field.json_schema_extra:
            yield (*above, name)
        elif below is not None and isinstance(value, Mapping):
            yield from _idle(below, value, (*above, name))
