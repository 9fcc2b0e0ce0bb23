"""The tree of keys that the model defines, walked by path: fields, sections and the choices of a key."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from draftgate.config.complaints import Path
from draftgate.config.model import Config, Section


def options_of(annotation: object) -> Iterator[object]:
    """The alternatives of an annotation, without `Annotated` and unions around them."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from options_of(get_args(annotation)[0])
    elif origin is Union or origin is types.UnionType:
        for option in get_args(annotation):
            yield from options_of(option)
    else:
        yield annotation


def section_of(annotation: object) -> type[Section] | None:
    """The section that a value of this annotation may be."""
    for option in options_of(annotation):
        if isinstance(option, type) and issubclass(option, Section):
            return option
    return None


def value_of_mapping(annotation: object) -> object | None:
    """The annotation of the values of a mapping with open keys; ``None`` for anything else."""
    for option in options_of(annotation):
        if get_origin(option) is Mapping:
            value: object = get_args(option)[1]
            return value
    return None


def names_of_mapping(annotation: object) -> tuple[str, ...]:
    """The keys that a mapping allows, if it names them."""
    for option in options_of(annotation):
        if get_origin(option) is Mapping:
            return tuple(str(name) for name in choices_of(get_args(option)[0]))
    return ()


def choices_of(annotation: object) -> tuple[object, ...]:
    """The values that an annotation spells out."""
    choices: list[object] = []
    for option in options_of(annotation):
        if get_origin(option) is Literal:
            choices.extend(get_args(option))
        elif option is bool:
            choices.extend((True, False))
    return tuple(choices)


def is_text(annotation: object) -> bool:
    """Whether every value of the annotation is text."""
    return all(
        option in (str, types.NoneType) or all(isinstance(choice, str) for choice in choices_of(option) or (0,))
        for option in options_of(annotation)
    )


def annotation_at(path: Path) -> object | None:
    """The annotation of the value at a path; ``None`` if the model has no such path."""
    annotation: object = Config
    for step in path:
        following = _step(annotation, step)
        if following is None:
            return None
        annotation = following
    return annotation


def documented_at(path: Path) -> tuple[str, FieldInfo] | None:
    """The innermost key on the way to a path that the model documents, by name."""
    annotation: object = Config
    found: tuple[str, FieldInfo] | None = None
    for step in path:
        section = section_of(annotation)
        if section is not None and step in section.model_fields:
            found = str(step), section.model_fields[str(step)]
        following = _step(annotation, step)
        if following is None:
            break
        annotation = following
    return found


def documented_paths(section: type[Section] = Config, above: Path = ()) -> Iterator[Path]:
    """The path of every key outside lists and mappings with open keys, in the order of the model."""
    for name, field in section.model_fields.items():
        yield (*above, name)
        below = section_of(field.annotation)
        if below is not None:
            yield from documented_paths(below, (*above, name))


def _step(annotation: object, step: str | int) -> object | None:
    for option in options_of(annotation):
        section = section_of(option)
        if section is not None and step in section.model_fields:
            return section.model_fields[str(step)].annotation
        if get_origin(option) is tuple and isinstance(step, int):
            item: object = get_args(option)[0]
            return item
        if isinstance(step, str) and (value := value_of_mapping(option)) is not None:
            return value
    return None
