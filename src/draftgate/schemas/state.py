"""The stored forms of session, draft and scope evidence: closed, versioned, and checked against their own digest.

A stored document is ``{"schema": name/version, "digest": sha256 of content, "content": …}``. Reading is strict:
the parsed value must write back to exactly what was read, so an unknown field, a missing one or a changed
type fails closed and is named.

A schema's version is raised whenever what is stored under it changes its form, also by a field; a release reads its own
versions, and says of others who wrote them (docs/adr/0014).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from draftgate import __version__
from draftgate.domain.canonical import canonical_bytes, digest, to_plain
from draftgate.domain.release import name_release
from draftgate.errors import AnotherRelease, IntegrityError

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
        AnotherRelease: another version of the schema.
        IntegrityError: not JSON, another schema, a wrong digest, unknown, missing or mistyped fields.
    """
    try:
        return _decode(schema, kind, data, name)
    except RecursionError as error:
        raise _refusal(name, "it is nested deeper than anything this program writes") from error


def _decode(schema: str, kind: type[T], data: bytes, name: str) -> T:
    envelope = _read_envelope(data, name)
    if envelope["schema"] != schema:
        raise _refuse_schema(envelope, schema, name)
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


_VERSIONED = re.compile(r"(.{1,80})/v(\d{1,6})")
_GO_ON_NEWER = (
    "nothing was published or changed; run that release or a later one here too, or begin anew with this one: "
    "`/draftgate review --force` on a forge, `draftgate finalize` and `draftgate review` in a terminal"
)
_GO_ON_OLDER = (
    "nothing was published; a new review takes its place (`/draftgate review --force` on a forge, `draftgate finalize` "
    "and `draftgate review` in a terminal), and begins without what was decided before"
)


def _refuse_schema(envelope: Mapping[str, object], schema: str, name: str) -> IntegrityError:
    """Another version of the same schema is another release's; what else it may be is none of this program's."""
    named, expected = str(envelope["schema"])[:100], _VERSIONED.fullmatch(schema)
    found = _VERSIONED.fullmatch(named)
    if found is None or expected is None or found[1] != expected[1]:
        return _refusal(name, f"it is written as {named!r}, this release reads {schema!r}")
    is_newer = int(found[2]) > int(expected[2])
    return AnotherRelease(
        f"{_writer(envelope, is_newer=is_newer)} wrote the stored state as {named}, and this is Draftgate "
        f"{__version__}, which reads {schema}",
        context=name,
        hint=_GO_ON_NEWER if is_newer else _GO_ON_OLDER,
        is_newer=is_newer,
    )


def _writer(envelope: Mapping[str, object], *, is_newer: bool) -> str:
    """Which release wrote a document, as far as it says so."""
    content = envelope["content"]
    inner = content.get("session", content) if isinstance(content, dict) else {}
    said = inner.get("release") if isinstance(inner, dict) else None
    return name_release(said) or f"{'A later' if is_newer else 'An earlier'} release of Draftgate"


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
