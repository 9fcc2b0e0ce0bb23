"""What is approved is what was shown: a hand edit is refused with the part that differs, and a new round offered.

Maintainers can change the bot's notes; its drafts nobody else sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.fakes.gitlab.entities import Note
from tests.fakes.gitlab_run import Runner

KEY = "a-signing-key-of-the-tests"
WELCOME = "rooms/mail.py:1"


def edit(runner: Runner, note: Note, change: Callable[[str], str]) -> None:
    """A maintainer changes a note of the bot."""
    body = change(note.body)
    assert body != note.body
    runner.edit(note, body)


def drop_marker(body: str) -> str:
    return "\n".join(body.splitlines()[:-1])


def cut_state(body: str) -> str:
    return re.sub(r"(state data=\S{40})\S{4}", r"\1", body)


TAMPERINGS: dict[str, Callable[[str], str]] = {
    "a finding's text": lambda body: body.replace("is removed but still read", "is harmless and not read"),
    "a number": lambda body: body.replace("- [ ] **2**", "- [ ] **7**"),
    "a place": lambda body: body.replace("rooms/mail.py:1", "rooms/mail.py:6"),
    "the state": cut_state,
    "the digest of the state": lambda body: re.sub(r"( state=)[0-9a-f]{8}", r"\g<1>00000000", body),
    "the version": lambda body: body.replace("<!-- draftgate:checkpoint v=1 ", "<!-- draftgate:checkpoint v=9 "),
    "the revision": lambda body: re.sub(r" revision=\d+", " revision=99", body),
    "the head": lambda body: re.sub(r" head=[0-9a-f]{40}", f" head={'0' * 40}", body),
}


@pytest.fixture(params=["held", "signed", "just-in-time"])
def waiting(request: pytest.FixtureRequest, runner: Runner) -> Runner:
    if request.param != "held":
        runner.variables["DRAFTGATE_SIGNING_KEY"] = KEY
    if request.param == "just-in-time":
        runner.configure("draft: just-in-time\n")
    assert runner.review().ended == (0, "awaiting-approval")
    return runner


@pytest.mark.parametrize("kind", ["a finding's text", "a number", "a place", "the state", "the digest of the state"])
def test_a_hand_edit_is_refused_and_offers_a_new_round(kind: str, waiting: Runner) -> None:
    edit(waiting, waiting.checkpoint, TAMPERINGS[kind])

    ran = waiting.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert waiting.reaction == "eyes confused"
    assert "/draftgate review --force" in waiting.reply
    assert (waiting.reviews, waiting.unsummed) == ([], [])


@pytest.mark.parametrize("kind", ["the revision", "the head"])
def test_what_stands_in_the_marker_alone_cannot_change_what_is_published(kind: str, reviewed: Runner) -> None:
    edit(reviewed, reviewed.checkpoint, TAMPERINGS[kind])

    reviewed.command("maintainer", "/approve-findings 2")

    assert [review.lines for review in reviewed.reviews] in ([], [[WELCOME]])


@pytest.mark.parametrize("kind", ["a finding's text", "the state", "the version"])
def test_a_new_round_takes_the_place_of_a_spoilt_checkpoint(kind: str, reviewed: Runner) -> None:
    edit(reviewed, reviewed.checkpoint, TAMPERINGS[kind])
    spoilt = reviewed.checkpoint

    ran = reviewed.command("maintainer", "/draftgate review --force")
    approved = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.checkpoint is not spoilt
    assert approved.ended == (0, "submitted")
    assert len(reviewed.reviews) == 1


def test_a_state_of_an_earlier_round_is_no_state_of_this_one(reviewed: Runner) -> None:
    """An old body that was ours is put back: everything in it fits together, only the draft does not."""
    old = reviewed.checkpoint.body
    reviewed.pushed()
    edit(reviewed, reviewed.checkpoint, lambda _: old)

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert reviewed.reviews == []


def test_a_checkpoint_without_its_marker_is_none(reviewed: Runner) -> None:
    edit(reviewed, reviewed.checkpoint, drop_marker)

    ran = reviewed.command("maintainer", "/approve-findings")

    assert reviewed.reaction == "eyes confused"
    assert ran.code in {0, 5}
    assert reviewed.reviews == []


def test_a_copied_marker_of_somebody_else_counts_for_nothing(reviewed: Runner) -> None:
    copied = reviewed.checkpoint.body.replace("is removed but still read", "is harmless and not read")
    reviewed.say("outsider", copied)

    ran = reviewed.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    [review] = reviewed.reviews
    assert "is removed but still read" in review.comments[0][2]


# --- The draft -------------------------------------------------------------------------------------------------------


def test_a_draft_that_is_gone_is_refused(reviewed: Runner) -> None:
    reviewed.merge_request.drafts.clear()

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert "the draft review is gone" in reviewed.reply
    assert reviewed.reviews == []


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_draft_that_lacks_a_note_is_refused(which: int, reviewed: Runner) -> None:
    del reviewed.merge_request.drafts[which]

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert (reviewed.reviews, reviewed.unsummed) == ([], [])


def test_a_text_that_was_changed_in_the_draft_is_refused(reviewed: Runner) -> None:
    made = reviewed.merge_request.drafts[0]
    made.note = made.note.replace("is removed but still read", "is harmless and not read")

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert (reviewed.reviews, reviewed.unsummed) == ([], [])


def test_a_note_that_another_program_made_of_ours_is_not_published(reviewed: Runner) -> None:
    reviewed.merge_request.drafts[0].note = "A text of another program"

    ran = reviewed.command("maintainer", "/approve-findings 2")

    assert ran.ended == (5, "awaiting-approval")
    assert (reviewed.reviews, reviewed.unsummed) == ([], [])


# --- The second place, which GitLab does not have --------------------------------------------------------------------


def test_just_in_time_without_a_key_holds_the_draft_and_says_why(runner: Runner) -> None:
    runner.configure("draft: just-in-time\n")

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None
    assert "signing" in runner.checkpoint.body


def test_a_status_vouches_for_nothing(runner: Runner) -> None:
    """Whoever may push can write one; only its time is believed."""
    runner.review()
    runner.merge_request.drafts.clear()

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert runner.reviews == []


def test_a_status_of_somebody_else_is_not_believed(reviewed: Runner) -> None:
    comment = reviewed.say("maintainer", "/approve-findings 2")
    status = reviewed.scenario.project.statuses[-1]
    status.author = reviewed.scenario.person("developer")
    status.description = (status.description or "").replace("2026", "2030")

    ran = reviewed.deliver(comment)

    assert ran.ended == (0, "submitted")


# --- The key ---------------------------------------------------------------------------------------------------------


def test_a_signed_state_is_approved(runner: Runner) -> None:
    runner.variables["DRAFTGATE_SIGNING_KEY"] = KEY
    runner.review()

    ran = runner.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert KEY not in runner.checkpoint.body + ran.log


def test_a_state_that_was_signed_with_another_key_is_refused(runner: Runner) -> None:
    runner.variables["DRAFTGATE_SIGNING_KEY"] = "another-key-that-was-used-before"
    runner.review()
    runner.variables["DRAFTGATE_SIGNING_KEY"] = KEY

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert "signature" in runner.reply
    assert runner.reviews == []


def test_a_state_that_is_not_signed_is_refused_where_there_is_a_key(reviewed: Runner) -> None:
    reviewed.variables["DRAFTGATE_SIGNING_KEY"] = KEY

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert "not signed" in reviewed.reply
    assert reviewed.reviews == []
