"""Submission, exactly once, in whatever state the forge is found."""

from __future__ import annotations

import dataclasses

import pytest

from draftgate.approval import submit
from draftgate.approval.freeze import freeze
from draftgate.commands.replay import amended_round
from draftgate.domain.canonical import digest
from draftgate.domain.phase import Phase
from draftgate.domain.review import PublishedReview, Verdict
from draftgate.domain.session import ApprovedPayload, Outcome, Session
from draftgate.errors import CommandRefused, HeadMoved, IllegalTransition, IntegrityError, SealMismatch
from tests.builders import BASE, blocker, finding
from tests.fakes.rounds import Shown, show

FINDINGS = (blocker(fingerprint="b" * 16), finding(fingerprint="a" * 16), finding("a third", fingerprint="c" * 16))


@pytest.fixture
def shown() -> Shown:
    return show(FINDINGS)


def payload_of(shown: Shown, *numbers: int, verdict: Verdict | None = None) -> ApprovedPayload:
    session = shown.session
    return freeze(session, amended_round(session), frozenset(numbers), verdict, shown.given("/approve-findings"))


def begin(shown: Shown, *numbers: int) -> Session:
    return submit.begin(shown.forge, shown.journal, shown.session, payload_of(shown, *numbers))


def finish(shown: Shown) -> tuple[Session, PublishedReview]:
    return submit.finish(shown.forge, shown.journal, shown.session)


def reviews(shown: Shown) -> list[object]:
    return [thing for place, thing in shown.forge.kept.things.items() if place[0] == "review"]


def test_what_was_approved_is_frozen_before_anything_else_is_written(shown: Shown) -> None:
    begin(shown, 1, 3)

    assert shown.forge.kept.writes == ["session"]
    assert shown.session.phase is Phase.SUBMITTING
    assert shown.session.payload is not None
    assert shown.session.payload.numbers == (1, 3)


def test_the_order_is_draft_then_review_then_record(shown: Shown) -> None:
    begin(shown, 1, 3)

    session, review = finish(shown)

    assert shown.forge.kept.writes == ["session", "draft", "review", "no draft", "session"]
    assert [comment.number for comment in review.comments] == [1, 3]
    assert session == shown.session
    assert session.submission is not None
    assert (session.submission.reference, session.submission.numbers) == (review.reference, (1, 3))


def test_a_draft_that_is_the_payload_already_is_not_written_again(shown: Shown) -> None:
    session = begin(shown, 1, 3)
    payload = session.payload
    assert payload is not None
    finish(shown)
    shown.forge.kept.things["session", shown.forge.key] = session
    [(place, review)] = [(key, thing) for key, thing in shown.forge.kept.things.items() if key[0] == "review"]
    shown.forge.kept.writes.clear()

    finish(shown)

    assert shown.forge.kept.writes == ["session"]
    assert shown.forge.kept.things[place] == review


def test_the_decisions_say_what_became_of_every_finding(shown: Shown) -> None:
    begin(shown, 1)

    session, _ = finish(shown)

    assert [(decision.fingerprint[0], decision.outcome) for decision in session.decisions] == [
        ("b", Outcome.PUBLISHED),
        ("a", Outcome.LEFT_OUT),
        ("c", Outcome.LEFT_OUT),
    ]


def test_a_later_decision_replaces_an_earlier_one(shown: Shown) -> None:
    begin(shown, 1)
    session, _ = finish(shown)
    later = dataclasses.replace(session.decisions[0], outcome=Outcome.REJECTED, round=2)

    remembered = submit.remember(session.decisions, (later,))

    assert len(remembered) == 3
    assert remembered[0] == later


# --- A head that moved -----------------------------------------------------------------------------------------------


def test_a_moved_head_supersedes_before_anything_is_frozen(shown: Shown) -> None:
    payload = payload_of(shown, 1)
    shown.forge.kept.head = BASE

    with pytest.raises(HeadMoved, match="was reviewed") as caught:
        submit.begin(shown.forge, shown.journal, shown.session, payload)

    assert "nothing was submitted" in caught.value.hint
    assert shown.session.phase is Phase.SUPERSEDED
    assert shown.session.payload is None
    assert shown.forge.load_draft() is None


def test_a_head_that_moves_after_the_freeze_still_publishes_nothing(shown: Shown) -> None:
    begin(shown, 1)
    shown.forge.kept.head = BASE

    with pytest.raises(HeadMoved):
        finish(shown)

    assert reviews(shown) == []
    assert shown.session.phase is Phase.SUPERSEDED
    assert shown.forge.load_draft() is None


def test_a_head_that_moves_after_the_publication_changes_nothing(shown: Shown) -> None:
    before = begin(shown, 1)
    finish(shown)
    shown.forge.kept.things["session", shown.forge.key] = before
    shown.forge.kept.head = BASE

    session, _ = finish(shown)

    assert session.phase is Phase.SUBMITTED
    assert len(reviews(shown)) == 1


# --- What does not belong together -----------------------------------------------------------------------------------


def test_a_draft_that_is_gone_is_refused(shown: Shown) -> None:
    payload = payload_of(shown, 1)
    shown.forge.delete_draft()

    with pytest.raises(SealMismatch, match="the draft review is gone"):
        submit.begin(shown.forge, shown.journal, shown.session, payload)


def test_where_no_draft_is_held_none_is_missed() -> None:
    shown = show(FINDINGS, holds_draft=False)

    begin(shown, 2)
    finish(shown)

    assert len(reviews(shown)) == 1


def test_scope_artifacts_that_are_gone_are_refused(shown: Shown) -> None:
    payload = payload_of(shown, 1)
    del shown.forge.kept.things["scope", shown.forge.key]

    with pytest.raises(SealMismatch, match="scope evidence of this round is gone"):
        submit.begin(shown.forge, shown.journal, shown.session, payload)


def test_a_session_with_another_seal_is_refused(shown: Shown) -> None:
    payload = payload_of(shown, 1)
    forged = dataclasses.replace(shown.session, seal="0" * 64)

    with pytest.raises(SealMismatch, match="seal of the session"):
        submit.begin(shown.forge, shown.journal, forged, payload)


def test_nothing_can_be_approved_before_findings_were_shown(shown: Shown) -> None:
    unshown = dataclasses.replace(shown.session, result=None)

    with pytest.raises(IllegalTransition, match="shows no findings"):
        submit.require_sealed(shown.forge, unshown)


def test_only_a_frozen_payload_is_finished(shown: Shown) -> None:
    with pytest.raises(IllegalTransition, match="nothing is being submitted"):
        finish(shown)


def test_a_payload_of_another_result_is_refused(shown: Shown) -> None:
    session = begin(shown, 1)
    assert session.payload is not None
    shown.forge.kept.things["session", shown.forge.key] = dataclasses.replace(
        session, payload=dataclasses.replace(session.payload, result_digest="0" * 64)
    )

    with pytest.raises(IntegrityError, match="does not belong to the findings"):
        finish(shown)

    assert reviews(shown) == []


def test_a_draft_that_does_not_arrive_is_not_published(shown: Shown) -> None:
    begin(shown, 1)
    shown.forge.loses = "draft"

    with pytest.raises(IntegrityError, match="draft read back"):
        finish(shown)

    assert reviews(shown) == []
    assert shown.session.phase is Phase.SUBMITTING


def test_a_review_that_does_not_arrive_is_never_recorded_as_submitted(shown: Shown) -> None:
    begin(shown, 1)
    shown.forge.loses = "review"

    with pytest.raises(IntegrityError, match="cannot be read back"):
        finish(shown)

    assert shown.session.phase is Phase.SUBMITTING


def test_a_review_that_people_changed_before_it_was_recorded_is_taken_as_it_is(shown: Shown) -> None:
    """Between the submission and its record people may dismiss it, edit it or delete a comment."""
    session = begin(shown, 1)
    finish(shown)
    [place] = [place for place in shown.forge.kept.things if place[0] == "review"]
    review = shown.forge.kept.things[place]
    assert isinstance(review, PublishedReview)
    shown.forge.kept.things[place] = dataclasses.replace(review, comments=(), body="Edited.")
    shown.forge.kept.things["session", shown.forge.key] = session

    submitted, _ = finish(shown)

    assert submitted.submission is not None
    assert submitted.submission.numbers == (1,)
    assert (review.seal, review.payload_digest) == (session.seal, digest(session.payload))


def test_of_two_approvals_at_once_the_second_takes_the_first_as_it_is(shown: Shown) -> None:
    second = payload_of(shown, 2)
    first = begin(shown, 1)
    finish(shown)
    other = dataclasses.replace(first, payload=second)
    shown.forge.kept.things["session", shown.forge.key] = other

    with pytest.raises(CommandRefused, match="another approval was submitted first: 1 as"):
        finish(shown)

    assert shown.session.phase is Phase.SUBMITTED
    assert shown.session.submission is not None
    assert shown.session.submission.numbers == (1,)
    assert len([place for place in shown.forge.kept.things if place[0] == "review"]) == 1
