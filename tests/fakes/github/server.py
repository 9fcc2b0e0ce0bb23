"""The simulated GitHub as a server on loopback: one world behind REST, GraphQL and git over HTTP.

It answers under ``/`` as api.github.com does and under ``/api/v3`` and ``/api/graphql`` as GitHub Enterprise
does. It knows no rule of GitHub: it reads requests, lets faults happen, keeps the log, and holds requests and
answers against GitHub's published descriptions.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar
from urllib.parse import urlsplit

from tests.fakes.forge_http.control import ROOT
from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import LogEntry, RequestLog, is_write, operation_of
from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.forge_http.serving import Handler, Server, running
from tests.fakes.github import control, git_http, graphql, rest, schemas
from tests.fakes.github.answers import Answers
from tests.fakes.github.entities import Caller
from tests.fakes.github.exchange import refuse
from tests.fakes.github.faults import shapes
from tests.fakes.github.graphql_call import NotSimulated
from tests.fakes.github.refusals import Refusal, Unauthorized
from tests.fakes.github.world import World

HOURLY_REQUESTS = 5000
_GIT = re.compile(r"/[^/]+/[^/]+/(?:info/refs|git-(?:upload|receive)-pack)")


class Simulator:
    """One running server.

    Attributes:
        lock: Held while the world answers; a test that looks at `world` beside running clients takes it too.
        ahead_s: How far the clock of the ``Date`` header is ahead of this machine's.
        violations: What in requests and answers is not as GitHub describes it, in the order it came.
    """

    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self.web = f"http://127.0.0.1:{port}"
        self.faults = FaultPlan(shapes)
        self.log = RequestLog()
        self.violations: list[str] = []
        self.lock = threading.RLock()
        self.ahead_s = 0.0

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
        if request.path.startswith(ROOT):
            return control.answer(self.world, self.faults, self.log, self.lock, request)
        operation = operation_of(request)
        writes = is_write(request, operation)
        line = f"{request.method} {request.path} {operation}".rstrip()
        done, told = self.faults.meet(
            line, lambda: self._ask_world(request, prefix, f"http://{host}", payload), is_write=writes
        )
        self._record(request, done, told, is_write=writes, operation=operation)
        return told

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
        answer = rest.answer(self.world, caller, Answers(self.world, f"{web}{prefix}", web), request)
        return replace(answer, headers={**self._headers_for(caller), **answer.headers})

    def _headers_for(self, caller: Caller) -> dict[str, str]:
        """What GitHub says of a token in each answer, and of itself where it is an Enterprise Server."""
        headers = {"X-GitHub-Enterprise-Version": self.world.enterprise} if self.world.enterprise else {}
        if caller.scopes is not None:
            headers["X-OAuth-Scopes"] = ", ".join(sorted(caller.scopes))
        if caller.expires:
            headers["GitHub-Authentication-Token-Expiration"] = caller.expires
        return headers

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
    with running(_Server(world, port)) as server:
        try:
            yield server.simulator
        finally:
            server.simulator.faults.clear()


class _Server(Server):
    def __init__(self, world: World, port: int) -> None:
        super().__init__(port, _Handler)
        self.simulator = Simulator(world, self.server_port)

    @property
    def ahead_s(self) -> float:
        return self.simulator.ahead_s


class _Handler(Handler):
    server: _Server
    _PREFIXES: ClassVar[Mapping[str, str]] = {"/api/v3/": "/", "/api/graphql": "/graphql"}

    def serve(self) -> None:
        payload = self.read_body()
        path, prefix = self._split(urlsplit(self.path).path)
        try:
            request = self.read_request(path, json.loads(payload) if payload and not _GIT.fullmatch(path) else None)
        except ValueError:
            self._send(Answer(400, {"message": "Problems parsing JSON", "documentation_url": rest.DOCUMENTATION}))
            return
        host = self.headers.get("Host", "")
        answer = self.server.simulator.respond(request, prefix, host, payload)
        if answer is None:
            self.hang_up()
        else:
            self._send(self._with_etag(request, answer))

    def _split(self, path: str) -> tuple[str, str]:
        for prefix, inner in self._PREFIXES.items():
            if path.startswith(prefix):
                return inner + path[len(prefix) :], "/api/v3"
        return path, ""

    def _with_etag(self, request: Request, answer: Answer) -> Answer:
        if request.method != "GET" or answer.status != 200 or isinstance(answer.body, bytes):
            return answer
        etag = f'W/"{hashlib.sha256(json.dumps(answer.body).encode()).hexdigest()}"'
        if request.headers.get("if-none-match") == etag:
            return Answer(304, None, {"ETag": etag})
        return replace(answer, headers={**answer.headers, "ETag": etag})

    def _send(self, answer: Answer) -> None:
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
        self.send(answer, headers)
