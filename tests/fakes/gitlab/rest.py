"""The REST API: finds the route of a request, reads its parameters, and turns refusals into answers.

What the routes do is in the modules named ``rest_…``; what is allowed is in the rules that they call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.gitlab import published
from tests.fakes.gitlab.answers import Answers
from tests.fakes.gitlab.exchange import Call, Route, match_path, refuse
from tests.fakes.gitlab.people import Caller
from tests.fakes.gitlab.refusals import BadParameter, InsufficientScope, NoSuchRoute, NotAllowed, Refusal
from tests.fakes.gitlab.rest_accounts import ACCOUNT_ROUTES
from tests.fakes.gitlab.rest_changes import CHANGE_ROUTES
from tests.fakes.gitlab.rest_discussions import DISCUSSION_ROUTES
from tests.fakes.gitlab.rest_drafts import DRAFT_ROUTES
from tests.fakes.gitlab.rest_git import GIT_ROUTES
from tests.fakes.gitlab.rest_merge_requests import MERGE_REQUEST_ROUTES
from tests.fakes.gitlab.rest_notes import NOTE_ROUTES
from tests.fakes.gitlab.rest_projects import PROJECT_ROUTES
from tests.fakes.gitlab.world import World

ROUTES: Final = (
    *ACCOUNT_ROUTES,
    *PROJECT_ROUTES,
    *MERGE_REQUEST_ROUTES,
    *CHANGE_ROUTES,
    *DRAFT_ROUTES,
    *DISCUSSION_ROUTES,
    *NOTE_ROUTES,
    *GIT_ROUTES,
)
SELF_SCOPES: Final = frozenset({"/user", "/version", "/metadata", "/personal_access_tokens/self"})
"""What a token with ``read_user`` reaches."""


def answer(world: World, caller: Caller, web: str, request: Request, violations: list[str]) -> Answer:
    """What GitLab answers; it never raises for what a client does.

    Args:
        world: Read, and changed by writes.
        caller: Whose token it was.
        web: The root of the web pages for this client.
        request: Without the prefix of the API.
        violations: Gets what the published API does not have.
    """
    where = f"{request.method} {request.path}"
    if any(part.lower() in {"none", "null"} for part in request.path.split("/")):
        violations.append(f"{where}: the path names nothing")
    try:
        route, parts = _find(request, violations, where)
        known = route.admit(caller)
        _check_scope(known, request)
        values = _read(world, route, request, violations, where)
        return route.handler(Call(world, known, Answers(world, web, known.user), request, parts, values))
    except Refusal as refusal:
        return refuse(refusal)


def sent_parameters(request: Request) -> dict[str, Any]:
    """The parameters of a request, wherever they stand; those of the body go first."""
    body = request.body if isinstance(request.body, Mapping) else {}
    return {**nested(request.query), **body}


def nested(flat: Mapping[str, str]) -> dict[str, Any]:
    """Parameters such as ``position[new_line]`` and ``iids[]`` put into one another."""
    found: dict[str, Any] = {}
    for name, value in flat.items():
        first, *inner = name.replace("]", "").split("[")
        if inner == [""]:
            found[first] = value.split("\n")
            continue
        place = found
        for key in [first, *inner][:-1]:
            place = place.setdefault(key, {})
        place[[first, *inner][-1]] = value
    return found


def _find(request: Request, violations: list[str], where: str) -> tuple[Route, Mapping[str, str]]:
    for route in ROUTES:
        if (parts := route.match(request)) is not None:
            return route, parts
    violations.append(f"{where}: there is no such endpoint, or the simulator lacks it")
    if any(match_path(route.template, request.path) is not None for route in ROUTES):
        raise NotAllowed
    raise NoSuchRoute


def _read(world: World, route: Route, request: Request, violations: list[str], where: str) -> Mapping[str, Any]:
    sent = sent_parameters(request)
    try:
        reading = published.read(world, published.PARAMETERS[route.name], sent)
    except BadParameter as refusal:
        violations.append(f"{where}: {refusal.body['error']}")
        raise
    if not route.template.endswith("/trigger/pipeline") or "object_kind" not in sent:  # a webhook sends what it has
        violations += [f"{where}: there is no parameter {name}" for name in reading.strange]
    return reading.values


def _check_scope(caller: Caller, request: Request) -> None:
    if caller.user is None or "api" in caller.scopes:
        return
    reading = request.method == "GET"
    if reading and ("read_api" in caller.scopes or ("read_user" in caller.scopes and request.path in SELF_SCOPES)):
        return
    raise InsufficientScope
