"""Rounds that follow each other on one merge request: numbers, checkpoints, what is carried, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.fakes.gitlab import reviewing
from tests.fakes.gitlab.people import Edition, Level
from tests.fakes.gitlab.scenario import BOT, REPORTER_BOT
from tests.fakes.gitlab_run import Runner
from tests.flawed_change import WELCOME_FIXED

COLUMN, WELCOME, REMINDER = "rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:1", "rooms/mail.py:5"


def numbers(runner: Runner) -> list[int]:
    """The numbers of the cards in the checkpoint."""
    return [int(number) for number in re.findall(r"^- \[ \] \*\*(\d+)\*\*", runner.checkpoint.body, re.MULTILINE)]


def test_a_push_begins_a_new_round_in_the_same_checkpoint(reviewed: Runner) -> None:
    before = reviewed.checkpoint

    ran = reviewed.pushed(WELCOME_FIXED)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.checkpoints == [before]
    assert numbers(reviewed) == [1, 2]
    assert "round 2" in reviewed.checkpoint.body
    assert reviewed.draft is not None
    assert reviewed.draft.lines == [COLUMN, REMINDER]
    assert len(reviewed.own_drafts) == 2


def test_a_round_after_a_submitted_one_gets_a_checkpoint_of_its_own(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/approve-findings 1")
    first = reviewed.checkpoint

    ran = reviewed.pushed(WELCOME_FIXED)

    assert ran.ended == (0, "awaiting-approval")
    assert len(reviewed.checkpoints) == 2
    assert first.body.startswith("### Draftgate · submitted")
    assert "previously raised" in reviewed.checkpoint.body


def test_a_round_after_a_discarded_one_counts_anew(reviewed: Runner) -> None:
    reviewed.variables["DRAFTGATE_SIGNING_KEY"] = ""
    reviewed.command("maintainer", "/discard-findings")
    before = reviewed.checkpoint

    ran = reviewed.command("maintainer", "/draftgate review")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.checkpoints == [before]
    assert numbers(reviewed) == [1, 2, 3]


def test_a_rejection_outlives_the_round_where_a_key_vouches_for_it(runner: Runner) -> None:
    runner.variables["DRAFTGATE_SIGNING_KEY"] = "a-signing-key-of-the-tests"
    runner.review()
    runner.command("maintainer", "/drop-finding 2 the callers pass it")
    runner.command("maintainer", "/discard-findings")

    ran = runner.command("maintainer", "/draftgate review")

    assert ran.ended == (0, "awaiting-approval")
    assert numbers(runner) == [1, 2]
    assert runner.draft is not None
    assert runner.draft.lines == [COLUMN, REMINDER]


def test_a_rejection_outlives_a_push(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/drop-finding 2 the callers pass it")

    ran = reviewed.pushed()

    assert ran.ended == (0, "awaiting-approval")
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


def test_a_draft_that_no_checkpoint_names_is_swept_away(reviewed: Runner) -> None:
    for note in reviewed.checkpoints:
        reviewed.delete(note)

    ran = reviewed.review("update", oldrev="a" * 40)

    assert ran.ended == (0, "awaiting-approval")
    assert len(reviewed.own_drafts) == 3
    assert reviewed.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_a_lost_draft_is_made_again_by_the_next_review(reviewed: Runner) -> None:
    reviewed.merge_request.drafts.clear()

    ran = reviewed.review("update", oldrev="a" * 40)

    assert ran.ended == (0, "awaiting-approval")
    assert len(reviewed.own_drafts) == 3
    assert reviewed.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_one_note_that_is_lost_is_made_again_with_the_others(reviewed: Runner) -> None:
    del reviewed.merge_request.drafts[1]

    ran = reviewed.review("update", oldrev="a" * 40)

    assert ran.ended == (0, "awaiting-approval")
    assert len(reviewed.own_drafts) == 3
    assert reviewed.command("maintainer", "/approve-findings").ended == (0, "submitted")


def test_each_review_has_the_notes_that_were_published_for_it(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/approve-findings 1")
    reviewed.pushed({"rooms/report.py": "from rooms.mail import send_welcome\n\n\nsend_welcome(1, 2)\n"})

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    assert reviewed.reviews[0].lines == [COLUMN]
    assert reviewed.reviews[1].lines[0] == COLUMN  # it stands as it stood, and is raised again
    assert reviewed.unsummed == []


# --- What is said about merging --------------------------------------------------------------------------------------


def test_a_request_for_changes_is_lifted_by_a_comment_since_19_2(opens: Callable[..., Runner]) -> None:
    runner = opens(version="19.2.0")
    runner.review()
    runner.command("maintainer", "/approve-findings")
    asked = runner.reviewer_state
    runner.pushed({"rooms/plans.py": None, **WELCOME_FIXED})

    ran = runner.command("maintainer", "/approve-findings none --as comment")

    assert (asked, ran.ended) == ("requested_changes", (0, "submitted"))
    assert runner.reviewer_state == "reviewed"


def test_a_merge_that_it_blocks_on_premium_is_free_again(opens: Callable[..., Runner]) -> None:
    runner = opens(tier=Edition.PREMIUM, version="19.2.0")
    runner.review()
    runner.command("maintainer", "/approve-findings")
    blocked = runner.user in runner.merge_request.change_requests
    runner.pushed({"rooms/plans.py": None, **WELCOME_FIXED})

    runner.command("maintainer", "/approve-findings --as comment")

    assert blocked
    assert runner.merge_request.change_requests == set()
    assert "request for changes stays" not in runner.checkpoint.body


def test_before_that_the_checkpoint_says_what_lifts_it(opens: Callable[..., Runner]) -> None:
    runner = opens(tier=Edition.PREMIUM, version="18.4.0")
    runner.review()
    runner.command("maintainer", "/approve-findings")
    runner.pushed({"rooms/plans.py": None, **WELCOME_FIXED})

    ran = runner.command("maintainer", "/approve-findings none --as comment")

    assert ran.ended == (0, "submitted")
    assert runner.user in runner.merge_request.change_requests
    assert "taking it off the reviewers" in runner.checkpoint.body


def test_an_approval_lifts_a_request_for_changes(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/approve-findings")
    reviewed.pushed({"rooms/plans.py": None, **WELCOME_FIXED})

    ran = reviewed.command("maintainer", "/approve-findings none --as approve")

    assert ran.ended == (0, "submitted")
    assert (reviewed.has_approved, reviewed.reviewer_state) == (True, "approved")


def test_a_request_for_changes_takes_the_bots_approval_back(reviewed: Runner) -> None:
    reviewed.merge_request.approvals.append((reviewed.user, reviewed.scenario.world.now))

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    assert not reviewed.has_approved


def test_the_seat_of_the_one_reviewer_of_free_is_never_taken(reviewed: Runner) -> None:
    _ask(reviewed, "maintainer")

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    assert [one.user.username for one in reviewed.merge_request.reviewers] == ["maintainer"]
    assert reviewed.scenario.world.displaced == []
    assert "is not among the reviewers" in reviewed.checkpoint.body


def test_on_premium_the_bot_takes_a_seat_of_its_own(opens: Callable[..., Runner]) -> None:
    runner = opens(tier=Edition.PREMIUM, version="19.2.0")
    runner.review()
    _ask(runner, "maintainer")

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    assert len(runner.merge_request.reviewers) == 2
    assert runner.reviewer_state == "requested_changes"
    assert runner.scenario.world.displaced == []


def _ask(runner: Runner, login: str) -> None:
    """Somebody is asked for a review."""
    person = runner.scenario.person(login)
    reviewing.set_reviewers(runner.scenario.world, runner.merge_request, [person], person)


# --- Whose it is -----------------------------------------------------------------------------------------------------


def test_a_checkpoint_of_another_account_is_continued_and_not_read(runner: Runner) -> None:
    runner.scenario.project.members[runner.scenario.person(REPORTER_BOT)] = Level.DEVELOPER
    runner.account = REPORTER_BOT
    runner.review()
    first = runner.checkpoint
    runner.account = BOT

    ran = runner.review("update", oldrev="a" * 40)

    assert ran.ended == (0, "awaiting-approval")
    assert runner.checkpoint is not first
    assert f"#note_{first.id}" in runner.checkpoint.body
    assert "round 1" in runner.checkpoint.body
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_two_instances_keep_apart(runner: Runner) -> None:
    runner.configure("checkpoint:\n  instance: first\n")
    runner.review()
    runner.configure("checkpoint:\n  instance: second\n")
    runner.review("update", oldrev="a" * 40)

    ran = runner.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert [note.body.startswith("### Draftgate · submitted") for note in runner.checkpoints] == [False, True]
    assert len(runner.own_drafts) == 3  # the first instance's


def test_a_person_may_be_the_bot(runner: Runner) -> None:
    runner.account = "developer"
    runner.review()

    other = runner.command("maintainer", "/approve-findings 1")

    assert other.ended == (0, "submitted")
    assert [review.lines for review in runner.reviews] == [[COLUMN]]


def test_the_persons_own_comments_are_commands(runner: Runner) -> None:
    runner.account = "developer"
    runner.review()

    ran = runner.command("developer", "/approve-findings 2")

    assert ran.ended == (0, "submitted")


# --- Two at once -----------------------------------------------------------------------------------------------------


def test_of_two_reviews_that_open_at_once_the_later_steps_back_and_leaves_nothing(runner: Runner) -> None:
    runner.simulator.faults.add("hold", match="POST .*/merge_requests/1/notes$")
    late_runner = runner.by_process
    with ThreadPoolExecutor() as pool:
        late = pool.submit(late_runner.review)
        assert runner.simulator.faults.wait_until_held()
        first = runner.review()
        runner.simulator.faults.release()

    assert first.ended == (0, "awaiting-approval")
    assert late.result().ended == (0, "superseded")
    assert len(runner.own_drafts) == 3
    assert runner.command("maintainer", "/approve-findings").ended == (0, "submitted")
    assert len(runner.reviews) == 1
    assert len(runner.checkpoints) == 1


def test_a_checkpoint_that_was_deleted_during_an_approval_publishes_nothing(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("hold", match="POST .*/award_emoji")
    comment = reviewed.say("maintainer", "/approve-findings")
    with ThreadPoolExecutor() as pool:
        running = pool.submit(reviewed.deliver, comment)
        assert reviewed.simulator.faults.wait_until_held()
        reviewed.delete(reviewed.checkpoint)
        reviewed.simulator.faults.release()

    assert running.result().code == 0
    assert reviewed.reactions(comment) == ["eyes", "confused"]
    assert reviewed.reviews == []
    assert reviewed.command("maintainer", "/draftgate review").ended == (0, "awaiting-approval")
    assert reviewed.command("maintainer", "/approve-findings").ended == (0, "submitted")


def test_an_approval_during_a_review_is_told_to_wait(runner: Runner) -> None:
    runner.review()
    runner.simulator.faults.add("502", match="PUT .*/merge_requests/1/notes/", skip=1, times=None)
    runner.pushed()
    runner.simulator.faults.clear()

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.code == 0
    assert runner.reaction == "eyes confused"
    assert "/-/jobs/" in runner.reply
    assert runner.reviews == []


def test_a_review_whose_fork_was_deleted_goes_on(runner: Runner) -> None:
    runner.fork()
    runner.merge_request.source_project = None

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
