"""Git over HTTP, as the simulated GitHub serves it: git's own ``http-backend`` on the bare repositories.

Only fetching; what a repository holds is changed on disk by the test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tests.fakes.forge_http.git_backend import GitAnswer, read_token, refuse_git, serve_git
from tests.fakes.github.entities import Caller, Repository
from tests.fakes.github.refusals import NotFound, Refusal, Unauthorized
from tests.fakes.github.world import World

PATH: Final = re.compile(
    r"/(?P<owner>[^/]+)/(?P<name>[^/]+?)(\.git)?/(?P<service>info/refs|git-upload-pack|git-receive-pack)"
)

REALM: Final = "GitHub"


def handle(
    world: World, method: str, path: str, *, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
) -> GitAnswer:
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
        return refuse_git(404, "Not Found", REALM)
    if "git-receive-pack" in (place["service"], query.get("service")):
        return refuse_git(403, "This simulator serves fetches only.", REALM)
    try:
        repository = _open(world, place["owner"], place["name"], sent.get("authorization"))
    except Unauthorized as refusal:
        return refuse_git(401, refusal.message, REALM)
    except Refusal:
        return refuse_git(404, "Repository not found.", REALM)
    return serve_git(repository.git, place["service"], method, query=query, sent=sent, body=body)


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
    if (token := read_token(authorization)) is None:
        raise Unauthorized("Bad credentials")
    return world.caller(token)
