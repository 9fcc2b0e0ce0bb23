"""How the simulated GitLab says no: one exception for each kind of refusal.

The texts and shapes are those of the real service, because clients have to read them. What is refused when is the
affair of the rules, not of this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class Refusal(Exception):
    """A request that GitLab turns down.

    Attributes:
        body: Of the answer.
        headers: Further headers of the answer.
    """

    status: ClassVar[int]

    def __init__(self, body: Any, headers: Mapping[str, str] | None = None) -> None:  # noqa: ANN401, JSON
        super().__init__(str(body))
        self.body = body
        self.headers = dict(headers or {})


class Unauthorized(Refusal):
    """Nobody known asks; also: an approval that is not allowed."""

    status = 401

    def __init__(self) -> None:
        super().__init__({"message": "401 Unauthorized"})


class Forbidden(Refusal):
    """The caller is known and may not."""

    status = 403

    def __init__(self, reason: str = "") -> None:
        super().__init__({"message": f"403 Forbidden - {reason}" if reason else "403 Forbidden"})


class InsufficientScope(Refusal):
    """The token's scopes do not suffice, whoever it belongs to."""

    status = 403

    def __init__(self) -> None:
        text = "The request requires higher privileges than provided by the access token."
        super().__init__({"error": "insufficient_scope", "error_description": text, "scope": "api"})


class NotFound(Refusal):
    """There is no such thing, or the caller may not know that there is."""

    status = 404

    def __init__(self, what: str = "") -> None:
        super().__init__({"message": f"404 {what} Not Found" if what else "404 Not found"})


class NoSuchRoute(Refusal):
    """No endpoint has this path."""

    status = 404

    def __init__(self) -> None:
        super().__init__({"error": "404 Not Found"})


class NotAllowed(Refusal):
    """The method does not fit what is at the path."""

    status = 405

    def __init__(self, message: str = "405 Method Not Allowed") -> None:
        super().__init__({"message": message})


class Moved(Refusal):
    """The project has another path now."""

    status = 301

    def __init__(self, location: str) -> None:
        super().__init__({"message": "Moved Permanently"}, {"Location": location})


class Invalid(Refusal):
    """The request is understood and breaks a rule."""

    status = 400

    def __init__(self, reason: str = "") -> None:
        super().__init__({"message": f"400 Bad request - {reason}" if reason else "400 Bad request"})


class BadParameter(Refusal):
    """A parameter is missing or cannot be read: what GitLab says before any rule is looked at."""

    status = 400

    def __init__(self, text: str) -> None:
        super().__init__({"error": text})


class ValidationFailed(Refusal):
    """A thing that could not be saved, with the reasons for each of its fields."""

    status = 400

    def __init__(self, **reasons: list[str]) -> None:
        super().__init__({"message": reasons})


class Plain(Refusal):
    """A refusal whose message stands for itself, such as that of a status that cannot change."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__({"message": message})


class Conflict(Refusal):
    status = 409

    def __init__(self, message: str) -> None:
        super().__init__({"message": message})


class Unprocessable(Refusal):
    status = 422

    def __init__(self, message: object) -> None:
        super().__init__({"message": message})


class TooMany(Refusal):
    """Over a limit of how often."""

    status = 429

    def __init__(self, wait_s: int, body: object) -> None:
        super().__init__(body, {"Retry-After": str(wait_s)})


class Failed(Refusal):
    """Something broke at GitLab; the body is empty where an endpoint says nothing of it."""

    status = 500


def invalid_note(reasons: Mapping[str, list[str]]) -> Invalid:
    """A comment that cannot be, as the endpoints of notes and discussions say it."""
    shown = ", ".join(f":{name}=>[{', '.join(_quoted(text) for text in texts)}]" for name, texts in reasons.items())
    return Invalid(f"Note {{{shown}}}")


def _quoted(text: str) -> str:
    return f'"{text}"'
