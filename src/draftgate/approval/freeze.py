"""From a selection to the frozen payload: the review that a human approved, byte for byte.

Nothing here writes. The body is narrowed to the approved set only by removing, never by a model.
"""

from __future__ import annotations

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.canonical import digest
from draftgate.domain.decide import decide, remember
from draftgate.domain.review import Verdict, verdict_without_choice
from draftgate.domain.round import RoundResult
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, RoundScope, Session
from draftgate.errors import IllegalTransition
from draftgate.render.comment import narrow_body
from draftgate.render.draft import draft_comments
from draftgate.render.page import close_fence
from draftgate.render.quick_actions import escape_commands


def freeze(
    session: Session,
    amended: AmendedRound,
    numbers: frozenset[int],
    chosen: Verdict | None,
    command: AcceptedCommand,
) -> ApprovedPayload:
    """The payload of an approval.

    Args:
        session: A session whose findings wait.
        amended: Its findings after all accepted commands.
        numbers: What was approved; findings that were dropped are not among them.
        chosen: The verdict that was written, ``None`` for the rule.
        command: The approval as it was given.
    """
    scope, result = require_shown(session)
    approved = tuple(entry for entry in amended.kept if entry.number in numbers)
    verdict = verdict_without_choice(entry.finding for entry in approved) if chosen is None else chosen
    decisions = decide(session, amended, numbers, command.at)
    return ApprovedPayload(
        result_digest=digest(result),
        seal=session.seal,
        head=scope.head,
        numbers=tuple(entry.number for entry in approved),
        verdict=verdict,
        body=_narrow(result, approved) if amended.body is None else escape_commands(close_fence(amended.body)),
        comments=draft_comments(approved, verdict, result.language),
        decisions=decisions,
        memory=digest(remember(session.decisions, decisions)),
        given=command,
    )


def _narrow(result: RoundResult, approved: tuple[AmendedFinding, ...]) -> str:
    """The body that was shown, without the lines of findings that are not published as they were shown."""
    unchanged = {entry.number for entry in approved if entry.text is None}
    as_shown = {entry.number: entry.finding for entry in approved}
    removed = (
        shown.finding
        for shown in result.findings
        if shown.number not in unchanged or as_shown[shown.number] != shown.finding
    )
    return narrow_body(result.body, removed)


def require_shown(session: Session) -> tuple[RoundScope, RoundResult]:
    """Scope and result of a round whose findings were shown.

    Raises:
        IllegalTransition: the session has none.
    """
    if session.scope is None or session.result is None:
        raise IllegalTransition(
            f"this session is {session.phase} and shows no findings", hint="run `draftgate review` first"
        )
    return session.scope, session.result
