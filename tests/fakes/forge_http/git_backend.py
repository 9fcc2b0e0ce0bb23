"""Git's own server, ``git http-backend``, on a bare repository, and how it is asked for a fetch."""

from __future__ import annotations

import base64
import binascii
import subprocess
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from tests.git_builder import Repo, git_environment

SETTINGS: Final = {
    "http.receivepack": "false",
    "uploadpack.allowAnySHA1InWant": "true",  # as on the forges: commits of requests, after a force-push too
    "uploadpack.allowFilter": "true",
}

GitAnswer = tuple[int, dict[str, str], bytes]


def serve_git(
    repository: Repo,
    service: str,
    method: str,
    *,
    query: Mapping[str, str],
    sent: Mapping[str, str],
    body: bytes,
) -> GitAnswer:
    """What ``git http-backend`` answers, as status, headers and body.

    Args:
        repository: The bare repository.
        service: ``info/refs`` or ``git-upload-pack``.
        method: GET or POST.
        query: One value for each name.
        sent: Headers with names in lower case.
        body: As it came, perhaps gzipped.
    """
    settings = {
        variable: text
        for index, (key, value) in enumerate(SETTINGS.items())
        for variable, text in ((f"GIT_CONFIG_KEY_{index}", key), (f"GIT_CONFIG_VALUE_{index}", value))
    }
    path = repository.path
    paths = {"GIT_PROJECT_ROOT": str(path.parent), "PATH_INFO": f"/{path.name}/{service}", "GIT_HTTP_EXPORT_ALL": "1"}
    asked = {
        "GIT_PROTOCOL": sent.get("git-protocol", ""),
        "REQUEST_METHOD": method,
        "QUERY_STRING": urlencode(query),
        "CONTENT_TYPE": sent.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": sent.get("content-encoding", ""),
    }
    done = subprocess.run(
        ["git", "http-backend"],
        env={**git_environment(), **settings, "GIT_CONFIG_COUNT": str(len(SETTINGS)), **paths, **asked},
        input=body,
        capture_output=True,
        check=True,
    )
    return _read_cgi(done.stdout)


def refuse_git(status: int, message: str, realm: str) -> GitAnswer:
    """A refusal in plain text; a 401 asks for a password."""
    headers = {"Content-Type": "text/plain"}
    if status == 401:
        headers["WWW-Authenticate"] = f'Basic realm="{realm}"'
    return status, headers, f"{message}\n".encode()


def read_token(authorization: str) -> str | None:
    """The token in an ``Authorization`` header: of Basic the password, else what follows the scheme."""
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() != "basic":
        return rest
    try:
        return base64.b64decode(rest, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return None


def _read_cgi(output: bytes) -> GitAnswer:
    head, _, body = output.partition(b"\r\n\r\n")
    headers = {name: value for name, _, value in (row.partition(": ") for row in head.decode("latin-1").split("\r\n"))}
    return int(headers.pop("Status", "200").split()[0]), headers, body
