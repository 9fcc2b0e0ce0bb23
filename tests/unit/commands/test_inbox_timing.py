"""What was seen when a command was written, and what stands in its comment when it counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from draftgate.commands.inbox.timing import Patience
from draftgate.commands.scene import RoundWish
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Person
from draftgate.domain.phase import Phase
from draftgate.domain.session import AcceptedCommand, Session
from draftgate.render.page import Page
from tests.builders import blocker, finding, session
from tests.fakes.inboxes import NOON, RUN_URL, Story, open_story
from tests.fakes.rounds import Shown

FINDINGS = (blocker(fingerprint="b" * 16), finding(fingerprint="a" * 16), finding("a third", fingerprint="c" * 16))
BEFORE_THE_ROUND = "2026-01-02T09:59:59Z"
SHOWN_AT = "2026-01-02T11:30:00Z"
A_SECOND_EARLIER = "2026-01-02T11:29:59Z"
LATER = "2026-01-02T12:00:05Z"
REFUSED = {Reaction.RECEIVED, Reaction.REFUSED}
DONE = {Reaction.RECEIVED, Reaction.DONE}


@pytest.fixture
def story() -> Story:
    """A round that began at 10:00, and whose findings the forge showed at 11:30."""
    made = open_story(FINDINGS)
    show_at(made, SHOWN_AT)
    return made


def show_at(story: Story, time: str) -> None:
    """The forge showed the findings at a time."""
    kept = story.shown.forge.kept
    kept.things["session", story.shown.forge.key] = dataclasses.replace(story.session, shown_at=time)


# --- Shown before approved -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["/approve-findings 2", "/drop-finding 1", "/discard-findings", "/draftgate review\n/approve-findings"]
)
def test_what_was_written_before_the_findings_were_shown_is_refused(story: Story, text: str) -> None:
    answers = story.tell(text, at=A_SECOND_EARLIER)

    assert answers.exit_code == 5
    assert story.conversation.reactions["101"] == REFUSED
    assert "changed after you wrote this" in story.conversation.replies["101"]
    assert story.shown.forge.kept.writes == []


def test_what_was_written_in_the_second_they_were_shown_counts(story: Story) -> None:
    story.tell("/drop-finding 1", at=SHOWN_AT)

    assert story.kept == [2, 3]


def test_findings_that_were_shown_at_an_unknown_time_were_not_seen(story: Story) -> None:
    show_at(story, "")

    assert story.tell("/approve-findings").exit_code == 5
    assert story.session.submission is None


def test_what_was_written_before_a_round_that_the_same_run_made_was_not_seen(story: Story) -> None:
    def start(_wish: RoundWish) -> Session:
        show_at(story, LATER)
        return story.session

    story.start_round = start
    story.conversation.say("maintainer", "/draftgate review --force", NOON)
    story.conversation.say("maintainer", "/approve-findings", NOON)

    assert story.run().exit_code == 5
    assert story.conversation.reactions == {"101": DONE, "102": REFUSED}


def test_what_is_not_about_findings_needs_none_to_be_seen(story: Story) -> None:
    answers = story.tell("/draftgate help", at=A_SECOND_EARLIER)

    assert answers.exit_code == 0
    assert story.conversation.reactions["101"] == DONE


def test_a_lost_command_of_an_earlier_round_is_left_alone_but_not_that_of_the_event(story: Story) -> None:
    lost = story.conversation.say("maintainer", "/drop-finding 1", BEFORE_THE_ROUND)

    story.run()
    writes = list(story.conversation.writes)
    story.run(lost)

    assert writes == []
    assert story.conversation.reactions["101"] == REFUSED
    assert story.kept == [1, 2, 3]


def test_times_of_another_spelling_are_the_same_times(story: Story) -> None:
    show_at(story, "2026-01-02T11:30:00.700000+00:00")

    assert story.tell("/drop-finding 1", at=SHOWN_AT).exit_code == 0
    assert story.tell("/drop-finding 2", at=A_SECOND_EARLIER).exit_code == 5


# --- Somebody else's change ------------------------------------------------------------------------------------------


def after_anothers(change: str, text: str, author: str = "other") -> tuple[Story, int]:
    """A change is accepted before a run sees a command that was written earlier."""
    story = open_story(FINDINGS)
    story.tell(change, author, LATER)
    return story, story.tell(text, "maintainer", NOON).exit_code


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("/drop-finding 2", "/approve-findings"),
        ("/edit-finding 2\nNo.", "/approve-findings 1,2"),
        ("/edit-finding 2\nNo.", "/approve-findings all except 1"),
        ("/edit-finding 2\nNo.", "/approve-findings checked"),
        ("/relabel-finding 2 note", "/relabel-finding 2 todo"),
        ("/edit-review-body\nHello.", "/approve-findings 3"),
        ("/edit-review-body\nHello.", "/edit-review-body\nGoodbye."),
    ],
)
def test_somebody_elses_later_change_to_what_a_command_names_refuses_it(change: str, text: str) -> None:
    story, exit_code = after_anothers(change, text)

    assert exit_code == 5
    assert "other changed" in story.conversation.replies["102"]
    assert len(story.session.commands) == 1
    assert story.session.submission is None


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("/edit-finding 2\nNo.", "/approve-findings 1,3"),
        ("/edit-finding 2\nNo.", "/approve-findings all except 2"),
        ("/relabel-finding 2 note", "/relabel-finding 3 todo"),
        ("/relabel-finding 2 note", "/preview-findings"),
        ("/edit-review-body\nHello.", "/drop-finding 1"),
    ],
)
def test_a_change_to_something_else_does_not(change: str, text: str) -> None:
    assert after_anothers(change, text)[1] == 0


def test_a_persons_own_later_change_counts_as_seen() -> None:
    story, exit_code = after_anothers("/edit-finding 2\nNo.", "/approve-findings", author="maintainer")

    assert exit_code == 0
    assert story.session.submission is not None


def test_somebody_elses_earlier_change_counts_as_seen(story: Story) -> None:
    story.tell("/drop-finding 2", "other", NOON)

    assert story.tell("/approve-findings", at=LATER).exit_code == 0


# --- While a review runs ---------------------------------------------------------------------------------------------


def running(since: str, **changes: object) -> Story:
    shown = Shown()
    session_ = session((), revision=1, phase=Phase.RUNNING_AGENTS, shown_at="", seal="", result=None, updated_at=since)
    shown.forge.save_session(session_, Page(""))
    return Story(shown, changes=dict(changes))


@pytest.mark.parametrize("text", ["/approve-findings", "/draftgate review", "/discard-findings\n/draftgate review"])
def test_while_a_review_runs_its_run_is_named(text: str) -> None:
    story = running(since="2026-01-02T11:45:00Z")

    answers = story.tell(text)

    assert answers.exit_code == 0
    assert story.conversation.reactions["101"] == REFUSED
    assert RUN_URL in story.conversation.replies["101"]


def test_while_a_review_runs_help_is_given_and_a_bad_argument_named() -> None:
    story = running(since="2026-01-02T11:45:00Z")

    story.tell("/draftgate help")
    story.tell("/approve-findings 1-")

    assert story.conversation.reactions["101"] == DONE
    assert RUN_URL not in story.conversation.replies["102"]


def test_a_review_without_a_sign_of_life_is_dead_and_a_new_one_is_offered() -> None:
    story = running(since="2026-01-02T11:39:59Z")

    answers = story.tell("/approve-findings")

    assert answers.exit_code == 0
    assert "`/draftgate review`" in story.conversation.replies["101"]
    assert RUN_URL not in story.conversation.replies["101"]


def test_in_place_of_a_dead_review_a_new_one_may_begin() -> None:
    story = running(since="2026-01-02T11:39:59Z")
    wishes: list[RoundWish] = []

    def start(wish: RoundWish) -> Session:
        wishes.append(wish)
        return story.session

    story.start_round = start

    story.tell("/draftgate review")

    assert wishes == [RoundWish()]
    assert story.conversation.reactions["101"] == DONE


def test_a_sweep_measures_by_the_time_of_the_sweep() -> None:
    story = running(since="2026-01-02T11:45:00Z", patience=Patience(20 * 60, RUN_URL, now="2026-01-02T13:00:00Z"))
    story.conversation.say("maintainer", "/approve-findings", NOON)

    story.run()

    assert RUN_URL not in story.conversation.replies["101"]


# --- Edited comments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["/approve-findings 1", "/approve-findings 1,3"], ids=["same", "another"])
def test_a_comment_that_was_edited_before_it_was_answered_is_refused(story: Story, text: str) -> None:
    comment = story.conversation.say("maintainer", "/approve-findings 1", NOON)
    story.conversation.change(comment, text=text, is_edited=True)

    answers = story.run(comment)

    assert answers.exit_code == 0
    assert "was edited" in story.conversation.replies["101"]
    assert story.session.submission is None


def test_a_comment_that_is_edited_after_it_was_answered_is_not_looked_at_again(story: Story) -> None:
    comment = story.conversation.say("maintainer", "/preview-findings", NOON)
    story.run(comment)
    story.conversation.change(comment, text="/approve-findings", is_edited=True)
    writes = list(story.conversation.writes)

    story.run(comment)

    assert story.conversation.writes == writes


def test_a_comment_that_was_edited_into_prose_is_nothing(story: Story) -> None:
    comment = story.conversation.say("maintainer", "/approve-findings", NOON)
    story.conversation.change(comment, text="Never mind.", is_edited=True)

    assert story.run(comment).answers == ()


Spoil = Callable[[Story, Comment], None]


def _edit(story: Story, comment: Comment) -> None:
    story.conversation.change(comment, is_edited=True)


def _delete(story: Story, comment: Comment) -> None:
    story.conversation.delete(comment)


def _give_away(story: Story, comment: Comment) -> None:
    story.conversation.change(comment, author=Person("outsider"))


def _orphan(story: Story, comment: Comment) -> None:
    story.conversation.change(comment, author=None)


def _silently_change(story: Story, comment: Comment) -> None:
    story.conversation.change(comment, text="/drop-finding 1")


def _never_receive(story: Story, comment: Comment) -> None:
    story.conversation.reactions[comment.id] = {Reaction.REFUSED}


SPOILS: dict[str, tuple[Spoil, str]] = {
    "edited": (_edit, "the comment was edited"),
    "deleted": (_delete, "the comment is gone"),
    "another's": (_give_away, "somebody else's"),
    "of a deleted account": (_orphan, "somebody else's"),
    "other text": (_silently_change, "does not say it"),
    "never accepted": (_never_receive, "never accepted"),
}


@pytest.mark.parametrize(("spoil", "says"), SPOILS.values(), ids=SPOILS.keys())
def test_an_accepted_change_that_its_comment_does_not_prove_any_more_refuses_an_approval(
    story: Story, spoil: Spoil, says: str
) -> None:
    accepted = story.conversation.say("maintainer", "/drop-finding 2 known", NOON)
    story.run(accepted)
    spoil(story, accepted)

    answers = story.tell("/approve-findings", at=LATER)

    assert answers.exit_code == 5
    assert says in story.conversation.replies["102"]
    assert story.session.submission is None
    assert story.session.phase is Phase.AWAITING_APPROVAL


def test_a_change_that_was_written_into_the_state_by_hand_refuses_an_approval(story: Story) -> None:
    story.conversation.say("outsider", "/drop-finding 1", NOON)
    story.run()
    forged = AcceptedCommand("101", "outsider", "/drop-finding 1", NOON)
    kept = story.shown.forge.kept
    kept.things["session", story.shown.forge.key] = dataclasses.replace(story.session, commands=(forged,))

    assert story.tell("/approve-findings", at=LATER).exit_code == 5
    assert story.session.submission is None


def test_changes_that_are_proved_are_published(story: Story) -> None:
    story.tell("Please:\r\n\r\n/drop-finding 2 known\r\n/edit-finding 3\r\nWho?\r\n", at=NOON)

    story.tell("/approve-findings 3", at=LATER)

    assert story.session.submission is not None
    assert [comment.text for comment in story.session.payload.comments] == ["Who?"]  # type: ignore[union-attr]
