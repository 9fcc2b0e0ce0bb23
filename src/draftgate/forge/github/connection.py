"""The one way to GitHub's API: reads are repeated when an answer is lost, writes only after a look.

PyGithub's objects are used inside `Connection.read` and `Connection.write`; what it does not wrap goes through
`query`, `mutate`, `get`, `pages` and `text`. What the answers hold is for the callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from github.Repository import Repository

from draftgate.errors import Unavailable
from draftgate.forge.github.documents import read_document
from draftgate.forge.github.transport import PER_PAGE, Access, Transport
from draftgate.forge.hosted.answers import Call
from draftgate.forge.hosted.asking import Asking
from draftgate.forge.hosted.pace import Rate

_RATE = Rate(burst=10, per_second=1.0)
"""\"Wait at least one second between each request\" that writes:
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api"""


class Connection(Asking):
    """Speaks to GitHub for one run.

    Every method raises as `Asking` says.

    Args:
        access: The repository, the token and the addresses.
        wait_s: Seconds that the run may wait in all; see `Pace`.
        clock: POSIX time in seconds.
        sleep: Returns after so many seconds of that clock.

    Attributes:
        repo: PyGithub's object for the repository. It is lazy: making it, and making others from it by a number
            or a name, costs no request.
    """

    def __init__(
        self, access: Access, *, wait_s: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        super().__init__(_RATE, wait_s=wait_s, clock=clock, sleep=sleep)
        self._rest = Transport(access, access.api_url, self.requests)
        graphql = urlsplit(access.graphql_url or self._rest.graphql_url)
        self._graphql = Transport(access, f"{graphql.scheme}://{graphql.netloc}", self.requests)
        self._graphql_path = graphql.path
        self._root = f"/repos/{access.repository}"
        self.repo = Repository(self._rest, url=self._root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._rest.close()
        self._graphql.close()

    def query(self, document: str, /, **variables: object) -> dict[str, Any]:
        """The ``data`` of a GraphQL query in ``queries/<document>.graphql``; any error in it fails the whole."""
        return self.read(self._graphql_call("query", document, variables))

    def query_made(self, name: str, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        """The ``data`` of a GraphQL query that was made for the number of its parts; ``name`` is for messages."""
        return self.read(
            partial(self._graphql.send_graphql, Call("query", name), self._graphql_path, document, variables)
        )

    def mutate(
        self, document: str, /, *, landed: Callable[[], dict[str, Any] | None], **variables: object
    ) -> dict[str, Any]:
        """The ``data`` of a GraphQL mutation in ``queries/<document>.graphql``; ``landed`` as for `write`."""
        return self.write(self._graphql_call("mutation", document, variables), landed=landed)

    def mutate_text(
        self, name: str, text: str, /, *, landed: Callable[[], dict[str, Any] | None], **variables: object
    ) -> dict[str, Any]:
        """As `mutate`, for a document that is made for the occasion: several mutations under aliases."""
        return self.write(
            lambda: self._graphql.send_graphql(Call("mutation", name), self._graphql_path, text, variables),
            landed=landed,
        )

    def send(self, verb: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send one write that PyGithub does not wrap, to be used inside `write`; ``path`` as for `get`."""
        answer: dict[str, Any] = self._rest.requestJsonAndCheck(verb, self._place(path), input=body)[1]
        return answer

    def get(self, path: str, **query: object) -> dict[str, Any]:
        """The JSON object at a path below the repository, or below the API's root if it begins with a slash."""
        page, _ = self.read(partial(self._rest.read_page, self._place(path), query))
        if not isinstance(page, dict):
            raise _not_asked_for(path)
        return page

    def headed(self, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The headers, whose names are in lower case, and the JSON object at a path; ``path`` as for `get`."""
        headers, page = self.read(partial(self._rest.requestJsonAndCheck, "GET", self._place(path)))
        if not isinstance(page, dict):
            raise _not_asked_for(path)
        return headers, page

    def listed(self, path: str, **query: object) -> list[dict[str, Any]]:
        """The entries of the first page of a list; ``path`` as for `get`."""
        page, _ = self.read(partial(self._rest.read_page, self._place(path), {"per_page": PER_PAGE, **query}))
        if not isinstance(page, list):
            raise _not_asked_for(path)
        return page

    def pages(self, path: str, *, items: str = "", **query: object) -> Iterator[dict[str, Any]]:
        """The entries of a list, page after page while GitHub names a next one; ``path`` as for `get`.

        Args:
            path: Of the list.
            items: The key that holds the entries where a page is an object.
            query: Parameters of the first page; the next ones have theirs from GitHub.
        """
        url, parameters = self._place(path), {"per_page": PER_PAGE, **query}
        while url:
            page, next_url = self.read(partial(self._rest.read_page, url, parameters))
            entries = page.get(items) if items and isinstance(page, dict) else page
            if not isinstance(entries, list):
                raise _not_asked_for(path)
            yield from entries
            url, parameters = next_url, {}

    def text(self, path: str, media_type: str) -> str:
        """What is at a path in a media type that is no JSON (a diff, a raw file); ``path`` as for `get`."""
        return self.read(partial(self._rest.read_text, self._place(path), media_type))

    def _graphql_call(self, verb: str, document: str, variables: dict[str, Any]) -> Callable[[], dict[str, Any]]:
        call, text = Call(verb, document), read_document(document)
        return partial(self._graphql.send_graphql, call, self._graphql_path, text, variables)

    def _place(self, path: str) -> str:
        if path.startswith("/"):
            return path
        return f"{self._root}/{path}" if path else self._root


def _not_asked_for(path: str) -> Unavailable:
    return Unavailable("GitHub sent something else than was asked for", context=path, hint="try again later")
