"""What commands do to a review on GitHub: drops, edits, labels, ticks, previews, verdicts, and who may give them."""

from __future__ import annotations

import pytest

from tests.fakes.github import comments
from tests.fakes.github.entities import ReviewState, Role
from tests.fakes.github.scenario import ACTIONS
from tests.fakes.github_run import Runner

COLUMN, WELCOME, REMINDER = "rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:1", "rooms/mail.py:5"


def tick(runner: Runner, *numbers: int) -> None:
    """A reader ticks boxes of the checkpoint, as a click on them does."""
    body = runner.checkpoint.body
    for number in numbers:
        body = body.replace(f"- [ ] **{number}**", f"- [x] **{number}**")
    comments.edit(runner.scenario.world, runner.scenario.caller("maintainer"), runner.checkpoint, body)


@pytest.mark.parametrize(
    ("text", "lines", "state"),
    [
        ("/approve-findings", [COLUMN, WELCOME, REMINDER], ReviewState.CHANGES_REQUESTED),
        ("/approve-findings 2", [WELCOME], ReviewState.COMMENTED),
        ("/approve-findings 2–3", [WELCOME, REMINDER], ReviewState.COMMENTED),
        ("/approve-findings all except 2", [COLUMN, REMINDER], ReviewState.CHANGES_REQUESTED),
        ("/approve-findings all --skip-below blocker", [COLUMN], ReviewState.CHANGES_REQUESTED),
        ("/approve-findings none", [], ReviewState.COMMENTED),
        ("/approve-findings 1 --as comment", [COLUMN], ReviewState.COMMENTED),
        ("/approve-findings none --as approve", [], ReviewState.APPROVED),
        ("/draftgate approve #1 and #3", [COLUMN, REMINDER], ReviewState.CHANGES_REQUESTED),
    ],
)
def test_a_set_is_published_with_its_verdict(text: str, lines: list[str], state: ReviewState, reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "submitted")
    assert [(review.lines, review.state) for review in reviewed.reviews] == [(lines, state)]
    assert reviewed.draft is None


def test_what_is_ticked_is_published(reviewed: Runner) -> None:
    tick(reviewed, 1, 3)

    ran = reviewed.command("maintainer", "/approve-findings checked")

    assert ran.ended == (0, "submitted")
    assert [review.lines for review in reviewed.reviews] == [[COLUMN, REMINDER]]


def test_nothing_ticked_is_no_choice(reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", "/approve-findings checked")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert "none" in reviewed.reply


def test_ticks_do_not_change_what_is_approved_by_name(reviewed: Runner) -> None:
    tick(reviewed, 1)

    ran = reviewed.command("maintainer", "/approve-findings 2")

    assert ran.ended == (0, "submitted")
    assert [review.lines for review in reviewed.reviews] == [[WELCOME]]


def test_edits_and_labels_go_out_as_they_were_written(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/edit-finding 2\nPass the role.\n\n`welcome_everyone` does not.")
    reviewed.command("maintainer", "/relabel-finding 3 nitpick")
    before = reviewed.draft

    ran = reviewed.command("maintainer", "/approve-findings 2,3")

    assert before is not None
    assert before.lines == [COLUMN, WELCOME, REMINDER]
    assert ran.ended == (0, "submitted")
    [review] = reviewed.reviews
    texts = [text for _, _, text in review.comments]
    assert texts[0] == "Pass the role.\n\n`welcome_everyone` does not."
    assert texts[1].startswith("**nitpick")


def test_several_commands_of_one_comment_run_in_order(reviewed: Runner) -> None:
    ran = reviewed.command(
        "maintainer", "/drop-finding 1 no one reads it\n/edit-review-body\nTwo things.\n/approve-findings"
    )

    assert ran.ended == (0, "submitted")
    [review] = reviewed.reviews
    assert review.lines == [WELCOME, REMINDER]
    assert review.body == "Two things."


def test_one_command_that_cannot_be_read_stops_all_of_its_comment(reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", "/drop-finding 1\n/approve-findings 1..3")

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert "finding" in reviewed.title
    assert reviewed.title.startswith("3 ")


def test_a_command_whose_comment_was_edited_since_is_not_replayed(reviewed: Runner) -> None:
    drop = reviewed.say("maintainer", "/drop-finding 2 wrong")
    reviewed.deliver(drop)
    comments.edit(reviewed.scenario.world, reviewed.scenario.caller("maintainer"), drop, "/drop-finding 1 wrong")

    ran = reviewed.command("writer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert reviewed.reviews == []


def test_a_command_that_was_edited_before_it_was_read_is_refused(reviewed: Runner) -> None:
    comment = reviewed.say("maintainer", "/approve-findings 2")
    payload = reviewed.comment_payload(comment)
    comments.edit(reviewed.scenario.world, reviewed.scenario.caller("admin"), comment, "/approve-findings 1")

    ran = reviewed.run("issue_comment", payload)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert "edited" in reviewed.reply
    assert reviewed.reviews == []


def test_an_approval_counts_for_what_stood_there_when_it_was_written(reviewed: Runner) -> None:
    """Its event comes late: the job of somebody else's later edit takes it up first."""
    approval = reviewed.say("maintainer", "/approve-findings 2")

    edit = reviewed.command("writer", "/edit-finding 2\nSomething else.")
    late = reviewed.deliver(approval)

    assert reviewed.reactions(approval) == ["eyes", "rocket"]
    assert edit.ended == (0, "submitted")
    assert reviewed.reaction == "eyes confused"
    assert late.writes == []
    [review] = reviewed.reviews
    assert "Something else." not in review.comments[0][2]


@pytest.mark.parametrize("text", ["/preview-findings", "/draftgate help"])
def test_what_only_shows_something_is_one_reply(text: str, reviewed: Runner) -> None:
    before = reviewed.checkpoint.body

    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes rocket"
    assert {"/preview-findings": "Draftgate reviewed", "/draftgate help": "/approve-findings"}[text] in reviewed.reply
    assert reviewed.checkpoint.body == before
    assert reviewed.reviews == []


def test_help_says_what_applies_and_who_may_before_any_review(runner: Runner) -> None:
    ran = runner.command("maintainer", "/draftgate help")

    assert ran.code == 0
    assert runner.reaction == "eyes rocket"
    assert "Applies now" in runner.reply
    assert "who may write to the repository" in runner.reply


def test_a_command_without_a_review_says_so(runner: Runner) -> None:
    ran = runner.command("maintainer", "/approve-findings")

    assert ran.code == 0
    assert runner.reaction == "eyes confused"
    assert "/draftgate review" in runner.reply


@pytest.mark.parametrize(
    "text", ["/retry-agent", "/proceed-without db.column-removed", "/edit-reply A\nThanks", "/draftgate abort"]
)
def test_what_is_for_another_phase_is_refused_by_phase(text: str, reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert reviewed.reply


def test_a_round_is_discarded_without_a_word_to_the_author(reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", "/discard-findings")

    assert ran.ended == (0, "aborted")
    assert reviewed.reaction == "eyes rocket"
    assert (reviewed.draft, reviewed.reviews) == (None, [])
    assert "discarded" in reviewed.title


def test_a_review_may_be_torn_down(reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", "/finalize-review")

    assert ran.ended == (0, "finalized")
    assert reviewed.reaction == "eyes rocket"
    assert reviewed.draft is None


def test_a_verdict_may_have_to_be_named(runner: Runner) -> None:
    runner.configure("approval:\n  verdict: ask\n")
    runner.review()

    asked = runner.command("maintainer", "/approve-findings")
    reply = runner.reply
    named = runner.command("maintainer", "/approve-findings --as comment")

    assert asked.ended == (0, "awaiting-approval")
    assert "--as comment" in reply
    assert named.ended == (0, "submitted")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("/approve-findings 0", "0"),
        ("/approve-findings --as loudly", "request-changes"),
        ("/approve-findings 2 --resolve 1", "no threads to resolve"),
        ("/drop-finding", "number"),
        ("/relabel-finding 2 boring", "nitpick"),
        ("/aprove-findings", "/approve-findings"),
    ],
)
def test_what_is_not_understood_is_answered_with_what_is(text: str, says: str, reviewed: Runner) -> None:
    before = reviewed.checkpoint.body

    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert says in reviewed.reply
    assert reviewed.checkpoint.body == before
    assert reviewed.reviews == []


# --- Who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "may", "may_not"),
    [
        ("write", "writer", ""),
        ("maintain", "maintainer", "writer"),
        ("admin", "admin", "maintainer"),
        ("{users: [reader]}", "reader", "admin"),
        ("{teams: [acme/maintainers]}", "maintainer", "writer"),
    ],
    ids=["write", "maintain", "admin", "users", "team"],
)
def test_who_publishes_is_configured(who: str, may: str, may_not: str, runner: Runner) -> None:
    runner.configure(f"approval:\n  who: {who}\n")
    runner.review()

    if may_not:
        assert runner.command(may_not, "/approve-findings").ended == (0, "awaiting-approval")
        assert runner.reaction == "eyes confused"
        assert "may publish" in runner.reply or "not publish" in runner.reply or "may" in runner.reply
    ran = runner.command(may, "/approve-findings")

    assert ran.ended == (0, "submitted")


@pytest.mark.parametrize("login", ["reader", "triager", "author"])
def test_who_cannot_write_is_a_stranger(login: str, reviewed: Runner) -> None:
    ran = reviewed.command(login, "/drop-finding 1")

    assert ran.ended == (0, "awaiting-approval")
    assert (reviewed.reaction, reviewed.reply) == ("confused", "")
    assert len(ran.writes) == 1


def test_a_spelling_mistake_of_a_stranger_is_left_alone(reviewed: Runner) -> None:
    ran = reviewed.command("outsider", "/aprove-findings")

    assert ran.code == 0
    assert ran.writes == []


def test_a_code_owner_publishes_what_they_own(runner: Runner) -> None:
    runner.configure("approval:\n  who: {codeowners: true}\n", CODEOWNERS="rooms/ @writer\n")
    runner.review()

    others = runner.command("maintainer", "/approve-findings")
    ran = runner.command("writer", "/approve-findings")

    assert others.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")


def test_the_author_publishes_where_nobody_else_can(runner: Runner) -> None:
    people = runner.scenario.repository.collaborators
    people.clear()
    people["author"] = Role.WRITE
    runner.review()

    ran = runner.command("author", "/approve-findings")

    assert ran.ended == (0, "submitted")


def test_nobody_has_their_own_change_approved(runner: Runner) -> None:
    runner.configure("approval:\n  author_may_approve: true\n")
    runner.scenario.repository.collaborators["author"] = Role.ADMIN
    runner.review()

    ran = runner.command("author", "/approve-findings none --as approve")

    assert ran.ended == (0, "awaiting-approval")
    assert "--as comment" in runner.reply
    assert runner.reviews == []


def test_a_role_that_cannot_be_read_lets_nobody_in(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("forbidden", match="/permission", times=None)

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 3
    assert reviewed.reaction == "confused"
    assert reviewed.reviews == []


def test_a_listed_bot_may_command(runner: Runner) -> None:
    runner.configure(f"commands:\n  bots: ['{ACTIONS}']\n")
    runner.review()

    ran = runner.command(ACTIONS, "/approve-findings 2")

    assert ran.ended == (0, "submitted")
