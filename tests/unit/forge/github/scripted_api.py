"""A loopback server that answers what a test wrote down; and a clock that only waiting moves."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "ghs_0123456789abcdefghij"  # noqa: S105 - made up
BEGIN = 1_767_600_000.0


@dataclass(frozen=True)
class Answer:
    """What the server says to one request."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: str = ""
    """``before`` closes the connection without a word, ``within`` in the middle of the body."""
    late_s: float = 0


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    verb: str
    path: str
    headers: dict[str, str]
    body: Any

    def __str__(self) -> str:
        return f"{self.verb} {self.path.partition('?')[0]}"


class ScriptedApi:
    """Answers in the order of ``answers``, and 501 when there are no more."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.received: list[Received] = []
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def script(self, *answers: Answer) -> None:
        self.answers += answers

    def asked(self) -> list[str]:
        return [str(request) for request in self.received]

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(api: ScriptedApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            api.received.append(
                Received(self.command, self.path, dict(self.headers), json.loads(sent) if sent else None)
            )
            answer = api.answers.pop(0) if api.answers else Answer(501, {"message": "nothing more is scripted"})
            api.closing.wait(answer.late_s)
            if answer.cut == "before":
                self.close_connection = True
                return
            self._send(answer)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer  # noqa: N815 - the base class's names

        def _send(self, answer: Answer) -> None:
            text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            data = b"" if answer.body is None else text.encode()
            self.send_response_only(answer.status)
            kind = {"Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(data))}
            for name, value in {**kind, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if answer.cut == "within" else data)
            self.close_connection = self.close_connection or bool(answer.cut)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Say nothing."""

    return Handler


@dataclass
class Time:
    """A clock that only waiting moves; it remembers every wait."""

    now: float = BEGIN
    waits: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
