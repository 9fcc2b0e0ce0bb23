"""The payload of an approval: exactly what a person approved, with the verdict that follows or was given."""

from __future__ import annotations

import pytest

from draftgate.approval.freeze import freeze
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import Given
from draftgate.domain.amend import AmendedRound
from draftgate.domain.canonical import digest
from draftgate.domain.decide import reject_only
from draftgate.domain.finding import Label
from draftgate.domain.review import Verdict
from draftgate.domain.session import ApprovedPayload, Outcome, Session
from draftgate.errors import IllegalTransition
from tests.builders import blocker, finding, session

FINDINGS = (
    blocker("a column is read", fingerprint="b" * 16),
    finding("two callers break", fingerprint="a" * 16),
    finding("a spelling", label=Label.NITPICK, fingerprint="c" * 16),
)
GIVEN = Given("7", "a maintainer", "/approve-findings", "2026-01-02T11:00:00Z")


def amended(*commands: str) -> tuple[Session, AmendedRound]:
    given = tuple(Given(str(at), "a maintainer", text, "2026-01-02T10:30:00Z") for at, text in enumerate(commands))
    made = session(FINDINGS, commands=given)
    return made, amended_round(made)


def payload(*numbers: int, commands: tuple[str, ...] = (), verdict: Verdict | None = None) -> ApprovedPayload:
    return freeze(*amended(*commands), frozenset(numbers), verdict, GIVEN)


VERDICTS: dict[str, tuple[tuple[int, ...], tuple[str, ...], Verdict]] = {
    "a-blocker": ((1, 2, 3), (), Verdict.REQUEST_CHANGES),
    "an-issue": ((2, 3), (), Verdict.COMMENT),
    "no-issue": ((3,), (), Verdict.COMMENT),
    "nothing": ((), (), Verdict.COMMENT),
    "a-blocker-that-is-none-any-more": ((1,), ("/relabel-finding 1 note",), Verdict.COMMENT),
    "a-nitpick-that-blocks-now": ((3,), ("/relabel-finding 3 issue (blocking)",), Verdict.REQUEST_CHANGES),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_without_a_word_the_verdict_follows_from_what_is_approved_and_never_approves(case: str) -> None:
    numbers, commands, verdict = VERDICTS[case]

    assert payload(*numbers, commands=commands).verdict is verdict


@pytest.mark.parametrize("verdict", list(Verdict), ids=str)
def test_a_verdict_that_was_given_is_the_verdict(verdict: Verdict) -> None:
    assert payload(1, verdict=verdict).verdict is verdict


def test_a_dropped_finding_is_never_published_even_if_its_number_is_given() -> None:
    frozen = payload(1, 2, commands=("/drop-finding 1 known",))

    assert frozen.numbers == (2,)
    assert [comment.number for comment in frozen.comments] == [2]


def test_an_edited_text_is_what_is_posted() -> None:
    frozen = payload(2, commands=("/edit-finding 2\nWho calls it?",))

    assert frozen.comments[0].text == "Who calls it?"


def test_the_body_is_narrowed_to_what_is_approved() -> None:
    made, round_ = amended()
    assert made.result is not None

    everything = freeze(made, round_, frozenset({1, 2, 3}), None, GIVEN)

    assert everything.body == made.result.body


def test_a_body_that_a_person_wrote_is_not_touched() -> None:
    frozen = payload(2, commands=("/edit-review-body\nTwo things.",))

    assert frozen.body == "Two things."


def test_it_names_what_it_was_made_from() -> None:
    made, round_ = amended()

    frozen = freeze(made, round_, frozenset({1}), None, GIVEN)

    assert frozen.result_digest == digest(made.result)
    assert (frozen.seal, frozen.given) == (made.seal, GIVEN)


def test_a_reason_makes_a_rejection_and_no_reason_leaves_out() -> None:
    frozen = payload(3, commands=("/drop-finding 1 known", "/drop-finding 2"))

    assert [(decision.outcome, decision.reason) for decision in frozen.decisions] == [
        (Outcome.REJECTED, "known"),
        (Outcome.LEFT_OUT, ""),
        (Outcome.PUBLISHED, ""),
    ]


def test_of_a_round_that_is_discarded_only_the_rejections_are_kept() -> None:
    made, round_ = amended("/drop-finding 1 known", "/drop-finding 2")

    kept = reject_only(made, round_, "2026-01-02T11:00:00Z")

    assert [(decision.fingerprint[0], decision.outcome) for decision in kept] == [("b", Outcome.REJECTED)]


def test_there_is_nothing_to_freeze_before_findings_were_shown() -> None:
    with pytest.raises(IllegalTransition, match="shows no findings"):
        freeze(session((), result=None), AmendedRound(()), frozenset(), None, GIVEN)
