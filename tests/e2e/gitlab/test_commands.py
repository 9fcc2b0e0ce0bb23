"""What commands do to a review on GitLab: drops, edits, labels, ticks, previews, verdicts, and who may give them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.scenario import REPORTER_BOT
from tests.fakes.gitlab_run import Runner

COLUMN, WELCOME, REMINDER = "rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:1", "rooms/mail.py:5"
CHANGES, COMMENT, APPROVE = "request-changes", "comment", "approve"


def tick(runner: Runner, *numbers: int) -> None:
    """A maintainer ticks boxes of the checkpoint, as a click on them does."""
    body = runner.checkpoint.body
    for number in numbers:
        body = body.replace(f"- [ ] **{number}**", f"- [x] **{number}**")
    runner.edit(runner.checkpoint, body)


@pytest.mark.parametrize(
    ("text", "lines", "verdict"),
    [
        ("/approve-findings", [COLUMN, WELCOME, REMINDER], CHANGES),
        ("/approve-findings 2", [WELCOME], COMMENT),
        ("/approve-findings 2–3", [WELCOME, REMINDER], COMMENT),
        ("/approve-findings all except 2", [COLUMN, REMINDER], CHANGES),
        ("/approve-findings all --skip-below blocker", [COLUMN], CHANGES),
        ("/approve-findings none", [], COMMENT),
        ("/approve-findings 1 --as comment", [COLUMN], COMMENT),
        ("/approve-findings none --as approve", [], APPROVE),
        ("/draftgate approve #1 and #3", [COLUMN, REMINDER], CHANGES),
    ],
)
def test_a_set_is_published_with_its_verdict(text: str, lines: list[str], verdict: str, reviewed: Runner) -> None:
    ran = reviewed.command("maintainer", text)

    assert ran.ended == (0, "submitted")
    assert [(review.lines, review.state) for review in reviewed.reviews] == [(lines, verdict)]
    assert (reviewed.draft, reviewed.unsummed) == (None, [])
    assert reviewed.has_approved is (verdict == APPROVE)
    assert (reviewed.reviewer_state == "requested_changes") is (verdict == CHANGES)


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
    assert reviewed.title.startswith("3 findings")


def test_a_command_whose_comment_was_edited_since_is_not_replayed(reviewed: Runner) -> None:
    drop = reviewed.say("maintainer", "/drop-finding 2 wrong")
    reviewed.deliver(drop)
    reviewed.edit(drop, "/drop-finding 1 wrong")

    ran = reviewed.command("developer", "/approve-findings")

    assert ran.ended == (5, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert reviewed.reviews == []


def test_a_command_that_was_edited_before_it_was_read_is_refused(reviewed: Runner) -> None:
    comment = reviewed.say("developer", "/approve-findings 2")
    payload = reviewed.note_payload(comment)
    reviewed.edit(comment, "/approve-findings 1", "owner")

    ran = reviewed.trigger(payload)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reaction == "eyes confused"
    assert "edited" in reviewed.reply
    assert reviewed.reviews == []


def test_a_reaction_makes_no_edit_of_a_command(reviewed: Runner) -> None:
    """A note's time of change moves with everything that happens to it; what counts is whether its text changed."""
    comment = reviewed.say("maintainer", "/approve-findings 2")
    comment.updated_at = reviewed.scenario.world.tick()

    ran = reviewed.deliver(comment)

    assert ran.ended == (0, "submitted")


def test_what_the_payload_says_was_written_counts_for_nothing(reviewed: Runner) -> None:
    """Whoever holds the trigger token can send any payload: author and text are read from GitLab."""
    comment = reviewed.say("outsider", "/approve-findings")
    payload = reviewed.note_payload(comment)
    payload["user"] = reviewed.note_payload(reviewed.say("maintainer", "Hello"))["user"]

    ran = reviewed.trigger(payload)

    assert ran.ended == (0, "awaiting-approval")
    assert reviewed.reactions(comment) == ["confused"]
    assert reviewed.reviews == []


def test_an_approval_counts_for_what_stood_there_when_it_was_written(reviewed: Runner) -> None:
    """Its event comes late: the job of somebody else's later edit takes it up first."""
    approval = reviewed.say("maintainer", "/approve-findings 2")

    edit = reviewed.command("developer", "/edit-finding 2\nSomething else.")
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
    assert {"/preview-findings": "Draftgate reviewed", "/draftgate help": "/drop-finding"}[text] in reviewed.reply
    assert reviewed.checkpoint.body == before
    assert reviewed.reviews == []


def test_a_reply_opens_no_thread_that_would_have_to_be_resolved(reviewed: Runner) -> None:
    reviewed.command("maintainer", "/draftgate help")
    reviewed.command("maintainer", "/approve-findings none")

    own = [note for note in reviewed.notes if note.author is reviewed.user]
    assert len(own) == 3
    assert [note.kind for note in own] == [None] * 3


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
        ("write", "developer", ""),
        ("maintain", "maintainer", "developer"),
        ("admin", "owner", "maintainer"),
        ("{users: [reporter]}", "reporter", "owner"),
        ("{teams: [acme/tools]}", "maintainer", "developer"),
    ],
    ids=["write", "maintain", "admin", "users", "group"],
)
def test_who_publishes_is_configured(who: str, may: str, may_not: str, runner: Runner) -> None:
    runner.configure(f"approval:\n  who: {who}\n")
    for group in runner.scenario.world.groups:
        group.members[runner.user] = Level.GUEST  # who is none may not see who is in a private group
    runner.review()

    if may_not:
        assert runner.command(may_not, "/approve-findings").ended == (0, "awaiting-approval")
        assert runner.reaction == "eyes confused"
    ran = runner.command(may, "/approve-findings")

    assert ran.ended == (0, "submitted")


@pytest.mark.parametrize("login", ["guest", "planner", "reporter", "outsider"])
def test_who_cannot_write_is_a_stranger(login: str, reviewed: Runner) -> None:
    ran = reviewed.command(login, "/drop-finding 1")

    assert ran.ended == (0, "awaiting-approval")
    assert (reviewed.reaction, reviewed.reply) == ("confused", "")
    assert len(ran.writes) == 1


def test_a_spelling_mistake_of_a_stranger_is_left_alone(reviewed: Runner) -> None:
    ran = reviewed.command("outsider", "/aprove-findings")

    assert ran.code == 0
    assert ran.writes == []


def test_a_member_by_way_of_an_invited_group_may(reviewed: Runner) -> None:
    world, outsider = reviewed.scenario.world, reviewed.scenario.person("outsider")
    group = world.add_group("friends")
    group.members[outsider] = Level.MAINTAINER
    reviewed.scenario.project.invited[group] = Level.DEVELOPER

    ran = reviewed.command("outsider", "/approve-findings 1")

    assert ran.ended == (0, "submitted")


def test_a_code_owner_publishes_what_they_own(runner: Runner) -> None:
    runner.configure("approval:\n  who: {codeowners: true}\n", CODEOWNERS="rooms/ @developer\n")
    runner.review()

    others = runner.command("maintainer", "/approve-findings")
    ran = runner.command("developer", "/approve-findings")

    assert others.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")


def test_the_author_publishes_where_nobody_else_can(runner: Runner) -> None:
    project = runner.scenario.project
    project.members = {runner.scenario.person("author"): Level.DEVELOPER, runner.user: Level.DEVELOPER}
    for group in runner.scenario.world.groups:
        group.members.clear()
    runner.review()

    ran = runner.command("author", "/approve-findings")

    assert ran.ended == (0, "submitted")


def test_nobody_has_their_own_change_approved(runner: Runner) -> None:
    runner.configure("approval:\n  author_may_approve: true\n")
    runner.scenario.project.members[runner.scenario.person("author")] = Level.OWNER
    runner.review()

    ran = runner.command("author", "/approve-findings none --as approve")

    assert ran.ended == (0, "awaiting-approval")
    assert "--as comment" in runner.reply
    assert runner.reviews == []
    assert not runner.has_approved


def test_a_role_that_cannot_be_read_lets_nobody_in(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("403", match="/members/all/", times=None)

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.code == 3
    assert reviewed.reaction == "confused"
    assert reviewed.reviews == []


def test_a_listed_bot_may_command(runner: Runner) -> None:
    bot = runner.scenario.person(REPORTER_BOT)
    runner.scenario.project.members[bot] = Level.DEVELOPER
    runner.configure(f"commands:\n  bots: ['{bot.username}']\n")
    runner.review()

    ran = runner.command(REPORTER_BOT, "/approve-findings 2")

    assert ran.ended == (0, "submitted")


def test_the_bots_own_texts_are_no_commands(reviewed: Runner) -> None:
    ran = reviewed.deliver(reviewed.checkpoint)

    assert ran.ended == (0, "skipped")
    assert ran.requests == ()


# --- Other ways to ask -----------------------------------------------------------------------------------------------


def test_the_manual_job_takes_up_what_waits(reviewed: Runner) -> None:
    first = reviewed.say("maintainer", "/drop-finding 2")
    last = reviewed.say("maintainer", "/approve-findings")

    ran = reviewed.commands()

    assert ran.ended == (0, "submitted")
    assert [reviewed.reactions(comment) for comment in (first, last)] == [["eyes", "rocket"]] * 2
    assert [review.lines for review in reviewed.reviews] == [[COLUMN, REMINDER]]


@pytest.mark.parametrize("ask", [Runner.commands, Runner.sweep], ids=["manual job", "schedule"])
def test_without_a_command_neither_the_manual_job_nor_the_schedule_writes(
    ask: Callable[[Runner], object], reviewed: Runner
) -> None:
    reviewed.command("maintainer", "/drop-finding 1")
    before = len(reviewed.simulator.log)

    ask(reviewed)

    assert [entry.line for entry in reviewed.simulator.log[before:] if entry.is_write] == []


def test_the_sweep_takes_up_what_nobody_answered(reviewed: Runner) -> None:
    lost = reviewed.say("maintainer", "/approve-findings 2")

    ran = reviewed.sweep()

    assert ran.ended == (0, "submitted")
    assert reviewed.reactions(lost) == ["eyes", "rocket"]
    assert [review.lines for review in reviewed.reviews] == [[WELCOME]]


def test_an_earlier_command_whose_event_was_lost_comes_first(reviewed: Runner) -> None:
    lost = reviewed.say("maintainer", "/drop-finding 1 it is not used")

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    assert reviewed.reactions(lost) == ["eyes", "rocket"]
    assert [review.lines for review in reviewed.reviews] == [[WELCOME, REMINDER]]
