"""What the server remembers of what was said: which request continues which, and what would be in a cache."""

from __future__ import annotations

from dataclasses import dataclass, field

from draftgate.llm.base import Usage
from tests.fakes.llm.script import Reply

_CHARACTERS_A_TOKEN = 4


@dataclass(slots=True)
class _Known:
    text: str
    number: int
    attempts: int


@dataclass(slots=True)
class Memory:
    """The conversations, each by the longest text that was sent of it; by wire and model."""

    _known: dict[tuple[str, str], list[_Known]] = field(default_factory=dict)

    def place(self, wire: str, model: str, text: str) -> tuple[int, int]:
        """The number of this request in its conversation, and how often it was sent."""
        known = self._known.setdefault((wire, model), [])
        begun = [entry for entry in known if text.startswith(entry.text)]
        if not begun:
            known.append(_Known(text, 1, 1))
            return 1, 1
        longest = max(begun, key=lambda entry: len(entry.text))
        if longest.text == text:
            longest.attempts += 1
        else:
            longest.text, longest.number, longest.attempts = text, longest.number + 1, 1
        return longest.number, longest.attempts

    def cached(self, wire: str, model: str, text: str) -> int:
        """How many characters at the beginning were sent before; asked before `place`."""
        return max((_alike(text, entry.text) for entry in self._known.get((wire, model), ())), default=0)


def usage(reply: Reply, *, sent: int, cached: int, has_cache: bool) -> Usage:
    """Tokens for characters, all but the cached ones written to the cache."""
    calls = sum(len(call.name) + len(str(call.arguments)) for call in reply.calls)
    wrote = len(reply.text) + len(reply.refusal) + len(reply.thought) + calls
    read = cached // _CHARACTERS_A_TOKEN if has_cache else 0
    total = -(-sent // _CHARACTERS_A_TOKEN)
    return Usage(total, -(-wrote // _CHARACTERS_A_TOKEN), read, total - read if has_cache else 0)


def _alike(one: str, other: str) -> int:
    """The length of what both begin with, by halving: comparing a slice is far quicker than comparing characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low
