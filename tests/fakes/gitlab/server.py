"""The simulated GitLab as a server on loopback: one world behind REST, GraphQL and git over HTTP.

It knows no rule of GitLab: it reads requests, counts them, lets faults happen, and keeps the log.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from tests.fakes.forge_http.control import ROOT
from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import LogEntry, RequestLog, is_write, operation_of
from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.forge_http.serving import Handler, Server, read_query, running
from tests.fakes.gitlab import control, git_http, graphql, rest
from tests.fakes.gitlab.certificates import Certificates
from tests.fakes.gitlab.exchange import refuse
from tests.fakes.gitlab.faults import shapes
from tests.fakes.gitlab.people import Caller, TokenKind
from tests.fakes.gitlab.refusals import BadParameter, NoSuchRoute, Refusal, Unauthorized
from tests.fakes.gitlab.world import World

API: Final = "/api/v4"
GRAPHQL: Final = "/api/graphql"


class Simulator:
    """One running server.

    Attributes:
        origin: The address without any path; ``/_control/`` goes after it.
        url: The root of this GitLab, with its relative root, as clients are told it; git paths go after it too.
        ca_file: What a client has to trust, where TLS is on.
        lock: Held while the world answers; a test that looks at `world` beside running clients takes it too.
        ahead_s: How far the clock of the ``Date`` header is ahead of this machine's.
        violations: What in requests the published API does not have, in the order it came.
    """

    def __init__(self, world: World, port: int, certificates: Certificates | None) -> None:
        self.world = world
        self.scheme = "http" if certificates is None else "https"
        self.origin = f"{self.scheme}://127.0.0.1:{port}"
        self.url = f"{self.origin}{world.relative_root}"
        self.ca_file = None if certificates is None else certificates.ca_file
        self.faults = FaultPlan(shapes)
        self.log = RequestLog()
        self.violations: list[str] = []
        self.lock = threading.RLock()
        self.ahead_s = 0.0

    @property
    def api_url(self) -> str:
        return f"{self.url}{API}"

    @property
    def graphql_url(self) -> str:
        return f"{self.url}{GRAPHQL}"

    @property
    def git_url(self) -> str:
        """What ``/GROUP/SUBGROUP/NAME.git`` goes after."""
        return self.url

    def respond(self, request: Request, full_path: str, host: str, payload: bytes) -> Answer | None:
        """Answer a request; ``None`` is to hang up.

        Args:
            request: Its path is as faults and the log see it: without the prefix of the API.
            full_path: The path as it came.
            host: The ``Host`` that the client used.
            payload: The body as it came, for git.
        """
        if request.path.startswith(ROOT):
            return control.answer(self.world, self.faults, self.log, self.lock, request)
        web = f"{self.scheme}://{host}{self.world.relative_root}"
        operation = operation_of(request)
        writes = is_write(request, operation)
        line = f"{request.method} {request.path} {operation}".rstrip()
        done, told = self.faults.meet(line, lambda: self._ask(request, full_path, web, payload), is_write=writes)
        entry = LogEntry(
            method=request.method,
            path=request.path,
            query=dict(request.query),
            body=request.body,
            login=self._login(request),
            status=0 if told is None else told.status,
            done=None if done is None else done.status,
            is_write=writes,
            operation=operation,
        )
        with self.lock:
            self.log.append(entry)
        return told

    def _ask(self, request: Request, full_path: str, web: str, payload: bytes) -> Answer:
        with self.lock:
            self.world.sync()
            if _is_git(full_path):
                status, sent, body = git_http.handle(
                    self.world,
                    request.method,
                    request.path,
                    query=request.query,
                    headers=request.headers,
                    body=payload,
                    web=web,
                )
                return Answer(status, body, sent)
            try:
                return self._ask_api(request, full_path, web)
            except Refusal as refusal:
                return refuse(refusal)

    def _ask_api(self, request: Request, full_path: str, web: str) -> Answer:
        caller = self._caller(request)
        self.world.limits.count_request(caller.user)
        inner = full_path.removeprefix(self.world.relative_root)
        if inner == GRAPHQL:
            return graphql.answer(self.world, caller, request.body, web)
        if not inner.startswith(f"{API}/"):
            raise NoSuchRoute
        if isinstance(request.body, Unreadable):
            raise BadParameter("The request body could not be read")
        return rest.answer(self.world, caller, web, request, self.violations)

    def _caller(self, request: Request) -> Caller:
        """Who asks; an unknown token is refused, even where nobody has to be known."""
        token = _token(request)
        if token is None:
            return Caller("", None)
        caller = self.world.callers.get(token)
        wants_job = "job-token" in request.headers
        if caller is None or (wants_job != (caller.kind is TokenKind.JOB)):
            raise Unauthorized
        return caller

    def _login(self, request: Request) -> str | None:
        caller = self.world.callers.get(_token(request) or "")
        return None if caller is None or caller.user is None else caller.user.username


class Unreadable:
    """A body that is no JSON."""


@contextmanager
def serve(world: World, port: int = 0, *, certificates: Certificates | None = None) -> Iterator[Simulator]:
    """Run a server over this world until the block ends; port 0 is any free one.

    With `certificates` it speaks TLS, and clients have to trust their `Certificates.ca_file`.
    """
    tls = None
    if certificates is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificates.certificate_file, certificates.key_file)
    with running(_Server(world, port, tls, certificates)) as server:
        try:
            yield server.simulator
        finally:
            server.simulator.faults.clear()


class _Server(Server):
    def __init__(self, world: World, port: int, tls: ssl.SSLContext | None, certificates: Certificates | None) -> None:
        super().__init__(port, _Handler, tls)
        self.simulator = Simulator(world, self.server_port, certificates)

    @property
    def ahead_s(self) -> float:
        return self.simulator.ahead_s


class _Handler(Handler):
    server: _Server

    def serve(self) -> None:
        payload = self.read_body()
        simulator = self.server.simulator
        full_path = urlsplit(self.path).path
        request = self.read_request(self._shown(full_path), self._read_json(full_path, payload))
        answer = simulator.respond(request, full_path, self.headers.get("Host", ""), payload)
        if answer is None:
            self.hang_up()
            return
        kind = {} if answer.status in {204, 304} else {"Content-Type": "application/json"}
        self.send(answer, {**kind, "X-Gitlab-Meta": '{"version":"1"}', **answer.headers})

    def _shown(self, full_path: str) -> str:
        """The path as faults and the log see it."""
        inner = full_path.removeprefix(self.server.simulator.world.relative_root)
        return "/graphql" if inner == GRAPHQL else inner.removeprefix(API)

    def _read_json(self, full_path: str, payload: bytes) -> Any:  # noqa: ANN401, JSON
        if not payload or _is_git(full_path):
            return None
        if self.headers.get_content_type() == "application/x-www-form-urlencoded":
            return rest.nested(read_query(payload.decode()))
        try:
            return json.loads(payload)
        except ValueError:
            return Unreadable()


def _is_git(full_path: str) -> bool:
    return full_path.endswith(("/info/refs", "/git-upload-pack", "/git-receive-pack")) and "/api/v4/" not in full_path


def _token(request: Request) -> str | None:
    for name in ("private-token", "job-token"):
        if name in request.headers:
            return request.headers[name]
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else request.query.get("private_token")
