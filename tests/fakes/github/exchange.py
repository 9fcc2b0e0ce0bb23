"""One request and its answer as values, and what a route's handler gets to see of the request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar
from urllib.parse import unquote, urlencode

from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.github.answers import Answers, Json
from tests.fakes.github.entities import Caller, Issue, PullRequest, Repository, Review
from tests.fakes.github.refusals import Invalid, Refusal, validation_failed
from tests.fakes.github.world import World

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

DEFAULT_PAGE = 30
LARGEST_PAGE = 100


@dataclass(frozen=True)
class Call:
    """A request that has found its route.

    Attributes:
        parts: The values of the path's parameters.
    """

    world: World
    caller: Caller
    answers: Answers
    request: Request
    parts: Mapping[str, str]

    @property
    def repository(self) -> Repository:
        """The repository of the path, if the caller may know of it."""
        found = self.world.repository(self.parts["owner"], self.parts["repo"])
        self.world.require(self.caller, found, "read", "metadata")
        return found

    @property
    def issue(self) -> Issue:
        return self.world.issue(self.repository, int(self.parts["issue_number"]))

    @property
    def pull(self) -> PullRequest:
        return self.world.pull(self.repository, int(self.parts["pull_number"]))

    @property
    def review(self) -> Review:
        return self.world.review(self.caller, self.pull, int(self.parts["review_id"]))

    @property
    def fields(self) -> Json:
        """The keys of the body."""
        body = self.request.body
        if body is None:
            return {}
        if not isinstance(body, dict):
            raise Invalid("Invalid request.\n\nFor 'links/0/schema', not an object.")
        return body

    def text(self, name: str, resource: str) -> str:
        """A required text of the body."""
        if not isinstance(value := self.fields.get(name), str):
            raise validation_failed(resource, name, f"{name} is missing", code="missing_field")
        return value

    def choice(self, name: str, values: type[E], fields: Json | None = None) -> E | None:
        """An optional word of the body, or of `fields` in it, in any case."""
        value = (self.fields if fields is None else fields).get(name)
        if value is None:
            return None
        try:
            return values(str(value).upper())
        except ValueError:
            raise Invalid(f"Invalid request.\n\n{value} is not a possible value of {name}.") from None

    def wants(self, media: str) -> bool:
        """Whether the client asked for this form (``diff``, ``raw``) and not for JSON."""
        return (
            re.search(rf"application/vnd\.github\.(v3\.)?{media}\b", self.request.headers.get("accept", "")) is not None
        )

    def require(self, *names: str, level: str = "read") -> None:
        self.world.require(self.caller, self.repository, level, *names)

    def page(self, items: Sequence[T], show: Callable[[T], object]) -> Answer:
        """One page of a list, with ``Link``."""
        chosen, headers = self.cut(items)
        return Answer(200, [show(item) for item in chosen], headers)

    def cut(self, items: Sequence[T]) -> tuple[Sequence[T], dict[str, str]]:
        """The items of the page that was asked for, and the ``Link`` header."""
        size = min(max(int(self.request.query.get("per_page", DEFAULT_PAGE)), 1), LARGEST_PAGE)
        number = max(int(self.request.query.get("page", 1)), 1)
        last = max(-(-len(items) // size), 1)
        goals = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
        if number == 1:
            del goals["prev"], goals["first"]
        if number >= last:
            del goals["next"], goals["last"]
        links = (f'<{self._address(page)}>; rel="{name}"' for name, page in goals.items())
        return items[(number - 1) * size : number * size], {"Link": ", ".join(links)} if goals else {}

    def _address(self, page: int) -> str:
        return f"{self.answers.api}{self.request.path}?{urlencode({**self.request.query, 'page': page})}"


@dataclass(frozen=True)
class Route:
    """A method and a path such as ``/repos/{owner}/{repo}``, and who answers; ``{path*}`` may hold slashes."""

    method: str
    template: str
    handler: Callable[[Call], Answer]

    def match(self, request: Request) -> Mapping[str, str] | None:
        """The decoded parameters, ``None`` if this is not the request's route."""
        if request.method != self.method:
            return None
        numbers = re.sub(r"\{(\w+_(?:id|number))\}", r"(?P<\1>\\d+)", self.template)
        slashed = re.sub(r"\{(\w+)\*\}", r"(?P<\1>.+)", numbers)
        found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", slashed), request.path)
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}


def refuse(refusal: Refusal, documentation: str) -> Answer:
    """A refusal as REST puts it."""
    body: Json = {"message": refusal.message}
    if refusal.errors:
        body["errors"] = list(refusal.errors)
    return Answer(
        refusal.status, {**body, "documentation_url": documentation, "status": str(refusal.status)}, refusal.headers
    )
