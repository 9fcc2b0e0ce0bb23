"""A session as text, in the format that was asked for."""

from __future__ import annotations

import json
from enum import StrEnum

from draftgate import __version__
from draftgate.approval.freeze import require_shown
from draftgate.bootstrap.workspace import Workspace, checkpoint_page
from draftgate.checks.registry import load_checks
from draftgate.cli.streams import screen
from draftgate.commands.replay import amended_round
from draftgate.domain.change import ChangeRequest
from draftgate.domain.finding import severity_of
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import Coverage, NumberedFinding, RoundKind, RoundResult
from draftgate.domain.session import RoundScope, Session
from draftgate.pipeline.identify import NothingToReview
from draftgate.render import terminal
from draftgate.render.sarif import Rule, sarif


class Format(StrEnum):
    """What ``--format`` takes."""

    CARDS = "cards"
    JSON = "json"
    MARKDOWN = "markdown"
    SARIF = "sarif"


def render(session: Session, wanted: Format) -> str:
    """The findings of a session."""
    match wanted:
        case Format.CARDS:
            page = terminal.submitted_page if session.phase is Phase.SUBMITTED else terminal.review_page
            return page(session, amended_round(session), screen())
        case Format.MARKDOWN:
            return checkpoint_page(session).text
        case Format.JSON:
            return _json(session)
        case Format.SARIF:
            kept = tuple(NumberedFinding(entry.number, entry.finding) for entry in amended_round(session).kept)
            return json.dumps(sarif(session, kept, rules=_rules(), version=__version__), indent=2) + "\n"


def render_nothing(workspace: Workspace, nothing: NothingToReview, wanted: Format) -> str:
    """No findings about no change, as a whole document."""
    return render(_empty_session(workspace, nothing), wanted)


def _empty_session(workspace: Workspace, nothing: NothingToReview) -> Session:
    head = nothing.head
    return Session(
        key="",
        instance=workspace.config.checkpoint.instance,
        change=ChangeRequest("local", workspace.repository.root.name, None, "", None, "", "", ""),
        revision=0,
        round=1,
        phase=Phase.AWAITING_APPROVAL,
        started_at="",
        updated_at="",
        scope=RoundScope(
            head, head, head, (), "", "", RoundKind.INITIAL, None, (nothing.reason,), False, 0, "", "", "", ""
        ),
        result=RoundResult((), (), Coverage(0, 0), (), "", Verdict.APPROVE),
    )


def _rules() -> tuple[Rule, ...]:
    return tuple(
        Rule(check.id, check.summary, severity_of(check.label, check.decorations), check.category)
        for check in load_checks()
    )


def _json(session: Session) -> str:
    from draftgate.schemas.result import result_json  # noqa: PLC0415 - its models take long to build

    scope, result = require_shown(session)
    return result_json(session, result, amended_round(session), base_sha=scope.base, head_sha=scope.head)
