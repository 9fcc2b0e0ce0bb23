"""The refusals of GitHub that a fault can put in place of a real answer."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakes.forge_http.messages import Answer

_PRIMARY = "API rate limit exceeded for installation ID 1."
_SECONDARY = (
    "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. "
    "Please retry your request again later."
)
_DOCUMENTATION = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"


def _error(status: int, message: str, headers: Mapping[str, str] | None = None, **more: object) -> Answer:
    return Answer(status, {"message": message, "documentation_url": _DOCUMENTATION, **more}, headers or {})


def shapes(now: int) -> Mapping[str, Answer]:
    """The answers a fault can put in place of the real one; `now` is the time in seconds since 1970."""
    abuse = {"resource": "IssueComment", "code": "abuse", "field": "base", "message": "was submitted too quickly"}
    exhausted = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(now + 2)}
    in_an_hour = {**exhausted, "X-RateLimit-Reset": str(now + 3600)}
    limited = {"type": "RATE_LIMITED", "message": _PRIMARY}
    return {
        "500": _error(500, "Server Error"),
        "502": Answer(502, b"<html><body>502 Bad Gateway</body></html>", {"Content-Type": "text/html"}),
        "503": _error(503, "Service Unavailable"),
        "429": _error(429, _SECONDARY, {"Retry-After": "1"}),
        "primary": _error(403, _PRIMARY, exhausted),
        "primary-in-an-hour": _error(403, _PRIMARY, in_an_hour),
        "secondary": _error(403, _SECONDARY),
        "secondary-retry-after": _error(403, _SECONDARY, {"Retry-After": "1"}),
        "abuse": _error(422, "Validation Failed", errors=[abuse]),
        "forbidden": _error(403, "Resource not accessible by integration"),
        "401": _error(401, "Bad credentials"),
        "404": _error(404, "Not Found"),
        "page": Answer(200, b"<html><body>Sign in</body></html>", {"Content-Type": "text/html"}),
        "nonsense": Answer(200, {"data": {"viewer": 7, "repository": [None]}, "id": "x", "permissions": 3}),
        "list": Answer(200, [None, 7, "x", {}]),
        "hostile": _error(403, "No \x1b[2J\x1b]0;title\x07 ::error::you may\u202e not\n::set-output name=x::y"),
        "422": _error(422, "Unprocessable Entity", errors=["Something went wrong"]),
        "graphql-limited": Answer(200, {"errors": [limited]}, exhausted),
        "graphql-timeout": Answer(502, {"errors": [{"message": "Something went wrong while executing your query."}]}),
    }
