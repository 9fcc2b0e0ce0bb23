"""What `draftgate config` prints: the merged settings with their origins, and notes.

It only looks at what was loaded; secrets in values are hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from draftgate.config.complaints import Path, dotted, masked, spell
from draftgate.config.keys import annotation_at, section_of, value_of_mapping
from draftgate.config.layers import holds, merge
from draftgate.config.load import Loaded
from draftgate.config.model import NO_EFFECT, Config, Section


@dataclass(frozen=True, slots=True)
class Row:
    """One setting in force.

    Attributes:
        key: Dotted.
        value: As it is written in the file.
        plain: The value itself, as JSON has it.
        origin: What set it: ``draftgate.yml:3``, the name of a variable or input, ``command line``, ``default``.
    """

    key: str
    value: str
    plain: object
    origin: str


def describe(loaded: Loaded) -> tuple[Row, ...]:
    """Every setting with its value and origin, in the order of the reference."""
    merged = merge(loaded.layers)
    return tuple(
        Row(dotted(path), spell(shown), shown, _origin(path, loaded))
        for path, value in _settings(Config, merged, ())
        for shown in (masked(str(path[-1]), value),)
    )


def without_effect(loaded: Loaded) -> tuple[str, ...]:
    """The keys that were written, but do nothing in this release."""
    return tuple(dotted(path) for path in _idle(Config, merge(loaded.layers), ()))


def _settings(section: type[Section], written: Mapping[str, object], above: Path) -> Iterator[tuple[Path, object]]:
    for name, field in section.model_fields.items():
        path = (*above, name)
        value = written.get(name)
        below = section_of(field.annotation)
        if below is not None and _is_expanded(field, value):
            yield from _settings(below, value if isinstance(value, Mapping) else {}, path)
        elif value and isinstance(value, Mapping):
            yield from _entries(value, section_of(value_of_mapping(field.annotation)), path)
        else:
            yield path, value if name in written and value is not None else _default(field)


def _entries(
    written: Mapping[str, object], section: type[Section] | None, above: Path
) -> Iterator[tuple[Path, object]]:
    """What stands in a mapping with open keys, each entry of which another source may have written."""
    for key, value in written.items():
        if section is None:
            yield (*above, key), value
        else:
            yield from _settings(section, value if isinstance(value, Mapping) else {}, (*above, key))


def _is_expanded(field: FieldInfo, value: object) -> bool:
    """A section that is always there, or one that was written as a mapping."""
    return isinstance(value, Mapping) or (value is None and isinstance(field.get_default(), Section))


def _default(field: FieldInfo) -> object:
    default = field.get_default(call_default_factory=True, validated_data={})
    return default.model_dump() if isinstance(default, BaseModel) else default


def _origin(path: Path, loaded: Loaded) -> str:
    writer = next((layer for layer in reversed(loaded.layers) if holds(layer.data, path)), None)
    return writer.origin(path) if writer is not None else "default"


def _idle(section: type[Section], written: Mapping[str, object], above: Path) -> Iterator[Path]:
    for name, value in written.items():
        field = section.model_fields[name]
        path = (*above, name)
        below = section_of(field.annotation)
        if isinstance(field.json_schema_extra, dict) and NO_EFFECT in field.json_schema_extra:
            yield path
        elif isinstance(value, tuple):
            yield from ((*path, index) for index, entry in enumerate(value) if _is_idle_entry((*path, index), entry))
        elif below is not None and isinstance(value, Mapping):
            yield from _idle(below, value, path)


def _is_idle_entry(path: Path, entry: object) -> bool:
    section = section_of(annotation_at(path)) if isinstance(entry, Mapping) else None
    extra = None if section is None else section.model_config.get("json_schema_extra")
    return isinstance(extra, dict) and NO_EFFECT in extra
