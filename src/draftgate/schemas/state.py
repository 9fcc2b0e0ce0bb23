"""The stored forms of session, draft and scope evidence: closed, versioned, and checked against their own digest.

A stored document is ``{"schema": name/version, "digest": sha256 of content, "content": …}``. Reading is strict:
the parsed value must write back to exactly what was read, so an unknown field, a missing one or a changed
type fails closed and is named.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from draftgate.domain.canonical import canonical_bytes, digest, to_plain
from draftgate.errors import IntegrityError

T = TypeVar("T")

_ENVELOPE = {"schema", "digest", "content"}


def encode(schema: str, value: object) -> bytes:
    """The document that stores ``value`` under ``schema`` (``draftgate/session/v1``); ASCII JSON, one line."""
    return canonical_bytes({"schema": schema, "digest": digest(value), "content": to_plain(value)}) + b"\n"


def decode(schema: str, kind: type[T], data: bytes, *, name: str) -> T:
    """Read a stored document back.

    Args:
        schema: The only schema that is accepted.
        kind: The dataclass that the content must be.
        data: The bytes as stored.
        name: What the document is called in messages (a file name, a comment's URL).

    Raises:
        IntegrityError: not JSON, another schema, a wrong digest, unknown, missing or mistyped fields.
    """
    try:
        return _decode(schema, kind, data, name)
    except RecursionError as error:
        raise _refusal(name, "it is nested deeper than anything this program writes") from error


def _decode(schema: str, kind: type[T], data: bytes, name: str) -> T:
    envelope = _read_envelope(data, name)
    if envelope["schema"] != schema:
        raise _refusal(name, f"it is written as {envelope['schema']!r}, this release reads {schema!r}")
    if digest(envelope["content"]) != envelope["digest"]:
        raise _refusal(name, "its content does not match its digest; it was changed or cut off")
    try:
        value: T = _reader_of(kind).validate_python(envelope["content"])  # type: ignore[arg-type]  # a class is hashable
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise _refusal(name, f"field {field or '(all)'}: {first['msg'].lower()}") from error
    difference = _first_difference(to_plain(value), envelope["content"], "")
    if difference:
        raise _refusal(name, f"field {difference} is not one that this release writes")
    return value


@cache
def _reader_of(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)  # building one takes longer than reading with it


def _read_envelope(data: bytes, name: str) -> dict[str, Any]:
    try:
        envelope = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _refusal(name, f"it is not readable JSON ({error})") from error
    if not isinstance(envelope, dict) or set(envelope) != _ENVELOPE:
        raise _refusal(name, "it is not a document of this program")
    return envelope


def _refusal(name: str, wrong: str) -> IntegrityError:
    return IntegrityError(
        f"the stored state cannot be used: {wrong}",
        context=name,
        hint="nothing was published; `draftgate finalize` (`--head BRANCH` for another branch) removes it",
    )


def _first_difference(written: object, read: object, path: str) -> str:
    """The dotted path of the first place where two plain values differ, "" if nowhere."""
    if isinstance(written, dict) and isinstance(read, dict):
        for key in sorted(set(written) | set(read)):
            if key not in written or key not in read:
                return f"{path}{key}"
            if found := _first_difference(written[key], read[key], f"{path}{key}."):
                return found
        return ""
    if isinstance(written, list) and isinstance(read, list) and len(written) == len(read):
        for index, (one, other) in enumerate(zip(written, read, strict=True)):
            if found := _first_difference(one, other, f"{path}{index}."):
                return found
        return ""
    same = type(written) is type(read) and written == read
    return "" if same or (isinstance(written, float) and written == read) else path.rstrip(".")
