"""From everything that was found to what is shown: merge, remember, filter, rank, number.

Each rule is a function of values, applied in the order of `consolidate`. Nothing vanishes: what is not
shown comes out as `Dropped` with its reason.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from draftgate.domain import fingerprint
from draftgate.domain.finding import Anchor, Finding, Severity
from draftgate.domain.round import Dropped, EarlierFinding, NumberedFinding
from draftgate.domain.session import Decision, Outcome

NITPICKS_SHOWN_BELOW = 5
"""Nitpicks are shown only beside fewer other findings than this; they are counted otherwise."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The thresholds of the configuration.

    Attributes:
        min_confidence: Lowest confidence shown, per severity.
        max_findings: Most model and command findings shown; 0 is no limit. Blockers, built-in and
            earlier findings are never cut.
    """

    min_confidence: Mapping[Severity, int]
    max_findings: int


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What is shown, what is not, and how the findings of earlier rounds stand."""

    findings: tuple[NumberedFinding, ...]
    dropped: tuple[Dropped, ...]
    addressed: tuple[EarlierFinding, ...]
    unresolved: tuple[EarlierFinding, ...]


def consolidate(
    found: Iterable[Finding],
    *,
    policy: Policy,
    decisions: tuple[Decision, ...] = (),
    similar: Callable[[str, str], bool] = str.__eq__,
) -> Consolidated:
    """Apply every rule of scoring and consolidation.

    Args:
        found: All findings, in any order.
        policy: Thresholds.
        decisions: What humans decided in earlier rounds.
        similar: Whether two subjects say the same thing.
    """
    dropped: list[Dropped] = []
    merged = _merge(sorted(found, key=_place_order), similar, dropped)
    named = fingerprint.assign(sorted(merged, key=_place_order))
    fresh, addressed, unresolved = _remember(named, decisions, dropped)
    confident = _filter_confidence(fresh, policy, dropped)
    ranked = sorted(confident, key=_card_order)
    shown = _limit(_limit_nitpicks(ranked, dropped), policy.max_findings, dropped)
    numbered = tuple(NumberedFinding(number, finding) for number, finding in enumerate(shown, start=1))
    return Consolidated(numbered, tuple(dropped), addressed, unresolved)


def _place_order(finding: Finding) -> tuple[str, int, str, str]:
    return (finding.anchor.path or "", finding.anchor.line or 0, finding.check or "", finding.subject)


def _card_order(finding: Finding) -> tuple[int, int, str, int, str]:
    return (
        finding.severity.rank,
        -finding.confidence,
        finding.anchor.path or "",
        finding.anchor.line or 0,
        finding.subject,
    )


def _merge(ordered: list[Finding], similar: Callable[[str, str], bool], dropped: list[Dropped]) -> list[Finding]:
    """One finding per concern: same file, overlapping lines, and a subject that says the same."""
    kept: list[Finding] = []
    for finding in ordered:
        twin = next((i for i, other in enumerate(kept) if _same_concern(other, finding, similar)), None)
        if twin is None:
            kept.append(finding)
            continue
        winner, loser = sorted((kept[twin], finding), key=_preference)
        sources = tuple(dict.fromkeys((*winner.sources, *loser.sources)))
        kept[twin] = dataclasses.replace(winner, sources=sources)
        dropped.append(Dropped("duplicate", loser.subject, loser.anchor.path))
    return kept


def _preference(finding: Finding) -> tuple[bool, int, int, str, int, str]:
    """What an earlier round showed wins, for people may have changed its words."""
    return (finding.from_round is None, *_card_order(finding))


def _same_concern(one: Finding, other: Finding, similar: Callable[[str, str], bool]) -> bool:
    if one.check is not None and one.check == other.check:
        return (
            one.subject == other.subject and one.anchor == other.anchor
        )  # a check says a thing once; alike is not same
    return _overlap(one.anchor, other.anchor) and similar(one.subject, other.subject)


def _overlap(one: Anchor, other: Anchor) -> bool:
    if (one.kind, one.path, one.side) != (other.kind, other.path, other.side):
        return False
    if one.line is None or other.line is None:
        return True
    return (one.start_line or one.line) <= other.line and (other.start_line or other.line) <= one.line


def _remember(
    named: tuple[Finding, ...], decisions: tuple[Decision, ...], dropped: list[Dropped]
) -> tuple[list[Finding], tuple[EarlierFinding, ...], tuple[EarlierFinding, ...]]:
    """Rejected and left-out findings stay away while their code is unchanged; published ones are tagged."""
    latest = {decision.fingerprint: decision for decision in decisions}
    present = {finding.fingerprint for finding in named}
    fresh: list[Finding] = []
    for finding in named:
        decision = latest.get(finding.fingerprint)
        if decision is None:
            fresh.append(finding)
        elif decision.outcome is Outcome.PUBLISHED:
            fresh.append(dataclasses.replace(finding, previously_raised=True))
        else:
            dropped.append(Dropped(f"{decision.outcome} before", finding.subject, finding.anchor.path))
    published = [decision for decision in latest.values() if decision.outcome is Outcome.PUBLISHED]
    return (
        fresh,
        tuple(_earlier(decision) for decision in published if decision.fingerprint not in present),
        tuple(_earlier(decision) for decision in published if decision.fingerprint in present),
    )


def _earlier(decision: Decision) -> EarlierFinding:
    return EarlierFinding(decision.subject, decision.path, decision.line, decision.round)


def _filter_confidence(findings: list[Finding], policy: Policy, dropped: list[Dropped]) -> list[Finding]:
    kept: list[Finding] = []
    for finding in findings:
        if _is_old(finding) or finding.confidence >= policy.min_confidence[finding.severity]:
            kept.append(finding)
        else:
            dropped.append(Dropped("below min_confidence", finding.subject, finding.anchor.path))
    return kept


def _is_old(finding: Finding) -> bool:
    """Whether an earlier round showed it: no threshold looks at it again."""
    return finding.previously_raised or finding.from_round is not None


def _limit_nitpicks(ranked: list[Finding], dropped: list[Dropped]) -> list[Finding]:
    others = [finding for finding in ranked if finding.severity is not Severity.NITPICK]
    if len(others) < NITPICKS_SHOWN_BELOW:
        return ranked
    nitpicks = (finding for finding in ranked if finding.severity is Severity.NITPICK)
    dropped.extend(Dropped("nitpick", finding.subject, finding.anchor.path) for finding in nitpicks)
    return others


def _limit(ranked: list[Finding], most: int, dropped: list[Dropped]) -> list[Finding]:
    if most == 0:
        return ranked
    kept: list[Finding] = []
    counted = 0
    for finding in ranked:
        limited = not (finding.severity is Severity.BLOCKER or finding.check or _is_old(finding))
        counted += limited
        if limited and counted > most:
            dropped.append(Dropped("max_findings", finding.subject, finding.anchor.path))
        else:
            kept.append(finding)
    return kept
