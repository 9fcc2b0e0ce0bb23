"""Where settings come from: the file, environment variables, inputs and the command line, as one kind of value.

A layer holds nested settings and knows where each was written, so that a problem can be placed and
`config show` can name the origin. Nothing is judged here, except what a variable's name means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from draftgate.config.complaints import Complaint, Path, dotted, nearest, shorten, spell
from draftgate.config.document import read_value
from draftgate.config.keys import (
    annotation_at,
    documented_paths,
    is_text,
    names_of_mapping,
    section_of,
    value_of_mapping,
)
from draftgate.config.nodes import BrokenDocument, Document
from draftgate.errors import Problem

PREFIX: Final = "DRAFTGATE_"
_NOT_SETTINGS: Final = frozenset(
    PREFIX + name
    for name in (
        "CONFIG",
        "FAIL_ON",
        "GITLAB_TOKEN",
        "LLM_API_KEY",
        "LLM_BASE_URL",
        "MODE",
        "SIGNING_KEY",
        # What a job of ours hands to those after it, on GitLab as variables.
        "PHASE",
        "FINDINGS",
        "BLOCKERS",
        "RECOMMENDED_VERDICT",
        "CHECKPOINT_URL",
        "REVIEW_URL",
        "HEAD_SHA",
        "SARIF_FILE",
        "REPORT_FILE",
        "COST_USD",
        "TOKENS",
        "GATE_STATUS",
        "GATE_HEAD",
        "GATE_EVIDENCE",
    )
)
_ONLY_IN_THE_FILE: Final = ("version",)
"""It says how the file is written; a variable of its name is one for the version of the program."""

Data = dict[str, object]


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings from one source.

    Attributes:
        name: The source as a reader knows it.
        data: The settings, nested as in the file.
        document: The file, if it is one.
        written: What wrote each path: variable names and the like, for sources that are no file.
    """

    name: str
    data: Data
    document: Document | None = None
    written: Mapping[Path, str] = field(default_factory=dict)

    def place(self, complaint: Complaint) -> Problem:
        """The complaint as a problem of this source."""
        key = dotted(complaint.path)
        if self.document is None:
            return Problem(self.origin(complaint.path), None, None, key, complaint.wrong, complaint.write)
        mark = self.document.root.locate(complaint.path, key=complaint.at_key)
        return Problem(self.name, mark.line, mark.column, key, complaint.wrong, complaint.write)

    def origin(self, path: Path) -> str:
        """What set the value at a path: ``draftgate.yml:3``, a variable's name, ``command line``."""
        if self.document is not None:
            return f"{self.name}:{self.document.root.locate(path, key=True).line}"
        above = (self.written[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in self.written)
        below = (writer for written, writer in self.written.items() if written[: len(path)] == path)
        return next(above, None) or ", ".join(below) or self.name

    def speller(self, key: str, value: object) -> str:
        """How to write a value in this source."""
        return f"write `{spell(key)}: {spell(value)}`" if self.document is not None else f"write `{spell(value)}`"


def from_document(document: Document) -> Layer:
    """The file as a layer."""
    data = document.root.plain()
    return Layer(document.name, data if isinstance(data, dict) else {}, document)


def from_environment(
    environment: Mapping[str, str], check_ids: Iterable[str]
) -> tuple[Layer, tuple[Problem, ...], tuple[str, ...]]:
    """The variables as a layer, the values that cannot be read, and a warning for each unknown name.

    An empty variable is the same as none: CI systems pass one for an input that was left out.
    """
    data: Data = {}
    written: dict[Path, str] = {}
    problems: list[Problem] = []
    warnings: list[str] = []
    for name in sorted(environment):
        if not _is_setting(name) or not environment[name]:
            continue
        path = path_of_variable(name, check_ids)
        if path is None:
            warnings.append(_unknown_variable(name))
            continue
        written[path] = name
        try:
            put(data, path, value_of_text(name, path, environment[name]))
        except BrokenDocument as error:
            problems.append(Problem(name, None, None, dotted(path), error.problem.wrong, error.problem.write))
    return Layer("environment", data, written=written), tuple(problems), tuple(warnings)


def from_mapping(name: str, settings: Mapping[str, object]) -> tuple[Layer, tuple[Problem, ...]]:
    """Settings by dotted key, text read like a variable's; a key may also hold a nested mapping."""
    data: Data = {}
    written: dict[Path, str] = {}
    problems: list[Problem] = []
    for key, value in settings.items():
        path = tuple(key.split("."))
        if value is None or value == "":
            continue
        written[path] = f"{name} {key}" if name != "command line" else name
        try:
            put(data, path, value_of_text(key, path, value) if isinstance(value, str) else _frozen(value))
        except BrokenDocument as error:
            problems.append(Problem(written[path], None, None, key, error.problem.wrong, error.problem.write))
    return Layer(name, data, written=written), tuple(problems)


def merge(layers: Iterable[Layer]) -> Data:
    """All settings, those of a later layer over those of an earlier; lists are replaced, never joined."""
    merged: Data = {}
    for layer in layers:
        _merge_into(merged, layer.data)
    return merged


def path_of_variable(name: str, check_ids: Iterable[str]) -> Path | None:
    """The key that a variable sets; dots and dashes of a key are written as ``_``."""
    path: Path = ()
    for part in name.removeprefix(PREFIX).split("__"):
        known = _names_at(path, check_ids)
        if known is None:
            return None
        found = part if known == () else next((key for key in known if _folded(key) == part.upper()), None)
        if not found:
            return None
        path = (*path, found)
    return None if path == _ONLY_IN_THE_FILE else path


def value_of_text(name: str, path: Path, text: str) -> object:
    """A variable's text as the value it stands for; a key that takes text takes it as it is."""
    return text if is_text(annotation_at(path)) else read_value(name, text)


def put(data: Data, path: Path, value: object) -> None:
    """Set a nested value; what stands in its way is replaced."""
    for step in path[:-1]:
        below = data.get(str(step))
        if not isinstance(below, dict):
            below = data[str(step)] = {}
        data = below
    last = str(path[-1])
    below = data.get(last)
    if isinstance(below, dict) and isinstance(value, dict):
        _merge_into(below, value)
    else:
        data[last] = value


def holds(data: Data, path: Path) -> bool:
    """Whether nested settings have a value at a path."""
    value: object = data
    for step in path:
        below = dict(enumerate(value)) if isinstance(value, tuple) else value
        if not isinstance(below, Mapping) or step not in below:
            return False
        value = below[step]
    return True


def _names_at(path: Path, check_ids: Iterable[str]) -> tuple[str, ...] | None:
    """The keys below a path: ``()`` if any will do, ``None`` if there are none."""
    annotation = annotation_at(path)
    if (section := section_of(annotation)) is not None:
        return tuple(section.model_fields)
    if value_of_mapping(annotation) is None:
        return None
    return tuple(check_ids) if path == ("checks",) else names_of_mapping(annotation)


def _folded(key: str) -> str:
    return key.upper().replace(".", "_").replace("-", "_")


def _is_setting(name: str) -> bool:
    return name.startswith(PREFIX) and name not in _NOT_SETTINGS


def _unknown_variable(name: str) -> str:
    settings = ("__".join(_folded(str(step)) for step in path) for path in documented_paths())
    others = (other.removeprefix(PREFIX) for other in _NOT_SETTINGS)
    own = name.removeprefix(PREFIX)
    meant = None if own == "VERSION" else nearest(own, (*settings, *others))
    hint = f"did you mean {PREFIX}{meant}?" if meant else "it is not used"
    return f"{shorten(name)} is no setting of Draftgate; {hint}"


def _merge_into(target: Data, source: Mapping[str, object]) -> None:
    for key, value in source.items():
        below = target.get(key)
        if isinstance(below, dict) and isinstance(value, Mapping):
            _merge_into(below, value)
        else:
            target[key] = _copied(value)


def _copied(value: object) -> object:
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _frozen(item) for key, item in value.items()}
    return tuple(_frozen(item) for item in value) if isinstance(value, list | tuple) else value
