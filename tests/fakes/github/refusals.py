"""How the simulated GitHub says no: one exception for each kind of refusal, shared by REST and GraphQL.

The texts and the three shapes of ``errors`` are those of the real service, because clients have to read
them. What is refused when is the affair of the rules, not of this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

ErrorObject = Mapping[str, str]


class Refusal(Exception):
    """A request that GitHub turns down.

    Attributes:
        message: The ``message`` of the body, and of the GraphQL error.
        errors: The ``errors`` of a REST body: strings, objects, or nothing at all.
        headers: Further headers of the answer.
    """

    status: ClassVar[int]
    graphql_type: ClassVar[str]

    def __init__(
        self, message: str, errors: Sequence[str | ErrorObject] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.errors = tuple(errors)
        self.headers = dict(headers or {})

    @property
    def graphql_message(self) -> str:
        """What a GraphQL error says: the reasons, where there are some."""
        texts = [error if isinstance(error, str) else error.get("message", "") for error in self.errors]
        return ", ".join(filter(None, texts)) or self.message


class Unauthorized(Refusal):
    """The token is unknown."""

    status = 401
    graphql_type = "UNAUTHORIZED"


class Forbidden(Refusal):
    """The caller is known and may not."""

    status = 403
    graphql_type = "FORBIDDEN"


class NotFound(Refusal):
    """There is no such thing, or the caller may not know that there is."""

    status = 404
    graphql_type = "NOT_FOUND"

    def __init__(self, message: str = "Not Found") -> None:
        super().__init__(message)


class TooLarge(Refusal):
    """The diff media type of a change that is too large for it."""

    status = 406
    graphql_type = "UNPROCESSABLE"


class Invalid(Refusal):
    """The request is understood and breaks a rule."""

    status = 422
    graphql_type = "UNPROCESSABLE"


class BadAnchor(Invalid):
    """A comment whose place is not in the diff; like GitHub it does not say which of several."""


def unprocessable(*reasons: str) -> Invalid:
    """The shape of the review endpoints: ``errors`` is a list of strings."""
    return Invalid("Unprocessable Entity", reasons)


def bad_anchor(reason: str) -> BadAnchor:
    """The same shape for a place that is not in the diff."""
    return BadAnchor("Unprocessable Entity", (reason,))


def validation_failed(resource: str, field: str, message: str, *, code: str = "custom") -> Invalid:
    """The shape of the comment endpoints: ``errors`` is a list of objects."""
    return Invalid("Validation Failed", ({"resource": resource, "code": code, "field": field, "message": message},))


def not_accessible(level: str, names: Sequence[str]) -> Forbidden:
    """What an installation token gets that lacks a permission; any of `names` would have done."""
    accepted = "; ".join(f"{name}={level}" for name in names)
    return Forbidden("Resource not accessible by integration", headers={"x-accepted-github-permissions": accepted})
