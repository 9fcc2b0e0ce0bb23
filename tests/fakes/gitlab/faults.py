"""The refusals of GitLab, and of what stands in front of it, that a fault can put in place of a real answer."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakes.forge_http.messages import Answer

_TEXT = {"Content-Type": "text/plain"}
_HTML = {"Content-Type": "text/html"}


def shapes(now: int) -> Mapping[str, Answer]:
    """The answers by name; `now` is the time in seconds since 1970."""
    limit = {"RateLimit-Limit": "60", "RateLimit-Observed": "61", "RateLimit-Remaining": "0"}
    notes = {"message": {"error": "This endpoint has been requested too many times. Try again later."}}
    return {
        "500": Answer(500, {"message": "500 Internal Server Error"}),
        "500-empty": Answer(500),
        "502": Answer(502, b"<html><body>GitLab is not responding</body></html>", _HTML),
        "503": Answer(503, b"<html><body>Deploy in progress</body></html>", _HTML),
        "504": Answer(504, b"<html><body>504 Gateway Time-out</body></html>", _HTML),
        "401": Answer(401, {"message": "401 Unauthorized"}),
        "403": Answer(403, {"message": "403 Forbidden"}),
        "404": Answer(404, {"message": "404 Project Not Found"}),
        "409": Answer(409, {"message": "409 Conflict"}),
        "422": Answer(422, {"message": "422 Unprocessable Entity"}),
        "429": Answer(429, b"Retry later\n", {**_TEXT, **limit, "Retry-After": "1", "RateLimit-Reset": str(now + 1)}),
        "429-notes": Answer(429, notes, {"Retry-After": "1"}),
        "429-in-an-hour": Answer(
            429, b"Retry later\n", {**_TEXT, **limit, "Retry-After": "3600", "RateLimit-Reset": str(now + 3600)}
        ),
        "429-bare": Answer(429, b"Retry later\n", {**_TEXT, **limit, "RateLimit-Reset": str(now + 1)}),
        "nonsense": Answer(200, {"id": "x", "version": 7, "scopes": "api", "username": None, "protected": "no"}),
        "list": Answer(200, [None, 7, "x", {}]),
        "hostile": Answer(403, {"message": "No \x1b[2J\x1b]0;title\x07 you may\u202e not\n::error::x"}),
        "html": Answer(200, b"<html><body>Sign in</body></html>", _HTML),
    }
