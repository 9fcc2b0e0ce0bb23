"""Findings and sessions for tests, each with sensible defaults so that a test names only what it is about."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Decoration, Evidence, Finding, Label
from draftgate.domain.phase import Phase
from draftgate.domain.review import recommend_verdict
from draftgate.domain.round import CheckRun, Coverage, NumberedFinding, RoundKind, RoundResult
from draftgate.domain.session import RoundScope, Session

BASE = CommitSha("b81d004" + "0" * 33)
HEAD = CommitSha("3f9c2ab" + "0" * 33)


def line_anchor(path: str = "app/models/team.py", line: int = 44, *, start_line: int | None = None) -> Anchor:
    """An anchor on a line, or on a range, of the new side."""
    return Anchor(AnchorKind.LINE, path, Side.RIGHT, start_line, line)


def evidence_around(anchor: Anchor, *lines: str) -> Evidence | None:
    """Quoted lines of which the second is the anchored one (the first, where there is no line before)."""
    if anchor.path is None:
        return None
    quoted = lines or ("# before", "the_line()", "# after")
    return Evidence(anchor.path, max(1, (anchor.line or 2) - 1), quoted)


def finding(subject: str = "two callers still pass the old argument", **changes: object) -> Finding:
    """A finding on a line of the diff; ``changes`` are fields of `Finding`."""
    made = Finding(
        check="impact.callers",
        sources=("builtin",),
        label=Label.ISSUE,
        decorations=(),
        confidence=75,
        category=Category.IMPACT,
        subject=subject,
        body="`role` became required here.",
        anchor=line_anchor(),
        evidence=evidence_around(line_anchor()),
        caught_by="review/1/builtin",
        fingerprint="f" * 64,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def blocker(subject: str = "two requests can create the same row", **changes: object) -> Finding:
    """A finding that must be fixed before merge."""
    defaults: dict[str, object] = {"decorations": (Decoration.BLOCKING,), "confidence": 90, **changes}
    return finding(subject, **defaults)


def result(findings: Iterable[Finding] = (), **changes: object) -> RoundResult:
    """A result with these findings, numbered in the order given."""
    shown = tuple(findings)
    made = RoundResult(
        findings=tuple(NumberedFinding(number, each) for number, each in enumerate(shown, start=1)),
        dropped=(),
        coverage=Coverage(files=3, reviewed=3),
        checks=(CheckRun("impact.callers", len(shown), len(shown), 0.4),),
        body="Draftgate reviewed `3f9c2ab`, and a person approved what is published here.",
        recommended=recommend_verdict(shown),
        automated_s=0.8,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def scope(**changes: object) -> RoundScope:
    """The proved range of a first round."""
    made = RoundScope(
        base_tip=BASE,
        base=BASE,
        head=HEAD,
        other_bases=(),
        base_named="refs/heads/main",
        head_named="refs/heads/feature/invitations",
        kind=RoundKind.INITIAL,
        last_reviewed=None,
        reasons=(),
        includes_worktree=False,
        uncommitted=0,
        configuration_digest="c" * 64,
        evidence_digest="e" * 64,
        decision_digest="d" * 64,
        handoff_digest="a" * 64,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def change(**changes: object) -> ChangeRequest:
    """A local branch under review."""
    made = ChangeRequest(
        forge="local",
        repository="rooms",
        number=None,
        title="Add invitations to teams",
        url=None,
        base_ref="main",
        head_ref="feature/invitations",
        author="draftgate-test",
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def session(findings: Iterable[Finding] = (), **changes: object) -> Session:
    """A session whose findings wait for approval; ``changes`` are fields of `Session`."""
    made = Session(
        key="feature/invitations",
        instance="draftgate",
        change=change(),
        revision=3,
        round=1,
        phase=Phase.AWAITING_APPROVAL,
        started_at="2026-01-02T10:00:00Z",
        updated_at="2026-01-02T10:00:01Z",
        shown_at="2026-01-02T10:00:01Z",
        scope=scope(),
        result=result(findings),
        seal="9f2c" + "0" * 60,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def amended(source: Session, *, changed: Iterable[AmendedFinding] = (), body: str | None = None) -> AmendedRound:
    """The findings of a session as shown, but for those in ``changed``."""
    by_number = {entry.number: entry for entry in changed}
    shown = source.result.findings if source.result else ()
    entries = (by_number.get(each.number, AmendedFinding(each.number, each.finding)) for each in shown)
    return AmendedRound(tuple(entries), body)
