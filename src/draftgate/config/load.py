"""Loads the configuration: five sources, one frozen result, every problem at once.

Order, later wins: defaults, file, environment, inputs, command line. A source that is wrong is never left out in
favour of what it would override: each is checked alone before they are merged. Files are read by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from pydantic import ValidationError

from draftgate.config.complaints import SECRET_IN_FILE, Complaint, Path
from draftgate.config.document import read
from draftgate.config.key_shapes import is_secret, is_secret_name
from draftgate.config.layers import Layer, from_document, from_environment, from_mapping, holds, merge
from draftgate.config.model import Config
from draftgate.config.nodes import BrokenDocument, Document
from draftgate.config.problems import missing_keys, translate
from draftgate.config.rules import Known, judge
from draftgate.config.valid_part import ValidPart, valid_part_of
from draftgate.errors import ConfigurationError, Limit, Problem

CANDIDATE_PATHS: Final = ("draftgate.yml", ".github/draftgate.yml", ".gitlab/draftgate.yml")
"""Where the file may be; two of them at once are an error."""

_OTHER_NAMES: Final = {path.removesuffix(".yml") + ".yaml": path for path in CANDIDATE_PATHS}

LOOKED_FOR: Final = (*CANDIDATE_PATHS, *_OTHER_NAMES)
"""What `find_file` asks for: a file of a name that is not read would else be one that is silently left out."""

MAX_PROBLEMS: Final = Limit("problems of a source shown at once", 50)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file: its path as the reader knows it, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and where they came from.

    Attributes:
        config: The merged settings.
        layers: The sources, weakest first, without the defaults.
        warnings: What is worth a look and stops nothing: unknown variables.
    """

    config: Config
    layers: tuple[Layer, ...]
    warnings: tuple[str, ...]


def find_file(read_file: Callable[[str], bytes | None]) -> ConfigFile | None:
    """The configuration file of a tree, ``None`` if it has none.

    Args:
        read_file: Gives the bytes of a path of the tree, ``None`` if there is no such file.

    Raises:
        ConfigurationError: There are two, or one whose name is not read.
    """
    found = [ConfigFile(path, content) for path in CANDIDATE_PATHS if (content := read_file(path)) is not None]
    problems = [
        Problem(extra.name, None, None, "", f"there is a second file, {found[0].name}", "keep one of them")
        for extra in found[1:]
    ]
    problems += [
        Problem(other, None, None, "", "a file of this name is not read", f"rename it to {path}")
        for other, path in _OTHER_NAMES.items()
        if read_file(other) is not None
    ]
    if problems:
        raise ConfigurationError(tuple(problems))
    return found[0] if found else None


def load(
    file: ConfigFile | None,
    *,
    environment: Mapping[str, str],
    known: Known,
    inputs: Mapping[str, object] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Loaded:
    """The settings in force.

    Args:
        file: The configuration file, ``None`` if there is none.
        environment: All environment variables; those of ours are picked out.
        known: The names that settings may refer to.
        inputs: Settings of the CI job by dotted key.
        overrides: Settings of the command line by dotted key.

    Raises:
        ConfigurationError: Something is wrong, with every problem that could be found.
    """
    document, problems = _read(file)
    variables, variable_problems, warnings = from_environment(environment, known.check_ids)
    given, input_problems = from_mapping("input", inputs or {})
    typed, override_problems = from_mapping("command line", overrides or {})
    layers = ((from_document(document),) if document else ()) + (variables, given, typed)
    problems += (*variable_problems, *input_problems, *override_problems)
    problems += tuple(_problems(layers, known))
    if problems:
        raise ConfigurationError(_in_order(problems))
    return Loaded(Config.model_validate(merge(layers)), layers, warnings)


def _read(file: ConfigFile | None) -> tuple[Document | None, tuple[Problem, ...]]:
    if file is None:
        return None, ()
    try:
        document = read(file.name, file.content)
    except BrokenDocument as error:
        return None, (error.problem,)
    return document, document.problems


def _problems(layers: tuple[Layer, ...], known: Known) -> Iterator[Problem]:
    """What is wrong with the values of each source, then with all of them together."""
    for layer in layers:
        secrets = tuple(islice(_secrets(layer), MAX_PROBLEMS.value + 1))
        yield from (layer.place(complaint) for complaint in secrets)
        hidden = {complaint.path for complaint in secrets}
        complaints = _complaints(layer)
        yield from (layer.place(complaint) for complaint in complaints if complaint.path not in hidden)
    for complaint in islice(_complaints_together(layers, known), MAX_PROBLEMS.value + 1):
        yield _writer_of(complaint.path, layers).place(complaint)


def _complaints(layer: Layer) -> tuple[Complaint, ...]:
    try:
        Config.model_validate(layer.data)
    except ValidationError as error:
        return tuple(islice(translate(error, layer.speller), MAX_PROBLEMS.value + 1))
    return ()


def _complaints_together(layers: tuple[Layer, ...], known: Known) -> Iterator[Complaint]:
    """Absent keys and broken rules; the rules see the settings without the values that are wrong in themselves."""
    merged = merge(layers)
    try:
        part = ValidPart(Config.model_validate(merged))
    except ValidationError as error:
        yield from missing_keys(error, lambda path: _writer_of(path, layers).speller)
        part = valid_part_of(merged)
    for complaint in judge(part.config, known, part.names):
        yield replace(complaint, path=part.as_written(complaint.path))


def _secrets(layer: Layer) -> Iterator[Complaint]:
    if layer.document is None:
        return
    for path, value in layer.document.root.scalars():
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        holds_one = value != "" and not isinstance(value, bool) and is_secret_name(name)
        if holds_one or (isinstance(value, str) and is_secret(value)):
            yield Complaint(path, *SECRET_IN_FILE)


def _writer_of(path: Path, layers: tuple[Layer, ...]) -> Layer:
    """The strongest source that wrote a path, or the nearest key above it."""
    for depth in range(len(path), 0, -1):
        for layer in reversed(layers):
            if holds(layer.data, path[:depth]):
                return layer
    return layers[0]


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems by place, the file's first, each once and not more than can be read."""
    unique = list(dict.fromkeys(problems))
    unique.sort(
        key=lambda problem: (problem.line is None and problem.column is None, problem.line or 0, problem.column or 0)
    )
    if len(unique) > MAX_PROBLEMS.value:
        rest = Problem(unique[0].file, None, None, "", "there are more problems", "mend those above first")
        unique[MAX_PROBLEMS.value :] = [rest]
    return tuple(unique)
