"""The published JSON of ``draftgate status``: ``draftgate/status/v1``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.finding import title_of
from draftgate.domain.session import Session

SCHEMA: Literal["draftgate/status/v1"] = "draftgate/status/v1"


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatusFinding(_Closed):
    """A finding and what became of it so far."""

    number: int
    id: str
    label: str
    subject: str
    path: str | None
    line: int | None
    state: Literal["open", "dropped", "submitted", "left-out"]
    reason: str


class StatusSubmission(_Closed):
    """What was submitted."""

    verdict: str
    numbers: list[int]
    reference: str
    at: str


class Status(_Closed):
    """Where a review stands; everything but ``change`` is null where there is no session."""

    schema_: Literal["draftgate/status/v1"] = Field(SCHEMA, alias="schema")
    change: str
    phase: str | None = None
    round: int | None = None
    base_sha: str | None = None
    head_sha: str | None = None
    findings: list[StatusFinding] = []
    submitted: StatusSubmission | None = None
    failure: str | None = None


def status_json(key: str, session: Session | None, amended: AmendedRound | None) -> dict[str, object]:
    """The status document of a change."""
    if session is None or amended is None:
        return Status(schema=SCHEMA, change=key).model_dump(mode="json", by_alias=True)
    submission = session.submission
    return Status(
        schema=SCHEMA,
        change=key,
        phase=session.phase,
        round=session.round,
        base_sha=session.scope.base if session.scope else None,
        head_sha=session.scope.head if session.scope else None,
        findings=[_finding(entry, session) for entry in amended.findings],
        submitted=None
        if submission is None
        else StatusSubmission(
            verdict=submission.verdict,
            numbers=list(submission.numbers),
            reference=submission.reference,
            at=submission.at,
        ),
        failure=session.failure.reason if session.failure else None,
    ).model_dump(mode="json", by_alias=True)


def _finding(entry: AmendedFinding, session: Session) -> StatusFinding:
    finding = entry.finding
    return StatusFinding(
        number=entry.number,
        id=finding.fingerprint,
        label=title_of(finding.label, finding.decorations),
        subject=finding.subject,
        path=finding.anchor.path,
        line=finding.anchor.line,
        state=_state(entry, session),
        reason=entry.reason,
    )


def _state(entry: AmendedFinding, session: Session) -> Literal["open", "dropped", "submitted", "left-out"]:
    if entry.dropped:
        return "dropped"
    if session.submission is None:
        return "open"
    return "submitted" if entry.number in session.submission.numbers else "left-out"
