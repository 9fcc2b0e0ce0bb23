"""The transition table of sessions: what may follow what, and that nothing else may."""

from __future__ import annotations

import itertools

import pytest

from draftgate.domain.phase import TRANSITIONS, Phase, require
from draftgate.errors import IllegalTransition


def test_every_phase_has_a_row() -> None:
    assert set(TRANSITIONS) == set(Phase)


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_can_be_finalized_and_every_phase_can_be_reached(phase: Phase) -> None:
    assert Phase.FINALIZED in TRANSITIONS[phase].following
    assert any(phase in row.following for row in TRANSITIONS.values())


@pytest.mark.parametrize(
    ("present", "following"),
    [
        (Phase.AWAITING_APPROVAL, Phase.SUBMITTED),
        (Phase.SUBMITTED, Phase.SUBMITTING),
        (Phase.SUBMITTED, Phase.AWAITING_APPROVAL),
        (Phase.SCORING, Phase.SUBMITTING),
        (Phase.ABORTED, Phase.AWAITING_APPROVAL),
        (Phase.FINALIZED, Phase.SUBMITTING),
        (Phase.SUBMITTING, Phase.VALIDATING),
    ],
)
def test_no_way_leads_around_the_gate(present: Phase, following: Phase) -> None:
    """Only a frozen payload becomes a review, and what is being submitted is not overtaken by a new round."""
    with pytest.raises(IllegalTransition, match=f"{present} cannot become {following}"):
        require(present, following)


def test_the_way_of_a_review_is_legal_from_end_to_end() -> None:
    way = [
        Phase.VALIDATING,
        Phase.IDENTIFYING,
        Phase.GATHERING,
        Phase.RUNNING_AGENTS,
        Phase.SCORING,
        Phase.AWAITING_APPROVAL,
        Phase.SUBMITTING,
        Phase.SUBMITTED,
        Phase.VALIDATING,
    ]

    for present, following in itertools.pairwise(way):
        require(present, following)


def test_a_new_round_may_begin_while_a_verdict_is_to_be_chosen() -> None:
    require(Phase.CHOOSING_VERDICT, Phase.VALIDATING)
