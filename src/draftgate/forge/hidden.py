"""What a forge's comments carry besides their text: markers that find them again, and the stored session.

A marker is an HTML comment on a line of its own. Only the last lines of a body are markers, and the last one
says how many: whatever stands above them is text, however much it looks like one. Whose comment it is must be
asked of the forge first; nothing here can know it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile
from urllib.parse import quote, unquote

from draftgate.domain.canonical import canonical_bytes
from draftgate.errors import IntegrityError, Limit
from draftgate.render.page import LIMIT, LINK_ROOM, Page, paginate, size, without_ticks
from draftgate.render.visible import normalize_newlines

STATE_LIMIT = Limit("the stored state of a review", 64 * 1024 * 1024, "bytes")
PARTS_LIMIT = Limit("the comments that hold one state", 1000, "comments")

_VERSION = "1"
_HINT = "nothing was submitted; start a new round with `/draftgate review --force`"
_MARKER_ROOM = 900
"""Bytes for the marker of a head comment or continuation with all its facts."""

_REFERENCE_ROOM = 150
_SMALLEST_PART = 400
"""Bytes of state that are worth a place beside text."""

_ALPHABET = b"._"
"""In place of ``+/``: with them, or with ``-``, a line could begin with a command or hold two dashes."""

_FACT = r"[a-z]+=[A-Za-z0-9._:~%=-]*"
_MARKER = re.compile(rf"<!-- draftgate:([a-z]+)((?: {_FACT})*) -->")


class Kind(StrEnum):
    """What a marker marks."""

    CHECKPOINT = "checkpoint"
    CONTINUATION = "continuation"
    STATE = "state"
    FINDING = "finding"
    REVIEW = "review"
    REPLY = "reply"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Marker:
    """A hidden line: its kind and its facts, whose names are lower-case letters."""

    kind: Kind
    facts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The marker as it is written; no value can end the comment or the line."""
        facts = "".join(f" {name}={_spell(value)}" for name, value in self.facts.items())
        return f"<!-- draftgate:{self.kind}{facts} -->"


@dataclass(frozen=True, slots=True)
class Marked:
    """The body of a comment, taken apart.

    Attributes:
        text: What is seen, as it was marked.
        marker: What the comment is.
        others: The hidden lines above it.
    """

    text: str
    marker: Marker
    others: tuple[Marker, ...] = ()


def mark(text: str, marker: Marker, others: Sequence[Marker] = ()) -> str:
    """``text`` with its markers below it, as `read_marked` takes it apart again."""
    counted = Marker(marker.kind, {**marker.facts, "above": str(len(others))}) if others else marker
    return "\n".join((*([f"{text}\n"] if text else []), *map(str, others), str(counted)))


def read_marked(body: str) -> Marked | None:
    """The body taken apart; ``None`` if its last line is no marker of ours.

    A forge, or somebody's editor, may have made CRLF of every newline: the one that we wrote before the marker tells.
    Whatever is seen is text, also what somebody put among the markers.
    """
    body = body.rstrip("\r\n ")
    is_converted = body[: body.rfind("\n")].endswith("\r")
    lines = (body.replace("\r\n", "\n") if is_converted else body).split("\n")
    marker = _read_marker(lines[-1])
    if marker is None:
        return None
    facts = dict(marker.facts)
    above = facts.pop("above", "0")
    count = int(above) if re.fullmatch(r"[0-9]{1,4}", above) else len(lines)
    if count >= len(lines):
        return None
    hidden = map(_read_marker, reversed(lines[len(lines) - 1 - count : -1]))
    others = tuple(takewhile(lambda other: other is not None, hidden))[::-1]
    text = "\n".join(lines[: len(lines) - 1 - len(others)])
    return Marked(text.removesuffix("\n"), Marker(marker.kind, facts), tuple(filter(None, others)))


def read_number(text: str | None) -> int | None:
    """A number as a marker or a forge's id has it, of at most twenty digits; ``None`` for what is none.

    People can edit what is hidden, and `int` fails for some of what only looks like a number.
    """
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,20}", text) else None


def pack(content: bytes) -> str:
    """``content`` compressed, in letters, digits, ``.``, ``_`` and ``=``."""
    return base64.b64encode(zlib.compress(content, 9), _ALPHABET).decode("ascii")


def unpack(text: str) -> bytes:
    """What `pack` packed.

    Raises:
        IntegrityError: it is not that, or is larger than `STATE_LIMIT`.
    """
    inflating = zlib.decompressobj()
    try:
        content = inflating.decompress(base64.b64decode(text, _ALPHABET, validate=True), STATE_LIMIT.value + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise _refusal("the stored state cannot be read") from error
    if len(content) > STATE_LIMIT.value:
        raise _refusal(f"{STATE_LIMIT.name} is larger than {STATE_LIMIT.value:,} {STATE_LIMIT.unit}")
    if not inflating.eof or inflating.unused_data:
        raise _refusal("the stored state is cut off or longer than it should be")
    return content


@dataclass(frozen=True, slots=True)
class Signing:
    """Signs states with a key, each for one place, so that a signed one copied elsewhere is worth nothing.

    Attributes:
        key: The secret.
        place: Repository, number, instance and id of the head comment.
    """

    key: bytes = field(repr=False)
    place: tuple[str, ...]

    def sign(self, *named: str) -> str:
        """HMAC-SHA256 over the place and what else is named, as 64 hex digits."""
        signed = canonical_bytes(("draftgate/signature/v1", self.place, named))
        return hmac.new(self.key, signed, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class ContinuationRef:
    """A continuation as the head comment names it.

    Attributes:
        id: The forge's number for the comment.
        digest: See `body_digest`.
        url: Where a reader finds it; "" if unknown. It is shown and not stored.
    """

    id: str
    digest: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Assembled:
    """A checkpoint ready to be written: first the continuations, then the head, which names them.

    Attributes:
        continuations: Their bodies, in order.
        head: The body of the head comment, given one reference for each continuation.
    """

    continuations: tuple[str, ...]
    head: Callable[[Sequence[ContinuationRef]], str]


def body_digest(body: str) -> str:
    """SHA-256 of a comment's body, whatever newlines the forge gives and whatever boxes are ticked in it."""
    return _sha256(without_ticks(normalize_newlines(body).rstrip("\n ")).encode(errors="replace"))


def assemble(
    page: Page,
    state: bytes,
    facts: Mapping[str, str],
    *,
    limit: int = LIMIT,
    head_url: str = "",
    signing: Signing | None = None,
) -> Assembled:
    """Lay out a page and a state over comments: the state fills the room that the text leaves.

    Args:
        page: What is shown.
        state: What `restore` gives back.
        facts: Of the head comment's marker, such as the instance, the round and the revision; of the continuations
            too.
        limit: Of one body, in bytes.
        head_url: Of the head comment; "" while it has none.
        signing: Signs the state if there is a key.
    """
    packed = pack(state)
    layout = _lay_out(page, packed, limit, head_url)

    def head(refs: Sequence[ContinuationRef]) -> str:
        if len(refs) != len(layout.parts) - 1:
            raise ValueError(f"{len(layout.parts) - 1} continuations need as many references, not {len(refs)}")
        urls = [ref.url for ref in refs]
        text = paginate(page, limit=limit, reserve=layout.reserve, head_url=head_url, urls=urls)[0]
        says = {"v": _VERSION, **facts, "text": body_digest(text), "state": _sha256(state)}
        if signing is not None:
            says["signature"] = signing.sign(*_signed(says, refs))
        named = (Marker(Kind.CONTINUATION, {"id": ref.id, "digest": ref.digest}) for ref in refs)
        return mark(text, Marker(Kind.CHECKPOINT, says), (*named, *_state_markers(layout.parts[0])))

    continuations = (
        mark(text, Marker(Kind.CONTINUATION, {"v": _VERSION, **facts, "part": str(number)}), _state_markers(part))
        for number, (text, part) in enumerate(zip(layout.texts[1:], layout.parts[1:], strict=True), start=1)
    )
    return Assembled(tuple(continuations), head)


def references(head_body: str) -> tuple[ContinuationRef, ...]:
    """The continuations that a head comment names, in order.

    Raises:
        IntegrityError: it is not the head comment of a checkpoint.
    """
    head = _require(head_body, Kind.CHECKPOINT, "the checkpoint")
    return tuple(
        ContinuationRef(marker.facts.get("id", ""), marker.facts.get("digest", ""))
        for marker in head.others
        if marker.kind is Kind.CONTINUATION
    )


def restore(head_body: str, fetch: Callable[[str], str], *, signing: Signing | None = None) -> bytes:
    """The state of a checkpoint, from its head comment and the continuations that it names.

    Args:
        head_body: As the forge gives it.
        fetch: The body of the comment with this id; it raises if there is none.
        signing: The key; then a state without its signature is refused.

    Raises:
        IntegrityError: a part is missing, was changed, or is not signed; the message names it.
    """
    head = _require(head_body, Kind.CHECKPOINT, "the checkpoint")
    refs = references(head_body)
    if len(refs) > PARTS_LIMIT.value:
        raise _refusal(f"{PARTS_LIMIT.name} are more than {PARTS_LIMIT.value:,}")
    if head.marker.facts.get("text") != body_digest(head.text):
        raise _refusal("the text of the checkpoint was changed by hand")
    data = [_data_of(head), *(_read_continuation(ref, fetch(ref.id)) for ref in refs)]
    if signing is not None:
        _require_signature(head.marker, refs, signing)
    state = unpack("".join(data))
    if _sha256(state) != head.marker.facts.get("state"):
        raise _refusal("the state in the checkpoint does not match its digest")
    return state


@dataclass(frozen=True, slots=True)
class _Layout:
    """The text of every comment, the part of the state in each, and what each keeps free for its markers."""

    texts: tuple[str, ...]
    parts: tuple[str, ...]
    reserve: int


def _lay_out(page: Page, packed: str, limit: int, head_url: str) -> _Layout:
    """Every comment is named by the head, which takes room there, which can take one comment more."""
    count = 1
    while True:
        reserve = _MARKER_ROOM + (count - 1) * _REFERENCE_ROOM
        texts = paginate(page, limit=limit, reserve=reserve, head_url=head_url)
        rooms = [limit - reserve - size(text) for text in texts]
        rooms[0] -= LINK_ROOM * (len(texts) - 1)
        parts = tuple(_split(packed, rooms, limit - reserve - _SMALLEST_PART))
        if len(parts) <= count:
            more = _stored(head_url)
            return _Layout((*texts, *[more] * (len(parts) - len(texts))), parts, reserve)
        count = len(parts)


def _split(packed: str, rooms: Sequence[int], more: int) -> Iterator[str]:
    """A part for each room, then parts of ``more`` until there is nothing left."""
    for room in rooms:
        taken = room if room >= _SMALLEST_PART else 0
        yield packed[:taken]
        packed = packed[taken:]
    yield from (packed[start : start + more] for start in range(0, len(packed), more))


def _stored(head_url: str) -> str:
    back = f"[the checkpoint]({head_url})" if head_url else "the checkpoint"
    return f"<sub>Stored state of a review, continued from {back}. There is nothing to read here.</sub>\n"


def _state_markers(part: str) -> tuple[Marker, ...]:
    return (Marker(Kind.STATE, {"data": part}),) if part else ()


def _data_of(marked: Marked) -> str:
    return "".join(marker.facts.get("data", "") for marker in marked.others if marker.kind is Kind.STATE)


def _read_continuation(ref: ContinuationRef, body: str) -> str:
    name = f"the continuation {ref.id}"
    if body_digest(body) != ref.digest:
        raise _refusal(f"{name} of the checkpoint was changed")
    return _data_of(_require(body, Kind.CONTINUATION, name))


def _require(body: str, kind: Kind, name: str) -> Marked:
    marked = read_marked(body)
    if marked is None or marked.marker.kind is not kind:
        raise _refusal(f"{name} has lost its marker")
    if marked.marker.facts.get("v") != _VERSION:
        raise _refusal(f"{name} was written by another release")
    return marked


def _require_signature(marker: Marker, refs: Sequence[ContinuationRef], signing: Signing) -> None:
    signature = marker.facts.get("signature")
    if signature is None:
        raise _refusal("the state in the checkpoint is not signed")
    if not hmac.compare_digest(signature, signing.sign(*_signed(marker.facts, refs))):
        raise _refusal("the signature in the checkpoint is not that of this state in this place")


def _signed(facts: Mapping[str, str], refs: Sequence[ContinuationRef]) -> Iterator[str]:
    """What a signature covers: every fact of the head comment's marker, and the comments that it names."""
    yield from (f"{name}={value}" for name, value in sorted(facts.items()) if name != "signature")
    yield from (f"{ref.id}:{ref.digest}" for ref in refs)


def _read_marker(line: str) -> Marker | None:
    found = _MARKER.fullmatch(line)
    if found is None or found[1] not in tuple(Kind):
        return None
    facts = [fact.partition("=") for fact in found[2].split()]
    names = {name for name, _, _ in facts}
    if len(names) < len(facts):
        return None
    return Marker(Kind(found[1]), {name: unquote(value) for name, _, value in facts})


def _spell(value: str) -> str:
    return quote(value, safe=":=").replace("--", "-%2D")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refusal(wrong: str) -> IntegrityError:
    return IntegrityError(wrong, hint=_HINT)
