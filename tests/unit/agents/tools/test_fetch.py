"""Pages for an agent: which are read, and what is sent for them; real HTTP, on this machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from draftgate.agents.tools.fetch import Fetcher, FetchRefused
from draftgate.agents.tools.page_text import html_to_text
from draftgate.errors import UsageError


@dataclass(frozen=True)
class Page:
    """What the server answers: status, headers, body, and how it is sent."""

    body: bytes = b""
    kind: str = "text/plain"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drips: bool = False


class Server(ThreadingHTTPServer):
    """Answers what it was given by path, and remembers what it was asked."""

    daemon_threads = True
    block_on_close = False  # a client that gave up leaves its request

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, dict(self.headers)))
        page = self.server.pages.get(self.path.partition("?")[0], Page(status=404))
        self.send_response(page.status)
        if page.kind:
            self.send_header("Content-Type", page.kind)
        for name, value in page.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if page.drips:
            while not self.server.stopped.wait(0.05):
                self.wfile.write(b"x")
        else:
            self.wfile.write(page.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Keep the test's output clean."""

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")  # requests reads it from the environment
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.stopped.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def fetcher(server: Server) -> Fetcher:
    return Fetcher(("127.0.0.1", "docs.example.com"), ports=(server.server_port,), time_s=5)


def _refusal(fetcher: Fetcher, url: str) -> str:
    with pytest.raises(FetchRefused) as refused:
        fetcher.fetch(url)
    return str(refused.value)


# --- What is read ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(Page("grüße\n".encode()), "grüße\n", id="text"),
        pytest.param(Page(b"gr\xfc\xdfe", "text/plain; charset=ISO-8859-1"), "grüße", id="latin-1"),
        pytest.param(Page(b"\xff", "text/plain"), "\N{REPLACEMENT CHARACTER}", id="no UTF-8"),
        pytest.param(Page(b"abc", "text/plain; charset=punycode"), "abc", id="a codec that is no charset"),
        pytest.param(Page(b'{"a": 1}', "application/json"), '{"a": 1}', id="JSON"),
        pytest.param(Page(b"{}", "application/problem+json"), "{}", id="a kind of JSON"),
        pytest.param(Page(b"<a/>", "application/atom+xml"), "<a/>", id="a kind of XML"),
        pytest.param(Page(b"<p>a<p>b", "Text/HTML; Charset=UTF-8"), "a\nb", id="HTML"),
        pytest.param(Page(b""), "", id="nothing"),
    ],
)
def test_a_text_is_read(server: Server, fetcher: Fetcher, page: Page, text: str) -> None:
    server.pages["/page"] = page

    assert fetcher.fetch(f"{server.url}/page") == text


@pytest.mark.parametrize(
    ("page", "says"),
    [
        pytest.param(Page(b"\x89PNG", "image/png"), "no text", id="an image"),
        pytest.param(Page(b"x", "application/octet-stream"), "no text", id="bytes"),
        pytest.param(Page(b"x", ""), "no text", id="no type"),
        pytest.param(Page(b"a\0b"), "no text", id="NUL in a text"),
        pytest.param(Page(b"x" * (512 * 1024 + 1)), "larger than 512 KiB", id="huge"),
        pytest.param(Page(b"\x1f\x8b", headers={"Content-Encoding": "gzip"}), "packed", id="packed"),
        pytest.param(Page(status=404), "answers with 404", id="not there"),
        pytest.param(Page(status=401), "answers with 401", id="asks for a password"),
        pytest.param(Page(status=302), "redirected more than 3 times", id="a redirect to nowhere"),
    ],
)
def test_what_is_no_text_of_a_bounded_size_is_refused(server: Server, fetcher: Fetcher, page: Page, says: str) -> None:
    server.pages["/page"] = page

    assert says in _refusal(fetcher, f"{server.url}/page")


def test_a_page_of_the_full_size_is_read(server: Server, fetcher: Fetcher) -> None:
    server.pages["/page"] = Page(b"x" * (512 * 1024))

    assert len(fetcher.fetch(f"{server.url}/page")) == 512 * 1024


def test_a_server_that_never_ends_is_left(server: Server, fetcher: Fetcher) -> None:
    server.pages["/page"] = Page(drips=True)
    begin = time.monotonic()

    refusal = _refusal(Fetcher(fetcher.hosts, fetcher.ports, time_s=0.5), f"{server.url}/page")

    assert refusal == "the page was not read within 0.5 s"
    assert time.monotonic() - begin < 3


def test_a_server_that_is_not_there_is_told_without_details(server: Server, fetcher: Fetcher) -> None:
    server.shutdown()
    server.server_close()

    assert _refusal(fetcher, f"{server.url}/page") == "the server cannot be reached, or the connection was cut"


def test_a_wrong_file_of_authorities_is_the_operator_s_affair(server: Server, fetcher: Fetcher, tmp_path: Path) -> None:
    url = f"https://127.0.0.1:{server.server_port}/"

    with pytest.raises(UsageError, match="certificate authorities"):
        Fetcher(fetcher.hosts, fetcher.ports, ca_file=str(tmp_path / "none")).fetch(url)


# --- Redirects -------------------------------------------------------------------------------------------------------


def test_redirects_are_followed_on_allowed_hosts(server: Server, fetcher: Fetcher) -> None:
    server.pages["/a"] = Page(status=301, headers={"Location": "b?x=1#part"})
    server.pages["/b"] = Page(status=307, headers={"Location": f"{server.url}/c"})
    server.pages["/c"] = Page(status=303, headers={"Location": f"//127.0.0.1:{server.server_port}/d"})
    server.pages["/d"] = Page(b"here")

    assert fetcher.fetch(f"{server.url}/a") == "here"
    assert [path for _, path, _ in server.asked] == ["/a", "/b?x=1", "/c", "/d"]


def test_what_comes_with_a_redirect_is_not_read(server: Server, fetcher: Fetcher) -> None:
    server.pages["/a"] = Page(status=302, headers={"Location": "/b"}, drips=True)
    server.pages["/b"] = Page(b"here")

    assert fetcher.fetch(f"{server.url}/a") == "here"


def test_no_more_redirects_are_followed_than_three(server: Server, fetcher: Fetcher) -> None:
    server.pages["/a"] = Page(status=302, headers={"Location": "/a"})

    assert "more than 3 times" in _refusal(fetcher, f"{server.url}/a")
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("location", "says"),
    [
        ("http://localhost:{port}/b", "the host localhost is not allowed; allowed are 127.0.0.1, docs.example.com"),
        ("http://169.254.169.254/latest/meta-data/", "not allowed"),
        ("http://docs.example.com/", "begins with https://"),
        ("http://user:word@127.0.0.1:{port}/b", "user and password"),
        ("http://127.0.0.1:1/b", "leave the port out"),
        ("file:///etc/passwd", "not allowed"),
        ("/b?" + "x" * 201, "longer than 200"),
        ("/caf\xe9", "plain characters"),
    ],
)
def test_a_redirect_is_checked_like_an_address(server: Server, fetcher: Fetcher, location: str, says: str) -> None:
    server.pages["/a"] = Page(status=302, headers={"Location": location.format(port=server.server_port)})
    server.pages["/b"] = Page(b"elsewhere")

    assert says in _refusal(fetcher, f"{server.url}/a")
    assert [path for _, path, _ in server.asked] == ["/a"]


# --- What is asked for -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "",
        "docs.example.com",
        "//docs.example.com/",
        "http://docs.example.com/",
        "ftp://docs.example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://evil.example/",
        "https://docs.example.com.evil.example/",
        "https://docs.example.com./",
        "https://evil.docs.example.com/",
        "https://docs.example.com@evil.example/",
        "https://user@docs.example.com/",
        "https://:@docs.example.com/",
        "https://docs.example.com:8443/",
        "https://docs.example.com:x/",
        "https://docs.example.com\\@evil.example/",
        "https://evil.example\\@docs.example.com/",
        "https://evil.example#@docs.example.com/",
        "https://evil.example?@docs.example.com/",
        "https://docs.example.com%2eevil.example/",
        "https://d\uff4fcs.example.com/",
        "https://docs.example.com/a b",
        "https://docs.example.com/\n",
        "https://docs.example.com/\0",
        "https://[::1/",
        "https://[docs.example.com]/",
        "https://2130706433/",
        "https://docs.example.com/?" + "x" * 201,
        "https://docs.example.com/" + "x" * 2000,
        "\ud800",
    ],
    ids=ascii,
)
def test_only_plain_addresses_of_allowed_hosts_are_asked_for(url: str) -> None:
    """Nothing is connected to: a look-up of any of these names would end the test (`tests/conftest.py`)."""
    assert _refusal(Fetcher(("docs.example.com", "127.0.0.1")), url)


def test_an_address_is_sent_without_its_fragment_and_in_any_case_of_its_host(server: Server) -> None:
    server.pages["/Page"] = Page(b"x")
    fetcher = Fetcher(("LocalHost",), ports=(server.server_port,))

    assert fetcher.fetch(f"HTTP://LOCALHOST:{server.server_port}/Page?q=1#secret") == "x"
    assert [path for _, path, _ in server.asked] == ["/Page?q=1"]


def test_nothing_is_sent_but_the_address(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine localhost login me password topsecret\ndefault login me password topsecret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))  # requests reads it from the environment
    server.pages["/a"] = Page(status=302, headers={"Location": "/b", "Set-Cookie": "track=1; Path=/"})
    server.pages["/b"] = Page(b"x", headers={"Set-Cookie": "track=2; Path=/"})
    fetcher = Fetcher(("localhost",), ports=(server.server_port,))

    fetcher.fetch(f"http://localhost:{server.server_port}/a")
    fetcher.fetch(f"http://localhost:{server.server_port}/b")

    assert [method for method, _, _ in server.asked] == ["GET"] * 3
    sent = {name.lower() for _, _, headers in server.asked for name in headers}
    assert sent == {"host", "user-agent", "accept-encoding", "accept", "connection"}


# --- HTML ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<title>T</title><h1>Head</h1><p>one <b>two</b>\n three</p><p>four</p>", "T\nHead\none two three\nfour"),
        ("a<script>if (a<b) x()</script>b<style>p{}</style>c", "abc"),
        ("<svg><title>x</title></svg>a<template><p>b</p></template>", "a"),
        ("<pre>a\n  b</pre>c", "a\n  b\nc"),
        ("<ul><li>1<li>2</ul>&lt;tag&gt; &amp; &#x41;", "1\n2\n<tag> & A"),
        ("<!-- hidden --><!doctype html><![CDATA[x]]>a<br/>b", "a\nb"),
        ("<p>a</p></script></pre>b", "a\nb"),
        ("1 < 2 <3 <", "1 < 2 <3 <"),
        ("""<a title="x > y" data-b = '>'>a</a><p class=it's>b""", "a\nb"),
        ("a<SCRIPT>b</scripted>c</Script >d", "ad"),
        ("a<script>b", "a"),
        ("a<!-- b", "a"),
        ("a<b c", "a"),
        ("&#" + "9" * 5000 + ";", "&#" + "9" * 5000 + ";"),
        ("", ""),
    ],
    ids=range(15),
)
def test_html_is_read_as_a_person_would(html: str, text: str) -> None:
    assert html_to_text(html) == text


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<",
            "<a ",
            "<!--",
            "&",
            "<![",
            "</",
            "<p>",
            "<script>",
            "</script",
            '<a b="',
            "<pre>",
            "</pre>",
            "\n",
            "<a/",
        ),
        *("<?", "<a b= ", "=", "= ", "<a b='>", "&#1", " ", "<svg><svg>", "-->", "<!-- -"),
    ],
)
def test_purpose_made_html_ends(piece: str) -> None:
    begin = time.monotonic()

    html_to_text(piece * (512 * 1024 // len(piece)))

    assert time.monotonic() - begin < 5
