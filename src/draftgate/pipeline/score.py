"""Step 4: from raw findings to the numbered result of a round."""

from __future__ import annotations

import dataclasses

from rapidfuzz import fuzz

from draftgate.domain.change import CommitSha
from draftgate.domain.consolidate import Policy, consolidate
from draftgate.domain.finding import Finding
from draftgate.domain.round import CheckRun, Coverage, RoundResult, recommend
from draftgate.domain.session import Decision
from draftgate.pipeline.run_checks import CheckOutcome
from draftgate.render.comment import review_body
from draftgate.render.language import FALLBACK

SAME_SUBJECT = 85
"""Of 100: two subjects on one place that are alike to this degree speak of one concern. Text alone is weak
evidence, so it only ever joins findings whose lines overlap."""


def score(
    outcome: CheckOutcome,
    coverage: Coverage,
    *,
    policy: Policy,
    decisions: tuple[Decision, ...],
    head: CommitSha,
    round_number: int,
    automated_s: float,
    language: str = FALLBACK,
) -> RoundResult:
    """Consolidate what was found and say what it comes to; ``language`` is that of the fixed sentences posted."""
    caught = (_attribute(finding, round_number) for finding in outcome.findings)
    consolidated = consolidate(caught, policy=policy, decisions=decisions, similar=_is_similar)
    findings = tuple(shown.finding for shown in consolidated.findings)
    return RoundResult(
        findings=consolidated.findings,
        dropped=(*outcome.dropped, *consolidated.dropped),
        coverage=coverage,
        checks=tuple(_count_kept(run, findings) for run in outcome.runs),
        body=review_body(head, findings, consolidated.addressed, consolidated.unresolved, language),
        recommended=recommend(findings, coverage),
        addressed=consolidated.addressed,
        unresolved=consolidated.unresolved,
        automated_s=round(automated_s, 3),
        language=language,
    )


def _attribute(finding: Finding, round_number: int) -> Finding:
    return dataclasses.replace(finding, caught_by=f"review/{round_number}/builtin")


def _is_similar(one: str, other: str) -> bool:
    return fuzz.token_set_ratio(one, other) >= SAME_SUBJECT


def _count_kept(run: CheckRun, findings: tuple[Finding, ...]) -> CheckRun:
    return dataclasses.replace(run, kept=sum(finding.check == run.id for finding in findings))
