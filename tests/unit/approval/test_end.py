"""The ends that publish nothing."""

from __future__ import annotations

import pytest

from draftgate.approval.end import discard, finalize
from draftgate.commands.dispatch import run_comment
from draftgate.commands.replay import amended_round
from draftgate.domain.phase import Phase
from draftgate.domain.session import Outcome
from tests.builders import blocker, finding
from tests.fakes.rounds import Shown, show


@pytest.fixture
def shown() -> Shown:
    made = show([blocker(fingerprint="b" * 16), finding(fingerprint="a" * 16)])
    list(run_comment(made.scene(), made.given("/drop-finding 1 known")))
    made.forge.kept.writes.clear()
    return made


def test_a_discarded_round_keeps_its_rejections_and_no_draft(shown: Shown) -> None:
    discard(shown.forge, shown.journal, shown.session, amended_round(shown.session))

    assert shown.session.phase is Phase.ABORTED
    assert [(each.fingerprint[0], each.outcome) for each in shown.session.decisions] == [("b", Outcome.REJECTED)]
    assert shown.forge.load_draft() is None


def test_a_finalized_session_remembers_nothing(shown: Shown) -> None:
    finalize(shown.forge, shown.journal, shown.session)

    assert shown.session.phase is Phase.FINALIZED
    assert (shown.session.decisions, shown.session.commands) == ((), ())
    assert shown.forge.load_draft() is None


@pytest.mark.parametrize("end", ["discard", "finalize"])
def test_the_draft_goes_first_so_that_a_cut_off_end_can_be_given_again(shown: Shown, end: str) -> None:
    if end == "discard":
        discard(shown.forge, shown.journal, shown.session, amended_round(shown.session))
    else:
        finalize(shown.forge, shown.journal, shown.session)

    assert shown.forge.kept.writes == ["no draft", "session"]
