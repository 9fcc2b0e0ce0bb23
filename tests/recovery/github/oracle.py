"""What a pull request shows when everything is over, and what must never be true of it.

Both look at the simulated world alone, with readers of their own, so that they share no mistake of the program; only
what the checkpoint remembers is unpacked by the program.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from draftgate.forge.hidden import restore
from tests.fakes.github.entities import IssueComment, PullRequest, Remark, Review, ReviewState

_MARKER = re.compile(r"<!-- draftgate:([a-z]+)((?: [a-z]+=[^ >]*)*) -->")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?")
_NUMBER = re.compile(r"(?<=issuecomment-)\d+|(?<=pullrequestreview-)\d+|(?<=check-runs/)\d+")
_DURATION = re.compile(r"\b\d+(?:\.\d+)? s\b")
_SPENT = re.compile(r"(?<=On this change so far: ).*")
"""A run that died has spent what it had spent."""
_DIGEST = re.compile(r"\b[0-9a-f]{12}\b")

_REMEMBERED = frozenset({"carried", "commands", "decisions", "failure", "holds_draft", "submission"})

OPEN = "awaiting-approval"
SUBMITTED = "submitted"


@dataclass(frozen=True)
class Mark:
    """A text of the bot's, taken apart: what is seen, what it is, and the facts of that."""

    text: str
    kind: str
    facts: dict[str, str]


def standing(pull: PullRequest) -> dict[str, object]:
    """Everything of the bot's on a change, without what two runs of one flow may differ in: times, ids, durations."""
    ours = [comment for comment in pull.comments if read_mark(comment)]
    said = {f"{comment.id}": _mask(comment.body) for comment in pull.comments if not read_mark(comment)}
    return {
        "reviews": [_review(review) for review in pull.reviews if not review.pending],
        "drafts": [_review(review) for review in pull.reviews if review.pending],
        "comments": [_comment(comment, said) for comment in ours],
        "reactions": {text: _reactions(pull, comment_id) for comment_id, text in said.items()},
        "check runs": sorted(_check_runs(pull)),
        "remembered": remembered(pull),
    }


def wrongs(pull: PullRequest) -> list[str]:
    """What breaks the promise: one review a round, each comment once, no stray draft, one answer to each command."""
    return [*_wrong_reviews(pull), *_wrong_drafts(pull), *_wrong_comments(pull), *_wrong_check_runs(pull)]


def checkpoint(pull: PullRequest) -> IssueComment | None:
    """The head comment of the newest round."""
    heads = [comment for comment in pull.comments if _kind(comment) == "checkpoint"]
    return max(heads, key=lambda comment: (int(_facts(comment)["round"]), comment.id), default=None)


def phase(pull: PullRequest) -> str:
    """Where the newest checkpoint says that the review stands; "" without one."""
    found = checkpoint(pull)
    return "" if found is None else _facts(found)["phase"]


def checkpoint_head(pull: PullRequest) -> str:
    """The commit that the newest checkpoint is about; "" without one."""
    found = checkpoint(pull)
    return "" if found is None else _facts(found)["head"]


def remembered(pull: PullRequest) -> dict[str, object]:
    """What the newest checkpoint keeps for the next run and the next round."""
    kept = {name: value for name, value in _session(pull).items() if name in _REMEMBERED}
    for volatile in ("reference", "payload_digest"):
        (kept.get("submission") or {}).pop(volatile, None)
    return dict(json.loads(_mask(json.dumps(kept))))


def published(pull: PullRequest) -> list[tuple[str, tuple[str, ...]]]:
    """The verdict that each review was given with, and the numbers of its findings."""
    submitted = [review for review in pull.reviews if not review.pending]
    return [(_verdict(review), tuple(_facts(comment)["number"] for comment in review.comments)) for review in submitted]


def replies(pull: PullRequest, comment_id: str) -> list[str]:
    """What the bot answered to a comment."""
    found = [comment for comment in pull.comments if _kind(comment) == "reply"]
    return [comment.body for comment in found if _facts(comment)["to"] == comment_id]


def reactions(pull: PullRequest, comment_id: str) -> list[str]:
    """The bot's reactions on a comment."""
    return _reactions(pull, comment_id)


def read_mark(remark: Remark) -> Mark | None:
    """What a text of the bot's is; ``None`` for any other."""
    found = list(_MARKER.finditer(remark.body))
    if not found or not remark.author.login.endswith("[bot]"):
        return None
    facts = dict(fact.split("=", 1) for fact in found[-1][2].split())
    return Mark(_MARKER.sub("", remark.body).strip(), found[-1][1], facts)


# --- What is to be compared ------------------------------------------------------------------------------------------


def _review(review: Review) -> dict[str, object]:
    return {
        "author": review.author.login,
        "state": review.state.value,
        "commit": review.commit_id,
        "body": _visible(review),
        "comments": sorted(
            (
                comment.thread.path,
                comment.thread.subject_type.value,
                comment.thread.side.value,
                str(comment.thread.original_line),
                _visible(comment),
            )
            for comment in review.comments
        ),
    }


def _comment(comment: IssueComment, said: dict[str, str]) -> dict[str, object]:
    facts = _facts(comment)
    kept = {name: facts[name] for name in ("round", "phase", "head") if name in facts}
    to = {"to": said.get(facts["to"], "nobody")} if "to" in facts else {}
    return {"kind": _kind(comment), **kept, **to, "minimized": comment.minimized, "text": _visible(comment)}


def _check_runs(pull: PullRequest) -> Iterator[tuple[str, ...]]:
    runs = pull.repository.check_runs
    for name, head in sorted({(run.name, run.head_sha) for run in runs}):
        last = [run for run in runs if (run.name, run.head_sha) == (name, head)][-1]
        yield name, head, str(last.conclusion), str(last.output.get("title")), _mask(str(last.output.get("summary")))


def _verdict(review: Review) -> str:
    """The bot dismisses nothing but its own requests for changes."""
    return "CHANGES_REQUESTED" if review.state is ReviewState.DISMISSED else review.state.value


def _reactions(pull: PullRequest, comment_id: str) -> list[str]:
    [comment] = [comment for comment in pull.comments if str(comment.id) == comment_id]
    return sorted(reaction.content for reaction in comment.reactions if reaction.account.login.endswith("[bot]"))


# --- What must not be --------------------------------------------------------------------------------------------


def _wrong_reviews(pull: PullRequest) -> Iterator[str]:
    submitted = [review for review in pull.reviews if not review.pending and read_mark(review)]
    seals = Counter(_facts(review).get("seal", "") for review in submitted)
    yield from (f"{count} reviews of one round" for count in seals.values() if count > 1)
    yield from ("a review without the seal of its round" for seal in seals if not seal)
    for review in submitted:
        numbers = Counter(_facts(comment)["number"] for comment in review.comments)
        yield from (f"finding {number} is published {count} times" for number, count in numbers.items() if count > 1)
    phases = [_facts(comment)["phase"] for comment in pull.comments if _kind(comment) == "checkpoint"]
    if submitted and phase(pull) == OPEN and len(phases) == 1:
        yield "a review is published and the checkpoint waits for approval"
    if phases.count(SUBMITTED) > len(submitted):
        yield "a checkpoint says that a review is published, and there is none"


def _wrong_drafts(pull: PullRequest) -> Iterator[str]:
    drafts = [review for review in pull.reviews if review.pending]
    if len(drafts) > 1:
        yield f"{len(drafts)} drafts"
    if drafts and phase(pull) != OPEN:
        yield f"a draft is left, and the review is {phase(pull) or 'nowhere'}"
    head = checkpoint(pull)
    if drafts and head is not None and _facts(head)["head"] != drafts[0].commit_id:
        yield "the draft is of another head than the checkpoint"


def _wrong_comments(pull: PullRequest) -> Iterator[str]:
    kinds = [(_kind(comment), comment) for comment in pull.comments if read_mark(comment)]
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


def _wrong_check_runs(pull: PullRequest) -> Iterator[str]:
    """The second place holds the seal of the round that waits."""
    head = checkpoint(pull)
    if head is None or phase(pull) not in {OPEN, SUBMITTED}:
        return
    runs = [run for run in pull.repository.check_runs if run.head_sha == _facts(head)["head"]]
    if not runs:
        yield "there is no check run"
        return
    titles = {"awaiting approval": OPEN, "nothing found": OPEN, "submitted": SUBMITTED}
    if titles.get(runs[-1].output.get("title", "")) != phase(pull):
        yield f"the check run says {runs[-1].output.get('title')!r} and the checkpoint {phase(pull)}"
    if str(_session(pull).get("seal")) not in runs[-1].external_id:
        yield "the check run holds another seal than the checkpoint"


# --- Texts -------------------------------------------------------------------------------------------------------


def _named(head: IssueComment) -> Iterator[str]:
    for found in _MARKER.finditer(head.body):
        if found[1] == "continuation":
            yield dict(fact.split("=", 1) for fact in found[2].split())["id"]


def _session(pull: PullRequest) -> dict[str, Any]:
    found = checkpoint(pull)
    if found is None:
        return {}
    texts = {str(comment.id): comment.body for comment in pull.comments}
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
