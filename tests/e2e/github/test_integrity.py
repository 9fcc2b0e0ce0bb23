"""What is approved is what was shown: a hand edit is refused with the part that differs, and a new round offered."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.fakes.github import comments
from tests.fakes.github.entities import IssueComment
from tests.fakes.github.scenario import ACTIONS
from tests.fakes.github_run import Runner

KEY = "a-signing-key-of-the-tests"


def edit(runner: Runner, comment: IssueComment, change: Callable[[str], str], login: str = "writer") -> None:
    """Somebody with write access changes a comment of the bot."""
    body = change(comment.body)
    assert body != comment.body
    comments.edit(runner.scenario.world, runner.scenario.caller(login), comment, body)


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


@pytest.fixture(params=["held", "just-in-time"])
def waiting(request: pytest.FixtureRequest, runner: Runner) -> Runner:
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
    assert waiting.reviews == []


@pytest.mark.parametrize("kind", ["the revision", "the head"])
def test_what_stands_in_the_marker_alone_cannot_change_what_is_published(kind: str, reviewed: Runner) -> None:
    edit(reviewed, reviewed.checkpoint, TAMPERINGS[kind])

    reviewed.command("maintainer", "/approve-findings 2")

    assert [review.lines for review in reviewed.reviews] in ([], [["rooms/mail.py:1"]])


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
    """An old body that was ours is put back: everything in it fits together, only the draft and the check do not."""
    old = reviewed.checkpoint.body
    reviewed.push()
    reviewed.review("synchronize")
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


def test_a_marker_of_another_program_under_the_same_account_counts_for_nothing(runner: Runner) -> None:
    """Without the instance it is another Draftgate's; ours begins a checkpoint of its own."""
    runner.configure("checkpoint:\n  instance: second\n")
    runner.review()
    runner.configure("checkpoint:\n  instance: first\n")

    ran = runner.review("synchronize")

    assert ran.code == 0
    assert len(runner.checkpoints) == 2


# --- The draft -------------------------------------------------------------------------------------------------------


def test_a_draft_that_is_gone_is_refused(reviewed: Runner) -> None:
    reviewed.pull.reviews.clear()

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert "the draft review is gone" in reviewed.reply
    assert reviewed.reviews == []


def test_a_text_that_was_changed_in_the_draft_is_refused(reviewed: Runner) -> None:
    made = reviewed.pull.reviews[0].comments[0]
    made.body = made.body.replace("is removed but still read", "is harmless and not read")

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert reviewed.reviews == []


def test_a_reply_that_another_program_left_in_the_draft_is_not_published(reviewed: Runner) -> None:
    """GraphQL swallows replies of the same account into its draft."""
    made = reviewed.pull.reviews[0].comments[0]
    made.body = "A reply of another program"

    ran = reviewed.command("maintainer", "/approve-findings 2")

    assert ran.ended == (5, "awaiting-approval")
    assert "not ours" in reviewed.reply
    assert reviewed.reviews == []


def test_a_foreign_draft_at_review_is_named_and_left_alone(runner: Runner) -> None:
    runner.draft_by_another("Mine")

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None
    assert runner.draft.body == "Mine"
    assert "another program holds a draft review" in runner.checkpoint.body


def test_reviews_of_others_under_a_shared_account_make_the_draft_just_in_time(runner: Runner) -> None:
    runner.account = ACTIONS
    runner.draft_by_another("Mine")
    runner.submit_by_another()

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is None
    assert "other workflows review this change" in runner.checkpoint.body


# --- The check run ---------------------------------------------------------------------------------------------------


def test_where_nothing_is_held_a_check_run_with_another_seal_is_refused(runner: Runner) -> None:
    runner.configure("draft: just-in-time\n")
    runner.review()
    run = runner.scenario.repository.check_runs[-1]
    run.external_id = re.sub("[0-9a-f]{64}", "0" * 64, run.external_id, count=1)

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert runner.reaction == "eyes confused"
    assert "the seal kept apart from the comment" in runner.reply
    assert runner.reviews == []


def test_a_check_run_of_another_app_vouches_for_nothing(runner: Runner) -> None:
    runner.configure("draft: just-in-time\n")
    runner.review()
    runner.scenario.repository.check_runs[-1].app = runner.scenario.world.add_app("other").app  # type: ignore[assignment]

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert "checks: write" in runner.reply
    assert runner.reviews == []


def test_without_checks_a_held_draft_is_the_only_witness(runner: Runner) -> None:
    runner.scenario.world.add_token(
        runner.scenario.tokens[ACTIONS], runner.scenario.person(ACTIONS), {"pull_requests": "write", "contents": "read"}
    )
    runner.account = ACTIONS

    reviewed = runner.review()
    ran = runner.command("maintainer", "/approve-findings 1")

    assert reviewed.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")


# --- The key ---------------------------------------------------------------------------------------------------------


def test_a_signed_state_is_approved(runner: Runner) -> None:
    runner.variables["INPUT_SIGNING-KEY"] = KEY
    runner.review()

    ran = runner.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert KEY not in runner.checkpoint.body + ran.log


@pytest.mark.parametrize("kind", ["a finding's text", "the state"])
def test_a_hand_edit_of_a_signed_state_is_refused(kind: str, runner: Runner) -> None:
    runner.variables["INPUT_SIGNING-KEY"] = KEY
    runner.review()
    edit(runner, runner.checkpoint, TAMPERINGS[kind])

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert runner.reviews == []


def test_a_state_that_was_signed_with_another_key_is_refused(runner: Runner) -> None:
    runner.variables["INPUT_SIGNING-KEY"] = "another-key-that-was-used-before"
    runner.review()
    runner.variables["INPUT_SIGNING-KEY"] = KEY

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert "signature" in runner.reply
    assert runner.reviews == []


def test_a_state_that_is_not_signed_is_refused_where_there_is_a_key(reviewed: Runner) -> None:
    reviewed.variables["INPUT_SIGNING-KEY"] = KEY

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 5
    assert "not signed" in reviewed.reply
    assert reviewed.reviews == []


def test_a_key_vouches_where_there_is_neither_draft_nor_check(runner: Runner) -> None:
    runner.configure("draft: just-in-time\n")
    runner.variables["INPUT_SIGNING-KEY"] = KEY
    runner.review()
    runner.scenario.repository.check_runs.clear()

    ran = runner.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
