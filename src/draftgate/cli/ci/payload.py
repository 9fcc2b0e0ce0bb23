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

PAYLOAD_LIMIT = Limit("an event file", 25 * 1024 * 1024, "bytes")
"""GitHub sends no larger one: https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap"""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HIGHEST_NUMBER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Payload:
    """A JSON object; an absent value and ``null`` are the same.

    Attributes:
        place: The file, for messages.
    """

    values: Mapping[str, object]
    place: str

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
        return _broken(self.place, f"`{path}` {what}")


def read_payload(path: str) -> Payload:
    """Read an event file.

    Raises:
        UsageError: it is not there, too large, or no JSON object.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(PAYLOAD_LIMIT.value + 1)
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or "it is no path"
        raise _broken(path, f"the event file cannot be read: {reason}") from error
    if len(content) > PAYLOAD_LIMIT.value:
        raise _broken(path, f"it is larger than {PAYLOAD_LIMIT.name} can be ({PAYLOAD_LIMIT.value:,} bytes)")
    try:
        values = json.loads(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise _broken(path, "it is no JSON") from error
    if not isinstance(values, dict):
        raise _broken(path, "it is no JSON object")
    return Payload(values, path)


def _broken(place: str, what: str) -> UsageError:
    return UsageError(
        what,
        context=place,
        hint="point GITHUB_EVENT_PATH at the event as the platform sends it; on GitHub the runner does that by itself",
    )
