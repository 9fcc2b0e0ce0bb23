"""Step 4: from raw findings to the numbered result of a round."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from rapidfuzz import fuzz

from draftgate.domain.agent_run import CRITIC, AgentRun
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
    tiers = {run.name: run.tier for run in outcome.agents}
    caught = (_attribute(finding, round_number, tiers) for finding in outcome.findings)
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
        agents=tuple(_count_shown(run, findings) for run in outcome.agents),
    )


def _attribute(finding: Finding, round_number: int, tiers: Mapping[str, str]) -> Finding:
    if finding.from_round is not None:
        return finding
    tier = "builtin" if finding.check is not None else tiers[finding.sources[0]]
    return dataclasses.replace(finding, caught_by=f"review/{round_number}/{tier}")


def _is_similar(one: str, other: str) -> bool:
    return fuzz.token_set_ratio(one, other) >= SAME_SUBJECT


def _count_shown(run: AgentRun, findings: tuple[Finding, ...]) -> AgentRun:
    """Of the critic, what of all that it judged is shown."""
    mine = (each for each in findings if run.name in each.sources or (run.name == CRITIC and each.check is None))
    return dataclasses.replace(run, kept=sum(1 for _ in mine))


def _count_kept(run: CheckRun, findings: tuple[Finding, ...]) -> CheckRun:
    return dataclasses.replace(run, kept=sum(finding.check == run.id for finding in findings))
