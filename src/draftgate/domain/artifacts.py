"""The chain of artifacts that says what a round may read, each naming the digest of the one before.

Scope evidence → scope decision → handoff. Ranges and head of a round come only from here; no artifact
holds what a human approved.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.change import CommitSha
from draftgate.domain.round import RoundKind
from draftgate.domain.scope import ScopeEvidence


@dataclass(frozen=True, slots=True)
class CommitRange:
    """``base..head`` by full object ids."""

    base: CommitSha
    head: CommitSha


@dataclass(frozen=True, slots=True)
class ScopeDecision:
    """Which range a round reads anew, and why."""

    evidence_digest: str
    kind: RoundKind
    active_range: CommitRange
    full_range: CommitRange
    last_reviewed: CommitSha | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Handoff:
    """What the agents and checks are given.

    Attributes:
        language_hints: File-name endings of the active range, most frequent first.
    """

    evidence_digest: str
    decision_digest: str
    repository: str
    number: int | None
    base_ref: str
    head_ref: str
    head: CommitSha
    diff_base: CommitSha
    active_range: CommitRange
    full_range: CommitRange
    kind: RoundKind
    last_reviewed: CommitSha | None
    language_hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopeArtifacts:
    """The three artifacts of one round, as they are kept together."""

    evidence: ScopeEvidence
    decision: ScopeDecision
    handoff: Handoff
