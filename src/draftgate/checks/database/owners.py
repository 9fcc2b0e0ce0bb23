"""The model behind a table, as code spells it, and whether a name in code means that model.

Names are compared word by word: ``current_user``, ``@user``, ``UserSerializer`` and ``users`` mean ``User``,
``user_group`` does not. Types are not inferred.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, zip_longest

from draftgate.checks.base import Snapshot
from draftgate.checks.database.inflection import plural, singular, snake, words
from draftgate.checks.database.migration_files import Framework
from draftgate.checks.lines import LineIndex

# What may stand around a model's name in the name of a thing that holds or shows one.
_BEFORE = frozenset(
    "current new old this that other parent child first last latest my the a an existing saved created updated given "
    "original target api admin base nested writable full simple basic v1 v2 v3 all each legacy get".split()
)  # fmt: skip
_AFTER = frozenset(
    "serializer serializers resource dashboard decorator presenter policy blueprint representer entity type node form "
    "admin table filter filterset view viewset controller helper helpers mailer query queryset finder index json "
    "attributes attrs fields columns params schema builder payload exporter report importer relation scope list set "
    "object obj record instance detail summary keys props properties manager repository cls class model data".split()
)  # fmt: skip
_MODEL_CLASS = re.compile(r"^class (\w+)\s*[(:]", re.MULTILINE)
_RELATED_NAME = re.compile(r"""\brelated_name\s*=\s*["'](\w+)["']""")
_TABLE_NAME = re.compile(r"""^\s*__tablename__\s*(?::[^=]*)?=\s*["'](\w+)["']""")


# Every name in the code is compared with each of them.
_MAX_CLASSES = 50


@dataclass(frozen=True, slots=True)
class Owner:
    """The model whose column it is.

    Attributes:
        table: The table's name as SQL spells it; in Django the default one.
        names: The word sequences that mean one of it: ``("stock", "item")``.
        classes: The class names at head; empty if no class was found.
        files: The files that define those classes.
        related: The names under which other models reach this one (Django's ``related_name``).
    """

    table: str
    names: frozenset[tuple[str, ...]]
    classes: frozenset[str] = field(default=frozenset())
    files: tuple[str, ...] = ()
    related: frozenset[str] = field(default=frozenset())

    def is_named(self, name: str) -> bool:
        """Whether a variable, association or class of that name holds one or many of this model."""
        parts = words(name)
        if not parts:
            return False
        forms = {parts, (*parts[:-1], singular(parts[-1]))}
        return any(self._is(form) for form in forms)

    def is_about(self, name: str) -> bool:
        """Whether a class, method or list of that name is about this model: ``StockItemSerializer``."""
        parts = list(words(name))
        while parts and parts[-1] in _AFTER and not self._is(tuple(parts)):
            parts.pop()
        return bool(parts) and self.is_named("_".join(parts))

    def is_home(self, path: str) -> bool:
        """Whether a file is named after this model, or lies in a folder that is."""
        folder, _, name = path.rpartition("/")
        return self.is_about(folder.rpartition("/")[2]) or self.is_about(name.split(".")[0])

    def _is(self, parts: tuple[str, ...]) -> bool:
        start = 0
        while True:
            rest = parts[start:]
            if rest in self.names or ("".join(rest),) in self.names:
                return True
            if start >= len(parts) - 1 or parts[start] not in _BEFORE:
                return False
            start += 1

    def mentioned_in(self, text: str) -> bool:
        """Whether the model's name occurs in the text in any spelling; a cheap test before parsing."""
        if any(name in text for name in self.related):
            return True
        flat = _flatten(text)
        return any("".join(name) in flat or "".join(name[:-1]) + plural(name[-1]) in flat for name in self.names)


@lru_cache(maxsize=4)
def _flatten(text: str) -> str:
    """The letters and digits alone; every column of a change asks it of the same files."""
    return re.sub(r"[_\W]+", "", text).lower()


def owner_of(framework: Framework, table: str, migration: str, head: Snapshot) -> Owner:
    """The owner of a table that a migration of that framework names."""
    match framework:
        case Framework.RAILS:
            return _rails_owner(table, head)
        case Framework.DJANGO:
            return _django_owner(table, migration, head)
        case Framework.ALEMBIC:
            return _alembic_owner(table, head)


def _names(spellings: Iterable[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(words(spelling) for spelling in spellings)


def _rails_owner(table: str, head: Snapshot) -> Owner:
    """By convention: ``spree_stock_items`` is ``spree/stock_item.rb`` or ``stock_item.rb`` under ``models``."""
    wanted = singular(table)
    exact, tail, nested = [], [], []
    for path in head.paths():
        if "models/" not in path or not path.endswith(".rb"):
            continue
        inner = path.rsplit("models/", 1)[1].removesuffix(".rb").removesuffix("_decorator")
        if inner.replace("/", "_") == wanted:
            exact.append(path)
        elif "/" not in inner and wanted.endswith(f"_{inner}"):
            tail.append(path)
        elif inner.endswith(f"/{wanted}"):
            nested.append(path)
    files = exact or (nested if len(nested) == 1 else sorted(tail, key=len)[-1:])
    stems = {path.rsplit("/", 1)[1].removesuffix(".rb").removesuffix("_decorator") for path in files}
    classes = frozenset("".join(part.capitalize() for part in stem.split("_")) for stem in stems)
    return Owner(table, _names([wanted, *stems]), classes, tuple(files))


def _django_owner(table: str, migration: str, head: Snapshot) -> Owner:
    app, model = table.split(".", 1)
    folder = migration.rsplit("/migrations/", 1)[0] + "/"
    found: dict[str, str] = {}
    related: set[str] = set()
    for path in head.paths():
        if path.startswith(folder) and path.endswith(".py") and "model" in path[len(folder) :].split("/", 1)[0]:
            for name, body in _classes_in(head.read(path) or ""):
                if name.lower() == model:
                    found[name] = path
                    related |= set(_RELATED_NAME.findall(body))
    names = _names([model, *map(snake, found)])
    return Owner(f"{app}_{model}", names, frozenset(found), tuple(found.values()), frozenset(related))


def _classes_in(text: str) -> Iterator[tuple[str, str]]:
    """The top-level classes of a Python file by name, each with its text up to the next one."""
    starts = list(_MODEL_CLASS.finditer(text))
    for start, after in zip_longest(starts, starts[1:]):
        yield start[1], text[start.end() : after.start() if after else len(text)]


def _alembic_owner(table: str, head: Snapshot) -> Owner:
    classes: set[str] = set()
    files: list[str] = []
    naming = (m for m in head.grep(["__tablename__"], globs=["*.py"]) if _names_table(m.text, table))
    for path, matches in groupby(naming, key=lambda match: match.path):
        found = set(_classes_above([match.line for match in matches], head.read(path) or ""))
        if len(classes | found) > _MAX_CLASSES:
            break
        classes |= found
        files += [path] if found else []
    return Owner(table, _names([singular(table), *map(snake, classes)]), frozenset(classes), tuple(files))


def _names_table(line: str, table: str) -> bool:
    named = _TABLE_NAME.match(line)
    return named is not None and named[1] == table


def _classes_above(lines: Iterable[int], text: str) -> Iterator[str]:
    """The nearest class that begins above each of the lines."""
    found = list(_MODEL_CLASS.finditer(text))
    index = LineIndex(text)
    starts = [index.line_at(start.start()) for start in found]
    for line in lines:
        position = bisect_right(starts, line)
        if position:
            yield found[position - 1][1]
