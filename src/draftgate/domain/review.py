"""A review as it will stand once published: verdict, body, comments; and the verdict rule.

The rule is data for three readers (the bare approve command, the checkpoint, the JSON result), so it
lives here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from draftgate.domain.change import CommitSha
from draftgate.domain.finding import Anchor, Finding, Label, Severity


class Verdict(StrEnum):
    """What a formal review says about merging."""

    REQUEST_CHANGES = "request-changes"
    COMMENT = "comment"
    APPROVE = "approve"


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """One finding as it is posted: which one, where, and the exact Markdown."""

    number: int
    fingerprint: str
    anchor: Anchor
    text: str


@dataclass(frozen=True, slots=True)
class DraftReview:
    """The review that waits, seen by nobody but the bot.

    Attributes:
        seal: The parts and their digests (`seal.Seal.parts`) of the round that it was made from.
        head: The commit it is for.
        body: The review body.
        comments: In card order.
    """

    seal: tuple[tuple[str, str], ...]
    head: CommitSha
    body: str
    comments: tuple[ReviewComment, ...]


@dataclass(frozen=True, slots=True)
class PublishedReview:
    """A review as it stands for everyone.

    Attributes:
        reference: Where it stands: a URL on a forge, a path below the repository locally.
        seal: Of the round it came from; finds it again after a lost answer.
        payload_digest: Of the approved payload.
        numbers: The findings that were approved with it.
        author: Whose account submitted it.
        comments: As they stand now: people may have edited or removed some.
        submitted_at: UTC, ISO 8601; "" if the forge does not say.
    """

    reference: str
    seal: str
    payload_digest: str
    numbers: tuple[int, ...]
    author: str
    head: CommitSha
    verdict: Verdict
    body: str
    comments: tuple[ReviewComment, ...]
    submitted_at: str


def recommend_verdict(findings: Iterable[Finding]) -> Verdict:
    """Any blocker asks for changes; else any `issue` comments; else the change could be approved."""
    chosen = tuple(findings)
    if any(finding.severity is Severity.BLOCKER for finding in chosen):
        return Verdict.REQUEST_CHANGES
    if any(finding.label is Label.ISSUE for finding in chosen):
        return Verdict.COMMENT
    return Verdict.APPROVE


def verdict_without_choice(findings: Iterable[Finding]) -> Verdict:
    """The verdict of a bare approval: as recommended, but never an approval nobody wrote."""
    recommended = recommend_verdict(findings)
    return Verdict.COMMENT if recommended is Verdict.APPROVE else recommended
