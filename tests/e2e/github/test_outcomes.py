"""Every row of the outcome table, through the process: exit code, reactions, reply, outputs, and what GitHub holds.

Held drafts and drafts just in time end alike, so each row that may differ is seen for both.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fakes.github.entities import ReviewState
from tests.fakes.github.scenario import ACTIONS
from tests.fakes.github_run import Runner
from tests.flawed_change import FIXED

BROKEN = "approval:\n  who: everybody\n"


@pytest.fixture(params=["held", "just-in-time"])
def waiting(request: pytest.FixtureRequest, runner: Runner) -> Runner:
    """Three findings wait in a draft, with a process for each job from here; or they wait without one."""
    if request.param == "just-in-time":
        runner.configure("draft: just-in-time\n")
    assert runner.review().ended == (0, "awaiting-approval")
    assert (runner.draft is not None) is (request.param == "held")
    return runner.by_process if request.param == "held" else runner


# --- Reviews ---------------------------------------------------------------------------------------------------------


def test_findings_wait(runner: Runner) -> None:
    ran = runner.by_process.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.title == "3 findings wait for your approval"
    assert runner.check == ("neutral", "awaiting approval")
    assert runner.draft is not None
    assert runner.draft.lines == ["rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:1", "rooms/mail.py:5"]
    assert runner.reviews == []
    assert {name: ran.outputs[name] for name in ("findings", "blockers", "recommended-verdict", "head-sha")} == {
        "findings": "3",
        "blockers": "1",
        "recommended-verdict": "request-changes",
        "head-sha": runner.pull.head_sha,
    }
    assert ran.outputs["checkpoint-url"].endswith(f"#issuecomment-{runner.checkpoint.id}")
    assert ran.outputs["review-url"] == ""
    assert "awaiting approval" in ran.summary
    assert "automated" in ran.log
    assert ran.annotations == []


@pytest.mark.parametrize(("fail_on", "code"), [("none", 0), ("blocker", 1)])
def test_findings_may_fail_the_job(fail_on: str, code: int, runner: Runner) -> None:
    ran = runner.by_process.run("pull_request", runner.pull_payload("opened"), **{"INPUT_FAIL-ON": fail_on})

    assert ran.ended == (code, "awaiting-approval")
    assert runner.draft is not None


def test_nothing_to_say_leaves_no_draft(runner: Runner) -> None:
    runner.push(FIXED)

    ran = runner.by_process.review()

    assert ran.ended == (0, "nothing-found")
    assert (runner.draft, runner.reviews) == (None, [])
    assert runner.check == ("success", "nothing found")
    assert (ran.outputs["findings"], ran.outputs["blockers"]) == ("0", "0")


def test_a_head_that_moved_on_is_left_to_its_own_run(runner: Runner) -> None:
    payload = runner.pull_payload("synchronize")
    runner.push()

    ran = runner.by_process.run("pull_request", payload)

    assert ran.ended == (0, "superseded")
    assert ran.writes == []


def test_a_head_that_moves_during_the_review_ends_it_without_a_further_write(runner: Runner) -> None:
    runner.simulator.faults.add("hold", match="POST /repos/acme/rooms/issues/1/comments", when="after")
    payload = runner.pull_payload("opened")

    with ThreadPoolExecutor() as pool:
        running = pool.submit(runner.by_process.run, "pull_request", payload)
        assert runner.simulator.faults.wait_until_held()
        runner.push()
        runner.simulator.faults.release()

    ran = running.result()
    assert ran.ended == (0, "superseded")
    assert len(ran.writes) == 1
    assert runner.draft is None


def test_the_same_head_is_not_reviewed_again(waiting: Runner) -> None:
    again = waiting.review("synchronize")

    assert again.ended == (0, "awaiting-approval")
    assert again.writes == []
    assert again.outputs["findings"] == "3"


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda runner: setattr(runner.pull, "draft", True), "is a draft"),
        (lambda runner: runner.scenario.world.close(runner.pull), "closed or merged"),
        (lambda runner: runner.scenario.world.add_label(runner.pull, "no-review"), "skip.labels"),
    ],
    ids=["draft", "closed", "label"],
)
def test_what_is_skipped_says_why(prepare: Callable[[Runner], object], says: str, runner: Runner) -> None:
    prepare(runner)

    ran = runner.review()

    assert ran.ended == (0, "skipped")
    assert ran.writes == []
    assert says in ran.log


def test_the_token_of_a_fork_leaves_the_result_in_the_summary(runner: Runner) -> None:
    runner.fork()
    runner.account = ACTIONS
    runner.scenario.world.add_token(
        runner.scenario.tokens[ACTIONS], runner.scenario.person(ACTIONS), {"contents": "read", "pull_requests": "read"}
    )

    ran = runner.by_process.review()

    assert ran.ended == (0, "read-only")
    assert ran.writes == []
    assert "the change to send_welcome breaks 1 place" in ran.summary
    assert [name for name, _ in ran.annotations] == ["warning"]


def test_a_broken_configuration_is_shown_and_the_draft_stays(reviewed: Runner) -> None:
    reviewed.configure(BROKEN)

    ran = reviewed.by_process.review("synchronize")

    assert ran.code == 2
    assert "approval.who" in ran.log
    assert "approval.who" in reviewed.checkpoint.body
    assert reviewed.draft is not None


def test_a_configuration_that_was_never_right_is_said_once(runner: Runner) -> None:
    runner.configure(BROKEN)

    first = runner.by_process.review()
    again = runner.review("synchronize")

    assert (first.code, again.code) == (2, 2)
    assert "approval.who" in first.summary
    assert again.writes == []
    [notice] = runner.pull.comments
    assert "approval.who" in notice.body


def test_a_configuration_that_is_mended_is_reviewed(runner: Runner) -> None:
    runner.configure(BROKEN)
    runner.review()
    runner.configure("language: en\n")

    ran = runner.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None


# --- Commands --------------------------------------------------------------------------------------------------------


def test_a_command_is_done(waiting: Runner) -> None:
    ran = waiting.command("maintainer", "/approve-findings 1,3")

    assert ran.ended == (0, "submitted")
    assert (waiting.reaction, waiting.reply) == ("eyes rocket", "")
    assert waiting.draft is None
    [review] = waiting.reviews
    assert review.state == ReviewState.CHANGES_REQUESTED
    assert review.lines == ["rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:5"]
    assert "send_welcome" not in review.body
    assert waiting.title == "submitted: changes requested"
    assert waiting.check == ("neutral", "submitted")
    assert "#pullrequestreview-" in ran.outputs["review-url"]
    assert "submitted" in ran.summary


def test_a_command_is_answered_once(waiting: Runner) -> None:
    waiting.command("maintainer", "/approve-findings 1")

    again = waiting.deliver(waiting.last_comment)

    assert again.ended == (0, "submitted")
    assert again.writes == []
    assert len(waiting.reviews) == 1


def test_a_stranger_gets_a_reaction_and_no_work(reviewed: Runner) -> None:
    ran = reviewed.by_process.command("outsider", "/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert (reviewed.reaction, reviewed.reply) == ("confused", "")
    assert reviewed.reviews == []


def test_a_bot_is_a_stranger(reviewed: Runner) -> None:
    ran = reviewed.by_process.command(ACTIONS, "/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert (reviewed.reaction, reviewed.reply) == ("confused", "")
    assert reviewed.reviews == []


@pytest.mark.parametrize(
    ("text", "says"),
    [("/approve-findings 9", "there is no finding 9"), ("/retry-agent", "awaiting-approval")],
    ids=["argument", "phase"],
)
def test_what_cannot_be_done_is_answered_in_words(text: str, says: str, reviewed: Runner) -> None:
    before = reviewed.checkpoint.body

    ran = reviewed.by_process.command("maintainer", text)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert says in reviewed.reply
    assert reviewed.checkpoint.body == before
    assert reviewed.reviews == []


def test_who_may_command_and_not_this_is_told_the_setting(reviewed: Runner) -> None:
    reviewed.scenario.repository.collaborators["author"] = reviewed.scenario.repository.collaborators["writer"]

    ran = reviewed.by_process.command("author", "/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert "author_may_approve: true" in reviewed.reply
    assert reviewed.reviews == []


def test_a_verdict_that_github_refuses_keeps_the_draft(runner: Runner) -> None:
    runner.account = ACTIONS
    runner.review()
    before = runner.draft

    ran = runner.by_process.command("maintainer", "/approve-findings 2 --as approve")

    assert ran.ended == (3, "awaiting-approval")
    assert runner.reaction == "eyes confused"
    assert "/approve-findings 2 --as comment" in runner.reply
    assert runner.reviews == []
    assert runner.draft == before


def test_a_refused_verdict_can_be_given_differently(runner: Runner) -> None:
    runner.configure("draft: just-in-time\n")
    runner.account = ACTIONS
    runner.review()

    refused = runner.command("maintainer", "/approve-findings 2 --as approve")
    ran = runner.command("maintainer", "/approve-findings 2 --as comment")

    assert refused.ended == (3, "awaiting-approval")
    assert ran.ended == (0, "submitted")
    assert [review.lines for review in runner.reviews] == [["rooms/mail.py:1"]]
    assert runner.draft is None


def test_a_verdict_on_the_bots_own_change_is_refused_before_a_write(runner: Runner) -> None:
    runner.pull.author = runner.scenario.person(runner.account)
    runner.review()
    before = runner.draft

    ran = runner.by_process.command("maintainer", "/approve-findings 1")

    assert ran.ended == (3, "awaiting-approval")
    assert runner.reaction == "eyes confused"
    assert "/approve-findings 1 --as comment" in runner.reply
    assert runner.draft == before
    assert len(ran.writes) == 3  # two reactions and a reply


def test_a_broken_configuration_answers_commands(waiting: Runner) -> None:
    before = waiting.draft
    waiting.configure(BROKEN)

    ran = waiting.command("maintainer", "/approve-findings")

    assert ran.ended == (2, "awaiting-approval")
    assert waiting.reaction == "eyes confused"
    assert "approval.who" in waiting.reply
    assert waiting.draft == before
    assert waiting.reviews == []


def test_a_moved_head_supersedes_the_review(waiting: Runner) -> None:
    waiting.push()

    ran = waiting.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "superseded")
    assert waiting.reaction == "eyes confused"
    assert "/draftgate review" in waiting.reply
    assert waiting.draft is None
    assert waiting.reviews == []


@pytest.mark.parametrize("merged", [False, True], ids=["closed", "merged"])
def test_nothing_is_submitted_to_a_closed_change(*, merged: bool, waiting: Runner) -> None:
    waiting.scenario.world.close(waiting.pull, merged=merged)

    ran = waiting.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "superseded")
    assert waiting.reaction == "eyes confused"
    assert "closed or merged" in waiting.reply
    assert "once it is open again" in waiting.reply  # a new round of a closed change would be refused as well
    assert waiting.draft is None
    assert waiting.reviews == []


def test_a_command_older_than_what_is_shown_is_refused(waiting: Runner) -> None:
    comment = waiting.say("maintainer", "/approve-findings")
    waiting.push()
    assert waiting.review("synchronize").ended == (0, "awaiting-approval")

    ran = waiting.deliver(comment)

    assert ran.ended == (5, "awaiting-approval")
    assert waiting.reaction == "eyes confused"
    assert "the findings changed after you wrote this" in waiting.reply
    assert waiting.reviews == []


def test_a_foreign_draft_is_waited_for_and_never_touched(runner: Runner) -> None:
    runner.configure("draft: just-in-time\n")
    runner.review()
    runner.draft_by_another("Mine")

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert runner.reaction == "eyes confused"
    assert "another program holds a draft review" in runner.reply
    assert runner.draft is not None
    assert runner.draft.body == "Mine"
    assert runner.slept == 15


def test_several_commands_end_with_the_highest_exit_code(reviewed: Runner) -> None:
    reviewed.say("maintainer", "/drop-finding 2")
    reviewed.say("outsider", "/approve-findings")
    reviewed.push()

    ran = reviewed.by_process.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "superseded")
    assert [reviewed.reactions(comment) for comment in reviewed.pull.comments[1:4]] == [
        ["eyes", "rocket"],
        ["confused"],
        ["eyes", "confused"],
    ]
