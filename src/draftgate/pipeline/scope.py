"""Step 2: decide which range the round reads, and chain the artifacts that prove it."""

from __future__ import annotations

from collections.abc import Iterable

from draftgate.domain.artifacts import CommitRange, Handoff, ScopeArtifacts, ScopeDecision
from draftgate.domain.canonical import digest
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileDiff
from draftgate.domain.round import RoundKind
from draftgate.domain.scope import ScopeEvidence
from draftgate.domain.session import RoundScope
from draftgate.pipeline.request import ReviewRequest
from draftgate.pipeline.run_checks import language_hints


def decide_scope(
    request: ReviewRequest, evidence: ScopeEvidence, files: Iterable[FileDiff], last_reviewed: CommitSha | None
) -> ScopeArtifacts:
    """Chain evidence, decision and handoff of a round.

    The built-in checks read the whole change in every round: they are fast, and a caller broken by an
    earlier push is as broken as one broken by the last.
    """
    full = CommitRange(evidence.merge_base, request.head)
    decision = ScopeDecision(
        evidence_digest=digest(evidence),
        kind=RoundKind.INITIAL if last_reviewed is None else RoundKind.FOLLOW_UP_FULL,
        active_range=full,
        full_range=full,
        last_reviewed=last_reviewed,
        reasons=(
            "nothing was published before: the full diff"
            if last_reviewed is None
            else "follow-up: the built-in checks read the full diff in every round",
        ),
    )
    handoff = Handoff(
        evidence_digest=decision.evidence_digest,
        decision_digest=digest(decision),
        repository=request.change.repository,
        number=request.change.number,
        base_ref=request.change.base_ref,
        head_ref=request.change.head_ref,
        head=request.head,
        diff_base=evidence.merge_base,
        active_range=full,
        full_range=full,
        kind=decision.kind,
        last_reviewed=last_reviewed,
        language_hints=language_hints(files),
    )
    return ScopeArtifacts(evidence, decision, handoff)


def summarize_scope(request: ReviewRequest, artifacts: ScopeArtifacts, configuration_digest: str) -> RoundScope:
    """What the session keeps of the artifacts: the range, the reasons and the digests."""
    return RoundScope(
        base_tip=request.base_tip,
        base=artifacts.handoff.diff_base,
        head=artifacts.handoff.head,
        other_bases=artifacts.evidence.other_merge_bases,
        base_named=request.base_named,
        head_named=request.head_named,
        kind=artifacts.handoff.kind,
        last_reviewed=artifacts.handoff.last_reviewed,
        reasons=artifacts.decision.reasons,
        includes_worktree=request.includes_worktree,
        uncommitted=request.uncommitted,
        configuration_digest=configuration_digest,
        evidence_digest=artifacts.handoff.evidence_digest,
        decision_digest=artifacts.handoff.decision_digest,
        handoff_digest=digest(artifacts.handoff),
    )
