"""The sockets of the scripted model: reads a request, and writes the answer whole, cut, by drops or never."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """How an answer arrives.

    Attributes:
        hangs_s: Not at all, after so many seconds; 0 if it does.
        bytes_per_s: How fast; 0 for at once.
        drips_headers: Whether that holds for the headers too.
        is_cut: Whether the connection ends in the middle of the body.
    """

    hangs_s: float = 0.0
    bytes_per_s: float = 0.0
    drips_headers: bool = False
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    shape: Shape = Shape()


class ModelServer(ThreadingHTTPServer):
    """A server that asks `respond` for its answers, and lets go of clients when it is `over`."""

    daemon_threads = True
    block_on_close = False  # a client may keep its connection open for as long as it lives
    request_queue_size = 128
    respond: Callable[[str, str, Mapping[str, str], bytes], Sent]
    over: threading.Event

    def server_bind(self) -> None:
        """As the base class, but without looking up the name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that go away in the middle, as they do from a slow answer."""


class Handler(BaseHTTPRequestHandler):
    """Serves GET and POST."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet
    server: ModelServer

    def do_GET(self) -> None:
        """Lists models; a request without a body."""
        self.do_POST()

    def do_POST(self) -> None:
        payload = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = self.server.respond(self.command, self.path, headers, payload)
        if sent.shape.hangs_s:
            self.server.over.wait(sent.shape.hangs_s)
            self._hang_up()
            return
        shape = sent.shape
        head, body = _head(sent), sent.body
        if not shape.drips_headers:
            self.wfile.write(head)
            head = b""
        if shape.bytes_per_s:
            self._drip(head + body, shape.bytes_per_s)
            return
        self.wfile.write(body[: len(body) // 2] if shape.is_cut else body)
        self.wfile.flush()
        if shape.is_cut:
            self._hang_up()

    def _drip(self, payload: bytes, bytes_per_s: float) -> None:
        for number in range(len(payload)):
            self.wfile.write(payload[number : number + 1])
            self.wfile.flush()
            if self.server.over.wait(1 / bytes_per_s):
                self._hang_up()
                return

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401, the signature of the base class
        """Say nothing; `FakeModel.requests` is the log."""


def _head(sent: Sent) -> bytes:
    headers = {"Content-Length": str(len(sent.body))} | dict(sent.headers)
    lines = [f"HTTP/1.1 {sent.status} {_phrase(sent.status)}", *(f"{k}: {v}" for k, v in headers.items())]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "Overloaded"
