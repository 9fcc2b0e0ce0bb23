"""A round as SARIF 2.1.0, in the shape that code hosts ingest.

Only what a reader of SARIF needs: rules, results with places, fingerprints and fixes, where the code came
from. Paths are relative to the repository root; columns are left out because a finding is about whole lines.
The specification: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (sections below).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind, Category, Finding, Place, Severity
from draftgate.domain.round import NumberedFinding
from draftgate.domain.session import Session
from draftgate.render.comment import comment_text
from draftgate.render.visible import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_AGENT_RULE = "agent"
_LEVELS = {
    Severity.BLOCKER: "error",
    Severity.IMPORTANT: "warning",
    Severity.SUGGESTION: "note",
    Severity.NITPICK: "note",
    Severity.INFORMATIONAL: "note",
}
_EMBEDDED_LINK = re.compile(r"\[(?=[^\]]*\]\()")
_PLACEHOLDER = re.compile(r"\{(?=\d+\})")

Json = dict[str, Any]  # the wire form of another standard; its shape is asserted by tests


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reader of SARIF is told about a check.

    Attributes:
        id: The check's id.
        summary: One line.
        severity: Of its findings by default.
        category: What its findings are grouped under.
    """

    id: str
    summary: str
    severity: Severity
    category: Category


def sarif(
    session: Session,
    findings: Sequence[NumberedFinding],
    *,
    rules: Iterable[Rule],
    version: str,
    repository_uri: str | None = None,
) -> Json:
    """The SARIF log of a round.

    Args:
        session: For the commits.
        findings: What is still there after the accepted commands.
        rules: The checks that ran.
        version: Of Draftgate.
        repository_uri: Where the repository can be cloned from; ``None`` for a local one without such a place.
    """
    descriptors = _descriptors(rules, findings)
    index = {descriptor["id"]: number for number, descriptor in enumerate(descriptors)}
    driver = {"name": "Draftgate", "version": version, "semanticVersion": version, "rules": descriptors}
    run: Json = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository at the reviewed commit."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(shown, index) for shown in findings],
    }
    if session.scope is not None:
        run["properties"] = {"baseSha": session.scope.base, "headSha": session.scope.head, "round": session.round}
        if repository_uri is not None:
            run["versionControlProvenance"] = [_provenance(session, repository_uri, session.scope.head)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _descriptors(rules: Iterable[Rule], findings: Sequence[NumberedFinding]) -> list[Json]:
    """One descriptor a check, in id order, and one for all agents if an agent found something (§3.49)."""
    descriptors = [
        {
            "id": rule.id,
            "shortDescription": {"text": _message(rule.summary)},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {"tags": [str(rule.category)]},
        }
        for rule in sorted(rules, key=lambda rule: rule.id)
    ]
    known = {descriptor["id"] for descriptor in descriptors}
    others = sorted({_rule_id(shown.finding) for shown in findings} - known)
    return [*descriptors, *({"id": rule_id, "shortDescription": {"text": rule_id}} for rule_id in others)]


def _rule_id(finding: Finding) -> str:
    return finding.check or _AGENT_RULE


def _provenance(session: Session, repository_uri: str, head: str) -> Json:
    """§3.23; ``mappedTo`` says which folder of the log the repository is."""
    return {
        "repositoryUri": repository_uri,
        "revisionId": head,
        "branch": visible(session.change.head_ref),
        "mappedTo": {"uriBaseId": _ROOT},
    }


def _result(shown: NumberedFinding, index: dict[str, int]) -> Json:
    finding = shown.finding
    rule_id = _rule_id(finding)
    result: Json = {
        "ruleId": rule_id,
        "ruleIndex": index[rule_id],
        "level": _LEVELS[finding.severity],
        "message": {
            "text": _message("\n\n".join(part for part in (finding.subject, finding.body) if part)),
            "markdown": comment_text(finding),
        },
        "locations": _locations(finding),
        "partialFingerprints": {"draftgate/v1": finding.fingerprint},
        "rank": float(finding.confidence),
        "properties": _properties(shown),
    }
    if finding.related:
        result["relatedLocations"] = [_related(number, place) for number, place in enumerate(finding.related, start=1)]
    if fix := _fix(finding):
        result["fixes"] = [fix]
    return result


def _properties(shown: NumberedFinding) -> Json:
    finding = shown.finding
    return {
        "number": shown.number,
        "label": str(finding.label),
        "decorations": [str(decoration) for decoration in finding.decorations],
        "severity": finding.severity.value,
        "confidence": finding.confidence,
        "category": str(finding.category),
        "scope": str(finding.scope),
        "source": list(finding.sources),
        "tags": [str(finding.category)],
    }


def _locations(finding: Finding) -> list[Json]:
    """The anchor; a line of the old side has no region, because the log describes the head commit."""
    anchor = finding.anchor
    if anchor.kind is AnchorKind.NONE or anchor.path is None:
        return []
    physical: Json = {"artifactLocation": _artifact(anchor.path)}
    if anchor.line is not None and anchor.side is Side.RIGHT:
        physical["region"] = {"startLine": anchor.start_line or anchor.line, "endLine": anchor.line}
    return [{"physicalLocation": physical}]


def _related(number: int, place: Place) -> Json:
    physical = {"artifactLocation": _artifact(place.path), "region": {"startLine": place.line}}
    return {"id": number, "physicalLocation": physical, "message": {"text": "also concerned"}}


def _fix(finding: Finding) -> Json | None:
    """The suggested change (§3.55): whole lines, so an empty insertion leaves no empty line behind."""
    anchor = finding.anchor
    if finding.suggestion is None or anchor.path is None or anchor.line is None or anchor.side is not Side.RIGHT:
        return None
    text = finding.suggestion
    inserted = f"{text}\n" if text and not text.endswith("\n") else text
    first = anchor.start_line or anchor.line
    deleted = {"startLine": first, "startColumn": 1, "endLine": anchor.line + 1, "endColumn": 1}
    replacement = {"deletedRegion": deleted, "insertedContent": {"text": _encodable(inserted)}}
    change = {"artifactLocation": _artifact(anchor.path), "replacements": [replacement]}
    return {"description": {"text": "Suggested change"}, "artifactChanges": [change]}


def _artifact(path: str) -> Json:
    """§3.4.3: a relative URI reference; every byte of the path that is not plain is encoded."""
    return {"uri": quote(path.encode("utf-8", "surrogateescape"), safe="/"), "uriBaseId": _ROOT}


def _message(text: str) -> str:
    """Plain text in which nothing reads as an embedded link (§3.11.6) or a placeholder (§3.11.5)."""
    return _PLACEHOLDER.sub("{{", _EMBEDDED_LINK.sub(r"\\[", visible(text)))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
