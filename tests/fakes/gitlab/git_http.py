"""Git over HTTP, as the simulated GitLab serves it: fetches alone; the test changes what a repository holds on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tests.fakes.forge_http.git_backend import GitAnswer, read_token, refuse_git, serve_git
from tests.fakes.gitlab.access import may_know, may_read_code
from tests.fakes.gitlab.entities import Project
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.refusals import NotFound, Refusal, Unauthorized
from tests.fakes.gitlab.world import World

PATH: Final = re.compile(r"/(?P<path>.+?)(\.git)?/(?P<service>info/refs|git-upload-pack|git-receive-pack)")
REALM: Final = "GitLab"
_READING: Final = frozenset({"api", "read_repository", "write_repository"})


def handle(
    world: World,
    method: str,
    path: str,
    *,
    query: Mapping[str, str],
    headers: Mapping[str, str],
    body: bytes,
    web: str = "",
) -> GitAnswer:
    """Answer one request of a git client.

    Args:
        world: Who may read what.
        method: GET or POST.
        path: ``/GROUP/SUBGROUP/NAME.git/…``, without the relative root.
        query: One value for each name.
        headers: Under any case; ``Authorization`` is Basic with the token as password, under any name.
        body: As it came, perhaps gzipped.
        web: Where a renamed project is sent to.

    Returns:
        Status, headers and body: 401 without a token for what is not public, and with an unknown one; 404 for what
        one may not see; 301 from an old path; 403 for a push; else what ``git http-backend`` answers.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    place = PATH.fullmatch(path)
    if place is None:
        return refuse_git(404, "Not Found", REALM)
    if "git-receive-pack" in (place["service"], query.get("service")):
        return refuse_git(403, "This simulator serves fetches only.", REALM)
    try:
        project, moved = _open(world, place["path"], sent.get("authorization"))
    except Unauthorized:
        return refuse_git(401, "HTTP Basic: Access denied.", REALM)
    except Refusal:
        return refuse_git(404, "The project you were looking for could not be found.", REALM)
    if moved:
        question = f"?service={query['service']}" if "service" in query else ""
        goal = f"{web}/{project.full_path}.git/{place['service']}{question}"
        return 301, {"Location": goal, "Content-Type": "text/plain"}, b""
    return serve_git(project.git, place["service"], method, query=query, sent=sent, body=body)


def _open(world: World, path: str, authorization: str | None) -> tuple[Project, bool]:
    user = None if authorization is None else _user(world, authorization)
    project, moved = world.find_project(path)
    if user is None and (project is None or project.private):
        raise Unauthorized  # the same for both, so that nobody learns which there are
    if project is None or not may_know(project, user) or not may_read_code(project, user):
        raise NotFound
    return project, moved


def _user(world: World, authorization: str) -> User:
    caller = world.callers.get(read_token(authorization) or "")
    if caller is None or caller.user is None or not _READING & caller.scopes:
        raise Unauthorized
    return caller.user
