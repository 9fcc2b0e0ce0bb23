"""One round of review: what was found, what was read, what was left out, and why.

A round belongs to one head commit. Its result is what a human is shown and what the seal covers; it
holds no approval, no verdict that someone gave and no payload.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from draftgate.domain.agent_run import AgentRun
from draftgate.domain.finding import Finding, Severity
from draftgate.domain.review import Verdict, recommend_verdict


class RoundKind(StrEnum):
    """Why the round reads the range that it reads."""

    INITIAL = "initial"
    FOLLOW_UP_FULL = "follow-up-full"
    FOLLOW_UP_NARROW = "follow-up-narrow"


@dataclass(frozen=True, slots=True)
class NumberedFinding:
    """A finding under the number that commands call it by; fixed for the round, gaps stay."""

    number: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class Dropped:
    """A finding that is not shown, and the reason in one word or two.

    Attributes:
        why: What whoever refuted it said; "" otherwise.
    """

    reason: str
    subject: str
    path: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A changed file that was not read, or only in part, and why."""

    path: str
    reason: str


HINDERED = "limited: "
"""Begins the sentence about something that kept the whole run from looking at all it looks at otherwise."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read. ``files`` = ``reviewed`` + the files in ``left_out``.

    Attributes:
        files: Changed files in all.
        reviewed: Changed files that at least one check or agent read in full.
        left_out: The others, each with its reason.
        limits: Sentences about what a check could not look at beyond single files.
    """

    files: int
    reviewed: int
    left_out: tuple[LeftOut, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def hindrances(self) -> tuple[str, ...]:
        """Those of the limits that come from the circumstances of this run: another run may look at more."""
        return tuple(limit for limit in self.limits if limit.startswith(HINDERED))


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One check's part in a round: what it found, what was kept, how long it took (seconds)."""

    id: str
    findings: int
    kept: int
    seconds: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class EarlierFinding:
    """A finding published by an earlier round, as it stands now."""

    subject: str
    path: str | None
    line: int | None
    round: int


@dataclass(frozen=True, slots=True)
class RoundResult:
    """Everything a round shows.

    Attributes:
        findings: In card order, numbered from 1.
        dropped: What was found and is not shown.
        coverage: What was read.
        checks: One row per check that ran.
        body: The review body as it would be posted with every finding.
        recommended: See `recommend`.
        addressed: Published findings of earlier rounds that are gone.
        unresolved: Published findings of earlier rounds that still stand.
        automated_s: Seconds of work without waiting for a person.
        language: Of the fixed sentences in what is posted.
        agents: One row per agent that was asked, the critic among them.
    """

    findings: tuple[NumberedFinding, ...]
    dropped: tuple[Dropped, ...]
    coverage: Coverage
    checks: tuple[CheckRun, ...]
    body: str
    recommended: Verdict
    addressed: tuple[EarlierFinding, ...] = ()
    unresolved: tuple[EarlierFinding, ...] = ()
    automated_s: float = 0.0
    language: str = "en"
    agents: tuple[AgentRun, ...] = ()


def recommend(findings: Iterable[Finding], coverage: Coverage) -> Verdict:
    """The verdict for a set of findings; silence about what was hardly looked at is no reason to approve it."""
    verdict = recommend_verdict(findings)
    hardly_read = (coverage.files > 0 and coverage.reviewed == 0) or bool(coverage.hindrances)
    return Verdict.COMMENT if verdict is Verdict.APPROVE and hardly_read else verdict


def count_by_severity(findings: Iterable[Finding]) -> dict[Severity, int]:
    """How many findings each severity has, most severe first, zeros included."""
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[finding.severity] += 1
    return counts
