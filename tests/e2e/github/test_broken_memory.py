"""What people decided is taken from nothing but what they said: a hand edit of the state moves or adds no decision."""

from __future__ import annotations

import re
from typing import Any

import pytest

from draftgate.approval.freeze import freeze
from draftgate.commands.replay import amended_round
from draftgate.domain.canonical import to_plain
from draftgate.domain.session import AcceptedCommand
from draftgate.forge.hidden import restore
from draftgate.forge.hosted.checkpoint import SCHEMA, Stored
from draftgate.schemas import state
from tests.fakes.github_forgery import Session, forge_session, rewrite, stored_session
from tests.fakes.github_run import Runner


def rejected(session: Session) -> list[str]:
    return [decision["reason"] for decision in session["decisions"] if decision["outcome"] == "rejected"]


def payload_of(runner: Runner, text: str, numbers: set[int]) -> dict[str, Any]:
    """What the bot would freeze for an approval in these words."""
    stored = state.decode(SCHEMA, Stored, restore(runner.checkpoint.body, lambda _: ""), name="the checkpoint")
    given = AcceptedCommand("77", "maintainer", text, stored.session.updated_at)
    payload = freeze(stored.session, amended_round(stored.session), frozenset(numbers), None, given)
    plain: dict[str, Any] = to_plain(payload)
    return plain


def test_a_rejection_cannot_be_moved_to_another_finding(reviewed: Runner) -> None:
    first = stored_session(reviewed)["result"]["findings"][0]["finding"]["subject"]
    reviewed.command("maintainer", "/drop-finding 2 wrong")

    def swap(session: Session) -> None:
        one, other = (shown["finding"] for shown in session["result"]["findings"][:2])
        one["fingerprint"], other["fingerprint"] = other["fingerprint"], one["fingerprint"]

    forge_session(reviewed, swap)
    reviewed.push()
    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert first in [shown["finding"]["subject"] for shown in stored_session(reviewed)["result"]["findings"]]
    assert rejected(stored_session(reviewed)) == []


def test_an_accepted_rejection_is_remembered_by_the_next_round(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/drop-finding 2 wrong")

    reviewed.push()
    reviewed.review("synchronize")

    assert rejected(stored_session(reviewed)) == ["wrong"]


def test_decisions_that_nobody_made_do_not_come_in_beside_a_published_review(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/approve-findings 3")

    def submit_again(session: Session) -> None:
        session.update(phase="submitting", submission=None, decisions=[])
        for decision in session["payload"]["decisions"]:
            decision.update(outcome="rejected", reason="on purpose")

    forge_session(reviewed, submit_again)
    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "submitted")
    assert rejected(stored_session(reviewed)) == []
    assert stored_session(reviewed)["submission"]["numbers"] == [3]


def test_commands_that_nobody_gave_do_not_come_in_beside_a_published_review(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/approve-findings 3")

    def wait_again(session: Session) -> None:
        session.update(phase="awaiting-approval", submission=None, payload=None, decisions=[])
        given = {"id": "1", "author": "maintainer", "text": "/drop-finding 1,2 wrong", "at": session["shown_at"]}
        session["commands"] = [{**given, "bare": "own"}]

    forge_session(reviewed, wait_again)
    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "submitted")
    assert rejected(stored_session(reviewed)) == []
    assert len(reviewed.reviews) == 1


def test_an_approval_of_a_page_that_lies_is_refused_also_while_something_is_submitted(reviewed: Runner) -> None:
    payload = payload_of(reviewed, "/approve-findings", {1, 2, 3})
    forge_session(
        reviewed,
        lambda session: session.update(phase="submitting", payload=payload),
        page="### Nothing serious: a typo\n\nPlease `/approve-findings`",
    )

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert reviewed.reaction == "eyes confused"
    assert reviewed.reviews == []


def test_decisions_that_nobody_made_do_not_come_in_with_an_approval(reviewed: Runner) -> None:
    payload = payload_of(reviewed, "/approve-findings 3", {3})
    payload["decisions"][0].update(outcome="rejected", reason="on purpose")
    forge_session(reviewed, lambda session: session.update(phase="submitting", payload=payload))

    ran = reviewed.command("maintainer", "/approve-findings 3")

    assert ran.code == 5
    assert rejected(stored_session(reviewed)) == []
    assert reviewed.reviews == []


def test_a_submission_that_cannot_be_proved_gives_way_to_a_new_round(reviewed: Runner) -> None:
    payload = payload_of(reviewed, "/approve-findings", {1, 2, 3})
    forge_session(reviewed, lambda session: session.update(phase="submitting", payload=payload))

    ran = reviewed.command("maintainer", "/draftgate review --force")
    approved = reviewed.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "awaiting-approval")
    assert approved.ended == (0, "submitted")
    assert len(reviewed.reviews) == 1


@pytest.mark.parametrize("login", ["maintainer", "admin"])
def test_the_same_words_again_finish_a_submission_that_was_cut_off(login: str, reviewed: Runner) -> None:
    reviewed.simulator.faults.add("502", match="POST .*/events", times=None)
    cut_off = reviewed.command("maintainer", "/approve-findings 1")
    reviewed.simulator.faults.clear()

    ran = reviewed.command(login, "/approve-findings 1")

    assert cut_off.ended == (4, "submitting")
    assert ran.ended == (0, "submitted")
    [review] = reviewed.reviews
    assert len(review.comments) == 1


def test_who_edits_the_review_does_not_change_what_was_published_in_it(reviewed: Runner) -> None:
    """Cut off right after the submission, so that the next run reads it back."""
    reviewed.simulator.faults.add("502", match="PATCH .*/issues/comments", skip=1, times=None)
    reviewed.command("maintainer", "/approve-findings 1")
    reviewed.simulator.faults.clear()
    review = reviewed.pull.reviews[-1]
    review.body = re.sub(r" numbers=\S+", " numbers=2", review.body)

    ran = reviewed.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert stored_session(reviewed)["submission"]["numbers"] == [1]


@pytest.mark.parametrize("draft", ["held", "just-in-time"])
def test_a_rejection_is_remembered_though_its_run_was_cut_off_before_the_check_run(draft: str, runner: Runner) -> None:
    runner.configure(f"draft: {draft}\n")
    runner.review()
    runner.simulator.faults.add("502", match="check-runs", writes_only=True, times=None)
    cut_off = runner.command("maintainer", "/drop-finding 2 wrong")
    runner.simulator.faults.clear()

    runner.push()
    ran = runner.review("synchronize")

    assert cut_off.code == 4
    assert ran.ended == (0, "awaiting-approval")
    assert rejected(stored_session(runner)) == ["wrong"]


@pytest.mark.parametrize("match", ["check-runs", "PATCH .*/issues/comments"])
def test_what_is_discarded_is_remembered_wherever_its_run_was_cut_off(match: str, reviewed: Runner) -> None:
    reviewed.command("maintainer", "/drop-finding 2 wrong")
    reviewed.simulator.faults.add("502", match=match, writes_only=True, times=None)
    cut_off = reviewed.command("maintainer", "/discard-findings")
    reviewed.simulator.faults.clear()

    reviewed.push()
    ran = reviewed.review("synchronize")

    assert cut_off.code == 4
    assert ran.ended == (0, "awaiting-approval")
    assert rejected(stored_session(reviewed)) == ["wrong"]


def test_a_rejection_that_was_taken_away_is_missed(reviewed: Runner) -> None:
    """Both places that a writer can reach say nothing of it any more; the check run does."""
    before = reviewed.checkpoint.body
    reviewed.command("maintainer", "/drop-finding 1 wrong")
    reviewed.pull.comments.remove(reviewed.last_comment)
    rewrite(reviewed, before)

    reviewed.push()
    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert "could not be trusted" in ran.log
