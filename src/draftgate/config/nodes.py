"""The values of a configuration file with the places where they stand.

A tree of plain data: it neither reads YAML nor knows what a key means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from draftgate.config.complaints import Path
from draftgate.errors import Problem


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the file, 1-based."""

    line: int
    column: int


class BrokenDocument(Exception):
    """The text is no document of ours: no further problem can be looked for in it.

    It never leaves this package; what people see is `ConfigurationError`.
    """

    def __init__(self, problem: Problem) -> None:
        """Carry the one problem to mend first."""
        super().__init__(str(problem))
        self.problem = problem


def problem_at(name: str, mark: Mark | None, wrong: str, write: str) -> Problem:
    """A problem that belongs to a place and to no key."""
    return Problem(name, mark.line if mark else None, mark.column if mark else None, "", wrong, write)


@dataclass(slots=True)
class Node:
    """A value and where it stands.

    Attributes:
        mark: Where the value begins.
        content: Nodes for a mapping or a list, else the scalar itself.
        key_marks: Where the keys of a mapping stand.
        size: The number of values in it, those behind aliases included.
        closed: Whether it was read to its end.
    """

    mark: Mark
    content: dict[str, Node] | list[Node] | str | float | bool | None = None
    key_marks: dict[str, Mark] = field(default_factory=dict)
    size: int = 1
    closed: bool = False

    def plain(self) -> object:
        """The value without positions; lists are tuples."""
        if isinstance(self.content, dict):
            return {key: child.plain() for key, child in self.content.items()}
        if isinstance(self.content, list):
            return tuple(child.plain() for child in self.content)
        return self.content

    def scalars(self, path: Path = ()) -> Iterator[tuple[Path, str | float | bool]]:
        """Every text, number and switch in the tree, with its path."""
        if isinstance(self.content, str | int | float):
            yield path, self.content
        for step, child in self.children():
            yield from child.scalars((*path, step))

    def children(self) -> Iterator[tuple[str | int, Node]]:
        """The values directly below, by key or number."""
        if isinstance(self.content, dict):
            yield from self.content.items()
        elif isinstance(self.content, list):
            yield from enumerate(self.content)

    def child(self, step: str | int) -> Node | None:
        """The value under a key or number."""
        if isinstance(self.content, dict):
            return self.content.get(str(step))
        if isinstance(self.content, list) and isinstance(step, int) and step < len(self.content):
            return self.content[step]
        return None

    def locate(self, path: Path, *, key: bool = False) -> Mark:
        """Where the value of a path stands (or its key); for what is not written, the nearest key above it."""
        node, mark = self, self.mark
        for step in path:
            child = node.child(step)
            if child is None:
                break
            at_key = key or child.content is None  # an empty value stands nowhere that a reader would look
            mark = node.key_marks.get(str(step), child.mark) if at_key else child.mark
            node = child
        return mark


@dataclass(frozen=True, slots=True)
class Document:
    """A file that could be read, with what is wrong in its notation."""

    name: str
    root: Node
    problems: tuple[Problem, ...]
