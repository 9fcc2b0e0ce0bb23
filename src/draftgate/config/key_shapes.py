"""What a secret looks like: names of keys that hold one, and the forms that providers give their keys.

Used to refuse secrets in a file, and never to show one that a change brings. A secret of an unknown form is not found.
"""

from __future__ import annotations

import re
from typing import Final

_SECRET_NAME: Final = re.compile(
    r"(.*[_-])?(api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|llm[_-]?key|token|secret|passwd|password)",
    re.IGNORECASE,
)

_SECRET_FORM: Final = re.compile(
    r"\b(?:"
    r"sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{16,}"  # Anthropic, OpenAI, OpenRouter
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|gl(?:pat|ptt|dt|rt|cbt|ft|soat)-[A-Za-z0-9_.-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|lin_api_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}"
    r")"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY"
    r"|://[^/\s:@]{1,200}:[^/\s@]{1,200}@"
)


_HIDDEN: Final = "[a key, not shown]"


def is_secret_name(key: str) -> bool:
    """Whether a key of this name would hold a secret."""
    return _SECRET_NAME.fullmatch(key[:200]) is not None


def without_secrets(text: str) -> str:
    """The text with everything that looks like a known kind of key replaced by words."""
    return _SECRET_FORM.sub(_HIDDEN, text)


def is_secret(text: str) -> bool:
    """Whether the text holds something in the form of a known kind of key."""
    return _SECRET_FORM.search(text) is not None
