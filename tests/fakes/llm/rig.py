"""A wire format with a scripted model behind it, as the tests of the port open it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from draftgate.llm import anthropic, openai_chat, openai_responses
from draftgate.llm.base import Conversation, Limits, Model, ModelError, Opening, OutputMode, ToolSpec
from draftgate.llm.conversation import HttpModel
from draftgate.llm.http import Http
from draftgate.llm.wire import Wire
from tests.fakes.llm.script import Script, Step
from tests.fakes.llm.server import FakeModel

WIRES = {"chat": openai_chat.WIRE, "responses": openai_responses.WIRE, "messages": anthropic.WIRE}
KEY = "sk-test-0123456789abcdef"
SECRET = "hunter2-of-the-change"  # noqa: S105 - of nobody
LIMITS = Limits(output_tokens=500, time_s=20, wait_s=60)


def _schema(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SEARCH = ToolSpec("search", "Finds words.", _schema(words={"type": "string"}))
ANSWER = ToolSpec("answer", "Ends the review.", _schema(findings={"type": "array", "items": {"type": "string"}}))
OPENING = Opening("You review.", "The change: +1 -1", "Find bugs.", (SEARCH,), ANSWER)


@dataclass(slots=True)
class Rig:
    """A wire, a scripted model behind it, and the waits that were asked for instead of done."""

    wire: Wire
    server: FakeModel
    waits: list[float] = field(default_factory=list)

    def model(self, output: OutputMode = OutputMode.TOOL, *, key: str = KEY, effort: str = "") -> HttpModel:
        return HttpModel(
            wire=self.wire,
            provider="test",
            model="small",
            base_url=self.server.base_url,
            key=key,
            effort=effort,
            output=output,
            hide=lambda text: text.replace(SECRET, "[hidden]"),
            http=Http(sleep=self.waits.append, now=lambda: 1_700_000_000.0, chance=lambda: 0.5),
        )

    def open(self, output: OutputMode = OutputMode.TOOL, opening: Opening = OPENING) -> Conversation:
        model: Model = self.model(output)
        return model.open(opening)

    def fail(self, limits: Limits = LIMITS) -> ModelError:
        """The error that one question ends in."""
        with pytest.raises(ModelError) as caught:
            self.open().ask(limits)
        return caught.value

    def body(self, number: int = -1) -> dict[str, Any]:
        return self.server.requests[number].body


Play = Callable[..., Rig]
"""Gives a `Rig` for the steps of a script, or with ``script`` for a function; also takes what `FakeModel` takes."""


@contextmanager
def stage(wire: Wire) -> Iterator[Play]:
    """Starts scripted models, which run until the block ends."""
    with ExitStack() as servers:

        def play(
            *steps: Step | str, script: Script | None = None, key: str | None = KEY, latency_s: float = 0.0
        ) -> Rig:
            server = FakeModel(steps if script is None else script, key=key, latency_s=latency_s)
            return Rig(wire, servers.enter_context(server))

        yield play
