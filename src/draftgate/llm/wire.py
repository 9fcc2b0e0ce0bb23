"""What the wire formats of the providers have in common: the pieces each gives, and what all of them are given.

A format is a constant of functions without state. Sending, and keeping what was said, is `conversation`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from draftgate.llm.base import Opening, OutputMode, ToolResult, ToolSpec, Turn
from draftgate.llm.loose import Json


@dataclass(frozen=True, slots=True)
class Target:
    """Which model is asked, and how.

    Attributes:
        model: In the provider's spelling.
        host: That is asked; some keys are known to the provider's own alone.
        effort: In the provider's words; "" for its default.
        output: How the answer is made to fit.
    """

    model: str
    host: str
    effort: str
    output: OutputMode


class Choice(Enum):
    """What the model may do in a turn."""

    FREE = "call any tool, or answer"
    ANSWER = "only answer; every tool stays in sight, so that what the provider has cached still fits"
    ALONE = "only answer; nothing else is in sight, for providers that let nothing be forced"


@dataclass(frozen=True, slots=True)
class Asking:
    """What is different from turn to turn: how much may be written, and what may be done."""

    output_tokens: int
    choice: Choice


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer, read.

    Attributes:
        turn: For the caller.
        items: What the next request repeats: the provider's own objects, unchanged. None where it would refuse them.
    """

    turn: Turn
    items: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire format.

    Attributes:
        base_url: The provider's own.
        endpoint: The URL to post to, below a base URL.
        headers: Those that name the key, which may be "".
        user: A message of the user.
        results: The results of every call of one turn.
        body: A request; its items are the last key, so that one request begins as the one before.
        read: An answer; ``None`` if it is none of this format.
        catalogue: The URL of the list of models, below a base URL; it is read by GET and costs nothing.
    """

    base_url: str
    endpoint: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]]
    user: Callable[[str], Json]
    results: Callable[[Sequence[ToolResult]], tuple[Json, ...]]
    body: Callable[[Target, Opening, Sequence[Json], Asking], Json]
    read: Callable[[Json], Reading | None]
    catalogue: Callable[[str], str]


def offered(output: OutputMode, opening: Opening, choice: Choice) -> tuple[ToolSpec, ...]:
    """The tools that a request names; the answer, where it is a call, is the last one.

    A server that is prompted for the form of an answer is one that takes no tools.
    """
    tools = () if choice is Choice.ALONE or output is OutputMode.PROMPTED else opening.tools
    return (*tools, opening.answer) if output is OutputMode.TOOL else tools


def with_form(task: str, answer: ToolSpec) -> str:
    """A task that shows the schema of its answer."""
    schema = json.dumps(answer.parameters, ensure_ascii=False)
    return f"{task}\n\nAnswer with one JSON object of this schema, and with nothing else:\n{schema}"


def sendable(items: Sequence[Json], thoughts: frozenset[str]) -> tuple[Json, ...]:
    """Items without the thoughts at their end: providers refuse a thought that nothing follows."""
    end = len(items)
    while end and items[end - 1].get("type") in thoughts:
        end -= 1
    return tuple(items[:end])
