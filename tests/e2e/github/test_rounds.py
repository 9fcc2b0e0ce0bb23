"""Rounds that follow each other on one pull request: numbers, checkpoints, what is carried, and whose they are."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fakes.github import comments
from tests.fakes.github.scenario import ACTIONS, APP
from tests.fakes.github_run import Runner
from tests.flawed_change import WELCOME_FIXED

COLUMN, WELCOME, REMINDER = "rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:1", "rooms/mail.py:5"


def numbers(runner: Runner) -> list[int]:
    """The numbers of the cards in the checkpoint."""
    return [int(number) for number in re.findall(r"^- \[ \] \*\*(\d+)\*\*", runner.checkpoint.body, re.MULTILINE)]


def test_a_push_begins_a_new_round_in_the_same_checkpoint(reviewed: Runner) -> None:
    before = reviewed.checkpoint
    reviewed.push(WELCOME_FIXED)

    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.checkpoints == [before]
    assert numbers(reviewed) == [1, 2]
    assert "round 2" in reviewed.checkpoint.body
    assert reviewed.draft is not None
    assert reviewed.draft.lines == [COLUMN, REMINDER]
    assert len([review for review in reviewed.pull.reviews if review.pending]) == 1


def test_a_round_after_a_submitted_one_gets_a_checkpoint_of_its_own(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/approve-findings 1")
    first = reviewed.checkpoint
    reviewed.push(WELCOME_FIXED)

    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert len(reviewed.checkpoints) == 2
    assert [comment.minimized for comment in reviewed.checkpoints] == ["OUTDATED", None]
    assert first.body.startswith("### Draftgate · submitted")
    assert "previously raised" in reviewed.checkpoint.body


def test_a_round_after_a_discarded_one_counts_anew(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/drop-finding 2 the callers pass it")
    reviewed.command("maintainer", "/discard-findings")
    before = reviewed.checkpoint

    ran = reviewed.command("maintainer", "/draftgate review")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.checkpoints == [before]
    assert numbers(reviewed) == [1, 2]
    assert reviewed.draft is not None
    assert reviewed.draft.lines == [COLUMN, REMINDER]


def test_a_forced_round_of_the_same_head_is_a_new_one(reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", "/draftgate review --force")

    assert ran.ended == (0, "awaiting-approval")
    assert "round 2" in reviewed.checkpoint.body
    assert numbers(reviewed) == [1, 2, 3]


def test_a_finding_that_is_dropped_leaves_a_gap(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/drop-finding 2")

    assert numbers(reviewed) == [1, 3]


def test_a_moved_target_is_reviewed_again_and_the_old_draft_goes(reviewed: Runner) -> None:
    reviewed.configure("code_review:\n  max_findings: 10\n")

    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert "round 2" in reviewed.checkpoint.body
    assert len([review for review in reviewed.pull.reviews if review.pending]) == 1


def test_a_draft_that_no_checkpoint_names_is_swept_away(reviewed: Runner) -> None:
    for comment in list(reviewed.checkpoints):
        reviewed.pull.comments.remove(comment)

    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert len([review for review in reviewed.pull.reviews if review.pending]) == 1
    assert reviewed.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_a_lost_draft_is_made_again_by_the_next_review(reviewed: Runner) -> None:
    reviewed.pull.reviews.clear()

    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.draft is not None
    assert reviewed.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_an_approval_of_none_lifts_nothing_and_says_why(runner: Runner) -> None:
    runner.review()
    runner.command("maintainer", "/approve-findings 1")
    runner.push({"rooms/plans.py": None})
    runner.review("synchronize")

    ran = runner.command("maintainer", "/approve-findings none --as comment")

    assert ran.ended == (0, "submitted")
    assert [str(review.state) for review in runner.reviews][-1] == "COMMENTED"


# --- Whose it is -----------------------------------------------------------------------------------------------------


def test_a_checkpoint_of_another_account_is_continued_and_not_read(runner: Runner) -> None:
    runner.account = ACTIONS
    runner.review()
    first = runner.checkpoint
    runner.account = APP

    ran = runner.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert runner.checkpoint is not first
    assert f"#issuecomment-{first.id}" in runner.checkpoint.body
    assert "round 1" in runner.checkpoint.body
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_two_instances_keep_apart(runner: Runner) -> None:
    runner.configure("checkpoint:\n  instance: first\ndraft: just-in-time\n")
    runner.review()
    runner.configure("checkpoint:\n  instance: second\ndraft: just-in-time\n")
    runner.review("synchronize")

    ran = runner.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert [comment.body.startswith("### Draftgate · submitted") for comment in runner.checkpoints] == [False, True]


def test_a_person_may_be_the_bot(runner: Runner) -> None:
    runner.account = "writer"
    runner.review()

    other = runner.command("maintainer", "/approve-findings 1")

    assert other.ended == (0, "submitted")
    assert [review.lines for review in runner.reviews] == [[COLUMN]]


def test_the_persons_own_comments_are_commands(runner: Runner) -> None:
    runner.account = "writer"
    runner.review()

    ran = runner.command("writer", "/approve-findings 2")

    assert ran.ended == (0, "submitted")


# --- Two at once -----------------------------------------------------------------------------------------------------


def test_of_two_checkpoints_the_older_stays(reviewed: Runner) -> None:
    """Two runs opened one at the same moment; the other one's is a copy with its own number."""
    body = reviewed.checkpoint.body
    reviewed.say(reviewed.account, body)
    older = reviewed.checkpoints[0]
    reviewed.push()

    ran = reviewed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.checkpoints == [older]


def test_of_two_reviews_that_open_at_once_the_later_steps_back_and_leaves_nothing(runner: Runner) -> None:
    runner.simulator.faults.add("hold", match="POST /repos/acme/rooms/issues/1/comments")
    late_runner = runner.by_process
    with ThreadPoolExecutor() as pool:
        late = pool.submit(late_runner.review)
        assert runner.simulator.faults.wait_until_held()
        first = runner.review()
        runner.simulator.faults.release()

    assert first.ended == (0, "awaiting-approval")
    assert late.result().ended == (0, "superseded")
    assert len([review for review in runner.pull.reviews if review.pending]) == 1
    assert runner.command("maintainer", "/approve-findings").ended == (0, "submitted")
    assert len(runner.reviews) == 1
    assert len(runner.checkpoints) == 1


def test_a_checkpoint_that_was_deleted_during_an_approval_publishes_nothing(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("hold", match="/reactions")
    comment = reviewed.say("maintainer", "/approve-findings")
    with ThreadPoolExecutor() as pool:
        running = pool.submit(reviewed.deliver, comment)
        assert reviewed.simulator.faults.wait_until_held()
        with reviewed.simulator.lock:
            comments.delete(reviewed.scenario.world, reviewed.scenario.caller("admin"), reviewed.checkpoint)
        reviewed.simulator.faults.release()

    assert running.result().code == 0  # there is no review any more that a command could be about
    assert reviewed.reactions(comment) == ["eyes", "confused"]
    assert reviewed.reviews == []
    assert reviewed.command("maintainer", "/draftgate review").ended == (0, "awaiting-approval")
    assert reviewed.command("maintainer", "/approve-findings").ended == (0, "submitted")


def test_an_approval_during_a_review_is_told_to_wait(runner: Runner) -> None:
    runner.review()
    runner.push()
    runner.simulator.faults.add("502", match="PATCH /repos/acme/rooms/issues/comments", skip=1, times=None)
    runner.review("synchronize")
    runner.simulator.faults.clear()

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.code == 0
    assert runner.reaction == "eyes confused"
    assert "/actions/runs/" in runner.reply
    assert runner.reviews == []


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_review_of_an_unknown_fork_is_left_alone(event: str, runner: Runner) -> None:
    """The fork was deleted: the head is known by its number alone."""
    runner.fork()
    runner.pull.head_repository = None

    ran = runner.review(event=event)

    assert ran.ended == (0, "awaiting-approval")
