"""The uniqueness rules that a change writes: not those that stood at base, wherever they stood.

Tests, seeds, tasks, commands and migrations run alone and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from draftgate.checks.base import Change
from draftgate.checks.database.django_uniqueness import read_django_rules
from draftgate.checks.database.migration_files import may_be_migration
from draftgate.checks.database.rails_uniqueness import read_rails_rules
from draftgate.checks.database.sqlalchemy_uniqueness import read_sqlalchemy_rules
from draftgate.checks.database.uniqueness_rule import UniquenessRule
from draftgate.domain.diff import FileDiff

_NOT_CODE = re.compile(
    r"(^|/)(tests?|specs?|features|factories|fixtures|seeds?|tasks|management|vendor|node_modules|examples?|docs?|db|"
    r"populatedb_data|testing|scripts?|bin)/|(^|/)(test_[^/]*|conftest|factories|tests)\.py$|_(test|spec)\.rb$|_tests?\.py$"
)
_RUBY_WORDS = re.compile(r"\buniqueness\b|validates_uniqueness_of|or_create_by|create_or_find_by")
_SQLALCHEMY_WORDS = re.compile(r"__tablename__")
_PYTHON_WORDS = re.compile(r"Unique(Together)?Validator|(get|update)_or_create|\.(exists|count|first)\(\)")


MAX_RULES = 500
"""Of one kind in one change; each is compared with what the schema has."""


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule and where the change writes it."""

    rule: UniquenessRule
    file: FileDiff
    text: str

    @property
    def line(self) -> int | None:
        """The line to hang a finding on: the rule's own, else the first added line of its statement."""
        if self.rule.line in self.file.added_lines:
            return self.rule.line
        lines = range(self.rule.start, self.rule.end + 1)
        return min((line for line in lines if line in self.file.added_lines), default=None)


def new_rails_rules(change: Change) -> list[list[WrittenRule]]:
    """The new rules in Ruby, each with all its places in the order of the diff."""
    return _by_rule(change, _new_rules(change, ".rb", _RUBY_WORDS, read_rails_rules))


def new_django_rules(change: Change) -> list[list[WrittenRule]]:
    """The new rules in Python, each with all its places in the order of the diff."""
    return _by_rule(change, _new_rules(change, ".py", _PYTHON_WORDS, read_django_rules))


def new_sqlalchemy_rules(change: Change) -> list[list[WrittenRule]]:
    """The unique constraints that mapped classes newly declare, each with all its places in the order of the diff."""
    return _by_rule(change, _new_rules(change, ".py", _SQLALCHEMY_WORDS, read_sqlalchemy_rules))


def _new_rules(
    change: Change, ending: str, words: re.Pattern[str], read: Callable[[str], Iterable[UniquenessRule]]
) -> list[WrittenRule]:
    written = (
        WrittenRule(rule, file, text)
        for file, text in _changed_files(change, ending)
        if words.search(text)
        for rule in read(text)
    )
    added = [place for place in written if place.line is not None]
    if not added:
        return []
    texts = [text for text in _base_texts(change, ending) if words.search(text)]
    earlier = {rule.identity for text in texts for rule in read(text)}
    return [place for place in added if not place.rule.is_among(earlier)]


def _changed_files(change: Change, ending: str) -> Iterator[tuple[FileDiff, str]]:
    """The application's files of a language that the change adds lines to, with their text at head."""
    for file in change.files:
        path = file.new_path
        if path is None or not path.endswith(ending) or _NOT_CODE.search(path) or may_be_migration(path):
            continue
        text = change.head.read(path) if file.added_lines else None
        if text is not None:
            yield file, text


def _base_texts(change: Change, ending: str) -> Iterator[str]:
    for file in change.files:
        if file.old_path is not None and file.old_path.endswith(ending):
            text = change.base.read(file.old_path)
            if text is not None:
                yield text


def _by_rule(change: Change, written: Iterable[WrittenRule]) -> list[list[WrittenRule]]:
    """The places of each rule, in order: one finding says it once."""
    places: dict[tuple[str, str, frozenset[str]], list[WrittenRule]] = {}
    for place in written:
        places.setdefault(place.rule.identity, []).append(place)
    if len(places) > MAX_RULES:
        change.limited(f"db.unique-validation: only {MAX_RULES} of {len(places):,} new uniqueness rules were judged")
    return list(places.values())[:MAX_RULES]
