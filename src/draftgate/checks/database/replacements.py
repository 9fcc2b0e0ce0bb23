"""Whether something took over the name of a removed column, so that reading it by that name goes on working.

A method or annotation answers attribute reads but no query; a field of the same name, or a column that the
model ignores, answers both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from draftgate.checks.base import Match, Snapshot
from draftgate.checks.database.column_tie import Replacement
from draftgate.checks.database.inflection import snake
from draftgate.checks.database.migration_files import Framework
from draftgate.checks.database.owners import Owner
from draftgate.checks.database.python_stand_ins import base_names, classes_defining, stand_in_python
from draftgate.checks.database.ruby_stand_ins import stand_in_ruby

_MAX_LEVELS = 3
_ROOTS = frozenset({"Model", "Base", "object"})
_PYTHON_HEADER = re.compile(r"^class (\w+)\(([^)]*)\)")
_RUBY_PARENT = re.compile(r"^\s*class \S+ < (?:\w+::)*(\w+)", re.MULTILINE)


def replacement_of(
    column: str, owner: Owner, framework: Framework, lines: Sequence[Match], head: Snapshot
) -> Replacement:
    """What took over the name of ``column`` in ``owner`` at head, given the lines that hold the name."""
    in_model = _in_model(column, owner, framework, lines, head)
    return max(in_model, Replacement.READS) if any(_gives_alias(m.text, column) for m in lines) else in_model


def _gives_alias(text: str, column: str) -> bool:
    name = re.escape(column)
    alias = rf"\bAS\s+[\"`:']?{name}\b|\.as\([\"':]{name}\b|\b(annotate|alias)\(\s*{name}="
    return bool(re.search(alias, text, re.IGNORECASE))


def _in_model(column: str, owner: Owner, framework: Framework, lines: Sequence[Match], head: Snapshot) -> Replacement:
    if framework is Framework.RAILS:
        return _in_rails_model(column, owner, lines, head)
    found = [stand_in_python(head.read(path) or "", column, owner.classes, framework) for path in owner.files]
    found += list(_in_bases(column, owner, framework, lines, head))
    return max(found, default=Replacement.NONE)


def _in_rails_model(column: str, owner: Owner, lines: Sequence[Match], head: Snapshot) -> Replacement:
    own = [head.read(path) or "" for path in owner.files]
    parents = {f"{snake(parent)}.rb" for text in own for parent in _RUBY_PARENT.findall(text)}
    shared = {
        match.path
        for match in lines
        if "/concerns/" in match.path or (match.path.rsplit("/", 1)[-1] in parents and match.path not in owner.files)
    }
    texts = own + [head.read(path) or "" for path in sorted(shared)]
    return max((stand_in_ruby(text, column) for text in texts), default=Replacement.NONE)


def _in_bases(
    column: str, owner: Owner, framework: Framework, lines: Sequence[Match], head: Snapshot
) -> Iterator[Replacement]:
    """What the model's base classes define under the name, looked for only if some class at head defines it."""
    definition = re.compile(rf"^\s+(def {re.escape(column)}\b|{re.escape(column)}\s*[:=])")
    paths = sorted({match.path for match in lines if match.path.endswith(".py") and definition.match(match.text)})
    defining = {name: path for path in paths for name in classes_defining(head.read(path) or "", column)}
    wanted = frozenset(defining) - owner.classes
    bases = frozenset(name for path in owner.files for name in base_names(head.read(path) or "", owner.classes))
    for _ in range(_MAX_LEVELS):
        if not wanted or not bases - _ROOTS:
            return
        for name in sorted(bases & wanted):
            yield stand_in_python(head.read(defining[name]) or "", column, frozenset({name}), framework)
        wanted -= bases
        bases = _bases_of(bases, head) if wanted else frozenset()


def _bases_of(classes: frozenset[str], head: Snapshot) -> frozenset[str]:
    """The base classes of classes by name, wherever they are defined; a header of several lines is left out."""
    headers = (_PYTHON_HEADER.match(match.text) for match in head.grep(classes - _ROOTS, globs=["*.py"]))
    listed = [header[2].split(",") for header in headers if header is not None and header[1] in classes]
    return frozenset(base.strip().rsplit(".", 1)[-1] for bases in listed for base in bases)
