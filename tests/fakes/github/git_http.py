"""Git over HTTP, as the simulated GitHub serves it: git's own ``http-backend`` on the bare repositories.

Only fetching; what a repository holds is changed on disk by the test.
"""

from __future__ import annotations

import base64
import binascii
import re
import subprocess
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from tests.fakes.github.entities import Caller, Repository
from tests.fakes.github.refusals import NotFound, Refusal, Unauthorized
from tests.fakes.github.world import World
from tests.git_builder import git_environment

PATH: Final = re.compile(
    r"/(?P<owner>[^/]+)/(?P<name>[^/]+?)(\.git)?/(?P<service>info/refs|git-upload-pack|git-receive-pack)"
)
SETTINGS: Final = {
    "http.receivepack": "false",
    "uploadpack.allowAnySHA1InWant": "true",  # as on GitHub: commits of pull requests, after a force-push too
    "uploadpack.allowFilter": "true",
}

Answer = tuple[int, dict[str, str], bytes]


def handle(
    world: World, method: str, path: str, *, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
) -> Answer:
    """Answer one request of a git client.

    Args:
        world: Who may read what.
        method: GET or POST.
        path: ``/OWNER/NAME.git/…``, with or without the ``.git``.
        query: One value for each name.
        headers: Under any case; ``Authorization`` is Basic with the token as password, or ``Bearer TOKEN``.
        body: As it came, perhaps gzipped.

    Returns:
        Status, headers and body: 401 without a token for a private repository and with an unknown one, 404 for what
        one may not see, 403 for a push, else what ``git http-backend`` answers.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    place = PATH.fullmatch(path)
    if place is None:
        return _refuse(404, "Not Found")
    if "git-receive-pack" in (place["service"], query.get("service")):
        return _refuse(403, "This simulator serves fetches only.")
    try:
        repository = _open(world, place["owner"], place["name"], sent.get("authorization"))
    except Unauthorized as refusal:
        return _refuse(401, refusal.message)
    except Refusal:
        return _refuse(404, "Repository not found.")
    environment = {
        "GIT_PROTOCOL": sent.get("git-protocol", ""),
        "REQUEST_METHOD": method,
        "QUERY_STRING": urlencode(query),
        "CONTENT_TYPE": sent.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": sent.get("content-encoding", ""),
    }
    return _run_backend(repository, place["service"], environment, body)


def _open(world: World, owner: str, name: str, authorization: str | None) -> Repository:
    caller = None if authorization is None else _caller(world, authorization)
    try:
        repository = world.repository(owner, name)
    except NotFound:
        if caller is None:  # as for a private one, so that nobody learns which there are
            raise Unauthorized("Authentication required") from None
        raise
    if caller is not None:
        world.require(caller, repository, "read", "contents")
    elif repository.private:
        raise Unauthorized("Authentication required")
    return repository


def _caller(world: World, authorization: str) -> Caller:
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() != "basic":
        return world.caller(rest)
    try:
        return world.caller(base64.b64decode(rest, validate=True).decode().partition(":")[2])
    except (binascii.Error, UnicodeDecodeError):
        raise Unauthorized("Bad credentials") from None


def _run_backend(repository: Repository, service: str, environment: Mapping[str, str], body: bytes) -> Answer:
    path = repository.git.path
    settings = {
        variable: text
        for index, (key, value) in enumerate(SETTINGS.items())
        for variable, text in ((f"GIT_CONFIG_KEY_{index}", key), (f"GIT_CONFIG_VALUE_{index}", value))
    }
    paths = {"GIT_PROJECT_ROOT": str(path.parent), "PATH_INFO": f"/{path.name}/{service}", "GIT_HTTP_EXPORT_ALL": "1"}
    done = subprocess.run(
        ["git", "http-backend"],
        env={**git_environment(), **settings, "GIT_CONFIG_COUNT": str(len(SETTINGS)), **paths, **environment},
        input=body,
        capture_output=True,
        check=True,
    )
    return _read_cgi(done.stdout)


def _read_cgi(output: bytes) -> Answer:
    head, _, body = output.partition(b"\r\n\r\n")
    headers = {name: value for name, _, value in (row.partition(": ") for row in head.decode("latin-1").split("\r\n"))}
    return int(headers.pop("Status", "200").split()[0]), headers, body


def _refuse(status: int, message: str) -> Answer:
    headers = {"Content-Type": "text/plain"}
    if status == 401:
        headers["WWW-Authenticate"] = 'Basic realm="GitHub"'
    return status, headers, f"{message}\n".encode()
