"""How texts stand on GitLab: our marks, the suggested change in GitLab's words, and nothing that is obeyed.

It sends nothing. What is written here is read apart again, so that a draft read back is the draft that was made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from draftgate.domain.canonical import canonical_bytes, digest
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.session import ApprovedPayload
from draftgate.errors import IntegrityError
from draftgate.forge.gitlab.facts import Json, normalize
from draftgate.forge.hidden import Kind, Marked, Marker, mark, pack, read_marked, read_number, unpack
from draftgate.render.comment import whole_body
from draftgate.render.quick_actions import without_leading_slashes

_SUGGESTION = re.compile(r"^(`{3,})suggestion$", re.MULTILINE)
_SEAL_LENGTH = 32
_HINT = "nothing was submitted; start a new round with `/draftgate review --force`"


def made_inert(text: str) -> str:
    """The last gate before anything is posted, whoever wrote it.

    GitLab takes carriage returns out before it looks for commands, so they go here, or a line that they end would read
    otherwise there (lib/gitlab/quick_actions/extractor.rb).
    """
    return without_leading_slashes(text.replace("\r", ""))


def seal_of(draft: DraftReview) -> str:
    """What all notes of a draft bear, and no other draft's."""
    return seal_named(digest(draft.seal))


def seal_named(seal: str) -> str:
    """The same for the seal of a round."""
    return seal[:_SEAL_LENGTH]


@dataclass(frozen=True, slots=True)
class Held:
    """What the notes of a draft say of it besides their texts.

    Attributes:
        seal: The parts of the seal that it was made from.
        head: The commit that it is for.
        body: Of the review.
        unplaced: Findings without a place; they stand in the body.
    """

    seal: tuple[tuple[str, str], ...]
    head: str
    body: str
    unplaced: tuple[ReviewComment, ...]


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note of ours, in a draft or public.

    Attributes:
        draft_id: Of the draft note; ``None`` for a public one.
        text: As it stands.
        seal: Of its draft; see `seal_of`.
        head: The commit that it was made for.
        state: What it says of the whole draft, packed; only one of them says it.
        position: As GitLab gives it.
        line_code: Where GitLab says it stands; "" if nowhere.
        is_moved: It hangs on a wider place than the one that was meant.
        parts: How many notes its draft has.
    """

    draft_id: int | None
    comment: ReviewComment
    text: str
    seal: str
    head: str
    state: str
    position: Json
    line_code: str
    is_moved: bool
    parts: int


def placed(comments: Iterable[ReviewComment]) -> tuple[ReviewComment, ...]:
    """Those that stand somewhere in the diff."""
    return tuple(comment for comment in comments if comment.anchor.kind is not AnchorKind.NONE)


def unplaced(comments: Iterable[ReviewComment]) -> tuple[ReviewComment, ...]:
    """Those that stand in the body, since no thread carries them."""
    return tuple(comment for comment in comments if comment.anchor.kind is AnchorKind.NONE)


def moved_text(text: str, anchor: Anchor) -> str:
    """The text of a note that stands on a wider place than the one that was meant, which its mark then tells."""
    marked = read_marked(text)
    if marked is None:
        return text
    meant = ":".join(str(part or "") for part in (anchor.start_line, anchor.line))
    facts = {**marked.marker.facts, "meant": meant, "path": anchor.path or ""}  # a note on no file says none itself
    return mark(marked.text, Marker(marked.marker.kind, facts), marked.others)


def note_text(instance: str, draft: DraftReview, comment: ReviewComment, seal: str = "") -> str:
    """The text of the note for a finding. The last one holds what there is to know of the draft.

    A draft has no note of its own for that: it would be published with the others. The last one is also published
    last, so that what is left of a publication that was cut off can still be read.
    """
    seal = seal or seal_of(draft)
    order = placed(draft.comments)
    index = [one.number for one in order].index(comment.number)
    facts = {
        "instance": instance,
        "number": str(comment.number),
        "id": comment.fingerprint,
        "side": "" if comment.anchor.side is None else comment.anchor.side.value,
        "seal": seal,
        "head": draft.head,
        "part": f"{index + 1}:{len(order)}",
    }
    shown = _shown(comment.text, comment.anchor)
    if shown != comment.text:
        facts["said"] = pack(comment.text.encode("utf-8", "surrogatepass"))
    others: tuple[Marker, ...] = ()
    if index == len(order) - 1:
        held = Held(draft.seal, draft.head, draft.body, unplaced(draft.comments))
        others = (Marker(Kind.STATE, {"data": pack(canonical_bytes(held))}),)
    return made_inert(mark(shown, Marker(Kind.FINDING, facts), others))


def _shown(text: str, anchor: Anchor) -> str:
    """A finding's text as it stands on GitLab; what is changed in it is told by the mark, so that it can be read back.

    GitLab's suggestion names how many lines above its own it replaces; GitHub's takes the lines of the comment.

    https://docs.gitlab.com/user/project/merge_requests/reviews/suggestions/#multi-line-suggestions
    """
    above = 0 if anchor.start_line is None or anchor.line is None else anchor.line - anchor.start_line
    plain = text.replace("\r", "")
    return made_inert(_SUGGESTION.sub(rf"\g<1>suggestion:-{above}+0", plain) if above else plain)


def _said(shown: str, packed: str, anchor: Anchor) -> str:
    """The text that `_shown` was made of; what is shown where somebody changed it."""
    if not packed:
        return shown
    try:
        text = unpack(packed).decode("utf-8", "surrogatepass")
    except (IntegrityError, UnicodeDecodeError):
        return shown
    return text if _shown(text, anchor) == shown else shown


def read_note(entry: Json, *, instance: str, is_draft: bool) -> FoundNote | None:
    """A note of ours for a finding; ``None`` if it bears no such mark of this instance."""
    text = normalize(str(entry.get("note" if is_draft else "body") or ""))
    marked = read_marked(text)
    if marked is None or marked.marker.kind is not Kind.FINDING or marked.marker.facts.get("instance") != instance:
        return None
    facts = marked.marker.facts
    number = read_number(facts.get("number"))
    if number is None:
        return None
    position = entry.get("position") or {}
    anchor = _meant(_anchor(position, facts.get("side", "")), facts)
    said = _said(marked.text, facts.get("said", ""), anchor)
    return FoundNote(
        draft_id=int(entry["id"]) if is_draft else None,
        comment=ReviewComment(number, facts.get("id", ""), anchor, said),
        text=text,
        seal=facts.get("seal", ""),
        head=facts.get("head", ""),
        state="".join(other.facts.get("data", "") for other in marked.others if other.kind is Kind.STATE),
        position=position,
        line_code=str(entry.get("line_code") or ""),
        is_moved="meant" in facts,
        parts=read_number(facts.get("part", "").partition(":")[2]) or 0,
    )


def read_held(notes: Sequence[FoundNote]) -> Held:
    """What the notes say of their draft.

    Raises:
        IntegrityError: it is not what `note_text` writes.
    """
    states = {note.state for note in notes if note.state}
    if len(states) != 1:
        raise IntegrityError("the draft notes do not say what they were made from", hint=_HINT)
    try:
        plain = json.loads(unpack(states.pop()))
        return Held(
            seal=tuple((str(name), str(part)) for name, part in plain["seal"]),
            head=str(plain["head"]),
            body=str(plain["body"]),
            unplaced=tuple(
                ReviewComment(int(one["number"]), str(one["fingerprint"]), Anchor(AnchorKind.NONE), str(one["text"]))
                for one in plain["unplaced"]
            ),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise IntegrityError("the draft notes carry our mark and are not what we write", hint=_HINT) from error


@dataclass(frozen=True, slots=True)
class Summary:
    """What the note that sums up a published review says of it."""

    seal: str
    payload: str
    drafted: str
    verdict: Verdict
    numbers: tuple[int, ...]
    head: str
    body: str
    unplaced: tuple[ReviewComment, ...]


@dataclass(frozen=True, slots=True)
class _Unshown:
    """What of a summary its visible text cannot say."""

    unplaced: tuple[ReviewComment, ...]
    language: str
    body: str


def summary_text(instance: str, payload: ApprovedPayload, drafted: str, language: str) -> str:
    """The note that sums up the review of a payload; it names round, payload and the notes that belong to it."""
    facts = {
        "instance": instance,
        "head": payload.head,
        "seal": payload.seal,
        "payload": digest(payload),
        "drafted": drafted,
        "verdict": payload.verdict.value,
        "numbers": ",".join(map(str, payload.numbers)),
    }
    below = unplaced(payload.comments)
    data = pack(canonical_bytes(_Unshown(below, language, payload.body)))
    text = whole_body(payload.body, below, language)
    return made_inert(mark(text, Marker(Kind.REVIEW, facts), (Marker(Kind.STATE, {"data": data}),)))


def read_summary(text: str, instance: str) -> Summary | None:
    """The note taken apart, as far as people left it as it was; ``None`` if it bears no such mark of this instance."""
    marked = read_marked(normalize(text))
    if marked is None or marked.marker.kind is not Kind.REVIEW or marked.marker.facts.get("instance") != instance:
        return None
    facts = marked.marker.facts
    verdict = facts.get("verdict", "")
    if verdict not in set(Verdict):
        raise IntegrityError("a review carries our mark and is not what we write", hint=_HINT)
    below, body = _read_unshown(marked)
    return Summary(
        seal=facts.get("seal", ""),
        payload=facts.get("payload", ""),
        drafted=facts.get("drafted", ""),
        verdict=Verdict(verdict),
        numbers=tuple(filter(None, map(read_number, facts.get("numbers", "").split(",")))),
        head=facts.get("head", ""),
        body=body,
        unplaced=below,
    )


def _read_unshown(marked: Marked) -> tuple[tuple[ReviewComment, ...], str]:
    """The findings that stand in the body, and the body without them; the whole text where it was changed."""
    data = "".join(other.facts.get("data", "") for other in marked.others if other.kind is Kind.STATE)
    try:
        plain = json.loads(unpack(data))
        below = tuple(
            ReviewComment(int(one["number"]), str(one["fingerprint"]), Anchor(AnchorKind.NONE), str(one["text"]))
            for one in plain["unplaced"]
        )
        body, language = str(plain["body"]), str(plain["language"])
    except (IntegrityError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return (), marked.text
    return (below, body) if made_inert(whole_body(body, below, language)) == marked.text else ((), marked.text)


def _meant(anchor: Anchor, facts: Mapping[str, str]) -> Anchor:
    """The place that a note on a wider one was meant for."""
    found = re.fullmatch(r"(\d{0,9}):(\d{0,9})", facts.get("meant", ""))
    path = facts.get("path") or anchor.path
    if found is None or path is None:
        return anchor
    if not found[2]:
        return Anchor(AnchorKind.FILE, path)
    side = Side(facts["side"]) if facts.get("side") in set(Side) else None
    return Anchor(AnchorKind.LINE, path, side, int(found[1]) if found[1] else None, int(found[2]))


def _anchor(position: Json, side: str) -> Anchor:
    """Where a note stands. Which side a line of context was meant on, the mark says."""
    kind = position.get("position_type")
    path = position.get("new_path") or position.get("old_path")
    if kind == "file":
        return Anchor(AnchorKind.FILE, path)
    if kind != "text":
        return Anchor(AnchorKind.NONE)
    meant = Side(side) if side in set(Side) else None
    name = "old_line" if meant is Side.LEFT else "new_line"
    start = _line(((position.get("line_range") or {}).get("start") or {}).get(name))
    line = _line(position.get(name))
    return Anchor(AnchorKind.LINE, path, meant, start if start != line else None, line)


def _line(number: object) -> int | None:
    """A line number; inside of a range GitLab gives it as it was sent, and that can be a text."""
    return number if isinstance(number, int) else read_number(number if isinstance(number, str) else None)
