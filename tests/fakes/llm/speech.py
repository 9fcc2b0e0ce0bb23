"""What the server needs to know of a wire format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from draftgate.llm.base import Usage
from tests.fakes.llm.script import Json, Reply
from tests.fakes.llm.shape import Refused


@dataclass(frozen=True, slots=True)
class Told:
    """An answer to be written: what is said, what it costs, who says it, and a number that no other answer has."""

    reply: Reply
    usage: Usage
    model: str
    serial: int


@dataclass(frozen=True, slots=True)
class Speech:
    """A wire format.

    Attributes:
        name: For `Asked.wire`.
        path: Where it is spoken.
        key: The key in the headers, whose names are in small letters; "" if there is none.
        check: Raises `Refused` for what the provider would refuse.
        text: Everything that was said, in order.
        tools: The names of the tools that are offered.
        may_call: Whether the model may choose among them.
        has_cache: Whether the request asks for the cache.
        answer: An answer.
        error: The body of an error.
    """

    name: str
    path: str
    key: Callable[[Mapping[str, str]], str]
    check: Callable[[Mapping[str, str], Json], None]
    text: Callable[[Json], str]
    tools: Callable[[Json], tuple[str, ...]]
    may_call: Callable[[Json], bool]
    has_cache: Callable[[Json], bool]
    answer: Callable[[Told], Json]
    error: Callable[[int, str, str], Json]


def bearer(headers: Mapping[str, str]) -> str:
    """The key as OpenAI's formats have it."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key if scheme == "Bearer" else ""


def openai_error(status: int, message: str, code: str) -> Json:
    """As https://platform.openai.com/docs/guides/error-codes shows it."""
    kind = {401: "invalid_request_error", 429: "requests"}.get(status, "invalid_request_error")
    if status >= 500:
        kind = "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}


def said(role: str, text: str) -> str:
    """One thing that was said, for `Speech.text`; it ends openly, because the next request may add to it."""
    return f"\n[{role}] {text}"


def no_tool_choice(body: Json) -> None:
    """Refuse a choice among no tools."""
    if "tools" not in body and "tool_choice" in body:
        raise Refused("'tool_choice' is only allowed when 'tools' are specified.")
