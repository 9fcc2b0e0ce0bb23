"""How a simulated forge is served on loopback: threads, reading a request, sending an answer, hanging up."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.forge_http.messages import Answer, Request

S = TypeVar("S", bound="Server")


class Server(ThreadingHTTPServer):
    """Listens on a port of 127.0.0.1; 0 is any free one."""

    daemon_threads = True
    block_on_close = False  # a client may keep its connection open for as long as it lives

    def __init__(self, port: int, handler: type[Handler], tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self._tls = tls

    @property
    def ahead_s(self) -> float:
        """How far the clock of the ``Date`` header is ahead of this machine's."""
        return 0.0

    def finish_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401, the base class's signature
        """Shake hands in the thread of the request, so that a client that never does keeps nobody waiting."""
        if self._tls is None:
            super().finish_request(request, client_address)
            return
        # A client that does not trust the certificate has left by then.
        with suppress(OSError), self._tls.wrap_socket(request, server_side=True) as wrapped:
            super().finish_request(wrapped, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection; `serve` is called for each request on it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet

    server: Server

    def serve(self) -> None:
        """Answer a request."""
        raise NotImplementedError

    def date_time_string(self, timestamp: float | None = None) -> str:
        """As the base class has it, by the server's own clock."""
        return super().date_time_string(time.time() + self.server.ahead_s if timestamp is None else timestamp)

    def _serve(self) -> None:
        self.serve()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815, the names that the base class calls

    def read_request(self, path: str, body: object) -> Request:
        """The request with this path, which is without its prefix, and this body."""
        query = read_query(urlsplit(self.path).query)
        return Request(self.command, path, query, {name.lower(): value for name, value in self.headers.items()}, body)

    def read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def send(self, answer: Answer, headers: Mapping[str, str]) -> None:
        """Send an answer with these headers; 204 and 304 have no body."""
        body = answer.body if isinstance(answer.body, bytes) else encode(answer.body)
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status not in {204, 304}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if answer.status not in {204, 304} and self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401, the signature of the base class
        """Say nothing; the simulator's log is the log."""


@contextmanager
def running(server: S) -> Iterator[S]:
    """Let a server run until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def read_query(text: str) -> dict[str, str]:
    """The parameters of a query or a form, one value for each name; ``name[]`` has all of its values, one a line."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        found[name] = f"{found[name]}\n{value}" if name.endswith("[]") and name in found else value
    return found


def encode(body: object) -> bytes:
    return b"" if body is None else json.dumps(body).encode()
