"""Which requests came, and what was said to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import graphql

from tests.fakes.forge_http.messages import Request


@dataclass(frozen=True)
class LogEntry:
    """One request.

    Attributes:
        path: Without the prefix that its client uses.
        login: Whose token it had, ``None`` if nobody's.
        status: What the client was told; 0 if the connection was closed instead.
        done: What GitHub did about it; ``None`` if a fault came first.
        is_write: Anything but GET in REST, mutations in GraphQL, nothing in git.
        operation: GraphQL's kind, name and first field: ``mutation SubmitReview submitPullRequestReview``.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any
    login: str | None
    status: int
    done: int | None
    is_write: bool
    operation: str

    @property
    def line(self) -> str:
        """How faults see it."""
        return f"{self.method} {self.path} {self.operation}".rstrip()


class RequestLog(list[LogEntry]):
    """All requests in the order in which they were answered."""

    @property
    def writes(self) -> list[LogEntry]:
        return [entry for entry in self if entry.is_write]

    @property
    def reads(self) -> list[LogEntry]:
        return [entry for entry in self if not entry.is_write]


def operation_of(request: Request) -> str:
    """What a GraphQL document does, the empty text for anything else."""
    if request.path != "/graphql" or not isinstance(request.body, dict):
        return ""
    return _operation_in(str(request.body.get("query")))


@lru_cache(maxsize=256)
def _operation_in(query: str) -> str:
    try:
        document = graphql.parse(query)
    except graphql.GraphQLError:
        return "unreadable"
    for definition in document.definitions:
        if isinstance(definition, graphql.OperationDefinitionNode):
            fields = [
                node.name.value for node in definition.selection_set.selections if isinstance(node, graphql.FieldNode)
            ]
            name = definition.name.value if definition.name else "-"
            return " ".join((definition.operation.value, name, *fields[:1]))
    return "unreadable"


def is_write(request: Request, operation: str) -> bool:
    """Whether it changes something; GraphQL and git read by POST too."""
    if request.path == "/graphql":
        return operation.startswith("mutation")
    return request.method not in {"GET", "HEAD"} and not request.path.endswith("/git-upload-pack")
