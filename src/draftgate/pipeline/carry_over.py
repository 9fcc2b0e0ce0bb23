"""Agents' findings of the round before that nobody decided: kept where the code they quote still stands.

A check finds the same again if it is still there; a model may not, and what is open must not vanish because it was
asked once more. Such a finding was judged already, so neither the critic nor a threshold looks at it again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from draftgate.agents.answers.claim import Claim
from draftgate.agents.answers.settle import settle
from draftgate.domain.amend import AmendedRound
from draftgate.domain.finding import Finding
from draftgate.domain.round import Dropped
from draftgate.domain.session import Session
from draftgate.domain.snapshot import Change
from draftgate.pipeline.run_checks import CheckOutcome


def undecided_of(session: Session, amended: AmendedRound) -> tuple[Finding, ...]:
    """The findings of agents in a round that were shown and that nobody dropped, as they were found."""
    kept = {entry.number for entry in amended.kept}
    found = () if session.result is None else session.result.findings
    return tuple(
        dataclasses.replace(shown.finding, from_round=shown.finding.from_round or session.round)
        for shown in found
        if shown.finding.check is None and shown.number in kept
    )


def carry_over(
    outcome: CheckOutcome, undecided: Iterable[Finding], change: Change, hide: Callable[[str], str]
) -> CheckOutcome:
    """Join what is still open; of the rest it is said that it is gone.

    Args:
        outcome: What was found now.
        undecided: What was open in the round before.
        change: The commits under review.
        hide: Takes keys out of a text: without them the quotes were kept.
    """
    settled = [_settle(finding, change, hide) for finding in undecided]
    return dataclasses.replace(
        outcome,
        findings=(*outcome.findings, *(each for each in settled if isinstance(each, Finding))),
        dropped=(*outcome.dropped, *(each for each in settled if isinstance(each, Dropped))),
    )


def _settle(finding: Finding, change: Change, hide: Callable[[str], str]) -> Finding | Dropped:
    anchor, evidence = finding.anchor, finding.evidence
    claim = Claim(
        path=anchor.path or (evidence.path if evidence else ""),
        line=anchor.line,
        start_line=anchor.start_line,
        side=anchor.side,
        label=finding.label,
        decorations=finding.decorations,
        subject=finding.subject,
        body=finding.body,
        quote=evidence.lines if evidence else (),
        confidence=finding.confidence,
        category=finding.category,
        suggestion=finding.suggestion,
    )
    settled = settle(claim, change, finding.sources[0], hide=hide)
    if isinstance(settled, Dropped):
        return Dropped("gone", finding.subject, anchor.path, f"open since round {finding.from_round}")
    return dataclasses.replace(
        settled, sources=finding.sources, from_round=finding.from_round, caught_by=finding.caught_by
    )
