"""What an answer of a model's server is worth: a body to read, a reason to ask again, or one of our errors.

One table for every provider, because gateways and servers of one's own mix their ways. Sends and waits for nothing.

Sources: https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors; the wordings of
servers of one's own from their public reports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Never

from draftgate.llm.base import (
    ContextTooLong,
    ModelError,
    ModelRefusesKey,
    NothingThere,
    RequestRefused,
    UnreadableAnswer,
)
from draftgate.llm.loose import Json, object_of, text_of
from draftgate.render.visible import one_line

MOST_BYTES = 32 * 1024 * 1024
"""Of an answer; the longest that a model writes is a hundredth of it."""

_MAY_PASS = {408, 409, 429}
_STATUSES = {
    "authentication_error": 401,
    "permission_error": 403,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status that goes with an error's name, for those that arrive with status 200."""

_TOO_LONG_CODES = {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
_TOO_LONG = re.compile(
    r"prompt is too long|exceeds? (?:the |this |that |model's )*(?:available |maximum )?(?:context|model length)"
    r"|maximum context length|exceeds the context window|exceed context limit|context length exceeded",
    re.IGNORECASE,
)
_LONGEST_MESSAGE = 10_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; the names of the headers know no case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class NotNow:
    """There is no answer yet, and the same request may be sent again.

    Attributes:
        why: What the server did, as the end of a sentence that begins with "it".
        told_s: The seconds to wait that it names; ``None`` if it names none.
    """

    why: str
    told_s: float | None = None


@dataclass(frozen=True, slots=True)
class _Problem:
    """A refusal as the provider put it."""

    status: int
    codes: frozenset[str]
    words: str

    def __str__(self) -> str:
        return f"{self.status}{': ' if self.words else ''}{self.words}"


def judge(answer: Answer, host: str, hide: Callable[[str], str], now: float) -> Json | NotNow:
    """The body of an answer, or why to ask again.

    Args:
        answer: What came back.
        host: For messages.
        hide: Masks secrets in the words of the provider.
        now: POSIX time.

    Raises:
        ModelError: the answer is final, and no body.
    """
    if len(answer.body) > MOST_BYTES:
        raise _unreadable(host, f"more than {MOST_BYTES // 1024 // 1024} MiB")
    body = _parse(answer.body)
    is_success = 200 <= answer.status < 300
    if is_success and not isinstance(body, dict):
        raise _unreadable(host, "no JSON object")
    said = object_of(body)
    if is_success and not said.get("error"):
        return said
    problem = _problem(answer.status, said, hide)
    if "insufficient_quota" not in problem.codes and (problem.status in _MAY_PASS or problem.status >= 500):
        return NotNow(f"answered {problem}", _told_s(answer.headers, now))
    raise _refusal(problem, host)


def _parse(body: bytes) -> object:
    """The JSON value; ``None`` where there is none, or one that could not be sent back."""
    try:
        return json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None


def _no_number(name: str) -> Never:
    raise ValueError(f"{name} is no JSON")


def _unreadable(host: str, what: str) -> UnreadableAnswer:
    return UnreadableAnswer(
        f"it sent {what} for an answer", context=host, hint="see that the model's base URL leads to its API"
    )


def _problem(status: int, body: Json, hide: Callable[[str], str]) -> _Problem:
    # {"error": {…}} mostly, {"error": "…"} from Ollama, everything at the top from vLLM, {"detail": "…"} from FastAPI.
    error = body.get("error")
    about = object_of(error) or body
    codes = frozenset(text_of(about.get(key)) for key in ("code", "type"))
    words = text_of(about.get("message")) or text_of(error) or text_of(body.get("detail"))
    if status < 300:
        status = _status_within(about.get("code"), codes)
    return _Problem(status, codes, one_line(hide(words[:_LONGEST_MESSAGE])))


def _status_within(code: Any, codes: frozenset[str]) -> int:  # noqa: ANN401 - whatever stands there
    """The status of an error that came with a status of success, as gateways do."""
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return next((_STATUSES[name] for name in sorted(codes) if name in _STATUSES), 400)


def _refusal(problem: _Problem, host: str) -> ModelError:
    if 300 <= problem.status < 400:
        return RequestRefused(
            f"it answers with a redirect ({problem.status}), which is not followed: the key goes to this address only",
            context=host,
            hint="write the address that it leads to as the model's base URL",
        )
    if problem.status in {401, 403}:
        hint = "see that the key is valid and may use this model"
        return ModelRefusesKey(f"it does not take the key ({problem})", context=host, hint=hint)
    if problem.status == 413 or problem.codes & _TOO_LONG_CODES or _TOO_LONG.search(problem.words):
        hint = "review a smaller change, or take a model that reads more"
        return ContextTooLong(f"the conversation is too long for the model ({problem})", context=host, hint=hint)
    hint = "see the provider's words; `models` names the model, its address and, as `output`, the form of its answers"
    if "insufficient_quota" in problem.codes:
        hint = "the account has no credit left, or has reached its limit"
    kind = NothingThere if problem.status in {404, 405} else RequestRefused
    return kind(f"it declines the request ({problem})", context=host, hint=hint)


def _told_s(headers: Mapping[str, str], now: float) -> float | None:
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        told = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", told):
            return float(told) * unit_s
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (ValueError, OverflowError):
        return None
