"""What is looked for when a column goes: its name, its model, how firmly a mention is tied to it, what took it over."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from draftgate.checks.database.owners import Owner


class Tie(IntEnum):
    """Firmer is greater.

    MODEL: the model itself, a query on it, a serializer's or form's ``model``.
    INSTANCE: a variable or association that is named after the model.
    NAMED: inside something that is named after the model.
    LOOSE: an attribute read on something unknown; it counts only if nothing else has such a name.
    """

    LOOSE = 1
    NAMED = 2
    INSTANCE = 3
    MODEL = 4


class Replacement(IntEnum):
    """What goes on working under a removed column's name; more is greater.

    NONE: nothing.
    READS: attribute reads, by a method or an alias in a query.
    WRITES: those and assignment, by an accessor; queries do not.
    ALL: everything, by a field or association of that name, or because the model ignores the column.
    """

    NONE = 0
    READS = 1
    WRITES = 2
    ALL = 3


MAX_ON_LINE = 8
"""Of a name's places on one line, the first ones are judged: the firmest tie among them is the line's."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A removed column whose readers are looked for; what is ``kept`` under its name does not count."""

    column: str
    owner: Owner
    kept: Replacement = Replacement.NONE
