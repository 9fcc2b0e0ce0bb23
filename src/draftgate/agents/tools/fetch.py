"""Reads a page for an agent, from the hosts that a person has allowed and from no other.

Nothing is sent but the address: no cookie, no password, no body. What comes back is a stranger's text of a bounded
size; nothing in it is followed but a redirect to an allowed host.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

import requests

from draftgate import __version__
from draftgate.agents.tools.page_text import html_to_text
from draftgate.domain.paths import printable
from draftgate.errors import UsageError

_SIZE_LIMIT = 512 * 1024
_URL_LIMIT = 2000
_QUERY_LIMIT = 200
_REDIRECTS_FOLLOWED = 3
_CHUNK = 16 * 1024

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_DEFAULT_PORTS = {"https": 443, "http": 80}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS = frozenset({"application/json", "application/xml", *_HTML})
# Others of Python's codecs are no encoding of pages, or slow on purpose-made text.
_CHARSETS = frozenset({"utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252"})


class FetchRefused(Exception):
    """The page is not read; the message is a sentence for the model."""


class _NoPassword(requests.auth.AuthBase):
    """Adds nothing; where a session has no such object, `requests` looks for a password in the user's netrc."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Reads pages.

    Attributes:
        hosts: The allowed ones.
        ports: Allowed beside that of the scheme; for tests, because the configuration names hosts alone.
        ca_file: Certificate authorities to trust in place of the usual ones; "" for those.
        time_s: Seconds for everything, redirects included.
    """

    hosts: tuple[str, ...]
    ports: tuple[int, ...] = ()
    ca_file: str = ""
    time_s: float = 10.0

    def fetch(self, url: str) -> str:
        """The text of a page; of HTML what a person would read.

        Raises:
            FetchRefused: The address may not be read, or there is no text there in time.
            UsageError: The file of certificate authorities cannot be read.
        """
        address = self._check(url)
        done: queue.SimpleQueue[str | Exception] = queue.SimpleQueue()
        late = threading.Event()
        # The time limit of `requests` begins anew with every byte that comes; a thread can be left behind.
        threading.Thread(target=self._work, args=(address, done, late), daemon=True).start()
        try:
            outcome = done.get(timeout=self.time_s)
        except queue.Empty:
            late.set()
            raise FetchRefused(f"the page was not read within {self.time_s:g} s") from None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _work(self, address: str, done: queue.SimpleQueue[str | Exception], late: threading.Event) -> None:
        try:
            done.put(self._read(address, late))
        except Exception as error:  # noqa: BLE001 - it is raised again where the page was asked for
            done.put(_explain(error))

    def _read(self, address: str, late: threading.Event) -> str:
        with requests.Session() as session:
            session.auth = _NoPassword()
            session.headers.update({"User-Agent": f"draftgate/{__version__}", "Accept-Encoding": "identity"})
            for _ in range(_REDIRECTS_FOLLOWED + 1):
                with self._get(session, address) as response:
                    if response.status_code not in _REDIRECTS:
                        return _read_text(response, late)
                    address = self._check(urljoin(address, response.headers.get("Location", "")))
        raise FetchRefused(f"the page is redirected more than {_REDIRECTS_FOLLOWED} times")

    def _get(self, session: requests.Session, address: str) -> requests.Response:
        """Send one request. The session's own way would keep cookies, and read a redirect's body without an end."""
        request = session.prepare_request(requests.Request("GET", address))
        settings = session.merge_environment_settings(address, {}, True, self.ca_file or True, None)
        return session.get_adapter(address).send(request, timeout=self.time_s, **settings)

    def _check(self, url: str) -> str:
        """The address that is asked for: put together anew, so that no other reader of it finds another host there."""
        if len(url) > _URL_LIMIT or not url.isascii() or not url.isprintable() or {" ", "\\"}.intersection(url):
            raise FetchRefused(f"write an address of at most {_URL_LIMIT} plain characters, percent-encoded")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError as error:
            raise FetchRefused("that is no address; write one as https://host/path") from error
        self._check_host(parts, host)
        # A query, and a path too, can carry a secret out. A page of an allowed host may need it, and a person who
        # allows a host trusts it with what an agent might write there; the bound keeps it from being a channel.
        if len(parts.query) > _QUERY_LIMIT:
            raise FetchRefused(f"the query of the address is longer than {_QUERY_LIMIT} characters")
        if port not in {None, _DEFAULT_PORTS[parts.scheme], *self.ports}:
            raise FetchRefused("leave the port out of the address")
        named = f"[{host}]" if ":" in host else host
        place = named if port is None else f"{named}:{port}"
        return f"{parts.scheme}://{place}{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"

    def _check_host(self, parts: SplitResult, host: str) -> None:
        if "@" in parts.netloc:
            raise FetchRefused("leave user and password out of the address")
        if host not in {allowed.lower() for allowed in self.hosts}:
            raise FetchRefused(f"the host {printable(host[:100])} is not allowed; allowed are {', '.join(self.hosts)}")
        if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
            raise FetchRefused("write an address that begins with https://")


def _read_text(response: requests.Response, late: threading.Event) -> str:
    if response.status_code != requests.codes.ok:
        raise FetchRefused(f"the server answers with {response.status_code}")
    kind, charset = _read_kind(response.headers.get("Content-Type", ""))
    if not (kind.startswith("text/") or kind in _TEXTS or kind.endswith(("+json", "+xml"))):
        raise FetchRefused("the page is no text")
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise FetchRefused("the server sends the page packed, though it was asked not to")
    content = bytearray()
    for chunk in _chunks(response, late):
        content += chunk
        if len(content) > _SIZE_LIMIT:
            raise FetchRefused(f"the page is larger than {_SIZE_LIMIT // 1024} KiB")
    text = content.decode(charset, "replace")
    if "\0" in text:
        raise FetchRefused("the page is no text")
    return html_to_text(text) if kind in _HTML else text


def _chunks(response: requests.Response, late: threading.Event) -> Iterator[bytes]:
    """What arrives, as it arrives, until nobody waits for it any more."""
    while not late.is_set() and (chunk := response.raw.read1(_CHUNK)):
        yield chunk


def _read_kind(header: str) -> tuple[str, str]:
    kind, *parameters = (part.strip().lower() for part in header.split(";"))
    named = (part.removeprefix("charset=").strip("\"'") for part in parameters if part.startswith("charset="))
    charset = next(named, "")
    return kind, charset if charset in _CHARSETS else "utf-8"


def _explain(error: Exception) -> Exception:
    """In words of our own: the library's may repeat a proxy's address with its password."""
    if isinstance(error, requests.exceptions.Timeout):
        return FetchRefused("the server does not answer")
    if isinstance(error, requests.exceptions.SSLError):
        return FetchRefused("the server's certificate is not signed by an authority known here")
    if isinstance(error, requests.RequestException | ValueError):
        return FetchRefused("the server cannot be reached, or the connection was cut")
    if isinstance(error, OSError):
        return UsageError("the file of certificate authorities cannot be read", hint="see SSL_CERT_FILE")
    return error
