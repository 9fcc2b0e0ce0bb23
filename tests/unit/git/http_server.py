"""A loopback HTTP server in front of ``git http-backend``, which can also redirect or never answer."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.git_builder import git_environment


@dataclass
class GitServer:
    """Serves every repository below a folder.

    Attributes:
        folder: Where they lie.
        url: Of the folder, without a final slash.
        authorizations: The header of each request, "" where there was none.
        redirect: If set, where every request is sent on to.
        hangs: If there is one, no request is answered.
        asked: Set when a request has come.
        speaks_v2: Whether it knows the protocol in which any commit can be asked for by its id.
    """

    folder: Path
    url: str
    authorizations: list[str] = field(default_factory=list)
    redirect: str = ""
    hangs: threading.Event | None = None
    asked: threading.Event = field(default_factory=threading.Event)
    speaks_v2: bool = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a killed client leaves its request hanging
    served: GitServer


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Keep the test's output clean."""

    def _answer(self, body: bytes) -> None:
        served = self.server.served
        served.authorizations.append(self.headers.get("Authorization", ""))
        served.asked.set()
        if served.hangs is not None:
            served.hangs.wait()
        elif served.redirect:
            self.send_response(302)
            self.send_header("Location", served.redirect + self.path)
            self.end_headers()
        else:
            self._run_backend(served.folder, body)

    def _run_backend(self, folder: Path, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        variables = {
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", "") if self.server.served.speaks_v2 else "",
        }
        backend = ["git", "http-backend"]
        done = subprocess.run(
            backend, env={**git_environment(), **variables}, input=body, capture_output=True, check=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serve(folder: Path) -> Iterator[GitServer]:
    """Serve the folder inside the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.served = GitServer(folder, f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.served
    finally:
        if server.served.hangs is not None:
            server.served.hangs.set()
        server.shutdown()
        server.server_close()
        thread.join()


def read_command_lines() -> list[str]:
    """The command line of every process that can be seen, where the system shows them as files."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it has ended
            continue
    return lines


def read_all(folder: Path) -> bytes:
    """Every file below a folder, one after the other."""
    files = (Path(top) / name for top, _, names in os.walk(folder) for name in names)
    return b"\n".join(file.read_bytes() for file in files if file.is_file() and not file.is_symlink())
