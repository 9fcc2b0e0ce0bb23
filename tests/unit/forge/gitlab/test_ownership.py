"""Only notes that bear our mark and that we wrote are ours; nothing else is read, changed or deleted.

P19: who went by the mark alone changed a person's reply that quoted it. P20: who went by the mark alone took the state
that anybody had written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Reaction
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Session
from draftgate.forge.gitlab.texts import note_text, seal_of, summary_text
from draftgate.forge.hosted.forge import HostedForge
from draftgate.render.page import Page
from draftgate.render.quick_actions import escape_commands
from tests.builders import finding, scope, session
from tests.fakes.gitlab import drafts, notes
from tests.fakes.gitlab.entities import DraftNote, Note, Position
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.scenario import BOT, REPORTER_BOT
from tests.fakes.gitlab_forge import open_forge
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab

PAGE = Page("## Draftgate · round 1")
MAIL = "rooms/mail.py"


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    with on_gitlab(tmp_path) as found:
        yield found
        assert [one for one in found.world.executed if one.user.bot] == []


def forge(gitlab: OnGitLab, *, account: str = BOT) -> HostedForge:
    return open_forge(gitlab.scenario, gitlab.simulator, gitlab.scenario.merge_request, account=account)


def round_of(gitlab: OnGitLab, **changes: object) -> Session:
    return session([finding()], **{"revision": 1, "scope": scope(head=gitlab.head), **changes})


def draft_of(gitlab: OnGitLab, text: str = "Both changed.") -> DraftReview:
    comment = ReviewComment(1, "f" * 64, Anchor(AnchorKind.LINE, MAIL, Side.RIGHT, 1, 2), text)
    return DraftReview((("head", "0" * 64),), gitlab.head, "One thing.", (comment,))


def payload_of(draft: DraftReview, seal: str = "9f2c" + "0" * 60) -> ApprovedPayload:
    command = AcceptedCommand("41", "maintainer", "/approve-findings", "2026-01-02T10:00:00Z")
    comments = draft.comments
    return ApprovedPayload(
        "0" * 64, seal, CommitSha(draft.head), (1,), Verdict.COMMENT, draft.body, comments, (), "0" * 64, command
    )


def own(gitlab: OnGitLab) -> list[Note]:
    return [note for note in gitlab.scenario.merge_request.notes if note.author is gitlab.scenario.bot]


def others(gitlab: OnGitLab) -> list[tuple[int, str]]:
    bot = gitlab.scenario.bot
    return [
        (one.id, one.body) for one in gitlab.scenario.merge_request.notes if one.author is not bot and not one.system
    ]


@pytest.mark.parametrize("login", ["maintainer", "outsider", REPORTER_BOT])
@pytest.mark.parametrize("is_answered", [True, False])
def test_a_checkpoint_that_another_account_copied_is_not_ours(
    gitlab: OnGitLab, login: str, *, is_answered: bool
) -> None:
    gitlab.world.answers_bundles = is_answered
    forge(gitlab).save_session(round_of(gitlab), PAGE)
    [checkpoint] = own(gitlab)
    body = checkpoint.body
    notes.delete(gitlab.world, gitlab.scenario.bot, checkpoint)

    gitlab.say(login, body)

    assert forge(gitlab).load_session() is None


def test_copies_around_ours_change_nothing(gitlab: OnGitLab) -> None:
    first = forge(gitlab)
    first.save_session(round_of(gitlab), PAGE)
    saved = forge(gitlab).load_session()
    [checkpoint] = own(gitlab)
    gitlab.say("outsider", checkpoint.body)
    gitlab.say("maintainer", f"> {checkpoint.body}".replace("\n", "\n> ") + "\n\nwhy this?")
    gitlab.say("guest", f"{checkpoint.body} copied")
    gitlab.say(BOT, "a reply without a mark")
    before = others(gitlab)

    run = forge(gitlab)
    assert run.load_session() == saved
    run.save_session(round_of(gitlab, revision=2, phase=Phase.SUBMITTED), PAGE)

    assert others(gitlab) == before
    assert [note.body for note in own(gitlab)][1:] == ["a reply without a mark"]
    written = forge(gitlab).load_session()
    assert written is not None
    assert written.phase is Phase.SUBMITTED


def test_a_reply_with_our_mark_by_another_is_not_taken_for_ours(gitlab: OnGitLab) -> None:
    question = gitlab.say("maintainer", "/draftgate status")
    run = forge(gitlab)
    run.reply(run.comments()[0], "It waits.")
    [reply] = own(gitlab)
    body = reply.body
    notes.delete(gitlab.world, gitlab.scenario.bot, reply)
    gitlab.say("outsider", body)
    before = others(gitlab)

    again = forge(gitlab)
    again.reply(again.comments()[0], "It waits.")

    assert question.body == "/draftgate status"
    assert (others(gitlab), len(own(gitlab))) == (before, 1)


def test_our_reply_is_written_once_and_changed_in_place(gitlab: OnGitLab) -> None:
    gitlab.say("maintainer", "/draftgate status")
    for text in ("It waits.", "It waits.", "It is done.\r\n/merge"):
        run = forge(gitlab)
        run.reply(run.comments()[0], text)

    [reply] = own(gitlab)
    assert reply.body.startswith("It is done.\n\\/merge\n")


def test_a_reaction_of_another_is_not_ours(gitlab: OnGitLab) -> None:
    note = gitlab.say("maintainer", "/approve-findings")
    notes.award(gitlab.world, gitlab.scenario.person("developer"), note, Reaction.RECEIVED.value)
    run = forge(gitlab)

    assert run.has_reacted(run.comments()[0]) == frozenset()
    run.react(run.comments()[0], Reaction.RECEIVED)
    run.react(run.comments()[0], Reaction.RECEIVED)
    again = forge(gitlab)
    again.react(again.comments()[0], Reaction.RECEIVED)

    assert again.has_reacted(again.comments()[0]) == {Reaction.RECEIVED}
    assert [award.user for award in note.awards].count(gitlab.scenario.bot) == 1


def test_draft_notes_of_another_program_stay_as_they_are(gitlab: OnGitLab) -> None:
    """The account is shared: what bears no mark of ours is another program's."""
    one, bot = gitlab.scenario.merge_request, gitlab.scenario.bot
    foreign = drafts.create(gitlab.world, bot, one, DraftNote(id=0, merge_request=one, author=bot, note="another's"))
    draft = draft_of(gitlab)

    run = forge(gitlab)
    run.put_draft(draft)
    assert run.load_draft() == draft
    run.publish_draft(payload_of(draft))
    run.delete_draft()

    assert one.drafts == [foreign]
    assert own(gitlab)[0].body.startswith("Both changed.")
    assert not [entry for entry in gitlab.simulator.log.writes if entry.path.endswith("bulk_publish")]


def test_draft_notes_of_another_instance_stay_as_they_are(gitlab: OnGitLab) -> None:
    one, bot = gitlab.scenario.merge_request, gitlab.scenario.bot
    draft = draft_of(gitlab)
    text = note_text("security", draft, draft.comments[0])
    foreign = drafts.create(gitlab.world, bot, one, DraftNote(id=0, merge_request=one, author=bot, note=text))

    run = forge(gitlab)
    assert run.load_draft() is None
    run.put_draft(draft)
    run.delete_draft()

    assert one.drafts == [foreign]


def test_findings_that_another_account_published_are_not_ours(gitlab: OnGitLab) -> None:
    """A copied finding must not pass for one that is public already."""
    draft = draft_of(gitlab)
    version, one = gitlab.scenario.merge_request.version, gitlab.scenario.merge_request
    place = Position(version.base, version.start, version.head, "text", MAIL, MAIL, new_line=2)
    copied = note_text("default", draft, draft.comments[0])
    notes.create(gitlab.world, gitlab.scenario.person("developer"), one, NewNote(copied, "DiffNote", place))

    run = forge(gitlab)
    assert run.load_draft() is None
    run.put_draft(draft)
    run.publish_draft(payload_of(draft))

    published = run.find_review(payload_of(draft).seal)
    assert published is not None
    assert published.comments == draft.comments
    assert [note.body.partition("\n")[0] for note in own(gitlab)] == ["Both changed.", "One thing."]


def test_a_summary_that_another_account_copied_publishes_nothing(gitlab: OnGitLab) -> None:
    draft = draft_of(gitlab)
    payload = payload_of(draft)
    gitlab.say("developer", summary_text("default", payload, seal_of(draft), "en"))

    run = forge(gitlab)
    assert run.find_review(payload.seal) is None
    run.put_draft(draft)
    run.publish_draft(payload)

    published = run.find_review(payload.seal)
    assert published is not None
    assert published.author == gitlab.scenario.bot.username


@pytest.mark.parametrize(
    "text",
    [
        "a\r\n```suggestion\r\ndef send_welcome(team):\r\n    return {}\r\n```",
        "```suggestion:-2+0\nx\n```\n\n```suggestion\ny\n```",
        "/approve\n /merge\n\u00a0/close",
        "```\n/merge\n```\nand\n```\r\n/merge\r\n```",
        "@everyone !1 #1 <!-- draftgate:finding number=9 -->",
        "last line\r",
    ],
    ids=["CRLF in a suggestion", "GitLab's own form", "commands", "commands in code", "marks", "one return"],
)
def test_a_hostile_text_is_published_once_and_found_again(gitlab: OnGitLab, text: str) -> None:
    """GitLab takes carriage returns out of what it publishes: a note that read otherwise then was posted twice."""
    draft = draft_of(gitlab, "")
    shown = draft.comments[0]
    inert = dataclasses.replace(shown, text=escape_commands(text))
    draft = dataclasses.replace(draft, comments=(inert,))
    payload = payload_of(draft)

    run = forge(gitlab)
    run.put_draft(draft)
    assert forge(gitlab).load_draft() == draft
    run.put_draft(draft)
    forge(gitlab).publish_draft(payload)
    forge(gitlab).publish_draft(payload)

    published = forge(gitlab).find_review(payload.seal)
    assert published is not None
    assert published.comments == draft.comments
    assert len(own(gitlab)) == 2
    assert gitlab.scenario.merge_request.drafts == []
