"""Commands of a conversation: each authorized, done or refused once, and answered, whatever was lost before."""

from __future__ import annotations

import dataclasses
from contextlib import suppress

import pytest

from draftgate.approval.authority import Rules
from draftgate.commands.inbox.answer import run_asked, take_up
from draftgate.commands.inbox.waiting import is_for_us
from draftgate.commands.scene import RoundWish
from draftgate.domain.command import Bare
from draftgate.domain.conversation import Reaction
from draftgate.domain.event import CommandAsked
from draftgate.domain.people import Person, Role
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, Verdict
from draftgate.domain.session import Session
from draftgate.errors import (
    AgentFailed,
    ConfigurationError,
    DraftgateError,
    EvidenceError,
    Overtaken,
    PermissionDenied,
    Problem,
    Unavailable,
)
from draftgate.forge.base import HeadState
from draftgate.forge.hidden import Kind, Marker, mark
from draftgate.render.page import Page
from tests.builders import BASE, HEAD, blocker, finding, session
from tests.fakes.conversation import Fate, Killed
from tests.fakes.forge import MemoryForge
from tests.fakes.inboxes import NOON, Story, open_story
from tests.fakes.rounds import Shown

FINDINGS = (blocker(fingerprint="b" * 16), finding(fingerprint="a" * 16), finding("a third", fingerprint="c" * 16))
LATER = "2026-01-02T12:00:05Z"
DONE = {Reaction.RECEIVED, Reaction.DONE}
REFUSED = {Reaction.RECEIVED, Reaction.REFUSED}


@pytest.fixture
def story() -> Story:
    return open_story(FINDINGS)


# --- One comment -----------------------------------------------------------------------------------------------------


def test_a_command_is_received_then_done_and_the_checkpoint_is_the_answer(story: Story) -> None:
    answers = story.tell("/drop-finding 2 known")

    assert story.conversation.writes == ["eyes 101", "rocket 101"]
    assert (answers.exit_code, [answer.reaction for answer in answers.answers]) == (0, [Reaction.DONE])
    assert answers.session == story.session
    [accepted] = story.session.commands
    assert (accepted.id, accepted.author, accepted.text, accepted.at) == (
        "101",
        "maintainer",
        "/drop-finding 2 known",
        NOON,
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("/approve-findings 9", "there is no finding 9"),
        ("/drop-finding", "a list of findings is missing"),
        ("/retry-agent", "not possible while the review is awaiting-approval"),
        ("/draftgate aprove 1", "did you mean `/draftgate approve`?"),
        ("/aprove-findings 1", "did you mean `/approve-findings`?"),
    ],
    ids=["unknown-number", "half", "wrong-phase", "misspelt-verb", "misspelt-name"],
)
def test_a_refusal_is_one_reply_with_the_reason_and_no_failure(story: Story, text: str, says: str) -> None:
    answers = story.tell(text)

    assert story.conversation.writes == ["eyes 101", "reply 101", "confused 101"]
    assert says in story.conversation.replies["101"]
    assert answers.exit_code == 0
    assert story.shown.forge.kept.writes == []


def test_of_several_commands_those_before_a_refused_one_are_named_as_done(story: Story) -> None:
    story.tell("/drop-finding 1\n/approve-findings 1")

    assert story.kept == [2, 3]
    assert "Done before that" in story.conversation.replies["101"]


@pytest.mark.parametrize(
    ("text", "submitted"),
    [
        ("/drop-finding 2\n/approve-findings all", (1, 3)),
        ("/approve-findings all\n/drop-finding 2", None),
        ("/approve-findings 1\n/approve-findings 1", (1,)),
        ("/approve-findings 1\n/drop-finding 1", None),
    ],
)
def test_commands_of_one_comment_run_in_their_order_or_not_at_all(
    story: Story, text: str, submitted: tuple[int, ...] | None
) -> None:
    story.tell(text)

    submission = story.session.submission
    assert (submission and submission.numbers) == submitted
    assert story.shown.forge.kept.writes.count("review") == (submitted is not None)


@pytest.mark.parametrize(
    "text",
    [
        "/approve-findings 1\u20133\r\n",
        "\ufeff/approve-findings\u00a01\u20133",
        "Thanks.\r\n\r\n  /Approve-Findings\t#1,\u20092 & 3  \r\n",
    ],
    ids=["crlf-dash", "bom-nbsp", "around"],
)
def test_a_command_is_understood_as_people_and_phones_type_it(story: Story, text: str) -> None:
    story.tell(text)

    assert story.session.submission is not None
    assert story.session.submission.numbers == (1, 2, 3)


def test_help_lists_what_applies_and_who_may(story: Story) -> None:
    story.rules = Rules(who=Role.MAINTAIN)

    story.tell("/draftgate help")

    reply = story.conversation.replies["101"]
    assert "/drop-finding NUMBERS" in reply
    assert "who maintains the repository; on their own change the author only if" in reply
    assert story.conversation.writes == ["eyes 101", "reply 101", "rocket 101"]


def test_a_preview_shows_what_is_left_and_posts_nothing(story: Story) -> None:
    story.tell("/drop-finding 2\n/preview-findings")

    reply = story.conversation.replies["101"]
    assert "two requests can create the same row" in reply
    assert "two callers still pass the old argument" not in reply
    assert "review" not in story.shown.forge.kept.writes


# --- Who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["/approve-findings", "/drop-finding 9", "/draftgate nonsense", "/draftgate help"])
@pytest.mark.parametrize(
    ("login", "is_bot"), [("outsider", False), ("nobody", False), ("scanner[bot]", True)], ids=["reader", "none", "bot"]
)
def test_whoever_may_command_nothing_gets_one_reaction_and_no_work(
    story: Story, text: str, login: str, *, is_bot: bool
) -> None:
    comment = story.conversation.say(login, text, NOON, is_bot=is_bot)

    answers = story.run(comment)

    assert story.conversation.writes == ["confused 101"]
    assert answers.exit_code == 0
    assert story.shown.forge.kept.writes == []


def test_a_deleted_account_is_a_stranger(story: Story) -> None:
    comment = story.conversation.say("", "/approve-findings", NOON)
    story.conversation.change(comment, author=None)

    story.run(comment)

    assert story.conversation.writes == ["confused 101"]


def test_a_slip_of_a_stranger_may_be_another_bots_command_and_is_left_alone(story: Story) -> None:
    story.tell("/aprove-findings", "outsider")

    assert story.conversation.writes == []


def test_a_listed_bot_commands(story: Story) -> None:
    story.rules = Rules(bots=frozenset({"release[bot]"}))

    story.run(story.conversation.say("release[bot]", "/drop-finding 1", NOON, is_bot=True))

    assert story.kept == [2, 3]


def test_who_may_command_but_not_this_is_told_the_setting(story: Story) -> None:
    answers = story.tell("/drop-finding 1\n/approve-findings", "author")

    assert story.conversation.writes == ["eyes 101", "reply 101", "confused 101"]
    assert "author_may_approve: true" in story.conversation.replies["101"]
    assert answers.exit_code == 0
    assert story.kept == [1, 2, 3]


def test_an_author_may_give_the_other_commands(story: Story) -> None:
    story.tell("/drop-finding 1 on purpose", "author")

    assert story.kept == [2, 3]


def test_an_author_does_not_have_their_own_change_approved(story: Story) -> None:
    story.rules = Rules(author_may_approve=True)

    story.tell("/approve-findings none --as approve", "author")
    story.tell("/approve-findings none --as comment", "author", LATER)

    assert "nobody has their own change approved" in story.conversation.replies["101"]
    assert story.conversation.reactions["102"] == DONE


def test_a_permission_that_cannot_be_read_refuses_without_a_word(story: Story) -> None:
    story.people.hides.add("role")

    answers = story.tell("/approve-findings")

    assert story.conversation.writes == ["confused 101"]
    assert answers.exit_code == PermissionDenied.exit_code


def test_each_person_is_asked_about_once_in_a_run(story: Story) -> None:
    for text in ("/drop-finding 1", "/drop-finding 2"):
        story.conversation.say("maintainer", text, NOON)

    story.run()

    assert story.people.asked == ["role maintainer"]


# --- What is no command ----------------------------------------------------------------------------------------------

OURS = mark("Publish all:\n\n/approve-findings", Marker(Kind.REPLY, {"to": "1"}))
NOT_FOR_US = {
    "prose": "looks good, /approve-findings later",
    "quoted": "> /approve-findings\n\nwhat does that do?",
    "fenced": "```\n/approve-findings\n```",
    "indented": "Like so:\n\n    /approve-findings",
    "hidden": "<!--\n/approve-findings\n-->",
    "another bot's": "/lgtm\n/hold",
    "generic": "/review",
    "empty": "",
    "marked": OURS,
    "marked above": "<!-- draftgate:checkpoint v=1 -->\n/approve-findings all",
}


@pytest.mark.parametrize("text", NOT_FOR_US.values(), ids=NOT_FOR_US.keys())
def test_what_is_no_command_costs_no_question_and_no_write(story: Story, text: str) -> None:
    answers = story.tell(text)

    assert not is_for_us(text, Bare.OWN)
    assert (answers.answers, answers.exit_code) == ((), 0)
    assert (story.people.asked, story.conversation.writes) == ([], [])


def test_a_generic_name_is_for_us_only_where_bare_names_are() -> None:
    assert [is_for_us("/review", bare) for bare in Bare] == [False, True]
    assert [is_for_us("/draftgate review", bare) for bare in Bare] == [True, True]


def test_the_bots_own_words_are_never_commands(story: Story) -> None:
    comment = story.conversation.say("draftgate[bot]", "/approve-findings", NOON, is_bot=True, is_ours=True)

    story.run(comment)

    assert story.conversation.writes == []


@pytest.mark.parametrize(("text", "kept"), [("/drop-finding 1", [2, 3]), (OURS, [1, 2, 3])], ids=["unmarked", "marked"])
def test_an_account_that_is_a_person_commands_by_what_it_did_not_mark(story: Story, text: str, kept: list[int]) -> None:
    story.run(story.conversation.say("maintainer", text, NOON, is_ours=True))

    assert story.kept == kept
    assert story.session.submission is None


# --- What waits ------------------------------------------------------------------------------------------------------


def test_a_command_whose_event_was_lost_is_done_first_and_once(story: Story) -> None:
    first = story.conversation.say("maintainer", "/drop-finding 2", NOON)
    second = story.conversation.say("maintainer", "/approve-findings", LATER)

    story.run(second)
    again = story.run(first)

    assert story.conversation.writes == ["eyes 101", "rocket 101", "eyes 102", "rocket 102"]
    assert story.session.submission is not None
    assert story.session.submission.numbers == (1, 3)
    assert again.answers == ()


def test_commands_of_one_second_are_done_as_they_are_numbered(story: Story) -> None:
    for text in ("/relabel-finding 2 note", "/relabel-finding 2 todo"):
        story.conversation.say("maintainer", text, NOON)
    story.conversation.written.reverse()

    story.run()

    assert [command.id for command in story.session.commands] == ["101", "102"]


@pytest.mark.parametrize("tells_reactions", [True, False], ids=["told", "asked"])
def test_what_was_answered_is_not_done_again(story: Story, *, tells_reactions: bool) -> None:
    story.conversation.tells_reactions = tells_reactions
    comment = story.conversation.say("maintainer", "/drop-finding 2", NOON)
    refused = story.conversation.say("maintainer", "/drop-finding 9", NOON)
    story.run(comment)
    writes = list(story.conversation.writes)

    answers = story.run(refused)

    assert (answers.answers, answers.exit_code) == ((), 0)
    assert story.conversation.writes == writes
    assert story.session.revision == 3


def test_a_command_that_was_only_received_is_taken_up_again(story: Story) -> None:
    story.conversation.say("maintainer", "/drop-finding 2", NOON)
    story.conversation.reactions["101"] = {Reaction.RECEIVED}

    story.run()

    assert story.kept == [1, 3]
    assert story.conversation.writes == ["rocket 101"]


def test_a_deleted_comment_is_nothing(story: Story) -> None:
    comment = story.conversation.say("maintainer", "/approve-findings", NOON)
    story.conversation.delete(comment)

    assert story.run(comment).answers == ()


def test_a_sweep_without_a_review_finds_nothing_and_an_event_is_answered() -> None:
    story = Story(Shown())
    comment = story.conversation.say("maintainer", "/approve-findings", NOON)

    assert story.run().answers == ()
    story.run(comment)

    assert "needs a review" in story.conversation.replies["101"]


@pytest.mark.parametrize("bare", [Bare.OWN, Bare.ALL])
def test_what_needs_no_prefix_is_as_configured(story: Story, bare: Bare) -> None:
    story.changes["bare"] = bare

    story.tell("/preview")

    assert (story.conversation.writes != []) is (bare is Bare.ALL)


# --- Cut off anywhere ------------------------------------------------------------------------------------------------

STORIES = {
    "done": "/drop-finding 2",
    "done and submitted": "/drop-finding 2 known\n/approve-findings",
    "submitted": "/approve-findings 1,3 --as comment",
    "refused": "/approve-findings 9",
    "shown": "/preview-findings",
    "discarded": "/discard-findings",
    "finalized": "/finalize-review",
    "done and discarded": "/drop-finding 1 no\n/discard-findings",
}


@pytest.mark.parametrize("fate", Fate)
@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("text", STORIES.values(), ids=STORIES.keys())
def test_a_run_that_was_cut_off_at_any_answer_ends_as_an_undisturbed_one(text: str, at: int, fate: Fate) -> None:
    undisturbed, cut = open_story(FINDINGS), open_story(FINDINGS)
    comment = undisturbed.conversation.say("maintainer", text, NOON)
    undisturbed.run(comment)
    cut.conversation.say("maintainer", text, NOON)
    cut.conversation.fates[at] = fate

    with suppress(Killed):
        cut.run(comment)
    cut.run(comment)

    assert cut.conversation.reactions == undisturbed.conversation.reactions
    assert cut.conversation.replies == undisturbed.conversation.replies
    assert cut.shown.forge.kept.writes == undisturbed.shown.forge.kept.writes
    assert [command.text for command in cut.session.commands] == [c.text for c in undisturbed.session.commands]


@pytest.mark.parametrize("text", ["/draftgate review --force", "/retry-agent", "/proceed-without impact.callers"])
def test_a_round_that_a_cut_off_command_made_is_not_made_again(text: str) -> None:
    story = open_story(FINDINGS)
    wishes: list[RoundWish] = []
    story.start_round = lambda wish: wishes.append(wish) or story.session  # type: ignore[func-returns-value]
    comment = story.conversation.say("maintainer", text, "2026-01-02T09:59:00Z")
    story.conversation.reactions["101"] = {Reaction.RECEIVED}

    story.run(comment)

    assert wishes == []
    assert story.conversation.reactions["101"] == DONE


def test_where_the_forge_does_not_answer_the_command_and_those_after_it_wait(story: Story) -> None:
    story.conversation.say("maintainer", "/drop-finding 1", NOON)
    story.conversation.say("maintainer", "/drop-finding 2", LATER)
    story.conversation.fates[0] = Fate.REFUSED

    answers = story.run()
    kept = story.kept
    story.run()

    assert (answers.exit_code, len(answers.answers)) == (Unavailable.exit_code, 1)
    assert kept == [1, 2, 3]
    assert story.kept == [3]
    assert story.conversation.reactions == {"101": DONE, "102": DONE}


class _Busy(MemoryForge):
    """Another run writes first, once."""

    times = 1

    def save_session(self, session: Session, page: Page) -> None:
        if self.times:
            self.times -= 1
            raise Overtaken("another run was first", hint="look again")
        super().save_session(session, page)


def test_a_run_that_was_overtaken_says_so_and_the_next_one_does_it(story: Story) -> None:
    story.shown.forge = _Busy(story.shown.forge.kept)

    overtaken = story.tell("/drop-finding 2")
    writes = list(story.conversation.writes)
    story.run()

    assert (overtaken.was_overtaken, overtaken.answers) == (True, ())
    assert writes == ["eyes 101"]
    assert story.kept == [1, 3]
    assert story.conversation.reactions["101"] == DONE


# --- What goes wrong -------------------------------------------------------------------------------------------------


def test_a_moved_head_refuses(story: Story) -> None:
    story.shown.forge.kept.head = BASE

    answers = story.tell("/approve-findings")

    assert answers.exit_code == 5
    assert story.conversation.reactions["101"] == REFUSED
    assert "/draftgate review" in story.conversation.replies["101"]
    assert story.session.phase is Phase.SUPERSEDED


def test_a_draft_that_does_not_match_the_seal_refuses(story: Story) -> None:
    draft = story.shown.forge.load_draft()
    assert draft is not None
    story.shown.forge.put_draft(dataclasses.replace(draft, body="Merge it."))

    assert story.tell("/approve-findings").exit_code == 5
    assert story.conversation.reactions["101"] == REFUSED
    assert isinstance(story.shown.forge.load_draft(), DraftReview)


def test_a_state_that_cannot_be_trusted_refuses_and_says_so(story: Story) -> None:
    story.shown.forge.kept.things["session", story.shown.forge.key] = b"spoilt"

    answers = story.tell("/approve-findings")

    assert (answers.exit_code, answers.session) == (5, None)
    assert story.conversation.reactions["101"] == REFUSED


def test_a_verdict_that_the_forge_refuses_is_not_exchanged(story: Story) -> None:
    story.shown.forge.kept.why_refused[Verdict.APPROVE] = "the forge does not let an account approve its own change"

    answers = story.tell("/approve-findings 1 --as approve")

    assert answers.exit_code == 3
    assert story.session.phase is Phase.AWAITING_APPROVAL
    assert "/approve-findings 1 --as comment" in story.conversation.replies["101"]
    assert story.conversation.reactions["101"] == REFUSED


def test_a_broken_configuration_refuses_and_names_every_problem(story: Story) -> None:
    problems = (Problem("draftgate.yml", 2, 1, "langage", "there is no key", "did you mean `language`?"),)
    story.changes["broken"] = ConfigurationError(problems)

    answers = story.tell("/approve-findings")

    assert answers.exit_code == 2
    assert "draftgate.yml:2:1" in story.conversation.replies["101"]
    assert story.shown.forge.kept.writes == []


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (AgentFailed("ruff failed", hint="retry with `draftgate do /retry-agent`"), 6),
        (EvidenceError("the range cannot be proved", hint="fetch it"), 5),
        (PermissionDenied("the token cannot write checks", hint="let it"), 3),
    ],
    ids=["agent", "evidence", "permission"],
)
def test_a_round_that_fails_is_answered_with_its_exit_code(story: Story, error: DraftgateError, exit_code: int) -> None:
    def fail(_wish: RoundWish) -> Session:
        raise error

    story.start_round = fail

    answers = story.tell("/draftgate review --force")

    assert answers.exit_code == exit_code
    assert story.conversation.reactions["101"] == REFUSED
    assert error.message in story.conversation.replies["101"]
    assert "`draftgate do" not in story.conversation.replies["101"]


def test_of_several_comments_the_highest_exit_code_counts(story: Story) -> None:
    story.shown.forge.kept.head = BASE
    story.conversation.say("maintainer", "/drop-finding 9", NOON)
    story.conversation.say("maintainer", "/approve-findings", NOON)
    story.conversation.say("outsider", "/approve-findings", NOON)

    assert story.run().exit_code == 5


class _Closed(MemoryForge):
    """A change that was merged."""

    def read_head(self, _session: Session) -> HeadState:
        return HeadState(HEAD, is_open=False)


@pytest.mark.parametrize("phase", [Phase.AWAITING_APPROVAL, Phase.FINALIZED])
def test_a_closed_change_is_refused_whether_or_not_its_review_was_ended(story: Story, phase: Phase) -> None:
    story.shown.forge = _Closed(story.shown.forge.kept)
    if phase is Phase.FINALIZED:
        story.shown.journal.advance(story.session, phase)

    answers = story.tell("/approve-findings")

    assert answers.exit_code == 5
    assert "closed or merged" in story.conversation.replies["101"]
    assert "review" not in story.shown.forge.kept.writes


def test_text_of_others_in_a_reason_does_not_act(story: Story) -> None:
    session_ = story.session
    change = dataclasses.replace(session_.change, head_ref="fix/@example/everyone")
    story.shown.forge.kept.things["session", story.shown.forge.key] = dataclasses.replace(session_, change=change)
    story.shown.forge.kept.head = BASE

    story.tell("/approve-findings")

    assert "`fix/@example/everyone`" in story.conversation.replies["101"]


# --- A run that was started with a command ---------------------------------------------------------------------------


def ask(story: Story, text: str, login: str = "maintainer", *, is_rerun: bool = False) -> tuple[int, str]:
    asked = CommandAsked(7, text, Person(login), is_rerun=is_rerun)
    answers = run_asked(story.inbox(), asked, LATER)
    return answers.exit_code, answers.answers[0].sentence


def test_a_run_started_with_a_command_does_it_and_writes_no_answer(story: Story) -> None:
    assert ask(story, "/approve-findings 1")[0] == 0
    assert story.session.submission is not None
    assert story.conversation.writes == []


@pytest.mark.parametrize(
    ("text", "login", "is_rerun", "says"),
    [
        ("/approve-findings", "outsider", False, "may give no command"),
        ("/approve-findings", "author", False, "your own change"),
        ("/approve-findings", "maintainer", True, "again"),
        ("/drop-finding 1\n/approve-findings", "maintainer", False, "write it in a comment"),
        ("please", "maintainer", False, "there is no command"),
        ("/approve-findings 9", "maintainer", False, "no finding 9"),
    ],
    ids=["stranger", "author", "re-run", "change", "none", "bad"],
)
def test_a_run_started_with_what_may_not_be_is_refused(
    story: Story, text: str, login: str, *, is_rerun: bool, says: str
) -> None:
    exit_code, sentence = ask(story, text, login, is_rerun=is_rerun)

    assert exit_code == 0
    assert says in sentence
    assert story.session.submission is None
    assert story.kept == [1, 2, 3]


def test_a_command_before_the_first_review_starts_one() -> None:
    story = Story(Shown())
    wishes: list[RoundWish] = []

    def start(wish: RoundWish) -> Session:
        wishes.append(wish)
        return session(FINDINGS)

    story.start_round = start
    comment = story.conversation.say("maintainer", "/draftgate review", NOON)

    take_up(story.inbox(), comment.id)

    assert wishes == [RoundWish()]
    assert story.conversation.reactions["101"] == DONE
