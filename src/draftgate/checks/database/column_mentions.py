"""Where a removed column is still read at head, and how firmly each place is tied to its model.

One search finds the lines that hold the name; the grammar (or, in templates, a pattern) then says what the
name hangs on. A place counts only if that is the column's own model. Tests, migrations, documentation,
translations, scripts and styles of the browser do not count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from draftgate.checks.base import Match, Snapshot
from draftgate.checks.bounds import Effort
from draftgate.checks.database.column_tie import Sought, Tie
from draftgate.checks.database.python_mentions import judge_python
from draftgate.checks.database.ruby_mentions import judge_ruby
from draftgate.checks.database.ruby_stand_ins import associations_on
from draftgate.checks.database.template_mentions import judge_template
from draftgate.checks.grammar.tree import RUBY_ENDINGS
from draftgate.checks.lines import lines_of

TEMPLATES = (".erb", ".haml", ".slim", ".html", ".jinja", ".jinja2", ".j2", ".htm", ".xhtml")
_GLOBS = tuple(f"*{ending}" for ending in (".py", *RUBY_ENDINGS, *TEMPLATES, ".sql"))
_NOT_CODE = re.compile(
    r"(^|/)(tests?|specs?|features|testing|factories|fixtures|migrations?|migrate|versions|docs?|documentation|"
    r"locales?|i18n|vendor|node_modules|third_party|examples?|benchmarks?|views_archive)/|(^|/)db/|"
    r"(^|/)(test_[^/]*|conftest)\.py$|_(test|spec)\.rb$|_tests?\.py$|(^|/)(tests|factories)\.py$|(^|/)alembic/"
)
# A name that occurs this often is an everyday word (`name`): a variable's name does not tie it to one model.
_EVERYDAY_LINES = 200
# A name that nothing else has is a rare one.
_FEW_LINES = 40
_MAX_FILES = 400
_MAX_LINES = 200
# What it costs to judge a line, in characters to read.
_LINE_COST = 2_000
_WORD = re.compile(r"\w+")
_DECLARES = re.compile(r"\b(attr_\w+|attribute|alias\w*|delegate|has_\w+|store\w*|t\.\w+|add_column)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A line at head that still reads the column."""

    path: str
    line: int
    text: str
    tie: Tie


def is_code(path: str) -> bool:
    """Whether a mention in this file can break at run time."""
    return not _NOT_CODE.search(path)


def lines_with(names: Iterable[str], head: Snapshot) -> Mapping[str, Sequence[Match]]:
    """The lines of head that hold each name as a whole word."""
    wanted = frozenset(name for name in names if _WORD.fullmatch(name))
    found: defaultdict[str, list[Match]] = defaultdict(list)
    for match in head.grep(wanted, globs=_GLOBS) if wanted else ():
        for name in wanted.intersection(_WORD.findall(match.text)):
            found[name].append(match)
    return found


def find_mentions(sought: Sought, lines: Sequence[Match], head: Snapshot, characters: Effort) -> Iterator[Mention]:
    """The lines that read the column, in path and line order, out of those that hold its name.

    Reads no file any more once it has spent the characters that it may read.
    """
    by_file: defaultdict[str, list[Match]] = defaultdict(list)
    for match in lines:
        if is_code(match.path):
            by_file[match.path].append(match)
    owner = sought.owner
    is_everyday = len(lines) > _EVERYDAY_LINES
    is_alone = len(lines) <= _FEW_LINES and not _defined_elsewhere(sought.column, lines)
    for path in list(by_file)[:_MAX_FILES]:
        text = head.read(path)
        numbers = {match.line: match.text for match in by_file[path][:_MAX_LINES]}
        if text is None or not characters.spend(len(text) + _LINE_COST * len(numbers)):
            continue
        if not (is_alone or owner.mentioned_in(path) or owner.mentioned_in(text)):
            continue
        for line, tie in sorted(_judge(path, text, frozenset(numbers), sought).items()):
            if (tie is Tie.LOOSE and not is_alone) or (tie is Tie.INSTANCE and is_everyday and not owner.is_home(path)):
                continue
            yield Mention(path, line, numbers[line], tie)


def find_associations(sought: Sought, head: Snapshot) -> Iterator[Mention]:
    """The lines of the model's Ruby files that declare an association over the column, which need not name it."""
    if not sought.column.endswith("_id"):
        return
    for path in sought.owner.files:
        text = head.read(path) or ""
        for line in associations_on(text, sought.column) if path.endswith(".rb") else ():
            yield Mention(path, line, lines_of(text)[line - 1], Tie.MODEL)


def _judge(path: str, text: str, lines: frozenset[int], sought: Sought) -> Mapping[int, Tie]:
    if path.endswith(".py"):
        return judge_python(text, lines, sought)
    if path.endswith(RUBY_ENDINGS):
        return judge_ruby(path, text, lines, sought)
    return {} if sought.kept else judge_template(path, text, lines, sought)


def _defined_elsewhere(column: str, lines: Sequence[Match]) -> bool:
    """Whether anything at head still gives the name a meaning of its own: a method, field, key or alias."""
    name = re.escape(column)
    definition = re.compile(
        rf"\bdef (self\.)?{name}\b|(^|[\s(,@]){name}\s*(=(?!=)|:(?!:))|[\"']{name}[\"']\s*(:|=>)|:{name}\s*=>|"
        rf"\bas\s+[:\"'`]?{name}\b",
        re.IGNORECASE,
    )
    word = re.compile(rf"\b{name}\b", re.IGNORECASE)
    return any(definition.search(match.text) or _declares(match.text, word) for match in lines)


def _declares(text: str, word: re.Pattern[str]) -> bool:
    declared = _DECLARES.search(text)
    return declared is not None and word.search(text, declared.end()) is not None
