"""One request and its answer as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """A request without the prefix that its client uses.

    Attributes:
        headers: With names in lower case.
        body: The decoded JSON, ``None`` if there is no body.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """An answer; text and bytes are sent as they are, ``None`` is no body, all else becomes JSON."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
