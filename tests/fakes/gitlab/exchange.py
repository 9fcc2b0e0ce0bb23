"""What a route's handler gets to see of a request, how routes are found, and how lists become pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlencode

from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.gitlab.access import may_know, require_code, require_user
from tests.fakes.gitlab.answers import Answers
from tests.fakes.gitlab.entities import MergeRequest, Note, Project
from tests.fakes.gitlab.notes import visible
from tests.fakes.gitlab.people import Caller, TokenKind, User
from tests.fakes.gitlab.refusals import Moved, NotAllowed, NotFound, Refusal, Unauthorized
from tests.fakes.gitlab.world import World

T = TypeVar("T")

DEFAULT_PAGE = 20
LARGEST_PAGE = 100
MOST_COUNTED = 10_000
"""Longer lists have no totals in their headers."""


@dataclass(frozen=True)
class Call:
    """A request that has found its route.

    Attributes:
        parts: The values of the path's parameters.
        values: The parameters of query and body, as `published` read them.
        job_token: Whether the route takes one.
    """

    world: World
    caller: Caller
    answers: Answers
    request: Request
    parts: Mapping[str, str]
    values: Mapping[str, Any]

    @property
    def user(self) -> User:
        """Who asks.

        Raises:
            Unauthorized: Nobody known.
        """
        return require_user(self.caller)

    @cached_property
    def project(self) -> Project:
        """The project of the path, if the caller may know of it.

        Raises:
            NotFound: There is none for the caller.
            Moved: It has another path now; a write is refused instead.
        """
        found, moved = self.world.find_project(self.parts["id"])
        if found is None or not may_know(found, self.caller.user):
            raise NotFound("Project")
        if moved:
            if self.request.method != "GET" and self.world.moved_writes == 405:
                raise NotAllowed("Non GET methods are not allowed for moved projects")
            raise Moved(self._address(found))
        return found

    @cached_property
    def merge_request(self) -> MergeRequest:
        project = self.project
        require_code(project, self.caller.user)
        found = project.merge_requests.get(int(self.parts["iid"]))
        if found is None:
            raise NotFound
        return found

    @property
    def note(self) -> Note:
        """The note of the path, as far as the caller may see it."""
        found = self.world.note(self.merge_request, int(self.parts["note_id"]))
        if found is None or not visible([found], self.caller.user):
            raise NotFound("Note")
        if self.parts.get("discussion_id") not in {None, found.discussion.id}:
            raise NotFound
        return found

    def page(self, items: Sequence[T], show: Callable[[T], object], *, shorter: bool = False) -> Answer:
        """One page of a list; with `shorter` one item of a page that is followed by another is not shown."""
        size = min(max(self._number("per_page", DEFAULT_PAGE), 1), LARGEST_PAGE)
        number = max(self._number("page", 1), 1)
        last = max(-(-len(items) // size), 1)
        shown = items[(number - 1) * size : number * size]
        if shorter and number < last:
            shown = shown[:-1]
        goals = {"prev": number - 1, "next": number + 1, "first": 1, "last": last}
        if number <= 1:
            del goals["prev"]
        if number >= last:
            del goals["next"]
        headers = {
            "X-Page": str(number),
            "X-Per-Page": str(size),
            "X-Prev-Page": str(goals.get("prev", "")),
            "X-Next-Page": str(goals.get("next", "")),
        }
        if len(items) <= MOST_COUNTED:
            headers |= {"X-Total": str(len(items)), "X-Total-Pages": str(last)}
        else:
            del goals["last"]
        links = (f'<{self._page_address(page, size)}>; rel="{name}"' for name, page in goals.items())
        return Answer(200, [show(item) for item in shown], {**headers, "Link": ", ".join(links)})

    def _number(self, name: str, default: int) -> int:
        value = str(self.values.get(name) or "")
        return int(value) if value.isdecimal() else default

    def _page_address(self, page: int, size: int) -> str:
        query = {**self.request.query, "page": page, "per_page": size}
        return f"{self.answers.api}{self.request.path}?{urlencode(query)}"

    def _address(self, project: Project) -> str:
        """The same request by the project's id."""
        rest = self.request.path.removeprefix("/projects/").partition("/")
        query = f"?{urlencode(self.request.query)}" if self.request.query else ""
        return f"{self.answers.api}/projects/{project.id}{rest[1]}{rest[2]}{query}"


@dataclass(frozen=True)
class Route:
    """A method and a path such as ``/projects/{id}``, and who answers.

    Attributes:
        template: ``{name*}`` may hold slashes that are not encoded; names that end in ``id`` but for ``{id}`` itself
            and that of a discussion are numbers.
        anonymous: Whether it answers nobody known, as far as a project is public.
        job_token: Whether the token of a job may ask.
    """

    method: str
    template: str
    handler: Callable[[Call], Answer]
    anonymous: bool = False
    job_token: bool = False

    @property
    def name(self) -> str:
        """By which `published` knows it."""
        return f"{self.method} {self.template}"

    def match(self, request: Request) -> Mapping[str, str] | None:
        """The decoded parameters, ``None`` if this is not the request's route."""
        if request.method != self.method:
            return None
        return match_path(self.template, request.path)

    def admit(self, caller: Caller) -> Caller:
        """Who the request counts as coming from: a job token counts where the route takes one.

        Raises:
            Unauthorized: Nobody known, where somebody has to be.
        """
        nobody = Caller("", None)
        known = nobody if caller.kind is TokenKind.JOB and not self.job_token else caller
        if known.user is None and not self.anonymous:
            raise Unauthorized
        return known


def match_path(template: str, path: str) -> Mapping[str, str] | None:
    """The decoded parameters of a path, ``None`` if it is not like the template."""
    numbers = re.sub(r"\{((?!discussion_)\w+_i?id|iid)\}", r"(?P<\1>\\d+)", template)
    slashed = re.sub(r"\{(\w+)\*\}", r"(?P<\1>.+)", numbers)
    found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", slashed), path)
    return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}


def refuse(refusal: Refusal) -> Answer:
    """A refusal as REST puts it."""
    headers = dict(refusal.headers)
    if isinstance(refusal.body, bytes):
        headers["Content-Type"] = "text/plain"
    return Answer(refusal.status, refusal.body, headers)


def encoded(path: str) -> str:
    """A path as it stands in an address of the API, in one piece."""
    return quote(path, safe="")
