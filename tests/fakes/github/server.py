"""The simulated GitHub as a server on loopback: one world behind REST, GraphQL and git over HTTP.

It answers under ``/`` as api.github.com does and under ``/api/v3`` and ``/api/graphql`` as GitHub Enterprise
does. It knows no rule of GitHub: it reads requests, lets faults happen, keeps the log, and holds requests and
answers against GitHub's published descriptions.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.github import control, git_http, graphql, rest, schemas
from tests.fakes.github.answers import Answers
from tests.fakes.github.entities import Caller
from tests.fakes.github.exchange import Answer, Request, refuse
from tests.fakes.github.faults import HOLD, Fault, FaultPlan
from tests.fakes.github.graphql_call import NotSimulated
from tests.fakes.github.log import LogEntry, RequestLog, is_write, operation_of
from tests.fakes.github.refusals import Refusal, Unauthorized
from tests.fakes.github.world import World

HOURLY_REQUESTS = 5000
_GIT = re.compile(r"/[^/]+/[^/]+/(?:info/refs|git-(?:upload|receive)-pack)")


class Simulator:
    """One running server.

    Attributes:
        lock: Held while the world answers; a test that looks at `world` beside running clients takes it too.
        violations: What in requests and answers is not as GitHub describes it, in the order it came.
    """

    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self.web = f"http://127.0.0.1:{port}"
        self.faults = FaultPlan()
        self.log = RequestLog()
        self.violations: list[str] = []
        self.lock = threading.RLock()

    @property
    def url(self) -> str:
        """The REST API, as on api.github.com; `enterprise_url` is the same as on an Enterprise server."""
        return self.web

    @property
    def enterprise_url(self) -> str:
        return f"{self.web}/api/v3"

    @property
    def graphql_url(self) -> str:
        return f"{self.web}/graphql"

    @property
    def git_url(self) -> str:
        """What ``/OWNER/NAME.git`` goes after."""
        return self.web

    def respond(self, request: Request, prefix: str, host: str, payload: bytes) -> Answer | None:
        """Answer a request; ``None`` is to hang up.

        Args:
            request: Without its prefix.
            prefix: ``/api/v3`` or nothing.
            host: The ``Host`` that the client used.
            payload: The body as it came, for git.
        """
        if request.path.startswith(control.ROOT):
            return control.answer(self.world, self.faults, self.log, self.lock, request)
        operation = operation_of(request)
        writes = is_write(request, operation)
        fault = self.faults.take(f"{request.method} {request.path} {operation}".rstrip(), is_write=writes)
        done, told = self._meet(fault, lambda: self._ask_world(request, prefix, f"http://{host}", payload))
        self._record(request, done, told, is_write=writes, operation=operation)
        return told

    def _meet(self, fault: Fault | None, ask: Callable[[], Answer]) -> tuple[Answer | None, Answer | None]:
        """What GitHub did, if it got that far, and what the client is told."""
        if fault is None:
            done = ask()
            return done, done
        if fault.effect != HOLD:
            return ask() if fault.when == "after" else None, self.faults.carry_out(fault)
        if fault.when == "before":
            self.faults.hold(fault)
        held = ask()
        if fault.when == "after":
            self.faults.hold(fault)
        return held, held

    def _ask_world(self, request: Request, prefix: str, web: str, payload: bytes) -> Answer:
        with self.lock:
            self.world.sync()
            return self._route(request, prefix, web, payload)

    def _route(self, request: Request, prefix: str, web: str, payload: bytes) -> Answer:
        if _GIT.fullmatch(request.path):
            status, sent, body = git_http.handle(
                self.world, request.method, request.path, query=request.query, headers=request.headers, body=payload
            )
            return Answer(status, body, sent)
        try:
            caller = self._caller(request)
        except Refusal as refusal:
            return refuse(refusal, rest.DOCUMENTATION)
        if request.path == "/graphql":
            return self._ask_graphql(caller, request, web)
        return rest.answer(self.world, caller, Answers(self.world, f"{web}{prefix}", web), request)

    def _ask_graphql(self, caller: Caller, request: Request, web: str) -> Answer:
        try:
            status, sent, answer = graphql.execute(self.world, caller, request.body, web=web)
        except NotSimulated as gap:
            self.violations.append(f"not simulated: {gap}")
            return Answer(501, {"message": f"The simulator lacks {gap}"})
        return Answer(status, answer, sent)

    def _caller(self, request: Request) -> Caller:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() not in {"token", "bearer"}:
            raise Unauthorized("Requires authentication")
        return self.world.caller(token.strip())

    def _record(
        self, request: Request, done: Answer | None, told: Answer | None, *, is_write: bool, operation: str
    ) -> None:
        token = request.headers.get("authorization", "").rpartition(" ")[2]
        known = self.world.callers.get(token)
        entry = LogEntry(
            method=request.method,
            path=request.path,
            query=dict(request.query),
            body=request.body,
            login=None if known is None else known.account.login,
            status=0 if told is None else told.status,
            done=None if done is None else done.status,
            is_write=is_write,
            operation=operation,
        )
        with self.lock:
            self.log.append(entry)
            if done is not None and request.path != "/graphql" and not _GIT.fullmatch(request.path):
                self._compare(request, done)

    def _compare(self, request: Request, done: Answer) -> None:
        body = done.body.decode("utf-8", "replace") if isinstance(done.body, bytes) else done.body
        try:
            schemas.check_request(request.method, request.path, request.query, request.body)
            schemas.check_answer(request.method, request.path, done.status, body)
        except schemas.SchemaViolation as violation:
            self.violations.append(str(violation))


@contextmanager
def serve(world: World, port: int = 0) -> Iterator[Simulator]:
    """Run a server over this world until the block ends; port 0 is any free one."""
    server = _Server(("127.0.0.1", port), _Handler)
    server.simulator = Simulator(world, server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.simulator
    finally:
        server.simulator.faults.clear()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may keep its connection open for as long as it lives
    simulator: Simulator


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet
    server: _Server
    _PREFIXES: ClassVar[Mapping[str, str]] = {"/api/v3/": "/", "/api/graphql": "/graphql"}

    def _serve(self) -> None:
        payload = self._read_body()
        path, prefix = self._split(urlsplit(self.path).path)
        request = Request(
            self.command,
            path,
            dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)),
            {name.lower(): value for name, value in self.headers.items()},
            None,
        )
        try:
            if payload and not _GIT.fullmatch(path):
                request = replace(request, body=json.loads(payload))
        except ValueError:
            self._send(Answer(400, {"message": "Problems parsing JSON", "documentation_url": rest.DOCUMENTATION}))
            return
        host = self.headers.get("Host", "")
        answer = self.server.simulator.respond(request, prefix, host, payload)
        if answer is None:
            self._hang_up()
        else:
            self._send(self._with_etag(request, answer))

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815, the names that the base class calls

    def _split(self, path: str) -> tuple[str, str]:
        for prefix, inner in self._PREFIXES.items():
            if path.startswith(prefix):
                return inner + path[len(prefix) :], "/api/v3"
        return path, ""

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _with_etag(self, request: Request, answer: Answer) -> Answer:
        if request.method != "GET" or answer.status != 200 or isinstance(answer.body, bytes):
            return answer
        etag = f'W/"{hashlib.sha256(json.dumps(answer.body).encode()).hexdigest()}"'
        if request.headers.get("if-none-match") == etag:
            return Answer(304, None, {"ETag": etag})
        return replace(answer, headers={**answer.headers, "ETag": etag})

    def _send(self, answer: Answer) -> None:
        body = answer.body if isinstance(answer.body, bytes) else _encode(answer.body)
        log = self.server.simulator.log
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "X-RateLimit-Limit": str(HOURLY_REQUESTS),
            "X-RateLimit-Remaining": str(max(HOURLY_REQUESTS - len(log), 1)),
            "X-RateLimit-Reset": str(int(self.server.simulator.faults.clock()) + 3600),
            "X-RateLimit-Used": str(len(log)),
            "X-RateLimit-Resource": "core",
            **answer.headers,
        }
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status not in {204, 304}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if answer.status not in {204, 304}:
            self.wfile.write(body)
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401, the signature of the base class
        """Say nothing; `Simulator.log` is the log."""


def _encode(body: object) -> bytes:
    return b"" if body is None else json.dumps(body).encode()
