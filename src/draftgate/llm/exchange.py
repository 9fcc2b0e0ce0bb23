"""One request to one address and its answer, within a time that holds whatever the server does.

Repeats nothing and judges nothing. Only this module knows the HTTP library.
"""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError

from draftgate import __version__
from draftgate.errors import UsageError
from draftgate.llm.troubles import MOST_BYTES, Answer, NotNow

T = TypeVar("T")

_CONNECT_S = 10.0
_GRACE_S = 1.0
"""What is left behind at the end of the time ends by itself so much later."""

_CHUNK = 64 * 1024

# An answer is silent until it is complete, and paths drop connections that are silent for some minutes: Azure, where
# GitHub's runners are, after 4 (https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource).
_PROBES = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 60, "TCP_KEEPCNT": 5}
_SOCKET_OPTIONS = [
    *HTTPConnection.default_socket_options,
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in _PROBES.items()
        if hasattr(socket, name)  # not on every system
    ),
]


class Exchange:
    """Posts to one address, or reads from it, for one thread at a time; the connection is kept for the next request.

    Proxies are those of the environment (``HTTPS_PROXY``, ``NO_PROXY``); ``~/.netrc`` is not looked at.

    Args:
        url: Where to.
        headers: With the key.
        ca_file: Certificate authorities to trust in place of the usual ones; "" for those.
        clock: Monotonic seconds.
    """

    def __init__(self, url: str, headers: Mapping[str, str], ca_file: str, clock: Callable[[], float]) -> None:
        self._url = url
        self._auth = _Headers(headers)
        self._ca_file = ca_file
        self._clock = clock
        self._session: requests.Session | None = None

    def send(self, payload: bytes | None, seconds: float) -> Answer | NotNow:
        """Post once, or read once where there is no payload; no redirect is followed.

        It is done beside the calling thread, because the library's timeouts are for each wait on the socket: a
        look-up of the name, a handshake or headers that come byte by byte have no limit of their own
        (https://requests.readthedocs.io/en/latest/user/advanced/#timeouts).

        Raises:
            UsageError: there is no file of certificate authorities where one is named.
        """
        if self._ca_file and not Path(self._ca_file).exists():
            hint = "see SSL_CERT_FILE and REQUESTS_CA_BUNDLE"
            raise UsageError("the file of certificate authorities cannot be read", hint=hint)
        session, self._session = self._session or _open(), None
        end = self._clock() + seconds + _GRACE_S
        outcome = _within(seconds, lambda: self._post(session, payload, end))
        if outcome is None:  # the session stays with the request that is left behind
            return NotNow(f"did not answer within {seconds:.3g} s")
        self._session = session
        return outcome

    def _post(self, session: requests.Session, payload: bytes | None, end: float) -> Answer | NotNow:
        seconds = max(end - self._clock(), 0.001)
        try:
            with session.request(
                "GET" if payload is None else "POST",
                self._url,
                data=payload,
                auth=self._auth,
                timeout=(min(_CONNECT_S, seconds), seconds),
                verify=self._ca_file or True,
                allow_redirects=False,
                stream=True,
            ) as response:
                return Answer(response.status_code, response.headers, self._read(response, end))
        except (requests.RequestException, HTTPError, http.client.HTTPException) as error:
            return NotNow(_reason(error))
        except OSError:
            return NotNow("was not asked: the file of certificate authorities cannot be read (see SSL_CERT_FILE)")

    def _read(self, response: requests.Response, end: float) -> bytes:
        """The body, of which no more than one byte too many is kept."""
        body = bytearray()
        while len(body) <= MOST_BYTES and (chunk := response.raw.read1(_CHUNK, decode_content=True)):
            if self._clock() > end:
                raise requests.ReadTimeout
            body += chunk
        return bytes(body[: MOST_BYTES + 1])


class _Headers(AuthBase):
    """Our headers, and nothing else: without an `AuthBase` the library would look into ``~/.netrc`` for a key."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.update(self._headers)
        return request


class _Kept(HTTPAdapter):
    """Connections that are kept alive by probes, and not tried again."""

    def __init__(self) -> None:
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)
        self.init_poolmanager(1, 1, socket_options=_SOCKET_OPTIONS)


def _open() -> requests.Session:
    session = requests.Session()
    session.headers.update({"User-Agent": f"draftgate/{__version__}", "Content-Type": "application/json"})
    session.mount("https://", _Kept())
    session.mount("http://", _Kept())
    return session


def _within(seconds: float, call: Callable[[], T]) -> T | None:
    """What ``call`` returns; ``None`` if that takes longer, and then it is left to end by itself."""
    outcomes: SimpleQueue[T | None] = SimpleQueue()

    def run() -> None:
        try:
            outcomes.put(call())
        finally:
            outcomes.put(None)

    Thread(target=run, name="model request", daemon=True).start()
    try:
        outcome = outcomes.get(timeout=max(seconds, 0.0))
    except Empty:
        return None
    if outcome is None:
        raise RuntimeError("a request to a model ended in an error that nobody foresaw; it stands above")
    return outcome


def _reason(error: Exception) -> str:
    """In words of our own: the library's may repeat a header, or a proxy's address with its password."""
    if isinstance(error, requests.exceptions.SSLError):
        return "could not be trusted: its certificate is not signed by an authority known here (see SSL_CERT_FILE)"
    if isinstance(error, requests.exceptions.ProxyError):
        return "could not be reached through the proxy (see HTTPS_PROXY and NO_PROXY)"
    if isinstance(error, requests.exceptions.Timeout):
        return "did not answer in time"
    return "could not be reached, or the connection was cut"
