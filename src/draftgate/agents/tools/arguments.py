"""The arguments of a tool call, out of whatever a model wrote as such.

Everything is refused by one sentence that says what to write instead. What the arguments name is for the tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from draftgate.domain.paths import printable
from draftgate.llm.base import ToolSpec

COMMITS = ("head", "base")

_ARGUMENTS_LIMIT = 20_000
_TEXT_LIMIT = 4096
_SHOWN = 200


class Unanswerable(Exception):
    """A call that has no result; the message is a sentence for the model."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments by name; each is judged as it is asked for."""

    values: Mapping[str, object]

    @classmethod
    def read(cls, written: str, spec: ToolSpec) -> Arguments:
        """Read the JSON of a call.

        Raises:
            Unanswerable: It is no object, or names what the tool does not know.
        """
        known = _names(spec)
        try:
            values = json.loads(written or "{}") if len(written) <= _ARGUMENTS_LIMIT else None
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise Unanswerable(f"write the arguments as one short JSON object with {', '.join(known)}")
        unknown = next((name for name in values if name not in known), None)
        if unknown is not None:
            raise Unanswerable(f"there is no argument {show(unknown)}; write {', '.join(known)}")
        return cls(values)

    def text(self, name: str) -> str:
        """A text that is not empty."""
        found = self.text_or_none(name)
        if found is None:
            raise Unanswerable(f"write {name} as a text")
        return found

    def text_or_none(self, name: str, most: int = _TEXT_LIMIT) -> str | None:
        """A text that is not empty, or null."""
        found = self.values.get(name)
        if found is None:
            return None
        if not isinstance(found, str) or not 0 < len(found) <= most:
            raise Unanswerable(f"write {name} as a text of 1 to {most} characters")
        return found

    def number_or_none(self, name: str) -> int | None:
        """A whole number of 1 or more, or null."""
        found = self.values.get(name)
        if found is None:
            return None
        if not isinstance(found, int) or isinstance(found, bool) or found < 1:
            raise Unanswerable(f"write {name} as a whole number of 1 or more")
        return found

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """A list of texts that stand on one line each; the same one counts once."""
        found = self.values.get(name)
        if not isinstance(found, list) or not 0 < len(found) <= most or not all(map(_is_word, found)):
            raise Unanswerable(f"write {name} as a list of 1 to {most} short texts, each without a line end")
        return tuple(dict.fromkeys(found))

    def commit(self) -> str:
        """Which of the two commits; head where it is not said."""
        found = self.values.get("commit")
        if found is None:
            return COMMITS[0]
        if found not in COMMITS:
            raise Unanswerable(f"write commit as {' or '.join(COMMITS)}")
        return str(found)

    def span(self, count: int) -> tuple[int, int]:
        """The lines that are asked for, out of ``count``, which is 1 or more; null is the first or the last one."""
        first = self.number_or_none("start_line") or 1
        last = min(self.number_or_none("end_line") or count, count)
        if first > count:
            raise Unanswerable(f"there is no line {min(first, 10**9)}: the file has {count} lines")
        if last < first:
            raise Unanswerable("end_line must not be before start_line")
        return first, last


def show(text: str) -> str:
    """A text of the model in a sentence or a header of ours: short and on one line."""
    shown = printable(text[:_SHOWN])
    return shown if len(text) <= _SHOWN else f"{shown}…"


def _names(spec: ToolSpec) -> tuple[str, ...]:
    properties = spec.parameters["properties"]
    return tuple(properties) if isinstance(properties, Mapping) else ()


def _is_word(found: object) -> bool:
    return isinstance(found, str) and 0 < len(found) <= _SHOWN and not {"\n", "\0"}.intersection(found)
