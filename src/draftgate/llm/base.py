"""The port to a language model: a conversation that is opened once and asked turn by turn.

The values here say what every provider can do alike. A turn is what came back, not what it is worth: an empty, refused
or cut-off turn is a `Turn`, and judging it is the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from draftgate.errors import DraftgateError


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call.

    Attributes:
        name: Letters, digits and ``_``.
        description: What it does, for the model.
        parameters: The JSON Schema of its arguments: an object, closed, every property required.
    """

    name: str
    description: str
    parameters: Mapping[str, object]


class OutputMode(StrEnum):
    """How an answer is made to fit its schema."""

    TOOL = "tool"
    """The answer is a call of a tool whose arguments have the schema."""
    NATIVE = "native"
    """The provider holds the text of the answer to the schema."""
    PROMPTED = "prompted"
    """The prompt shows the schema and no tool is offered, for servers that know neither."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How a conversation begins: what is alike for many comes first, so that a provider can cache it.

    Attributes:
        instructions: Who the model is and what rules hold: the same for every agent.
        context: The change: the same for every agent of a review.
        task: What this one is asked.
        tools: What it may call, the same for every agent of a review.
        answer: The form of the final answer; under `OutputMode.TOOL` a tool beside the others.
    """

    instructions: str
    context: str
    task: str
    tools: tuple[ToolSpec, ...]
    answer: ToolSpec


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model wrote it.

    Attributes:
        id: Of the call, as the provider gave it.
        name: Of the tool; it may be none that was offered.
        arguments: JSON text, unread.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to, as text for the model."""

    call: ToolCall
    text: str


class Stop(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    """It was done, or waits for the results of its calls."""
    LENGTH = "length"
    """It was cut off at the output limit."""
    REFUSED = "refused"
    """It, or a filter of the provider, would not answer."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens: ``input`` holds ``cached`` and ``written``, those read from and written to the provider's cache."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.written + other.written,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model answered.

    Attributes:
        text: What it wrote; "" if nothing.
        calls: The tools it called, in order.
        stop: Why it stopped.
        usage: Of this turn; zeros where the provider does not say.
        model: The model that answered, in the provider's spelling; "" where it does not say.
        refusal: Its words of refusal; "" if there are none.
    """

    text: str
    calls: tuple[ToolCall, ...]
    stop: Stop
    usage: Usage
    model: str
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one turn may take.

    Attributes:
        output_tokens: The most it may write.
        time_s: Seconds for everything: sending, waiting, trying again, reading to the last byte.
        wait_s: Seconds of these that may be spent on waiting because the provider asks for patience.
    """

    output_tokens: int
    time_s: float
    wait_s: float


class Conversation(Protocol):
    """One conversation; the assistant's turns are kept and sent back as the provider gave them."""

    @property
    def size(self) -> int:
        """Bytes that the next request will carry, about."""

    def say(self, text: str) -> None:
        """Add a message of the user."""

    def give(self, results: Sequence[ToolResult]) -> None:
        """Add the results of every call of the last turn."""

    def ask(self, limits: Limits, *, may_call: bool = True) -> Turn:
        """Send what there is and read the answer.

        Args:
            limits: What the turn may take.
            may_call: Offer the tools; otherwise only the final answer is possible.

        Raises:
            ModelError: there is no answer.
        """

    @property
    def requests(self) -> int:
        """Requests sent so far, repeated ones too."""


class Model(Protocol):
    """A model in its seat.

    Attributes:
        name: ``provider:model`` as configured.
        host: The host that is asked, for the audit.
        effort: As configured; "" for the provider's own default.
    """

    @property
    def name(self) -> str:
        """See the class."""

    @property
    def host(self) -> str:
        """See the class."""

    @property
    def effort(self) -> str:
        """See the class."""

    def open(self, opening: Opening) -> Conversation:
        """Begin a conversation; nothing is sent yet."""


class ModelError(DraftgateError):
    """The model gave no answer; the message is one sentence that names the host and never shows a header or a key."""

    exit_code = 4
    reference = "model"


class ModelUnavailable(ModelError):
    """It did not answer in time, or asked for more patience than there is: try again later."""

    reference = "model-unavailable"


class ModelRefusesKey(ModelError):
    """The provider does not take the key."""

    exit_code = 3
    reference = "model-key"


class RequestRefused(ModelError):
    """The provider understood the request and declined it; its own words say why."""

    reference = "model-request"


class NothingThere(RequestRefused):
    """There is nothing at the address, or not for this method."""

    reference = "model-place"


class ContextTooLong(RequestRefused):
    """The conversation is longer than the model can read."""

    reference = "model-context"


class UnreadableAnswer(ModelError):
    """What came back is not what the wire format says: no JSON, no message in it."""

    reference = "model-answer"
