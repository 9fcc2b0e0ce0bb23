"""What a change shows when everything is over, and what must never be true of it.

Both look at the simulated world alone, with readers of their own, so that they share no mistake of the program; only
what the checkpoint remembers is unpacked by the program.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from draftgate.forge.hidden import restore
from tests.recovery.hosted.forge import Placed, Remark, Review, Seen, Status

_MARKER = re.compile(r"<!-- draftgate:([a-z]+)((?: [a-z]+=[^ >]*)*) -->")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?")
_NUMBER = re.compile(r"(?<=issuecomment-)\d+|(?<=#note_)\d+|(?<=pullrequestreview-)\d+|(?<=check-runs/)\d+")
_DURATION = re.compile(r"\b\d+(?:\.\d+)? s\b")
_SPENT = re.compile(r"(?<=On this change so far: ).*")
"""A run that died has spent what it had spent."""
_DIGEST = re.compile(r"\b[0-9a-f]{12}\b")

_REMEMBERED = frozenset({"carried", "commands", "decisions", "failure", "holds_draft", "submission"})

Published = tuple[str, tuple[str, ...]]
"""The verdict that a review was given with, and the numbers of its findings."""

OPEN = "awaiting-approval"
SUBMITTED = "submitted"


@dataclass(frozen=True)
class Mark:
    """A text of the bot's, taken apart: what is seen, what it is, and the facts of that."""

    text: str
    kind: str
    facts: dict[str, str]


def standing(seen: Seen) -> dict[str, object]:
    """Everything of the bot's on a change, without what two runs of one flow may differ in: times, ids, durations."""
    ours = [comment for comment in seen.comments if read_mark(comment)]
    said = {f"{comment.id}": _mask(comment.body) for comment in seen.comments if not read_mark(comment)}
    return {
        "reviews": [*map(_review, seen.reviews)],
        "drafts": [*map(_review, seen.drafts)],
        "comments": [_comment(comment, said) for comment in ours],
        "reactions": {text: reactions(seen, comment_id) for comment_id, text in said.items()},
        "statuses": sorted(_statuses(seen)),
        "beside": dict(seen.beside),
        "remembered": remembered(seen),
    }


def wrongs(seen: Seen) -> list[str]:
    """What breaks the promise: one review a round, each comment once, no stray draft, one answer to each command."""
    return [
        *_wrong_reviews(seen),
        *_wrong_drafts(seen),
        *_wrong_comments(seen),
        *_wrong_statuses(seen),
        *(f"the bot's text did something: {leak}" for leak in seen.leaks),
    ]


def checkpoint(seen: Seen) -> Remark | None:
    """The head comment of the newest round; one that was given up is named by what took its place."""
    heads = [comment for comment in _heads(seen) if str(comment.id) not in _given_up(seen)]
    return max(heads, key=lambda comment: (int(_facts(comment)["round"]), comment.id), default=None)


def phase(seen: Seen) -> str:
    """Where the newest checkpoint says that the review stands; "" without one."""
    found = checkpoint(seen)
    return "" if found is None else _facts(found)["phase"]


def checkpoint_head(seen: Seen) -> str:
    """The commit that the newest checkpoint is about; "" without one."""
    found = checkpoint(seen)
    return "" if found is None else _facts(found)["head"]


def remembered(seen: Seen) -> dict[str, object]:
    """What the newest checkpoint keeps for the next run and the next round."""
    kept = {name: value for name, value in _session(seen).items() if name in _REMEMBERED}
    for volatile in ("reference", "payload_digest"):
        (kept.get("submission") or {}).pop(volatile, None)
    return dict(json.loads(_mask(json.dumps(kept))))


def published(seen: Seen) -> list[Published]:
    """The reviews, oldest first."""
    return [(review.verdict, _numbers(review.comments)) for review in seen.reviews]


def loose(seen: Seen) -> tuple[str, ...]:
    """The numbers of findings that are public while no review says so."""
    return _numbers(seen.loose)


def replies(seen: Seen, comment_id: str) -> list[str]:
    """What the bot answered to a comment."""
    found = [comment for comment in seen.comments if _kind(comment) == "reply"]
    return [comment.body for comment in found if _facts(comment)["to"] == comment_id]


def reactions(seen: Seen, comment_id: str) -> list[str]:
    """The bot's reactions on a comment."""
    [comment] = [comment for comment in seen.comments if str(comment.id) == comment_id]
    return list(comment.reactions)


def read_mark(remark: Remark) -> Mark | None:
    """What a text of the bot's is; ``None`` for any other."""
    found = list(_MARKER.finditer(remark.body))
    if not found or not remark.is_bots:
        return None
    facts = dict(fact.split("=", 1) for fact in found[-1][2].split())
    return Mark(_MARKER.sub("", remark.body).strip(), found[-1][1], facts)


def without_given_up(seen: Seen) -> Seen:
    """The same without the checkpoints that another one took the place of."""
    gone = _given_up(seen)
    return replace(seen, comments=tuple(comment for comment in seen.comments if str(comment.id) not in gone))


def _heads(seen: Seen) -> list[Remark]:
    return [comment for comment in seen.comments if _kind(comment) == "checkpoint"]


def _given_up(seen: Seen) -> frozenset[str]:
    return frozenset(_facts(comment).get("instead", "") for comment in _heads(seen))


# --- What is to be compared ------------------------------------------------------------------------------------------


def _review(review: Review) -> dict[str, object]:
    return {
        "author": review.remark.author,
        "state": review.state,
        "commit": review.commit,
        "body": _visible(review.remark),
        "comments": sorted((*made.place, _visible(made.remark)) for made in review.comments),
    }


def _comment(comment: Remark, said: dict[str, str]) -> dict[str, object]:
    facts = _facts(comment)
    kept = {name: facts[name] for name in ("round", "phase", "head") if name in facts}
    to = {"to": said.get(facts["to"], "nobody")} if "to" in facts else {}
    return {"kind": _kind(comment), **kept, **to, "minimized": comment.is_minimized, "text": _visible(comment)}


def _statuses(seen: Seen) -> Iterator[tuple[str, ...]]:
    for name, commit in sorted({(status.name, status.commit) for status in seen.statuses}):
        last = [status for status in seen.statuses if (status.name, status.commit) == (name, commit)][-1]
        yield name, commit, *map(_mask, last.shown)


def _numbers(comments: Iterable[Placed]) -> tuple[str, ...]:
    return tuple(_facts(made.remark)["number"] for made in comments)


# --- What must not be --------------------------------------------------------------------------------------------


def _wrong_reviews(seen: Seen) -> Iterator[str]:
    submitted = [review for review in seen.reviews if read_mark(review.remark)]
    seals = Counter(_facts(review.remark).get("seal", "") for review in submitted)
    yield from (f"{count} reviews of one round" for count in seals.values() if count > 1)
    yield from ("a review without the seal of its round" for seal in seals if not seal)
    for review in submitted:
        numbers = Counter(_numbers(review.comments))
        yield from (f"finding {number} is published {count} times" for number, count in numbers.items() if count > 1)
    if seen.loose:
        yield f"findings {loose(seen)} are public outside of a review"
    phases = [_facts(comment)["phase"] for comment in seen.comments if _kind(comment) == "checkpoint"]
    if submitted and phase(seen) == OPEN and len(phases) == 1:
        yield "a review is published and the checkpoint waits for approval"
    if phases.count(SUBMITTED) > len(submitted):
        yield "a checkpoint says that a review is published, and there is none"


def _wrong_drafts(seen: Seen) -> Iterator[str]:
    drafts = seen.drafts
    if len(drafts) > 1:
        yield f"{len(drafts)} drafts"
    if drafts and phase(seen) != OPEN:
        yield f"a draft is left, and the review is {phase(seen) or 'nowhere'}"
    head = checkpoint(seen)
    if drafts and head is not None and _facts(head)["head"] != drafts[0].commit:
        yield "the draft is of another head than the checkpoint"


def _wrong_comments(seen: Seen) -> Iterator[str]:
    kinds = [(_kind(comment), comment) for comment in seen.comments if read_mark(comment)]
    named = {number for kind, head in kinds if kind == "checkpoint" for number in _named(head)}
    parts = {str(comment.id) for kind, comment in kinds if kind == "continuation"}
    yield from (f"continuation {number} is named by no checkpoint" for number in parts - named)
    yield from (f"continuation {number} is named and not there" for number in named - parts)
    answered = Counter(_facts(comment)["to"] for kind, comment in kinds if kind == "reply")
    yield from (f"{count} replies to one comment" for count in answered.values() if count > 1)
    rounds = Counter(_facts(comment)["round"] for kind, comment in kinds if kind == "checkpoint")
    given_up = sum("instead" in _facts(comment) for kind, comment in kinds if kind == "checkpoint")
    yield from (f"{count} checkpoints of round {number}" for number, count in rounds.items() if count > 1 + given_up)
    if sum(kind == "notice" for kind, _ in kinds) > 1:
        yield "more than one notice"


def _wrong_statuses(seen: Seen) -> Iterator[str]:
    """The second place holds the seal of the round that waits."""
    head = checkpoint(seen)
    if head is None or phase(seen) not in {OPEN, SUBMITTED}:
        return
    statuses = [status for status in seen.statuses if status.commit == _facts(head)["head"]]
    if not statuses:
        yield "there is no status"
        return
    titles = {"awaiting approval": OPEN, "nothing found": OPEN, "submitted": SUBMITTED}
    if titles.get(statuses[-1].title) != phase(seen):
        yield f"the status says {statuses[-1].title!r} and the checkpoint {phase(seen)}"
    if not _holds(statuses[-1], str(_session(seen).get("seal"))):
        yield "the status holds another seal than the checkpoint"


def _holds(status: Status, seal: str) -> bool:
    kept = seal[: len(status.seal)] if status.is_seal_cut else seal
    return bool(status.seal) and kept in status.seal


# --- Texts -------------------------------------------------------------------------------------------------------


def _named(head: Remark) -> Iterator[str]:
    for found in _MARKER.finditer(head.body):
        if found[1] == "continuation":
            yield dict(fact.split("=", 1) for fact in found[2].split())["id"]


def _session(seen: Seen) -> dict[str, Any]:
    found = checkpoint(seen)
    if found is None:
        return {}
    texts = {str(comment.id): comment.body for comment in seen.comments}
    return dict(json.loads(restore(found.body, texts.__getitem__))["content"]["session"])


def _visible(remark: Remark) -> str:
    mark = read_mark(remark)
    return _mask(remark.body if mark is None else mark.text)


def _facts(remark: Remark) -> dict[str, str]:
    mark = read_mark(remark)
    return {} if mark is None else mark.facts


def _kind(remark: Remark) -> str:
    mark = read_mark(remark)
    return "" if mark is None else mark.kind


def _mask(text: str) -> str:
    masks = ((_TIME, "time"), (_NUMBER, "id"), (_DURATION, "duration"), (_DIGEST, "digest"), (_SPENT, "spent"))
    for pattern, word in masks:
        text = pattern.sub(f"({word})", text)
    return text
