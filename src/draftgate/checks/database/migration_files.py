"""Which files are migrations, of what framework, and what all migrations of a change do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from draftgate.checks.base import Change
from draftgate.checks.database.alembic_migrations import read_alembic
from draftgate.checks.database.django_migrations import read_django
from draftgate.checks.database.operations import Operation
from draftgate.checks.database.rails_migrations import read_rails


class Framework(StrEnum):
    """What runs the migration."""

    RAILS = "rails"
    DJANGO = "django"
    ALEMBIC = "alembic"


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration at head that the change adds or edits.

    Attributes:
        operations: Everything it does forward.
        added_lines: The lines of it that the change adds.
    """

    path: str
    framework: Framework
    text: str
    operations: tuple[Operation, ...]
    added_lines: frozenset[int]


_RAILS_PATH = re.compile(r"(^|/)(\w+_)?migrate(_\w+)?/(\w+/)*\d+_\w+(\.\w+)?\.rb$")
_PYTHON_PATH = re.compile(r"(^|/)(migrations|alembic|versions)/([^/]+/)*[^/]+\.py$")
_DJANGO_TEXT = re.compile(r"^class Migration\(", re.MULTILINE)
_ALEMBIC_TEXT = re.compile(r"^def upgrade\(", re.MULTILINE)


MAX_OPERATIONS = 5_000
"""Of one migration; the rest of it is not read."""


def may_be_migration(path: str) -> bool:
    """Whether the path is one where a supported framework keeps migrations."""
    return bool(_RAILS_PATH.search(path) or _PYTHON_PATH.search(path))


def framework_of(path: str, text: str) -> Framework | None:
    """The framework of a migration file; ``None`` if it is none that is supported."""
    if _RAILS_PATH.search(path):
        return Framework.RAILS
    if not _PYTHON_PATH.search(path):
        return None
    if _DJANGO_TEXT.search(text):
        return Framework.DJANGO
    return Framework.ALEMBIC if _ALEMBIC_TEXT.search(text) else None


def read_migration(framework: Framework, path: str, text: str) -> tuple[Operation, ...]:
    """What a migration does forward, in source order."""
    match framework:
        case Framework.RAILS:
            return read_rails(text)
        case Framework.DJANGO:
            return read_django(path, text)
        case Framework.ALEMBIC:
            return read_alembic(text)


def changed_migrations(change: Change) -> Iterator[Migration]:
    """The migrations that the change adds or edits, in the order of the diff."""
    for file in change.files:
        path = file.new_path
        if path is None or file.binary or not may_be_migration(path):
            continue
        text = change.head.read(path)
        framework = framework_of(path, text) if text is not None else None
        if text is not None and framework is not None:
            operations = read_migration(framework, path, text)
            if len(operations) > MAX_OPERATIONS:
                change.limited(f"{path}: only the first {MAX_OPERATIONS:,} operations of this migration were read")
                operations = operations[:MAX_OPERATIONS]
            yield Migration(path, framework, text, operations, frozenset(file.added_lines))
