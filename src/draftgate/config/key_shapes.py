"""What a secret looks like: names of keys that hold one, and the forms that providers give their keys.

Used to refuse secrets in a file, and never to show one that a change brings. A secret of an unknown form is not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

_SECRET_NAME: Final = re.compile(
    r"(.*[_-])?(api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|llm[_-]?key|token|secret|passwd|password)",
    re.IGNORECASE,
)

_SECRET_FORM: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:"  # an underscore before it is one of a name that it was put into
    r"sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{16,}"  # Anthropic, OpenAI, OpenRouter
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|gl(?:pat|ptt|dt|rt|cbt|ft|soat)-[A-Za-z0-9_.-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|lin_api_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{40,}|shp(?:at|ca|ss)_[a-fA-F0-9]{24,}"
    r"|ya29\.[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r")"
    r"|(?i:aws_secret_access_key)[\"']?\s{0,3}[=:]\s{0,3}[\"']?[A-Za-z0-9/+=]{40}"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY"
    r"|://[^/\s:@]{1,200}:[^/\s@]{1,200}@"
)

_BESIDE: Final = r"\\[nrt]|[\t \"'`,;+>|#*./\\]|-(?!----END )"
"""What stands before and behind the lines of a key in a quotation, a comment, a string or a diff."""

# A key in its own lines, as they stand in a file, in a quotation, in a diff, or in one string with ``\\n``.
_KEY_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:(?:{_BESIDE})*+(?:[A-Za-z0-9+/=]{{8,}}|(?:Proc-Type|DEK-Info|Version|Comment):[^\r\n]{{0,200}})"
    rf"|(?:{_BESIDE})*+\r?\n){{0,2000}}+"
    rf"(?:(?:(?:{_BESIDE})*+[A-Za-z0-9+/=]{{0,80}}(?:{_BESIDE}|[\r\n])*+){{1,2}}"
    r"-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)

_HIDDEN: Final = "[a key, not shown]"
_MASK: Final = "***"
_SHORTEST_SECRET: Final = 6
"""Shorter values are words, and hiding them would only make a text unreadable."""


def is_secret_name(key: str) -> bool:
    """Whether a key of this name would hold a secret."""
    return _SECRET_NAME.fullmatch(key[:200]) is not None


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Every line of a variable's value that must not be shown, longest first, so that none hides a part of another."""
    values = (value for name, value in environment.items() if is_secret_name(name))
    lines = {line.strip() for value in values for line in value.splitlines()}
    return tuple(sorted((line for line in lines if len(line) >= _SHORTEST_SECRET), key=len, reverse=True))


def mask(text: str, secrets: Sequence[str]) -> str:
    """``text`` with each of the secrets masked."""
    for secret in secrets:
        text = text.replace(secret, _MASK)
    return text


def hider(environment: Mapping[str, str]) -> Callable[[str], str]:
    """Takes the secrets of an environment, and what looks like a key, out of a text; it keeps its lines."""
    return hider_of(secrets_of(environment))


def hider_of(secrets: Sequence[str]) -> Callable[[str], str]:
    """Takes these secrets, and what looks like a key, out of a text; it keeps its lines."""
    return lambda text: without_secrets(mask(text, secrets))


def without_secrets(text: str) -> str:
    """The text with everything that looks like a known kind of key replaced by words; it keeps its lines."""
    return _SECRET_FORM.sub(_hide_lines, _KEY_BLOCK.sub(_hide_lines, text))


def _hide_lines(block: re.Match[str]) -> str:
    return "\n".join(_HIDDEN if line.strip() else line for line in block[0].split("\n"))


def is_secret(text: str) -> bool:
    """Whether the text holds something in the form of a known kind of key."""
    return _SECRET_FORM.search(text) is not None


def find_secrets(text: str) -> Iterator[tuple[int, str]]:
    """Where the text holds something in the form of a known kind of key, 0-based, and what it is."""
    return ((found.start(), found[0]) for found in _SECRET_FORM.finditer(text))
