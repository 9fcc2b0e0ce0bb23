"""Canonical JSON and the digest over it, so that equal values have equal digests everywhere."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from enum import Enum


def to_plain(value: object) -> object:
    """Dataclasses, enums and tuples as JSON types; everything else unchanged."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(to_plain(key)): to_plain(item) for key, item in value.items()}
    return value


def canonical_bytes(value: object) -> bytes:
    """Sorted keys, no spaces, ASCII only: lone surrogates of odd paths survive as escapes."""
    return json.dumps(to_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, as 64 hex digits."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()
