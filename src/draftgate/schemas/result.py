"""The published JSON of a round, ``draftgate/result/v1``: what other programs rely on.

The models are the schema that is published as `docs/reference/result.schema.json`; a field is added or changed
only as the interface allows. It reads domain values and never the other way round.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from draftgate.domain.agent_run import Spent, sum_spent
from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind, Category, Decoration, Label, Scope
from draftgate.domain.review import Verdict
from draftgate.domain.round import EarlierFinding, RoundResult, recommend
from draftgate.domain.session import Session

SCHEMA_ID: Final = "draftgate/result/v1"

SeverityName = Literal["blocker", "important", "suggestion", "nitpick", "informational"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=True)


class ChangeModel(_Model):
    """The change that was reviewed."""

    forge: str
    repository: str
    number: int | None = Field(description="The forge's number; null for a local branch.")
    title: str
    url: str | None


class AnchorModel(_Model):
    """Where a finding hangs."""

    kind: AnchorKind
    path: str | None = Field(description="On `side`; null only for kind `none`.")
    side: Side | None = Field(description="RIGHT is the head commit, LEFT the base; null unless kind is `line`.")
    start_line: int | None = Field(description="First line of a range; null for a single line.")
    line: int | None = Field(description="The line, or the last line of a range; 1-based.")


class EvidenceModel(_Model):
    """The quoted lines a finding rests on."""

    path: str
    start_line: int
    lines: list[str]


class PlaceModel(_Model):
    """Another line that a finding names."""

    path: str
    line: int


class FindingModel(_Model):
    """One thing to say about the change."""

    number: int = Field(description="Fixed for the round; commands call the finding by it.")
    id: str = Field(description="The fingerprint: stable over rounds.")
    check: str | None = Field(description="The built-in check; null for an agent's finding.")
    source: list[str] = Field(description="Everyone who found it.")
    label: Label
    decorations: list[Decoration]
    severity: SeverityName
    confidence: int = Field(ge=0, le=100)
    category: Category
    subject: str
    body: str = Field(description="Markdown; where a person rewrote the comment, the whole text they wrote.")
    anchor: AnchorModel
    evidence: EvidenceModel | None
    related: list[PlaceModel]
    suggestion: str | None = Field(description="Replaces the anchored lines; empty deletes them, null is none.")
    scope: Scope
    previously_raised: bool
    caught_by: str


class DroppedModel(_Model):
    """A finding that is not shown."""

    reason: str
    subject: str


class RequirementModel(_Model):
    """How the change meets one requirement."""

    text: str
    status: Literal["covered", "partial", "missing"]


class EarlierModel(_Model):
    """A finding that an earlier round published."""

    subject: str
    path: str | None
    line: int | None
    round: int


class PreviousModel(_Model):
    """What became of the findings that earlier rounds published."""

    addressed: list[EarlierModel]
    unresolved: list[EarlierModel]


class LeftOutModel(_Model):
    """A changed file that was not read, or only in part."""

    path: str
    reason: str


class CoverageModel(_Model):
    """What was read."""

    files: int
    reviewed: int
    left_out: list[LeftOutModel]


class RequestsModel(_Model):
    """Requests made."""

    forge: int = 0
    llm: int = 0


class TokensModel(_Model):
    """Tokens used."""

    input: int = 0
    output: int = 0


class UsageModel(_Model):
    """What the round used."""

    requests: RequestsModel = RequestsModel()
    tokens: TokensModel = TokensModel()
    usd: float | None = Field(default=0.0, description="US dollars; null if the price of a model is not known.")


class TimingModel(_Model):
    """How long it took."""

    automated_s: float = Field(description="Seconds of work, without waiting for a person.")


class ResultModel(_Model):
    """The result of one round of review."""

    schema_: Literal["draftgate/result/v1"] = Field(default=SCHEMA_ID, alias="schema")
    change: ChangeModel
    base_sha: str = Field(description="The merge base that the head commit is compared with.")
    head_sha: str
    round: int
    findings: list[FindingModel]
    dropped: list[DroppedModel]
    requirements: list[RequirementModel]
    previous: PreviousModel
    recommended_verdict: Verdict
    coverage: CoverageModel
    usage: UsageModel
    timing: TimingModel


def result_json(session: Session, result: RoundResult, amended: AmendedRound, *, base_sha: str, head_sha: str) -> str:
    """The result as indented JSON text in ASCII, with a final newline."""
    document = result_document(session, result, amended, base_sha=base_sha, head_sha=head_sha)
    return json.dumps(document.model_dump(mode="json"), indent=2) + "\n"


def result_document(
    session: Session, result: RoundResult, amended: AmendedRound, *, base_sha: str, head_sha: str
) -> ResultModel:
    """The published form of a round; findings that a command dropped stand among the dropped."""
    change = session.change
    coverage = result.coverage
    dropped = [DroppedModel(reason=_text(entry.reason), subject=_text(entry.subject)) for entry in result.dropped]
    dropped += [
        DroppedModel(reason="rejected" if entry.reason else "dropped", subject=_text(entry.finding.subject))
        for entry in amended.findings
        if entry.dropped
    ]
    return ResultModel(
        change=ChangeModel(
            forge=change.forge,
            repository=_text(change.repository),
            number=change.number,
            title=_text(change.title),
            url=change.url,
        ),
        base_sha=base_sha,
        head_sha=head_sha,
        round=session.round,
        findings=[_finding(entry) for entry in amended.kept],
        dropped=dropped,
        requirements=[],
        previous=PreviousModel(
            addressed=[_earlier(entry) for entry in result.addressed],
            unresolved=[_earlier(entry) for entry in result.unresolved],
        ),
        recommended_verdict=recommend((entry.finding for entry in amended.kept), coverage),
        coverage=CoverageModel(
            files=coverage.files,
            reviewed=coverage.reviewed,
            left_out=[LeftOutModel(path=_text(left.path), reason=_text(left.reason)) for left in coverage.left_out],
        ),
        usage=_usage(sum_spent(result.agents)),
        timing=TimingModel(automated_s=round(result.automated_s, 3)),
    )


def _usage(spent: Spent) -> UsageModel:
    return UsageModel(
        requests=RequestsModel(llm=spent.requests),
        tokens=TokensModel(input=spent.input_tokens, output=spent.output_tokens),
        usd=spent.usd,
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the published form."""
    return ResultModel.model_json_schema(mode="serialization")


def _finding(entry: AmendedFinding) -> FindingModel:
    finding, anchor, evidence = entry.finding, entry.finding.anchor, entry.finding.evidence
    return FindingModel(
        number=entry.number,
        id=finding.fingerprint,
        check=finding.check,
        source=list(finding.sources),
        label=finding.label,
        decorations=list(finding.decorations),
        severity=finding.severity.value,
        confidence=finding.confidence,
        category=finding.category,
        subject=_text(finding.subject),
        body=_text(finding.body if entry.text is None else entry.text),
        anchor=AnchorModel(
            kind=anchor.kind,
            path=None if anchor.path is None else _text(anchor.path),
            side=anchor.side,
            start_line=anchor.start_line,
            line=anchor.line,
        ),
        evidence=None
        if evidence is None
        else EvidenceModel(
            path=_text(evidence.path), start_line=evidence.start_line, lines=[_text(line) for line in evidence.lines]
        ),
        related=[PlaceModel(path=_text(place.path), line=place.line) for place in finding.related],
        suggestion=None if finding.suggestion is None else _text(finding.suggestion),
        scope=finding.scope,
        previously_raised=finding.previously_raised,
        caught_by=finding.caught_by,
    )


def _earlier(entry: EarlierFinding) -> EarlierModel:
    path = None if entry.path is None else _text(entry.path)
    return EarlierModel(subject=_text(entry.subject), path=path, line=entry.line, round=entry.round)


def _text(text: str) -> str:
    r"""``text`` in characters that JSON can carry; a byte that is no UTF-8 stands as ``\udce9``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
