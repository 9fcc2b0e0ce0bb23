"""What `draftgate init` would do, as values: files, what stays as it is, lines to paste, and notes."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from draftgate.setup.address import ForgeName
from draftgate.setup.released import PLACE_OF_ACTION, PLACE_OF_IMAGE
from draftgate.setup.routes import Include, Route


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person chose on the command line.

    Attributes:
        forge, remote: ``None`` where the repository decides.
        has_app: The GitHub workflow takes a token of an App, or the workflow's own; ``None`` where nobody said.
        routes: How reviews and commands start on GitLab; empty where nobody said.
        include: Where GitLab finds the template; ``None`` where nobody said.
        action: Repository and commit of a release, as ``OWNER/NAME@COMMIT``.
        image: The image that GitLab's jobs run.
    """

    forge: ForgeName | None = None
    remote: str | None = None
    has_app: bool | None = None
    routes: frozenset[Route] = frozenset()
    include: Include | None = None
    action: str = PLACE_OF_ACTION
    image: str = PLACE_OF_IMAGE

    @property
    def source(self) -> Include:
        """Where the template is taken from."""
        return self.include or Include()


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file that would be written: what is there now, and what would be."""

    path: str
    before: bytes | None
    after: bytes

    @property
    def diff(self) -> str:
        """The change as a unified diff with the paths that git uses."""
        old = "" if self.before is None else self.before.decode("utf-8", "replace")
        return unified_diff(self.path, old, self.after.decode("utf-8", "replace"), is_new=self.before is None)


def unified_diff(path: str, old: str, new: str, *, is_new: bool = False) -> str:
    """Two texts compared, as `git apply` reads it; only a line feed ends a line, as in git."""
    rows = difflib.unified_diff(
        _split(old), _split(new), "/dev/null" if is_new else f"a/{path}", f"b/{path}", lineterm="\n"
    )
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that stays as it is although it is not what would be written: why, and how the two differ."""

    path: str
    why: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Paste:
    """Lines for a file that cannot be edited safely from here: why, where they go, and the lines."""

    path: str
    why: str
    where: str
    lines: str


@dataclass(frozen=True, slots=True)
class Part:
    """What is planned for one purpose, such as the workflow.

    Attributes:
        files: What would be written, in this order.
        kept: What stays as it is.
        pastes: What the person would add by hand.
        in_place: Files that are there and need nothing.
        notes: What is worth a sentence.
    """

    files: tuple[PlannedFile, ...] = ()
    kept: tuple[Kept, ...] = ()
    pastes: tuple[Paste, ...] = ()
    in_place: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Part) -> Part:
        return Part(
            self.files + other.files,
            self.kept + other.kept,
            self.pastes + other.pastes,
            self.in_place + other.in_place,
            self.notes + other.notes,
        )
