"""What sets off a run on GitLab and what does not: webhooks, pipelines of merge requests, and the clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fakes.gitlab import notes, payloads
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab_run import Runner
from tests.flawed_change import WELCOME_FIXED

# --- Merge requests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["open", "reopen"])
def test_an_opened_merge_request_is_reviewed(action: str, runner: Runner) -> None:
    assert runner.review(action).ended == (0, "awaiting-approval")


def test_new_commits_are_reviewed(runner: Runner) -> None:
    assert runner.pushed(WELCOME_FIXED).ended == (0, "awaiting-approval")


@pytest.mark.parametrize("action", ["approved", "unapproved", "approval"])
def test_what_others_decide_asks_for_nothing(action: str, runner: Runner) -> None:
    ran = runner.review(action)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_an_update_without_commits_asks_for_nothing(runner: Runner) -> None:
    ran = runner.review("update")

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_a_merge_request_that_is_ready_is_reviewed(runner: Runner) -> None:
    changes = {"draft": {"previous": True, "current": False}}

    assert runner.review("update", changes=changes).ended == (0, "awaiting-approval")


@pytest.mark.parametrize(("login", "phase"), [("maintainer", "awaiting-approval"), ("reporter", "skipped")])
def test_a_label_counts_by_who_set_it(login: str, phase: str, runner: Runner) -> None:
    project = runner.scenario.project
    runner.scenario.world.add_label(project, "draftgate")
    changes = payloads.label_change(project, [], ["draftgate"])

    ran = runner.review("update", sender=login, changes=changes)

    assert ran.ended == (0, phase)


def test_a_pipeline_of_the_merge_request_is_a_review(runner: Runner) -> None:
    ran = runner.pipeline()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None


def test_a_pipeline_of_merged_results_reviews_the_head_itself(runner: Runner) -> None:
    head = runner.merge_request.version.head

    ran = runner.pipeline(
        CI_COMMIT_SHA="c" * 40, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=head, CI_MERGE_REQUEST_EVENT_TYPE="merged_result"
    )

    assert ran.ended == (0, "awaiting-approval")
    assert ran.outputs["head-sha"] == head


def test_an_old_pipeline_leaves_the_new_head_alone(runner: Runner) -> None:
    before = runner.merge_request.version.head
    runner.push()

    ran = runner.pipeline(CI_COMMIT_SHA=before)

    assert ran.ended == (0, "superseded")
    assert ran.writes == []


@pytest.mark.parametrize("source", ["push", "web", "api", "merge_request_train"])
def test_other_pipelines_ask_for_nothing(source: str, runner: Runner) -> None:
    ran = runner.run(source)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


@pytest.mark.parametrize(("mode", "phase"), [("review", "awaiting-approval"), ("commands", "skipped")])
def test_a_job_may_be_for_reviews_alone(mode: str, phase: str, runner: Runner) -> None:
    runner.variables["DRAFTGATE_MODE"] = mode

    assert runner.review().phase == phase


# --- Comments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Looks good to me",
        "/lgtm",
        "> /approve-findings",
        "```\n/approve-findings\n```",
        "<!--\n/approve-findings\n-->",
        "I would write `/approve-findings` here",
    ],
    ids=["prose", "another bot's", "quoted", "code", "hidden", "within a line"],
)
def test_a_comment_that_is_not_for_us_costs_no_request(text: str, reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_a_quick_action_of_a_person_in_the_comment_is_gitlabs(reviewed: Runner) -> None:
    """GitLab takes its own out of the text before anybody else reads it."""
    ran = reviewed.command("maintainer", "/approve-findings 2\n/label ~bug")

    assert ran.ended == (0, "submitted")
    assert [review.lines for review in reviewed.reviews] == [["rooms/mail.py:1"]]


def test_an_edited_comment_is_no_new_one(reviewed: Runner) -> None:
    ran = reviewed.deliver(reviewed.say("maintainer", "/approve-findings"), "update")

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_a_comment_on_a_line_is_no_command(reviewed: Runner) -> None:
    position = reviewed.merge_request.drafts[0].position
    new = NewNote("/approve-findings", kind="DiffNote", position=position)
    made = notes.create(reviewed.scenario.world, reviewed.scenario.person("maintainer"), reviewed.merge_request, new)
    assert made.note is not None

    ran = reviewed.deliver(made.note)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_a_reply_in_a_thread_is_no_command(reviewed: Runner) -> None:
    """Its webhook does not say so; the conversation does."""
    first = reviewed.say("maintainer", "What do you think?")
    new = NewNote("/approve-findings", reply_to=first.discussion)
    made = notes.create(reviewed.scenario.world, reviewed.scenario.person("maintainer"), reviewed.merge_request, new)
    assert made.note is not None

    ran = reviewed.deliver(made.note)

    assert ran.code == 0
    assert ran.writes == []
    assert reviewed.reviews == []


def test_a_comment_on_an_issue_costs_no_request(reviewed: Runner) -> None:
    scenario = reviewed.scenario
    issue = scenario.world.open_issue(scenario.project, scenario.person("author"), "A question")
    note = reviewed.say("maintainer", "/approve-findings")

    ran = reviewed.trigger(payloads.note_hook(scenario.world, note, noteable=issue))

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_a_webhook_of_another_project_is_told(reviewed: Runner) -> None:
    payload = reviewed.note_payload(reviewed.say("maintainer", "/approve-findings"))
    payload["project_id"] = 1
    payload["project"] = {"id": 1}

    ran = reviewed.trigger(payload)

    assert ran.code == 2
    assert ran.requests == ()


def test_a_comment_that_is_not_there_is_no_command(reviewed: Runner) -> None:
    """A forged payload, or one of a comment that was deleted since."""
    comment = reviewed.say("maintainer", "/approve-findings")
    payload = reviewed.note_payload(comment)
    reviewed.delete(comment)

    ran = reviewed.trigger(payload)

    assert ran.code == 0
    assert ran.writes == []


@pytest.mark.parametrize("name", ["CI_COMMIT_BRANCH", "CI_COMMIT_REF_NAME"])
def test_a_trigger_on_another_branch_is_refused(name: str, runner: Runner) -> None:
    both = {"CI_COMMIT_BRANCH": "invitations", "CI_COMMIT_REF_NAME": "invitations"}
    if name == "CI_COMMIT_REF_NAME":
        del both["CI_COMMIT_BRANCH"]
        runner.variables["CI_COMMIT_BRANCH"] = ""

    ran = runner.trigger(runner.change_payload(), **both)

    assert ran.code == 2
    assert ran.requests == ()


# --- Closed ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("action", "merged"), [("close", False), ("merge", True)])
def test_a_closed_change_keeps_no_draft(action: str, *, merged: bool, reviewed: Runner) -> None:
    reviewed.close(merged=merged)

    ran = reviewed.review(action, sender="maintainer")

    assert ran.ended == (0, "finalized")
    assert reviewed.draft is None
    assert "finalized" in reviewed.title


def test_a_change_that_is_closed_unreviewed_is_left_alone(runner: Runner) -> None:
    runner.close()

    ran = runner.review("close", sender="maintainer")

    assert ran.ended == (0, "skipped")
    assert ran.writes == []


def test_a_closed_change_that_is_opened_again_is_reviewed(reviewed: Runner) -> None:
    reviewed.close()
    reviewed.review("close", sender="maintainer")
    reviewed.scenario.world.set_state(reviewed.merge_request, reviewed.scenario.person("maintainer"), "reopen")

    ran = reviewed.review("reopen")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.draft is not None


# --- Forks -----------------------------------------------------------------------------------------------------------


def test_a_fork_is_reviewed_by_the_webhook(runner: Runner) -> None:
    runner.fork()

    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")


def test_the_manual_job_of_a_fork_answers_nothing(runner: Runner) -> None:
    runner.fork()
    runner.review()
    comment = runner.say("maintainer", "/approve-findings")

    ran = runner.commands()

    assert ran.ended == (0, "skipped")
    assert runner.reactions(comment) == []


def test_what_the_head_says_of_the_configuration_counts_for_nothing(runner: Runner) -> None:
    runner.push({"draftgate.yml": "approval:\n  author_may_approve: true\n  who: {users: [author, outsider]}\n"})
    runner.review()

    for login in ("author", "outsider"):
        assert runner.command(login, "/approve-findings").ended == (0, "awaiting-approval")
    assert runner.reviews == []


# --- Tokens ----------------------------------------------------------------------------------------------------------


def _read_only(runner: Runner) -> None:
    runner.scenario.world.add_token("glpat-reads", runner.user, "read_api")
    runner.variables["DRAFTGATE_GITLAB_TOKEN"] = "glpat-reads"  # noqa: S105 - of the simulator


def _unknown(runner: Runner) -> None:
    runner.variables["DRAFTGATE_GITLAB_TOKEN"] = "glpat-of-nobody-at-all"  # noqa: S105 - of nobody


def _missing(runner: Runner) -> None:
    runner.variables["DRAFTGATE_GITLAB_TOKEN"] = ""


@pytest.mark.parametrize(
    ("spoil", "code"), [(_read_only, 3), (_unknown, 3), (_missing, 2)], ids=["read only", "unknown", "missing"]
)
def test_a_token_that_cannot_do_it_is_an_error(spoil: Callable[[Runner], None], code: int, runner: Runner) -> None:
    spoil(runner)

    ran = runner.by_process.review()

    assert ran.code == code
    assert "DRAFTGATE_GITLAB_TOKEN" in ran.log
    assert "glpat-of-nobody-at-all" not in ran.log + ran.summary
    assert "Traceback" not in ran.log


def test_a_server_that_does_not_answer_leaves_what_is_there(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("502", times=None)

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 4
    assert (reviewed.reviews, reviewed.unsummed) == ([], [])
