"""The one way to GitHub's API: reads are repeated when an answer is lost, writes only after a look.

PyGithub's objects are used inside `Connection.read` and `Connection.write`; what it does not wrap goes through
`query`, `mutate`, `get`, `pages` and `text`. What the answers hold is for the callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from github.Repository import Repository

from draftgate.errors import Unavailable
from draftgate.forge.github.documents import read_document
from draftgate.forge.github.pace import Pace, Repetitions
from draftgate.forge.github.transport import PER_PAGE, Access, Requests, Transport
from draftgate.forge.github.troubles import Call, Lost, NotNow, Refused, Trouble

T = TypeVar("T")


class Connection:
    """Speaks to GitHub for one run.

    Every method raises `Refused` when GitHub declines (`Denied`, a `PermissionDenied`, because of the token) and
    `Unavailable` when no answer came in spite of waiting.

    Args:
        access: The repository, the token and the addresses.
        wait_s: Seconds that the run may wait in all; see `Pace`.
        clock: POSIX time in seconds.
        sleep: Returns after so many seconds of that clock.

    Attributes:
        requests: How many were sent so far.
        repo: PyGithub's object for the repository. It is lazy: making it, and making others from it by a number
            or a name, costs no request.
    """

    def __init__(
        self, access: Access, *, wait_s: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self.requests = Requests()
        self._pace = Pace(wait_s=wait_s, clock=clock, sleep=sleep)
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

    def allow(self, wait_s: float) -> None:
        """Let the run wait so many seconds in all, once its configuration says how many."""
        self._pace.allow(wait_s)

    def read(self, call: Callable[[], T]) -> T:
        """What ``call`` returns, repeated while GitHub does not answer.

        ``call`` writes nothing, and is done when it returns: a list of PyGithub's is read to its end inside.
        """
        repetitions = Repetitions(self._pace)
        while True:
            try:
                return call()
            except NotNow as answer:
                if not repetitions.wait(answer):
                    raise self._give_up(answer) from answer

    def write(self, call: Callable[[], T], *, landed: Callable[[], T | None]) -> T:
        """What ``call`` returns, which writes once: it is repeated only when it surely had no effect.

        Args:
            call: Sends one write. It does not return ``None``.
            landed: Looks for the effect of ``call``, through this connection, and returns what ``call`` would have;
                ``None`` if there is none. Asked after every answer that follows a lost one, also a refusal: what
                took effect unseen is often refused the second time.
        """
        repetitions = Repetitions(self._pace)
        may_have_landed = False
        while True:
            self._pace.take_turn()
            try:
                return call()
            except (NotNow, Refused) as answer:
                may_have_landed = may_have_landed or isinstance(answer, Lost)
                may_repeat = isinstance(answer, NotNow) and repetitions.wait(answer)
                effect = landed() if may_have_landed else None
                if effect is not None:
                    return effect
                if isinstance(answer, Refused):
                    raise
                if not may_repeat:
                    raise self._give_up(answer) from answer

    def delete(self, call: Callable[[], object]) -> None:
        """Run ``call``, which sends one DELETE: it is repeated without a look, and what is not there is gone."""

        def gone() -> bool:
            try:
                call()
            except Refused as refusal:
                if refusal.trouble is not Trouble.NOT_FOUND:
                    raise
            return True

        self.write(gone, landed=lambda: None)

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
        return path if path.startswith("/") else f"{self._root}/{path}"

    def _give_up(self, answer: NotNow) -> Unavailable:
        return answer.give_up(self._pace.clock())


def _not_asked_for(path: str) -> Unavailable:
    return Unavailable("GitHub sent something else than was asked for", context=path, hint="try again later")
