"""What a scripted model is asked and what it does, in words that no wire format knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from draftgate.llm.base import Stop, Usage

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that the provider would take.

    Attributes:
        wire: ``chat``, ``responses`` or ``messages``.
        body: As it came.
        number: Of the request in its conversation, from 1: one that continues what was sent before has the next. Two
            conversations that begin alike are one until they differ, and so is one whose task begins another's.
        attempt: How often this was sent, from 1: a request that is repeated keeps its number.
        text: Everything that was said, in order, the instructions first; not the tools.
        tools: The names of those that are offered.
        may_call: Whether the model may choose among them.
    """

    wire: str
    body: Json
    number: int
    attempt: int
    text: str
    tools: tuple[str, ...]
    may_call: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; ``arguments`` as text are sent as they are, where the format has them as text."""

    name: str
    arguments: Mapping[str, object] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says.

    Attributes:
        usage: ``None`` to count a token for every four characters, cached where they were sent before.
        model: ``None`` for the one that was asked.
        thought: Reasoning that goes before, in the form that each format has for it.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    stop: Stop = Stop.END
    refusal: str = ""
    usage: Usage | None = None
    model: str | None = None
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is none, with the provider's form of an error unless there is a ``body``."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "scripted"
    code: str = ""
    body: Json | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """Silence, and then the end of the connection."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Drip:
    """A reply that comes byte by byte; with ``all_of_it`` the headers too."""

    bytes_per_s: float
    reply: Reply = field(default_factory=lambda: Reply("slow"))
    all_of_it: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """A reply whose connection ends in the middle of the body."""

    reply: Reply = field(default_factory=lambda: Reply("cut off"))


@dataclass(frozen=True, slots=True)
class NotJson:
    """A page in place of an answer."""

    text: str = "<html>welcome</html>"
    content_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class Raw:
    """Any JSON, with status 200."""

    body: object


Step = Reply | Fault | Hang | Drip | Cut | NotJson | Raw
Script = Callable[[Asked], Step | str] | Sequence[Step | str]
"""What the model does when it is asked, or what it does one after the other; a string is a reply of that text."""
