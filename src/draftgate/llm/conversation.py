"""A model over HTTP, and one conversation with it, in any wire format.

It keeps what was said in the provider's own objects and only ever adds to them, so each request begins as the one
before and the provider can cache it. What is said is for the caller.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

from draftgate.errors import UsageError
from draftgate.llm.base import (
    Limits,
    ModelRefusesKey,
    Opening,
    OutputMode,
    RequestRefused,
    ToolResult,
    Turn,
    UnreadableAnswer,
)
from draftgate.llm.http import Address, Http, Sender
from draftgate.llm.loose import Json
from draftgate.llm.wire import Asking, Choice, Target, Wire, with_form

_SHORTEST_KEY = 8
"""Shorter ones are stand-ins for servers that want none, and may be a word."""


@dataclass(frozen=True, slots=True)
class HttpModel:
    """A model in its seat; see `draftgate.llm.base.Model`.

    Attributes:
        wire: The format that is spoken.
        provider: As configured.
        model: In the provider's spelling.
        base_url: "" for the provider's own.
        key: "" for a server that wants none.
        effort: "" for the provider's default.
        output: How answers are made to fit.
        hide: Masks secrets; everything of ours that is sent passes it.
        http: How requests are sent.

    Raises:
        UsageError: the base URL cannot be one.
        ModelRefusesKey: the key cannot be one.
    """

    wire: Wire = field(repr=False)
    provider: str
    model: str
    base_url: str
    key: str = field(repr=False)
    effort: str
    output: OutputMode
    hide: Callable[[str], str] = field(repr=False)
    http: Http = field(repr=False)

    def __post_init__(self) -> None:
        base = urlsplit(self.base_url)
        if self.base_url and (base.scheme not in {"http", "https"} or not base.hostname or base.username is not None):
            raise UsageError(
                f"the base URL of {self.name} is no http or https URL, or holds a user's name",
                hint="write it as https://HOST/PATH, and give the key as a secret",
            )
        # The HTTP library repeats in its error what cannot stand in a header.
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise ModelRefusesKey(
                f"the key for {self.name} holds a space, a line end or another character that no key has",
                hint="set the secret anew",
            )

    @property
    def name(self) -> str:
        """See `draftgate.llm.base.Model`."""
        return f"{self.provider}:{self.model}"

    @property
    def host(self) -> str:
        """See `draftgate.llm.base.Model`; with the port if there is one."""
        return urlsplit(self.address).netloc

    @property
    def address(self) -> str:
        """The base URL that is asked, which also says whose prices hold."""
        return (self.base_url or self.wire.base_url).rstrip("/")

    def list_models(self, limits: Limits) -> tuple[str, ...]:
        """What the server says that it serves, in its spelling; asked without a prompt, so that no token is spent.

        Raises:
            ModelError: there is no such list.
        """
        address = Address(self.wire.catalogue(self.address), self.host)
        sender = Sender(self.http, address, self.wire.headers(self.key), partial(_hide, self.key, self.hide))
        listed = sender.get(limits).get("data")
        if not isinstance(listed, list):
            raise UnreadableAnswer(
                "it sent something else than a list of models",
                context=self.host,
                hint="see that the model's base URL leads to its API",
            )
        return tuple(entry["id"] for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str))

    def open(self, opening: Opening) -> HttpConversation:
        """Begin a conversation; nothing is sent yet."""
        hide = partial(_hide, self.key, self.hide)
        address = Address(self.wire.endpoint(self.address), self.host)
        sender = Sender(self.http, address, self.wire.headers(self.key), hide)
        target = Target(self.model, self.host, self.effort, self.output)
        return HttpConversation(self.wire, target, opening, sender, hide)


class HttpConversation:
    """See `draftgate.llm.base.Conversation`; one thread at a time.

    Args:
        wire: The format that is spoken.
        target: Who is asked.
        opening: How it begins, with its secrets.
        sender: Sends its requests.
        hide: Masks secrets.
    """

    def __init__(
        self, wire: Wire, target: Target, opening: Opening, sender: Sender, hide: Callable[[str], str]
    ) -> None:
        self._wire = wire
        self._target = target
        self._sender = sender
        self._hide = hide
        self._opening = dataclasses.replace(
            opening,
            instructions=hide(opening.instructions),
            context=hide(opening.context),
            task=hide(opening.task),
        )
        self._last_word = Choice.ANSWER
        self._items: list[Json] = []
        self._size = _bytes(self._opening.instructions) + sum(
            _bytes(tool.description) + _bytes(tool.parameters) for tool in (*opening.tools, opening.answer)
        )
        task = self._opening.task
        shown = with_form(task, opening.answer) if target.output is OutputMode.PROMPTED else task
        self._add(*(wire.user(text) for text in (self._opening.context, shown) if text))

    @property
    def size(self) -> int:
        """See `draftgate.llm.base.Conversation`."""
        return self._size

    @property
    def requests(self) -> int:
        """See `draftgate.llm.base.Conversation`."""
        return self._sender.requests

    def say(self, text: str) -> None:
        """See `draftgate.llm.base.Conversation`."""
        self._add(self._wire.user(self._hide(text)))

    def give(self, results: Sequence[ToolResult]) -> None:
        """See `draftgate.llm.base.Conversation`."""
        self._add(*self._wire.results([ToolResult(result.call, self._hide(result.text)) for result in results]))

    def ask(self, limits: Limits, *, may_call: bool = True) -> Turn:
        """See `draftgate.llm.base.Conversation`."""
        answer = self._send(limits, Choice.FREE) if may_call else self._send_last(limits)
        reading = self._wire.read(answer)
        if reading is None:
            raise UnreadableAnswer(
                "it sent an answer with no message in it",
                context=self._target.host,
                hint="see that the model's provider and base URL belong together",
            )
        self._add(*reading.items)
        return reading.turn

    def _send_last(self, limits: Limits) -> Json:
        """Ask for the answer alone.

        A model that thinks lets no tool be forced on it, and only the provider knows whether one does:
        https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#extended-thinking-with-tool-use, and
        DeepSeek's and Qwen's likewise. Then the other tools are not offered.
        """
        clock = self._sender.clock
        end = clock() + limits.time_s
        try:
            return self._send(limits, self._last_word)
        except RequestRefused as refusal:
            if self._last_word is Choice.ALONE or "tool_choice" not in refusal.message:
                raise
        self._last_word = Choice.ALONE
        return self._send(dataclasses.replace(limits, time_s=end - clock()), self._last_word)

    def _send(self, limits: Limits, choice: Choice) -> Json:
        asking = Asking(limits.output_tokens, choice)
        return self._sender.post(self._wire.body(self._target, self._opening, self._items, asking), limits)

    def _add(self, *items: Json) -> None:
        self._items.extend(items)
        self._size += sum(map(_bytes, items))


def _bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _hide(key: str, hide: Callable[[str], str], text: str) -> str:
    """``text`` without secrets, the model's own key among them."""
    return hide(text.replace(key, "[the key]") if len(key) >= _SHORTEST_KEY else text)
