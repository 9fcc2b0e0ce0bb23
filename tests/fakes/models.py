"""A model in memory that says what a script says, and remembers what it was told and offered.

It holds its caller to the port: every call of a turn gets its result, in order, before anything else is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import TypeAlias

from draftgate.agents.ask import Seat
from draftgate.llm.base import Limits, Opening, Stop, ToolCall, ToolResult, ToolSpec, Turn, Usage

USAGE = Usage(input=100, output=10, cached=40)
"""Of a turn, unless a test says otherwise."""

PRICE_OF_A_TURN = 0.01


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: what the model could do then, and what it could take."""

    offered: tuple[ToolSpec, ...]
    limits: Limits
    may_call: bool


@dataclass
class Talk:
    """A conversation; see `draftgate.llm.base.Conversation`.

    Attributes:
        opening: How it began.
        said: What it was told after the opening, results of calls too, in order.
        given: The results of calls, one list a turn.
        asked: The requests.
        repeats: Requests that each turn takes beyond the first.
    """

    opening: Opening
    next_line: Callable[[], Line]
    repeats: int = 0
    said: list[str] = field(default_factory=list)
    given: list[list[str]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    requests: int = 0
    _waiting: tuple[ToolCall, ...] = ()

    @property
    def size(self) -> int:
        """Characters of all that was said."""
        return len(self.heard)

    @property
    def heard(self) -> str:
        """Everything that the model was told, as one text."""
        opening = self.opening
        return "\n".join((opening.instructions, opening.context, opening.task, *self.said))

    def say(self, text: str) -> None:
        """Only once every call has its result."""
        assert not self._waiting, "said before every call had its result"
        self.said.append(text)

    def give(self, results: Sequence[ToolResult]) -> None:
        """Exactly the results of the last turn's calls."""
        assert tuple(result.call for result in results) == self._waiting, "results of other calls"
        self._waiting = ()
        texts = [result.text for result in results]
        self.said += texts
        self.given.append(texts)

    def ask(self, limits: Limits, *, may_call: bool = True) -> Turn:
        """The next line of the script."""
        assert not self._waiting, "asked before every call had its result"
        offered = (*self.opening.tools, self.opening.answer) if may_call else (self.opening.answer,)
        self.asked.append(Asked(offered, limits, may_call))
        self.requests += 1 + self.repeats
        line = self.next_line()
        if isinstance(line, Exception):
            raise line
        turn = line if isinstance(line, Turn) else line(self)
        self._waiting = turn.calls
        return turn


Line: TypeAlias = Turn | Exception | Callable[[Talk], Turn]
"""What the model does when it is asked: it answers, breaks, or makes an answer of what it was told."""


class Actor:
    """See `draftgate.llm.base.Model`.

    Args:
        lines: The script, one line a request, over all conversations; `always` has no end.
        name: ``provider:model``.
        repeats: Requests that each turn takes beyond the first.
        effort: As configured.

    Attributes:
        talks: Its conversations, in the order in which they began.
    """

    def __init__(
        self, lines: Iterable[Line], *, name: str = "openai:small", repeats: int = 0, effort: str = ""
    ) -> None:
        self.name = name
        self.host = "llm.example.com"
        self.effort = effort
        self.talks: list[Talk] = []
        self._lines = iter(lines)
        self._lock = Lock()
        self._repeats = repeats

    def open(self, opening: Opening) -> Talk:
        """A conversation that goes on with the script."""
        talk = Talk(opening, self._next, self._repeats)
        self.talks.append(talk)
        return talk

    @property
    def heard(self) -> str:
        """Everything that it was told in all conversations."""
        return "\n".join(talk.heard for talk in self.talks)

    def _next(self) -> Line:
        with self._lock:
            line = next(self._lines, None)
        assert line is not None, "asked once more than the script says"
        return line


def always(line: Line) -> Iterator[Line]:
    """A script that never ends."""
    while True:
        yield line


def seat_of(actor: Actor, tier: str = "standard", *, price: float | None = PRICE_OF_A_TURN) -> Seat:
    """The actor in a seat, where each turn costs the same."""
    return Seat(tier, actor, lambda _usage: price)


# --- Turns -----------------------------------------------------------------------------------------------------------

_IDS = count(1)


def call(name: str, **arguments: object) -> ToolCall:
    """A call of a tool."""
    return ToolCall(f"call-{next(_IDS)}", name, json.dumps(arguments))


def calling(*calls: ToolCall, text: str = "", usage: Usage = USAGE, stop: Stop = Stop.END) -> Turn:
    """A turn that calls tools."""
    return Turn(text, calls, stop, usage, "")


def saying(text: str, *, stop: Stop = Stop.END, usage: Usage = USAGE, model: str = "", refusal: str = "") -> Turn:
    """A turn of words alone."""
    return Turn(text, (), stop, usage, model, refusal)


def reporting(*items: Mapping[str, object], usage: Usage = USAGE) -> Turn:
    """The answer of an agent: these findings."""
    return calling(call("report_findings", findings=list(items)), usage=usage)


def item(**changes: object) -> dict[str, object]:
    """A finding as a model writes it, on line 1 of ``lib.py``."""
    return {
        "path": "lib.py",
        "line": 1,
        "start_line": None,
        "side": "RIGHT",
        "label": "issue",
        "decorations": [],
        "subject": "a failed charge is not tried again",
        "body": "The customer is told that it went through.",
        "evidence": ["new"],
        "confidence": 80,
        "category": "logic",
        "suggestion": None,
        **changes,
    }


def judging(*verdicts: Mapping[str, object]) -> Turn:
    """The answer of the critic."""
    return calling(call("report_verdicts", verdicts=list(verdicts)))


def verdict(
    number: int, ruling: str, reason: str = "lib.py:1 shows it", confidence: int | None = None
) -> dict[str, object]:
    """A verdict as the critic writes it."""
    return {"number": number, "verdict": ruling, "confidence": confidence, "reason": reason}
