"""What sets a run off, and what does not: every event of the interface, with what it costs."""

from __future__ import annotations

import pytest

from tests.fakes.github import comments
from tests.fakes.github_run import Runner


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_change_is_reviewed(event: str, action: str, runner: Runner) -> None:
    ran = runner.review(action, event=event)

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("pull_request", "edited"),
        ("pull_request", "assigned"),
        ("pull_request_target", "unlabeled"),
        ("pull_request", "converted_to_draft"),
        ("merge_group", "checks_requested"),
        ("push", ""),
        ("pull_request_review", "submitted"),
        ("pull_request_review_comment", "created"),
        ("watch", "started"),
    ],
)
def test_other_events_ask_for_nothing(event: str, action: str, runner: Runner) -> None:
    ran = runner.review(action, event=event)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()
    assert len(ran.log.strip().splitlines()) <= 2


# --- Labels ----------------------------------------------------------------------------------------------------------


def test_a_label_asks_for_a_review(runner: Runner) -> None:
    runner.pull.draft = True

    ran = runner.review("labeled", sender="maintainer", label={"name": "draftgate"})

    assert ran.ended == (0, "awaiting-approval")


@pytest.mark.parametrize("login", ["outsider", "triager"])
def test_a_label_counts_by_who_set_it(login: str, runner: Runner) -> None:
    ran = runner.review("labeled", sender=login, label={"name": "draftgate"})

    assert ran.ended == (0, "skipped")
    assert ran.writes == []


def test_another_label_asks_for_nothing(runner: Runner) -> None:
    ran = runner.review("labeled", sender="maintainer", label={"name": "bug"})

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


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


@pytest.mark.parametrize("text", ["/review", "/retry", "/retest"])
def test_a_name_that_other_bots_have_costs_one_read(text: str, reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "skipped")
    assert len(ran.requests) == 1


def test_the_configuration_may_claim_it(reviewed: Runner) -> None:
    reviewed.configure("commands:\n  bare: all\n")

    ran = reviewed.command("maintainer", "/review")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes rocket"


def test_a_comment_on_an_issue_costs_no_request(runner: Runner) -> None:
    scenario = runner.scenario
    issue = scenario.world.open_issue(scenario.repository, scenario.person("author"), "A question")
    comment = comments.create(scenario.world, scenario.caller("maintainer"), issue, "/approve-findings")

    ran = runner.deliver(comment)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_only_a_new_comment_counts(action: str, reviewed: Runner) -> None:
    ran = reviewed.deliver(reviewed.say("maintainer", "/approve-findings"), action)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


def test_a_comment_that_carries_our_marker_is_no_command(reviewed: Runner) -> None:
    marker = reviewed.checkpoint.body.splitlines()[-1]

    ran = reviewed.command("maintainer", f"/approve-findings\n\n{marker}")

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


# --- By hand and by the clock ----------------------------------------------------------------------------------------


def test_a_dispatch_with_a_number_reviews(runner: Runner) -> None:
    ran = runner.dispatch("maintainer", number="1")

    assert ran.ended == (0, "awaiting-approval")


def test_a_dispatch_of_an_outsider_reviews_nothing(runner: Runner) -> None:
    ran = runner.dispatch("outsider", number="1")

    assert ran.ended == (0, "skipped")
    assert ran.writes == []


def test_a_dispatch_with_a_command_does_it(reviewed: Runner) -> None:
    ran = reviewed.dispatch("maintainer", number="1", command="/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert [review.lines for review in reviewed.reviews] == [["rooms/migrations/0002_remove_plan.py:8"]]


@pytest.mark.parametrize(
    ("login", "attempt", "says"),
    [("maintainer", 2, "again"), ("outsider", 1, "may give no command"), ("github-actions[bot]", 1, "may give")],
    ids=["re-run", "outsider", "bot"],
)
def test_a_dispatched_command_is_held_to_who_and_when(login: str, attempt: int, says: str, reviewed: Runner) -> None:
    ran = reviewed.dispatch(login, attempt, number="1", command="/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert says in ran.log
    assert ran.writes == []


@pytest.mark.parametrize(
    "inputs",
    [{"number": "one"}, {"number": "0"}, {"command": "/approve-findings"}, {"number": "1", "command": "hello"}],
    ids=["word", "zero", "no number", "no command"],
)
def test_a_wrong_input_of_a_dispatch_is_named(inputs: dict[str, str], runner: Runner) -> None:
    ran = runner.dispatch("maintainer", **inputs)

    assert ran.code == 2
    assert "of the dispatch" in ran.log
    assert ran.requests == ()


def test_a_change_that_does_not_exist_is_named(runner: Runner) -> None:
    ran = runner.dispatch("maintainer", number="99")

    assert ran.code == 2
    assert "pull request #99 of acme/rooms was not found" in ran.log


def test_the_sweep_takes_up_what_nobody_answered(reviewed: Runner) -> None:
    lost = reviewed.say("maintainer", "/approve-findings 2")

    ran = reviewed.run("schedule", {"schedule": "0 * * * *"})

    assert ran.ended == (0, "submitted")
    assert reviewed.reactions(lost) == ["eyes", "rocket"]
    assert [review.lines for review in reviewed.reviews] == [["rooms/mail.py:1"]]


def test_a_sweep_with_nothing_to_do_writes_nothing(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/drop-finding 1")
    reviewed.say("maintainer", "/retest")

    ran = reviewed.run("schedule", {"schedule": "0 * * * *"})

    assert ran.ended == (0, "skipped")
    assert len(ran.requests) == 1


def test_an_earlier_command_whose_event_was_lost_comes_first(reviewed: Runner) -> None:
    lost = reviewed.say("maintainer", "/drop-finding 1 it is not used")

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    assert reviewed.reactions(lost) == ["eyes", "rocket"]
    assert [review.lines for review in reviewed.reviews] == [["rooms/mail.py:1", "rooms/mail.py:5"]]


# --- Closed ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("merged", [False, True], ids=["closed", "merged"])
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_closed_change_keeps_no_draft(*, event: str, merged: bool, reviewed: Runner) -> None:
    reviewed.scenario.world.close(reviewed.pull, merged=merged)

    ran = reviewed.review("closed", event=event)

    assert ran.ended == (0, "finalized")
    assert reviewed.draft is None
    assert "finalized" in reviewed.title


def test_a_change_that_is_closed_unreviewed_is_left_alone(runner: Runner) -> None:
    runner.scenario.world.close(runner.pull)

    ran = runner.review("closed")

    assert ran.ended == (0, "skipped")
    assert ran.writes == []


def test_a_closed_change_that_is_opened_again_is_reviewed(reviewed: Runner) -> None:
    reviewed.scenario.world.close(reviewed.pull)
    reviewed.review("closed")
    reviewed.pull.state, reviewed.pull.closed_at = "open", None

    ran = reviewed.review("reopened")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.draft is not None


@pytest.mark.parametrize(("mode", "does"), [("review", "awaiting-approval"), ("commands", "skipped")])
def test_a_job_may_be_for_reviews_alone(mode: str, does: str, runner: Runner) -> None:
    runner.variables["INPUT_MODE"] = mode

    assert runner.review().phase == does
