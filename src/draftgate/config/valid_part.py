"""The settings without those that are wrong in themselves, so that the rules can judge the rest in the same run.

An entry of a list that is wrong is left out alone; its neighbours keep the places where they were written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from pydantic import ValidationError

from draftgate.config.complaints import Path
from draftgate.config.composer import MAX_DEPTH
from draftgate.config.layers import Data
from draftgate.config.model import Config
from draftgate.config.problems import path_of

_AGENTS: Path = ("code_review", "agents")


@dataclass(frozen=True, slots=True)
class ValidPart:
    """What is right.

    Attributes:
        config: The settings.
        left: For each list that lost entries, the numbers that those left had.
        names: Of agents that were left out; what refers to them is no mistake of its own.
    """

    config: Config
    left: Mapping[Path, tuple[int, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def as_written(self, path: Path) -> Path:
        """The path of a value where it was written."""
        for depth, step in enumerate(path):
            numbers = self.left.get(path[:depth])
            if numbers is not None and isinstance(step, int):
                return (*path[:depth], numbers[step], *path[depth + 1 :])
        return path


def valid_part_of(data: Data) -> ValidPart:
    """The part of the settings that is right; ``data`` is used up.

    A key that a section must have takes the section with it, so one round for each level of nesting is enough.
    """
    left: dict[Path, tuple[int, ...]] = {}
    names: list[str] = []
    for _ in range(MAX_DEPTH.value):
        try:
            return ValidPart(Config.model_validate(data), left, tuple(names))
        except ValidationError as error:
            entries: dict[Path, set[int]] = {}
            for details in error.errors(include_url=False):
                path = path_of(details)
                _note(data, path[:-1] if details["type"] == "missing" else path, entries)
            for path, numbers in entries.items():
                names += _names_among(data, path, numbers)
                _leave_out(data, path, numbers, left)
    return ValidPart(Config())


def _note(data: Data, path: Path, entries: dict[Path, set[int]]) -> None:
    """Remove the key, or take down the number of the entry that it stands in."""
    depth = next((depth for depth, step in enumerate(path) if isinstance(step, int)), None)
    if depth is None:
        _remove(data, path)
    else:
        entries.setdefault(path[:depth], set()).add(int(path[depth]))


def _remove(data: Data, path: Path) -> None:
    below = data
    for step, following in pairwise(path):
        value = below.get(str(step))
        if not isinstance(value, dict) or following not in value:
            below.pop(str(step), None)
            return
        below = value
    below.pop(str(path[-1]), None)


def _leave_out(data: Data, path: Path, wrong: Iterable[int], left: dict[Path, tuple[int, ...]]) -> None:
    above = _at(data, path[:-1])
    entries = above.get(str(path[-1])) if isinstance(above, dict) else None
    if not isinstance(above, dict) or not isinstance(entries, tuple):
        return  # its key was removed in this round
    numbers = left.get(path, tuple(range(len(entries))))
    kept = [number for number in range(len(entries)) if number not in wrong]
    above[str(path[-1])] = tuple(entries[number] for number in kept)
    left[path] = tuple(numbers[number] for number in kept)


def _names_among(data: Data, path: Path, numbers: Iterable[int]) -> list[str]:
    entries = _at(data, path)
    if path != _AGENTS or not isinstance(entries, tuple):
        return []
    agents = (entries[number] for number in numbers)
    return [str(agent["name"]) for agent in agents if isinstance(agent, Mapping) and "name" in agent]


def _at(data: Data, path: Path) -> object:
    value: object = data
    for step in path:
        value = value.get(str(step)) if isinstance(value, dict) else None
    return value
