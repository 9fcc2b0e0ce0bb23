"""The one way to GitLab's API: reads are repeated when an answer is lost, writes only after a look.

python-gitlab's objects are used inside `read` and `write`; what it does not wrap goes through `get`, `pages` and
`query`. What the answers hold is for the callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, cast
from urllib.parse import quote

from gitlab import Gitlab
from gitlab.v4.objects import Project, ProjectMergeRequest

from draftgate.errors import Unavailable
from draftgate.forge.gitlab.transport import PER_PAGE, Access, make_client
from draftgate.forge.gitlab.troubles import Refused, Trouble
from draftgate.forge.hosted.answers import Call
from draftgate.forge.hosted.asking import Asking
from draftgate.forge.hosted.pace import Rate

Json = Mapping[str, Any]

_RATE = Rate(burst=30, per_second=10.0)
"""A third of the 2,000 requests a minute that GitLab.com allows; draft notes, most of what is written, have no
limit of their own: https://docs.gitlab.com/user/gitlab_com/#rate-limits-on-gitlabcom"""

_NO_LIST = (TypeError, KeyError, AttributeError, RecursionError)
"""What python-gitlab raises where it takes another body for a list."""

_MOST_ENTRIES = 50_000
"""Of one list; no change has as many comments, and a list that names itself as its next page has more."""


class Connection(Asking):
    """Speaks to GitLab for one run.

    Every method raises as `Asking` says.

    Args:
        access: The project, the token and the addresses.
        wait_s: Seconds that the run may wait in all; see `Pace`.
        clock: POSIX time in seconds.
        sleep: Returns after so many seconds of that clock.

    Attributes:
        client: python-gitlab's.
        asks_graphql: Whether GraphQL is asked where REST would do as well; not any more once it did not answer that.
        asks_stance: Whether it is asked for fields that came late; not any more once it did not know one of them.
        has_graphql: Whether it answers at all, as far as is known.
        project: Its object for the project. It is lazy: making it, and making others from it by a number, costs no
            request.
    """

    def __init__(
        self, access: Access, *, wait_s: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        super().__init__(_RATE, wait_s=wait_s, clock=clock, sleep=sleep)
        self.client: Gitlab = make_client(access, self.requests)
        self.project: Project = self.client.projects.get(access.project, lazy=True)
        self._root = f"/projects/{quote(access.project, safe='')}"
        self._graphql = access.graphql
        self.asks_graphql = self.asks_stance = self.has_graphql = True

    def merge_request(self, number: int) -> ProjectMergeRequest:
        """python-gitlab's object for a merge request, without a request."""
        return self.project.mergerequests.get(number, lazy=True)

    def get(self, path: str, **query: object) -> Json:
        """The JSON object at a path below the project, or below the API's root if it begins with a slash."""
        answer = self.read(lambda: self.client.http_get(self._place(path), query_data=dict(query)))
        if not isinstance(answer, dict):
            raise _not_asked_for(path)
        return answer

    def headed(self, path: str) -> tuple[Mapping[str, str], Json]:
        """The headers, whose names are in lower case, and the JSON object at a path; ``path`` as for `get`."""
        answer: Any = self.read(lambda: self.client.http_request("get", self._place(path)))
        try:
            content = answer.json()
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise _not_asked_for(path)
        return {name.lower(): value for name, value in answer.headers.items()}, content

    def listed(self, path: str, **query: object) -> list[Json]:
        """The entries of the first page of a list; ``path`` as for `get`."""
        return self.read(lambda: self._first_page(path, {"per_page": PER_PAGE, **query}))

    def text(self, path: str, **query: object) -> str:
        """What is at a path that is no JSON (a raw file, a diff); ``path`` as for `get`."""
        answer = self.read(lambda: self.client.http_get(self._place(path), query_data=dict(query), raw=True))
        content = answer if isinstance(answer, bytes) else cast("Any", answer).content
        return bytes(content).decode("utf-8", "replace")

    def pages(self, path: str, **query: object) -> Iterator[Json]:
        """The entries of a list to its end: until GitLab names no next page, however short one may be.

        https://docs.gitlab.com/api/rest/#pagination-link-header
        """
        place, asked = self._place(path), {**query, "per_page": PER_PAGE}

        def read() -> list[Json]:
            listed = self.client.http_list(place, query_data=asked, iterator=True)
            return _objects(path, islice(listed, _MOST_ENTRIES + 1))

        entries = self.read(read)
        if len(entries) > _MOST_ENTRIES:
            raise Unavailable("GitLab's list does not end", context=path, hint="see what answers at this address")
        yield from entries

    def newest(self, path: str, count: int) -> list[Json]:
        """The last entries of a list of notes, newest first; ``path`` as for `get`."""
        asked = {"order_by": "created_at", "sort": "desc", "per_page": count}
        return self.read(lambda: self._first_page(path, asked))

    def query(self, document: str, **variables: object) -> Json:
        """The ``data`` of a GraphQL query or mutation; an error in it declines the whole.

        A mutation is to be used inside `write`.
        """
        body = {"query": document, "variables": variables}
        verb = "mutation" if document.lstrip().startswith("mutation") else "query"
        answer: Any = self.client.http_post(self._graphql, post_data=body)
        errors = answer.get("errors") if isinstance(answer, dict) else None
        data = answer.get("data") if isinstance(answer, dict) else None
        if errors or not isinstance(data, dict):
            words = tuple(str(error.get("message", ""))[:300] for error in errors or () if isinstance(error, dict))
            raise Refused(Call(verb, "/api/graphql"), Trouble.OTHER, 422, words)
        return data

    def _first_page(self, path: str, query: Mapping[str, object]) -> list[Json]:
        try:
            listed = self.client.http_list(self._place(path), query_data=dict(query), get_all=False)
        except _NO_LIST as error:
            raise _not_asked_for(path) from error
        return _objects(path, listed)

    def _place(self, path: str) -> str:
        if path.startswith("/"):
            return path
        return f"{self._root}/{path}" if path else self._root


def _objects(path: str, listed: Iterable[object]) -> list[Json]:
    """The entries of a list; python-gitlab takes whatever the body is for one."""
    try:
        entries = list(listed)
    except _NO_LIST as error:
        raise _not_asked_for(path) from error
    if not all(isinstance(entry, dict) for entry in entries):
        raise _not_asked_for(path)
    return cast("list[Json]", entries)


def _not_asked_for(path: str) -> Unavailable:
    return Unavailable("GitLab sent something else than was asked for", context=path, hint="try again later")
