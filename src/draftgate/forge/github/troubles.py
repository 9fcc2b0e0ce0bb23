"""What GitHub's answers mean when they are not what was asked for: one table from its wordings to our errors.

An answer either declines the request (`Refused`) or says nothing about it: it was not looked at (`Limited`), or
what became of it is unknown (`Lost`). This module sends nothing and waits for nothing.

Sources: the schemas ``basic-error``, ``validation-error`` and ``validation-error-simple`` of GitHub's OpenAPI
description; https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api; wordings from public reports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import Any

from draftgate.errors import PermissionDenied
from draftgate.forge.hosted import answers
from draftgate.forge.hosted.answers import Call
from draftgate.render.visible import one_line

_MAX_MESSAGES = 5


class Trouble(Enum):
    """Why GitHub declines, as far as a caller can act on it."""

    PENDING_EXISTS = "the account has a pending review on this pull request already"
    ALREADY_SUBMITTED = "the review is no longer pending"
    ANCHOR = "a comment's place is not part of the diff, and the answer does not say which"
    INVALID_COMMENTS = "some comment of the review is invalid, and the answer does not say which"
    OWN_CHANGE = "an account cannot approve its own pull request or request changes on it"
    ACTIONS_MAY_NOT_APPROVE = "the settings do not let GitHub Actions approve pull requests"
    REVIEWER = "somebody on the list cannot be asked for a review"
    TOO_LONG = "a text is longer than GitHub takes"
    TOO_LARGE_DIFF = "the diff is larger than GitHub shows"
    BAD_CREDENTIALS = "the token is not valid, or no longer"
    NOT_ACCESSIBLE = "the token may not do this"
    NOT_FOUND = "there is nothing there, or the token may not see it"
    MOVED = "the repository has moved"
    OTHER = "GitHub declines"


_WORDINGS: tuple[tuple[Trouble, re.Pattern[str]], ...] = tuple(
    (trouble, re.compile(pattern, re.IGNORECASE))
    for trouble, pattern in (
        (Trouble.PENDING_EXISTS, r"only have one pending review"),
        (Trouble.ALREADY_SUBMITTED, r"already been submitted|non-pending"),
        (
            Trouble.ANCHOR,
            r"must be part of the (diff|same hunk)|diff hunk can't be blank|(line|path) could not be resolved",
        ),
        (Trouble.INVALID_COMMENTS, r"review (comments|threads) is invalid"),
        (Trouble.OWN_CHANGE, r"(approve|request changes on) your own pull request"),
        (Trouble.ACTIONS_MAY_NOT_APPROVE, r"github actions is not permitted to approve"),
        (Trouble.REVIEWER, r"review cannot be requested from|reviews may only be requested from"),
        (Trouble.TOO_LONG, r"is too long \(maximum is"),
        (Trouble.TOO_LARGE_DIFF, r"exceeded the maximum number of (lines|files)|\(too_large\)"),
    )
)
_STATUSES = {
    401: Trouble.BAD_CREDENTIALS,
    403: Trouble.NOT_ACCESSIBLE,
    404: Trouble.NOT_FOUND,
    406: Trouble.TOO_LARGE_DIFF,  # declared for GET /pulls/{number} alone, when a diff is asked for
    410: Trouble.NOT_FOUND,
}
_STATUS_OF_TYPE = {"FORBIDDEN": 403, "INSUFFICIENT_SCOPES": 403, "NOT_FOUND": 404}
"""GraphQL error types, as the status that REST has for the same; every other one is 422."""

_HINTS = {
    Trouble.PENDING_EXISTS: "submit or delete the pending review of the bot's account, then run again",
    Trouble.OWN_CHANGE: "submit as a comment: add `--as comment` to the command",
    Trouble.ACTIONS_MAY_NOT_APPROVE: (
        "allow it in Settings > Actions > General, use a GitHub App's token, or add `--as comment` to the command"
    ),
    Trouble.BAD_CREDENTIALS: "give a valid token in the input `github-token`; a workflow's own ends with its job",
    Trouble.NOT_FOUND: "see that the token can read this repository; GitHub answers 404 for what a token may not see",
    Trouble.MOVED: "run again under the repository's present name",
}
_NO_HINT = "see GitHub's words above; if the request itself looks wrong, please report it"

_TOO_FAST = re.compile(
    r"rate limit|\(abuse\)|abuse detection|submitted too quickly|too many requests|temporarily blocked"
    r"|retry your request again later|wait a few minutes",
    re.IGNORECASE,
)
_PERMISSION_WORDS = re.compile(r"not accessible by|must have \w+ (rights|access)", re.IGNORECASE)
_CUT_OFF_QUERY = re.compile(r"something went wrong while executing your query|timed? ?out", re.IGNORECASE)

_GRANT = re.compile(r"([a-z_]+)=(read|write|admin)")
_OTHER_PERMISSIONS = (
    (re.compile(r"/check-(runs|suites)\b"), "checks"),
    (re.compile(r"/repos/[^/]+/[^/]+/(branches|commits|compare|contents|git)\b"), "contents"),
    (re.compile(r"^/orgs/"), "members"),
    (re.compile(r"^(un)?resolve_thread$"), "contents"),  # though it is a review's: github/gh-aw#35726
)


class Refused(answers.Refused):
    """GitHub declined the request; repeating it as it is will not help.

    Attributes:
        trouble: The reason, as far as it is known.
    """

    forge = "GitHub"

    def __init__(self, call: Call, trouble: Trouble, status: int, messages: tuple[str, ...], *, hint: str) -> None:
        super().__init__(call, trouble.value, status, messages, hint=hint)
        self.trouble = trouble


class Denied(Refused, PermissionDenied):
    """GitHub declined because of the token: who it is, or what it may do."""


class Limited(answers.Limited):
    """GitHub did not look at the request: it came too soon."""

    forge = "GitHub"

    def told_s(self, now: float) -> float | None:
        """As in `answers.NotNow`; else the time to the reset of the hour's quota, if that is used up."""
        told = super().told_s(now)
        reset = self._headers.get("x-ratelimit-reset", "")
        if told is None and _is_used_up(self._headers) and re.fullmatch(r"\d{1,11}", reset):
            return max(0.0, int(reset) + 1 - now)
        return told


class Lost(answers.Lost):
    """Nobody knows whether the request took effect at GitHub."""

    forge = "GitHub"


def check_answer(call: Call, status: int, headers: Mapping[str, str], text: str) -> None:
    """Pass an answer of success.

    Args:
        call: What was asked.
        status: The HTTP status.
        headers: With names in lower case.
        text: The body.

    Raises:
        Limited: it came too soon.
        Lost: GitHub failed while it worked on it.
        Refused: GitHub declined; `Denied` because of the token.
    """
    if status < 300 or status == 304:  # "not modified" is what a conditional request hopes for
        return
    messages = _messages(_parse(text))
    if _is_limit(status, headers, "\n".join(messages)):
        raise Limited(call, f"limits how fast this account may ask ({status})", headers)
    if status >= 500:
        raise Lost(call, f"failed with {status}", headers)
    raise _refusal(call, status, headers, messages)


def check_graphql(call: Call, headers: Mapping[str, str], answer: object) -> dict[str, Any] | None:
    """The ``data`` of a GraphQL answer without errors, ``None`` if there is none; any error declines the whole.

    Args:
        call: What was asked.
        headers: With names in lower case.
        answer: The parsed body.

    Raises:
        Limited: it came too soon; GraphQL says so with status 200.
        Lost: it was cut off in the server, or a mutation was answered in part, so that it may have taken effect.
        Refused: GitHub declined; `Denied` because of the token.
    """
    body = answer if isinstance(answer, dict) else {}
    data = body.get("data")
    if body.get("errors"):
        raise _graphql_trouble(call, headers, body)
    return data if isinstance(data, dict) else None


def _graphql_trouble(call: Call, headers: Mapping[str, str], body: Mapping[str, Any]) -> Limited | Lost | Refused:
    messages = _messages(body)
    words = "\n".join(messages)
    kinds = [error.get("type") for error in _listed(body) if isinstance(error, dict)]
    if call.is_write and _holds_anything(body.get("data")):
        return Lost(call, f"answered in part: {words}", headers)
    if "RATE_LIMITED" in kinds or _TOO_FAST.search(words):
        return Limited(call, "limits how fast this account may ask", headers)
    if _CUT_OFF_QUERY.search(words):
        return Lost(call, "gave up on the request", headers)
    status = next((status for kind, status in _STATUS_OF_TYPE.items() if kind in kinds), 422)
    return _refusal(call, status, headers, messages)


def moved(call: Call) -> Refused:
    """The refusal for a redirect to another address: the token is not sent there."""
    return _refusal(call, 301, {}, ())


def _refusal(call: Call, status: int, headers: Mapping[str, str], messages: tuple[str, ...]) -> Refused:
    trouble = _trouble(status, "\n".join(messages))
    if trouble is Trouble.NOT_ACCESSIBLE:
        return Denied(call, trouble, status, messages, hint=_permission_hint(call, headers))
    kind = Denied if trouble is Trouble.BAD_CREDENTIALS else Refused
    return kind(call, trouble, status, messages, hint=_HINTS.get(trouble, _NO_HINT))


def _trouble(status: int, words: str) -> Trouble:
    if status < 400:
        return Trouble.MOVED
    by_words = (trouble for trouble, wording in _WORDINGS if wording.search(words))
    return next(by_words, _STATUSES.get(status, Trouble.OTHER))


def _permission_hint(call: Call, headers: Mapping[str, str]) -> str:
    """What to add; GitHub names the sets that would do, ``;`` between them, for REST only."""
    sets = headers.get("x-accepted-github-permissions", "").split(";")
    named = [", ".join(f"`{name.replace('_', '-')}: {level}`" for name, level in _GRANT.findall(one)) for one in sets]
    grants = " or ".join(filter(None, named)) or _permission_of(call)
    return (
        f"add {grants} to the job's `permissions:`, for a GitHub App to its own; a workflow's token can only read when "
        "the pull request comes from a fork or from Dependabot"
    )


def _permission_of(call: Call) -> str:
    names = (name for pattern, name in _OTHER_PERMISSIONS if pattern.search(call.place))
    return f"`{next(names, 'pull-requests')}: {'write' if call.is_write else 'read'}`"


def _is_limit(status: int, headers: Mapping[str, str], words: str) -> bool:
    """Whether an answer is about speed; it comes as 429, as 403 with or without ``retry-after``, and as 422."""
    if status == 403:
        asks_to_wait = "retry-after" in headers or _is_used_up(headers) or _TOO_FAST.search(words) is not None
        return asks_to_wait and not _PERMISSION_WORDS.search(words)
    return status == 429 or (status == 422 and _TOO_FAST.search(words) is not None)


def _is_used_up(headers: Mapping[str, str]) -> bool:
    return headers.get("x-ratelimit-remaining", "").strip() == "0"


def _parse(text: str) -> object:
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return None  # a proxy's page; the status says enough
    return parsed


def _messages(body: object) -> tuple[str, ...]:
    """The first sentences of an error body, as one bounded line each."""
    sentences = filter(str.strip, _sentences(body))
    return tuple(one_line(sentence) for sentence in islice(sentences, _MAX_MESSAGES))


def _sentences(body: object) -> Iterator[str]:
    """``message``, and ``errors`` of strings or of objects."""
    if not isinstance(body, dict):
        return
    if isinstance(body.get("message"), str):
        yield body["message"]
    for error in _listed(body):
        if isinstance(error, str):
            yield error
        elif isinstance(error, dict):
            yield _sentence(error)


def _listed(body: Mapping[str, Any]) -> list[Any]:
    errors = body.get("errors")
    return errors if isinstance(errors, list) else [errors]


def _sentence(error: Mapping[str, object]) -> str:
    what = error.get("message") or f"{error.get('resource', '')} {error.get('field', '')}"
    code = error.get("code")
    return f"{what} ({code})" if code and code != "custom" else f"{what}"


def _holds_anything(data: object) -> bool:
    if isinstance(data, dict):
        return any(_holds_anything(value) for value in data.values())
    return data is not None
