"""Every row of the outcome table, through the process: exit code, reactions, reply, outputs, and what GitLab holds.

Held drafts and drafts just in time end alike, so each row that may differ is seen for both; the latter need a key.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fakes.gitlab.people import Edition, Level
from tests.fakes.gitlab.scenario import REPORTER_BOT
from tests.fakes.gitlab_run import Runner
from tests.flawed_change import FIXED
from tests.git_builder import IDENTITY_EMAIL

BROKEN = "approval:\n  who: everybody\n"
KEY = "a-signing-key-of-the-tests"
COLUMN, WELCOME, REMINDER = "rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:1", "rooms/mail.py:5"


@pytest.fixture(params=["held", "just-in-time"])
def waiting(request: pytest.FixtureRequest, runner: Runner) -> Runner:
    """Three findings wait in a draft, with a process for each job from here; or they wait without one."""
    if request.param == "just-in-time":
        runner.configure("draft: just-in-time\n")
        runner.variables["DRAFTGATE_SIGNING_KEY"] = KEY
    assert runner.review().ended == (0, "awaiting-approval")
    assert (runner.draft is not None) is (request.param == "held")
    return runner.by_process if request.param == "held" else runner


# --- Reviews ---------------------------------------------------------------------------------------------------------


def test_findings_wait(runner: Runner) -> None:
    ran = runner.by_process.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.title == "3 findings wait for your approval"
    assert runner.status == ("skipped", "awaiting approval: 3 findings")
    assert runner.draft is not None
    assert runner.draft.lines == [COLUMN, WELCOME, REMINDER]
    assert runner.reviews == []
    assert {name: ran.outputs[name] for name in ("findings", "blockers", "recommended-verdict", "head-sha")} == {
        "findings": "3",
        "blockers": "1",
        "recommended-verdict": "request-changes",
        "head-sha": runner.merge_request.version.head,
    }
    assert ran.outputs["checkpoint-url"].endswith(f"/-/merge_requests/1#note_{runner.checkpoint.id}")
    assert "review-url" not in ran.outputs
    assert "awaiting approval" in ran.summary
    assert "automated" in ran.log
    assert ran.annotations == []


@pytest.mark.parametrize(("fail_on", "code"), [("none", 0), ("blocker", 1)])
def test_findings_may_fail_the_job(fail_on: str, code: int, runner: Runner) -> None:
    runner.variables["DRAFTGATE_FAIL_ON"] = fail_on

    ran = runner.by_process.review()

    assert ran.ended == (code, "awaiting-approval")
    assert runner.draft is not None


def test_nothing_to_say_leaves_no_draft(runner: Runner) -> None:
    runner.push(FIXED)

    ran = runner.by_process.review()

    assert ran.ended == (0, "nothing-found")
    assert (runner.draft, runner.reviews) == (None, [])
    assert runner.status == ("success", "nothing found")
    assert (ran.outputs["findings"], ran.outputs["blockers"]) == ("0", "0")


def test_a_head_that_moved_on_is_left_to_its_own_run(runner: Runner) -> None:
    payload = runner.change_payload("update", oldrev="a" * 40)
    runner.push()

    ran = runner.by_process.trigger(payload)

    assert ran.ended == (0, "superseded")
    assert ran.writes == []


def test_a_head_that_moves_during_the_review_ends_it_without_a_further_write(runner: Runner) -> None:
    runner.simulator.faults.add("hold", match="POST .*/merge_requests/1/notes$", when="after")
    job = runner.by_process

    with ThreadPoolExecutor() as pool:
        running = pool.submit(job.review)
        assert runner.simulator.faults.wait_until_held()
        runner.push()
        runner.simulator.faults.release()

    ran = running.result()
    assert ran.ended == (0, "superseded")
    assert len(ran.writes) == 1
    assert runner.draft is None


def test_the_same_head_is_not_reviewed_again(waiting: Runner) -> None:
    again = waiting.review("update", oldrev="a" * 40)

    assert again.ended == (0, "awaiting-approval")
    assert again.writes == []
    assert again.outputs["findings"] == "3"


def _mark_as_draft(runner: Runner) -> None:
    runner.merge_request.title = f"Draft: {runner.merge_request.title}"


def _label(runner: Runner) -> None:
    runner.scenario.world.add_label(runner.scenario.project, "no-review")
    runner.merge_request.labels.append("no-review")


@pytest.mark.parametrize(
    ("prepare", "says"),
    [(_mark_as_draft, "is a draft"), (Runner.close, "closed or merged"), (_label, "skip.labels")],
    ids=["draft", "closed", "label"],
)
def test_what_is_skipped_says_why(prepare: Callable[[Runner], object], says: str, runner: Runner) -> None:
    prepare(runner)

    ran = runner.review()

    assert ran.ended == (0, "skipped")
    assert ran.writes == []
    assert says in ran.log


def test_the_pipeline_of_a_fork_leaves_the_result_in_the_job(runner: Runner) -> None:
    runner.fork()

    ran = runner.by_process.pipeline()

    assert ran.ended == (0, "read-only")
    assert ran.writes == []
    assert "the change to send_welcome breaks 1 place" in ran.summary
    assert [name for name, _ in ran.annotations] == ["warning"]


def test_a_broken_configuration_is_shown_and_the_draft_stays(reviewed: Runner) -> None:
    reviewed.configure(BROKEN)

    ran = reviewed.by_process.review("update", oldrev="a" * 40)

    assert ran.code == 2
    assert "approval.who" in ran.log
    assert "approval.who" in reviewed.checkpoint.body
    assert reviewed.draft is not None


def test_a_configuration_that_was_never_right_is_said_once(runner: Runner) -> None:
    runner.configure(BROKEN)

    first = runner.by_process.review()
    again = runner.review("update", oldrev="a" * 40)

    assert (first.code, again.code) == (2, 2)
    assert "approval.who" in first.summary
    assert again.writes == []
    [notice] = runner.notes
    assert "approval.who" in notice.body


def test_a_configuration_that_is_mended_is_reviewed(runner: Runner) -> None:
    runner.configure(BROKEN)
    runner.review()
    runner.configure("language: en\n")

    ran = runner.review("update", oldrev="a" * 40)

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None


# --- Commands --------------------------------------------------------------------------------------------------------


def test_a_command_is_done(waiting: Runner) -> None:
    ran = waiting.command("maintainer", "/approve-findings 1,3")

    assert ran.ended == (0, "submitted")
    assert (waiting.reaction, waiting.reply) == ("eyes rocket", "")
    assert waiting.draft is None
    [review] = waiting.reviews
    assert review.state == "request-changes"
    assert review.lines == [COLUMN, REMINDER]
    assert "send_welcome" not in review.body
    assert waiting.unsummed == []
    assert waiting.title == "submitted: changes requested"
    assert waiting.status == ("skipped", "submitted")
    assert waiting.reviewer_state == "requested_changes"
    assert "/-/merge_requests/1#note_" in ran.outputs["review-url"]
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
    assert len(ran.writes) == 1
    assert reviewed.reviews == []


def test_a_bot_is_a_stranger(reviewed: Runner) -> None:
    reviewed.scenario.project.members[reviewed.scenario.person(REPORTER_BOT)] = Level.MAINTAINER

    ran = reviewed.by_process.command(REPORTER_BOT, "/approve-findings")

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
    ran = reviewed.by_process.command("author", "/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert "author_may_approve: true" in reviewed.reply
    assert reviewed.reviews == []


@pytest.mark.parametrize("draft", ["held", "just-in-time"])
def test_an_approval_that_gitlab_will_not_take_keeps_the_draft(draft: str, opens: Callable[..., Runner]) -> None:
    """On Premium those who have commits in a change may be kept from approving it."""
    runner = opens(tier=Edition.PREMIUM)
    runner.scenario.project.committers_approval = False
    runner.user.email = IDENTITY_EMAIL
    runner.configure(f"draft: {draft}\n")
    runner.variables["DRAFTGATE_SIGNING_KEY"] = KEY
    runner.review()
    before = runner.draft

    ran = runner.by_process.command("maintainer", "/approve-findings 2 --as approve")
    reply, reaction = runner.reply, runner.reaction

    assert ran.ended == (3, "awaiting-approval")
    assert reaction == "eyes confused"
    assert "/approve-findings 2 --as comment" in reply
    assert (runner.reviews, runner.unsummed, runner.draft) == ([], [], before)
    assert runner.command("maintainer", "/approve-findings 2 --as comment").ended == (0, "submitted")


def test_an_approval_of_the_bots_own_change_is_refused_before_a_write(runner: Runner) -> None:
    runner.merge_request.author = runner.user
    runner.review()
    before = runner.draft

    ran = runner.by_process.command("maintainer", "/approve-findings none --as approve")

    assert ran.ended == (3, "awaiting-approval")
    assert runner.reaction == "eyes confused"
    assert "/approve-findings none --as comment" in runner.reply
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
    waiting.close(merged=merged)

    ran = waiting.command("maintainer", "/approve-findings")

    assert ran.ended == (5, "superseded")
    assert waiting.reaction == "eyes confused"
    assert "closed or merged" in waiting.reply
    assert "once it is open again" in waiting.reply
    assert waiting.draft is None
    assert waiting.reviews == []


def test_a_command_older_than_what_is_shown_is_refused(waiting: Runner) -> None:
    comment = waiting.say("maintainer", "/approve-findings")
    assert waiting.pushed().ended == (0, "awaiting-approval")

    ran = waiting.deliver(comment)

    assert ran.ended == (5, "awaiting-approval")
    assert waiting.reaction == "eyes confused"
    assert "the findings changed after you wrote this" in waiting.reply
    assert waiting.reviews == []


def test_a_foreign_draft_is_never_touched_and_in_nobodys_way(runner: Runner) -> None:
    runner.draft_by_another("Mine")
    runner.review()

    ran = runner.command("maintainer", "/approve-findings 1,3")

    assert ran.ended == (0, "submitted")
    assert [draft.note for draft in runner.own_drafts] == ["Mine"]
    assert [review.lines for review in runner.reviews] == [[COLUMN, REMINDER]]
    assert [note.body for note in runner.notes if "Mine" in note.body] == []


def test_several_commands_end_with_the_highest_exit_code(reviewed: Runner) -> None:
    said = [
        reviewed.say("maintainer", "/drop-finding 2"),
        reviewed.say("outsider", "/approve-findings"),
        reviewed.say("maintainer", "/approve-findings"),
    ]
    reviewed.push()

    ran = reviewed.by_process.deliver(said[-1])

    assert ran.ended == (5, "superseded")
    assert [reviewed.reactions(comment) for comment in said] == [["eyes", "rocket"], ["confused"], ["eyes", "confused"]]
