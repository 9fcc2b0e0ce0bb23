"""What a migration does to the schema, whatever framework it is written in.

A table is a key: its name in Rails and Alembic, ``app.model`` in lower case in Django.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of an operation in its file, and the one to hang a finding on; 1-based."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class DropColumn:
    """A column goes; with ``renamed_to`` it lives on under that name."""

    table: str
    column: str
    span: Span
    renamed_to: str | None = None


@dataclass(frozen=True, slots=True)
class AddColumn:
    """A column comes, maybe with a unique constraint of its own."""

    table: str
    column: str
    span: Span


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A table comes; its columns follow as `AddColumn`. ``key`` is its primary key."""

    table: str
    span: Span
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropTable:
    """A table goes; with ``renamed_to`` it lives on under that name."""

    table: str
    span: Span
    renamed_to: str | None = None


@dataclass(frozen=True, slots=True)
class AddIndex:
    """An index or constraint over columns.

    Attributes:
        columns: The columns; an expression such as ``lower(email)`` counts as its column.
        unique: Whether it forbids duplicates.
        partial: Whether it holds for some rows only.
        nulls_equal: Whether two rows with NULL in it are duplicates (``NULLS NOT DISTINCT``).
        name: Its name, ``None`` if the database chooses.
    """

    table: str
    columns: tuple[str, ...]
    unique: bool
    span: Span
    partial: bool = False
    nulls_equal: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class DropIndex:
    """An index or constraint goes, named by its columns or its name."""

    table: str
    columns: tuple[str, ...]
    name: str | None
    span: Span


Operation = DropColumn | AddColumn | CreateTable | DropTable | AddIndex | DropIndex
