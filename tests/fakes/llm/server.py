"""The scripted model as a server on loopback: every wire format on one port, strict about requests, and a record.

``with FakeModel([Reply(calls=(Call("search"),)), "done"]) as model: …`` and give `FakeModel.base_url` to the program.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from tests.fakes.llm.chat import CHAT
from tests.fakes.llm.handler import Handler, ModelServer, Sent, Shape
from tests.fakes.llm.memory import Memory, usage
from tests.fakes.llm.messages import MESSAGES
from tests.fakes.llm.responses import RESPONSES
from tests.fakes.llm.script import Asked, Cut, Drip, Fault, Hang, Json, NotJson, Raw, Reply, Script, Step
from tests.fakes.llm.shape import Refused
from tests.fakes.llm.speech import Speech, Told

_SPEECHES = {speech.path: speech for speech in (CHAT, RESPONSES, MESSAGES)}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it came.

    Attributes:
        headers: Their names in small letters.
        payload: The body's bytes.
        body: The same, read; empty if it was no JSON object.
        at: Seconds of `time.monotonic`.
        asked: What the script was asked; ``None`` if it was not.
    """

    path: str
    headers: Mapping[str, str]
    payload: bytes
    body: Json
    at: float
    asked: Asked | None


class FakeModel:
    """A running server, as long as it is entered.

    Args:
        script: What the model does.
        key: The only one that it takes; ``None`` for any, "" for any or none.
        latency_s: Before every answer.
        models: What its list of models holds; ``None`` for a server without such a list.

    Attributes:
        script: May be exchanged while it runs.
        requests: In the order they came.
        violations: What the providers would have refused, and the ends of scripts; each was answered by an error.
    """

    def __init__(
        self,
        script: Script,
        *,
        key: str | None = None,
        latency_s: float = 0.0,
        models: Sequence[str] | None = None,
    ) -> None:
        self.script = script
        self.requests: list[Recorded] = []
        self.violations: list[str] = []
        self.models = models
        self._key = key
        self._latency_s = latency_s
        self._memory = Memory()
        self._lock = threading.Lock()
        self._taken = 0
        self._over = threading.Event()
        self._server = ModelServer(("127.0.0.1", 0), Handler)
        self._server.respond = self.respond
        self._server.over = self._over
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True, name="fake model"
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        """For OpenAI's formats; Anthropic's takes it too."""
        return f"http://{self.host}/v1"

    @property
    def host(self) -> str:
        """With the port."""
        return f"127.0.0.1:{self._server.server_port}"

    def respond(self, method: str, path: str, headers: Mapping[str, str], payload: bytes) -> Sent:
        """What goes back for a request."""
        if method == "GET":
            return self._list(path, headers)
        speech = _SPEECHES.get(path, CHAT)
        body = _parse(payload)
        try:
            with self._lock:
                sent = self._play(speech, path, headers, payload, body)
        except Refused as refusal:
            if refusal.status != 401:
                self.violations.append(f"{path}: {refusal.message}")
            return _json(speech.error(refusal.status, refusal.message, refusal.code), status=refusal.status)
        self._over.wait(self._latency_s)
        return sent

    def _list(self, path: str, headers: Mapping[str, str]) -> Sent:
        """The list of models, in OpenAI's form and with the fields that Anthropic's has in the same places."""
        self.requests.append(Recorded(path, headers, b"", {}, time.monotonic(), None))
        speech = MESSAGES if "anthropic-version" in headers else CHAT
        self._over.wait(self._latency_s)
        if self.models is None or path.partition("?")[0] != "/v1/models":
            return _json(speech.error(404, f"Invalid URL (GET {path})", "not_found"), status=404)
        key = speech.key(headers)
        if self._key != "" and (not key or self._key not in (None, key)):
            return _json(speech.error(401, "Incorrect API key provided", "invalid_api_key"), status=401)
        return _json({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})

    def _play(self, speech: Speech, path: str, headers: Mapping[str, str], payload: bytes, body: Json) -> Sent:
        asked, cached = None, 0
        try:
            self._check(speech, path, headers, body)
            text, model = speech.text(body), body["model"]
            cached = self._memory.cached(speech.name, model, text)
            number, attempt = self._memory.place(speech.name, model, text)
            asked = Asked(speech.name, body, number, attempt, text, speech.tools(body), speech.may_call(body))
        finally:
            self.requests.append(Recorded(path, headers, payload, body, time.monotonic(), asked))
        return self._carry_out(self._next(asked), speech, asked, cached)

    def _check(self, speech: Speech, path: str, headers: Mapping[str, str], body: Json) -> None:
        if path != speech.path:
            raise Refused(f"Invalid URL (POST {path})", status=404)
        key = speech.key(headers)
        if self._key != "" and (not key or self._key not in (None, key)):
            raise Refused("Incorrect API key provided", status=401, code="invalid_api_key")
        speech.check(headers, body)

    def _next(self, asked: Asked) -> Step:
        if callable(self.script):
            step = self.script(asked)
        elif self._taken < len(self.script):
            step = self.script[self._taken]
        else:
            raise Refused("the script is over")
        self._taken += 1
        return Reply(step) if isinstance(step, str) else step

    def _carry_out(self, step: Step, speech: Speech, asked: Asked, cached: int) -> Sent:
        match step:
            case Reply():
                return _json(self._answer(speech, step, asked, cached))
            case Cut(reply):
                return _json(self._answer(speech, reply, asked, cached), shape=Shape(is_cut=True))
            case Drip(rate, reply, all_of_it):
                shape = Shape(bytes_per_s=rate, drips_headers=all_of_it)
                return _json(self._answer(speech, reply, asked, cached), shape=shape)
            case Hang(seconds):
                return Sent(200, {}, b"", Shape(hangs_s=seconds))
            case Fault(status, headers, message, code, body):
                return _json(body or speech.error(status, message, code), status=status, headers=headers)
            case NotJson(text, content_type):
                return Sent(200, {"Content-Type": content_type}, text.encode())
            case Raw(body):
                return _json(body)

    def _answer(self, speech: Speech, reply: Reply, asked: Asked, cached: int) -> Json:
        counted = reply.usage or usage(
            reply, sent=len(asked.text), cached=cached, has_cache=speech.has_cache(asked.body)
        )
        model = asked.body["model"] if reply.model is None else reply.model
        return speech.answer(Told(reply, counted, model, len(self.requests)))


def _json(
    body: object, *, status: int = 200, headers: Mapping[str, str] | None = None, shape: Shape | None = None
) -> Sent:
    payload = json.dumps(body).encode()
    return Sent(status, {"Content-Type": "application/json", **(headers or {})}, payload, shape or Shape())


def _parse(payload: bytes) -> Json:
    try:
        body = json.loads(payload)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
