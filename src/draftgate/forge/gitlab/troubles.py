"""What GitLab's answers mean when they are not what was asked for: one table from its statuses and words to our errors.

This module sends nothing and waits for nothing.

Sources: https://docs.gitlab.com/api/rest/#status-codes and https://docs.gitlab.com/security/rate_limits/; wordings
from public reports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice

from draftgate.errors import PermissionDenied
from draftgate.forge.hosted import answers
from draftgate.forge.hosted.answers import Call
from draftgate.render.visible import one_line

_MAX_MESSAGES = 5
_DEEPEST = 4


class Trouble(Enum):
    """Why GitLab declines, as far as a caller can act on it."""

    ANCHOR = "a comment's place is not part of the diff"
    ONLY_COMMANDS = "the text holds nothing but quick actions, so no comment was made of it"
    BAD_CREDENTIALS = "the token is not valid, or no longer, or may not do this"
    NOT_ACCESSIBLE = "the token may not do this"
    NOT_FOUND = "there is nothing there, or the token may not see it"
    CONFLICT = "something changed meanwhile"
    MOVED = "the project has moved"
    OTHER = "GitLab declines"


_WORDINGS: tuple[tuple[Trouble, re.Pattern[str]], ...] = (
    (Trouble.ANCHOR, re.compile(r"line_code|position|note_diff_file", re.IGNORECASE)),
)
_STATUSES = {
    401: Trouble.BAD_CREDENTIALS,
    403: Trouble.NOT_ACCESSIBLE,
    404: Trouble.NOT_FOUND,
    409: Trouble.CONFLICT,
    410: Trouble.NOT_FOUND,
}
_ROLE = (
    "give DRAFTGATE_GITLAB_TOKEN the scope `api`, and its account the role Developer in the project; the token of a "
    "job (CI_JOB_TOKEN) cannot write comments"
)
_HINTS = {
    Trouble.BAD_CREDENTIALS: (
        "give a token that is valid in the variable DRAFTGATE_GITLAB_TOKEN; a project access token ends on its date"
    ),
    Trouble.NOT_ACCESSIBLE: _ROLE,
    Trouble.NOT_FOUND: "see that the token can read this project; GitLab answers 404 for what a token may not see",
    Trouble.MOVED: "run again under the project's present path",
}
_NO_HINT = "see GitLab's words above; if the request itself looks wrong, please report it"


class Refused(answers.Refused):
    """GitLab declined the request; repeating it as it is will not help.

    Attributes:
        trouble: The reason, as far as it is known.
    """

    forge = "GitLab"

    def __init__(self, call: Call, trouble: Trouble, status: int, messages: tuple[str, ...]) -> None:
        super().__init__(call, trouble.value, status, messages, hint=_HINTS.get(trouble, _NO_HINT))
        self.trouble = trouble


class Denied(Refused, PermissionDenied):
    """GitLab declined because of the token: who it is, or what it may do."""


class Limited(answers.Limited):
    """GitLab did not look at the request: it came too soon."""

    forge = "GitLab"

    def told_s(self, now: float) -> float | None:
        """As in `answers.NotNow`; else the time that ``RateLimit-Reset`` names."""
        told = super().told_s(now)
        reset = self._headers.get("ratelimit-reset", "")
        if told is None and re.fullmatch(r"\d{1,11}", reset):
            return max(0.0, int(reset) + 1 - now)
        return told


class Lost(answers.Lost):
    """Nobody knows whether the request took effect at GitLab."""

    forge = "GitLab"


def check_answer(call: Call, status: int, headers: Mapping[str, str], text: str) -> None:
    """Pass an answer of success.

    Args:
        call: What was asked.
        status: The HTTP status.
        headers: With names in lower case.
        text: The body.

    Raises:
        Limited: it came too soon.
        Lost: GitLab failed while it worked on it.
        Refused: GitLab declined; `Denied` because of the token.
    """
    if call.verb == "POST" and status == 202 and call.place.endswith("/notes"):
        raise Refused(call, Trouble.ONLY_COMMANDS, status, ())
    if status < 300:
        return
    if status == 429:
        raise Limited(call, f"limits how fast this account may ask ({status})", headers)
    if status >= 500:
        raise Lost(call, f"failed with {status}", headers)
    messages = _messages(text)
    trouble = _trouble(status, "\n".join(messages))
    kind = Denied if trouble in {Trouble.BAD_CREDENTIALS, Trouble.NOT_ACCESSIBLE} else Refused
    raise kind(call, trouble, status, messages)


def moved(call: Call) -> Refused:
    """The refusal for a redirect that is not followed: the token goes to one address, and a write is sent once."""
    return Refused(call, Trouble.MOVED, 301, ())


def _trouble(status: int, words: str) -> Trouble:
    if status in {400, 422}:
        return next((trouble for trouble, wording in _WORDINGS if wording.search(words)), Trouble.OTHER)
    return _STATUSES.get(status, Trouble.OTHER)


def _messages(text: str) -> tuple[str, ...]:
    """The first sentences of an error body, as one bounded line each."""
    try:
        body: object = json.loads(text)
    except (ValueError, RecursionError):
        return ()  # a proxy's page; the status says enough
    sentences = filter(str.strip, _sentences(body, _DEEPEST))
    return tuple(one_line(sentence) for sentence in islice(sentences, _MAX_MESSAGES))


def _sentences(body: object, depth: int) -> Iterator[str]:
    """Texts of ``message``, ``error`` and ``error_description``: a text, a list, or lists under field names."""
    if isinstance(body, dict) and depth == _DEEPEST:
        for name in ("message", "error", "error_description"):
            yield from _sentences(body.get(name), depth - 1)
    elif isinstance(body, str):
        yield body
    elif isinstance(body, list) and depth:
        for entry in body:
            yield from _sentences(entry, depth - 1)
    elif isinstance(body, dict) and depth:
        for name, entry in body.items():
            yield from (f"{name} {sentence}" for sentence in _sentences(entry, depth - 1))
