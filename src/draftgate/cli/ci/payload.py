"""The payload of a CI event: a JSON file of the platform, filled with what anyone may have typed.

Values are read by path and checked one by one, because a payload has hundreds and a run needs a handful. What a
value means is not decided here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from draftgate.domain.change import CommitSha
from draftgate.errors import Limit, UsageError
from draftgate.render.visible import one_line

HINT_ON_GITHUB = (
    "point GITHUB_EVENT_PATH at the event as the platform sends it; on GitHub the runner does that by itself"
)
"""What to do about a payload that is none, where the runner of GitHub hands it over."""

PAYLOAD_LIMIT = Limit("an event file", 25 * 1024 * 1024, "bytes")
"""GitHub sends no larger one: https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap. Nor does
GitLab by default: https://docs.gitlab.com/administration/instance_limits/#webhooks"""

LIST_LIMIT = Limit("a list in an event", 1_000, "entries")
"""More labels than any change has."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HIGHEST_NUMBER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Payload:
    """A JSON object; an absent value and ``null`` are the same.

    Attributes:
        place: The file or variable, for messages.
        hint: What to do about one of the wrong shape.
    """

    values: Mapping[str, object]
    place: str
    hint: str = HINT_ON_GITHUB

    def has(self, path: str) -> bool:
        """Whether there is an object at a dotted path."""
        value = self._at(path)
        if value is not None and not isinstance(value, Mapping):
            raise self._wrong(path, "is no object")
        return value is not None

    def text(self, path: str) -> str | None:
        """The text at a dotted path; a number is given as its digits."""
        value = self._at(path)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None and not isinstance(value, str):
            raise self._wrong(path, "is no text")
        return value

    def number(self, path: str) -> int:
        """The positive whole number at a dotted path, which must be there."""
        value = self._at(path)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _HIGHEST_NUMBER:
            raise self._wrong(path, "is no positive whole number")
        return value

    def flag(self, path: str) -> bool:
        """Whether it is true at a dotted path; what is absent is not."""
        value = self._at(path)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(path, "is neither true nor false")
        return value is True

    def each(self, path: str) -> tuple[Payload, ...]:
        """The objects of the list at a dotted path."""
        values = self._at(path)
        if values is None:
            return ()
        if not isinstance(values, list) or not all(isinstance(value, Mapping) for value in values):
            raise self._wrong(path, "is no list of objects")
        if len(values) > LIST_LIMIT.value:
            raise self._wrong(path, f"is longer than {LIST_LIMIT.name} can be ({LIST_LIMIT.value:,} entries)")
        return tuple(Payload(value, f"{self.place}: {path}", self.hint) for value in values)

    def commit(self, path: str) -> CommitSha | None:
        """The object id at a dotted path."""
        value = self._at(path)
        if value is None:
            return None
        if not isinstance(value, str) or _COMMIT.fullmatch(value) is None:
            raise self._wrong(path, "is no commit")
        return CommitSha(value)

    def _at(self, path: str) -> object:
        value: object = self.values
        for step in path.split("."):
            if value is None:
                return None
            if not isinstance(value, Mapping):
                raise self._wrong(path, "stands below something that is no object")
            value = value.get(step)
        return value

    def _wrong(self, path: str, what: str) -> UsageError:
        return UsageError(f"`{path}` {what}", context=self.place, hint=self.hint)


def read_payload(path: str, hint: str = HINT_ON_GITHUB) -> Payload:
    """Read an event file; ``hint`` says what to do about one that is none.

    Raises:
        UsageError: it is not there, too large, or no JSON object.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(PAYLOAD_LIMIT.value + 1)
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or "it is no path"
        raise UsageError(f"the event file cannot be read: {reason}", context=one_line(path), hint=hint) from error
    return parse_payload(content, path, hint)


def parse_payload(content: bytes, place: str, hint: str = HINT_ON_GITHUB) -> Payload:
    """The JSON object that an event is.

    Raises:
        UsageError: it is too large, or no JSON object.
    """
    if len(content) > PAYLOAD_LIMIT.value:
        what = f"it is larger than {PAYLOAD_LIMIT.name} can be ({PAYLOAD_LIMIT.value:,} bytes)"
        raise UsageError(what, context=place, hint=hint)
    try:
        values = json.loads(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UsageError("it is no JSON", context=place, hint=hint) from error
    if not isinstance(values, dict):
        raise UsageError("it is no JSON object", context=place, hint=hint)
    return Payload(values, place, hint)
