"""The phases of a session and the one table of what may follow what.

Every change of phase goes through `require`; what the table does not list is refused. The diagram in
the reference is generated from the same table, so the two cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from draftgate.errors import IllegalTransition


class Phase(StrEnum):
    """Where a session stands."""

    VALIDATING = "validating"
    IDENTIFYING = "identifying"
    GATHERING = "gathering"
    RUNNING_AGENTS = "running-agents"
    SCORING = "scoring"
    AWAITING_APPROVAL = "awaiting-approval"
    CHOOSING_VERDICT = "choosing-verdict"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    AGENTS_FAILED = "agents-failed"
    FINDINGS_DELIVERED = "findings-delivered"
    FIXING = "fixing"
    DELEGATED = "delegated"
    RESPONDED = "responded"
    ABORTED = "aborted"
    FAILED = "failed"
    SUPERSEDED = "superseded"
    FINALIZED = "finalized"


UNDECIDED = frozenset({Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT, Phase.SUPERSEDED})
"""A round that ended in one of these was shown, and nobody decided about it."""


class Recovery(StrEnum):
    """What a run does with a session that it finds in a phase."""

    RUN_AGAIN = "the round runs again from the beginning"
    SHOW_AGAIN = "the findings are shown again"
    ASK_AGAIN = "the verdict is asked for again"
    POST_WHAT_IS_MISSING = "the review is looked for and only what is missing is posted, from the frozen payload"
    WAIT_FOR_A_PERSON = "a person retries the agent, goes on without it or aborts"
    MENU_AGAIN = "the menu is shown again"
    NEVER = "it is not resumed"
    CLEAN_UP = "what is left over is removed"


@dataclass(frozen=True, slots=True)
class Row:
    """One phase: what may follow, what its entry sets and clears in the session, and its recovery."""

    following: frozenset[Phase]
    recovery: Recovery
    sets: tuple[str, ...] = ()
    clears: tuple[str, ...] = ()


_ENDS = frozenset({Phase.FAILED, Phase.ABORTED, Phase.SUPERSEDED, Phase.FINALIZED})
"""Any phase may fail, be aborted, be overtaken by a newer head, or be finalized."""


def _row(*following: Phase, recovery: Recovery, sets: tuple[str, ...] = (), clears: tuple[str, ...] = ()) -> Row:
    return Row(frozenset(following) | _ENDS, recovery, sets, clears)


_NEW_ROUND = Phase.VALIDATING

TRANSITIONS: dict[Phase, Row] = {
    Phase.VALIDATING: _row(
        Phase.IDENTIFYING,
        _NEW_ROUND,
        recovery=Recovery.RUN_AGAIN,
        sets=("round",),
        clears=("scope", "result", "seal", "shown_at", "commands", "payload", "submission", "failure"),
    ),
    Phase.IDENTIFYING: _row(Phase.GATHERING, _NEW_ROUND, recovery=Recovery.RUN_AGAIN, sets=("change",)),
    Phase.GATHERING: _row(Phase.RUNNING_AGENTS, _NEW_ROUND, recovery=Recovery.RUN_AGAIN, sets=("scope",)),
    Phase.RUNNING_AGENTS: _row(Phase.SCORING, Phase.AGENTS_FAILED, _NEW_ROUND, recovery=Recovery.RUN_AGAIN),
    Phase.AGENTS_FAILED: _row(
        Phase.RUNNING_AGENTS,
        Phase.SCORING,
        _NEW_ROUND,
        recovery=Recovery.WAIT_FOR_A_PERSON,
        sets=("failure", "kept", "spent"),
    ),
    Phase.SCORING: _row(
        Phase.AWAITING_APPROVAL, Phase.FINDINGS_DELIVERED, _NEW_ROUND, recovery=Recovery.RUN_AGAIN, sets=("spent",)
    ),
    Phase.AWAITING_APPROVAL: _row(
        Phase.AWAITING_APPROVAL,
        Phase.CHOOSING_VERDICT,
        Phase.SUBMITTING,
        _NEW_ROUND,
        recovery=Recovery.SHOW_AGAIN,
        sets=("result", "seal", "shown_at", "commands"),
        clears=("payload", "kept"),
    ),
    Phase.CHOOSING_VERDICT: _row(Phase.AWAITING_APPROVAL, Phase.SUBMITTING, _NEW_ROUND, recovery=Recovery.ASK_AGAIN),
    Phase.SUBMITTING: _row(
        Phase.SUBMITTED,
        Phase.AWAITING_APPROVAL,
        recovery=Recovery.POST_WHAT_IS_MISSING,
        sets=("payload",),
    ),
    Phase.SUBMITTED: _row(_NEW_ROUND, recovery=Recovery.CLEAN_UP, sets=("submission", "decisions")),
    Phase.FINDINGS_DELIVERED: _row(
        Phase.FIXING, Phase.DELEGATED, _NEW_ROUND, recovery=Recovery.MENU_AGAIN, sets=("result",)
    ),
    Phase.FIXING: _row(Phase.FINDINGS_DELIVERED, Phase.RESPONDED, _NEW_ROUND, recovery=Recovery.NEVER),
    Phase.DELEGATED: _row(Phase.RESPONDED, _NEW_ROUND, recovery=Recovery.NEVER),
    Phase.RESPONDED: _row(_NEW_ROUND, recovery=Recovery.NEVER),
    Phase.ABORTED: _row(_NEW_ROUND, recovery=Recovery.NEVER),
    Phase.FAILED: _row(_NEW_ROUND, recovery=Recovery.RUN_AGAIN, sets=("failure",)),
    Phase.SUPERSEDED: _row(_NEW_ROUND, recovery=Recovery.NEVER),
    Phase.FINALIZED: _row(_NEW_ROUND, recovery=Recovery.NEVER),
}


PASSING = frozenset({Phase.IDENTIFYING, Phase.GATHERING, Phase.RUNNING_AGENTS, Phase.SCORING, Phase.CHOOSING_VERDICT})
"""Phases that are over in a moment: on a forge they are kept in memory and go to the log, not into the conversation."""


def require(present: Phase, following: Phase) -> None:
    """Refuse a change of phase that the table does not list.

    Raises:
        IllegalTransition: ``following`` may not come after ``present``.
    """
    if following not in TRANSITIONS[present].following:
        raise IllegalTransition(
            f"a session that is {present} cannot become {following}",
            hint="start a new round with `draftgate review`",
        )
