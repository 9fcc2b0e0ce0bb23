"""What becomes of the findings of a round, remembered over rounds by their fingerprints."""

from __future__ import annotations

import dataclasses

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.session import Decision, Outcome, Session


def decide(session: Session, amended: AmendedRound, numbers: frozenset[int], at: str) -> tuple[Decision, ...]:
    """A decision for every finding of a round of which ``numbers`` are published."""
    return tuple(
        Decision(
            fingerprint=entry.finding.fingerprint,
            outcome=_outcome(entry, numbers),
            path=entry.finding.anchor.path,
            line=entry.finding.anchor.line,
            label=str(entry.finding.label),
            confidence=entry.finding.confidence,
            subject=entry.finding.subject,
            reason=entry.reason,
            round=session.round,
            at=at,
        )
        for entry in amended.findings
    )


def reject_only(session: Session, amended: AmendedRound, at: str) -> tuple[Decision, ...]:
    """The rejections of a round that ends without a review: the rest of its findings is not decided."""
    decisions = decide(session, amended, frozenset(), at)
    return tuple(decision for decision in decisions if decision.outcome is Outcome.REJECTED)


def as_published(decisions: tuple[Decision, ...], published: frozenset[str]) -> tuple[Decision, ...]:
    """The decisions of an approval, put right by the fingerprints that were really published.

    They differ only where two people approved one round at once and the other one's review came first.
    """
    return tuple(dataclasses.replace(decision, outcome=_made_of(decision, published)) for decision in decisions)


def remember(earlier: tuple[Decision, ...], recent: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """One decision per finding; the later one wins."""
    return tuple({decision.fingerprint: decision for decision in (*earlier, *recent)}.values())


def _made_of(decision: Decision, published: frozenset[str]) -> Outcome:
    if decision.fingerprint in published:
        return Outcome.PUBLISHED
    return Outcome.LEFT_OUT if decision.outcome is Outcome.PUBLISHED else decision.outcome


def _outcome(entry: AmendedFinding, numbers: frozenset[int]) -> Outcome:
    if entry.dropped:
        return Outcome.REJECTED if entry.reason else Outcome.LEFT_OUT
    return Outcome.PUBLISHED if entry.number in numbers else Outcome.LEFT_OUT
