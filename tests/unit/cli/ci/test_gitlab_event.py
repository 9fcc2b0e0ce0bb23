"""Which webhooks of GitLab ask for something, decided from the payload alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from draftgate.cli.ci.gitlab_event import read_webhook
from draftgate.cli.ci.payload import LIST_LIMIT, Payload
from draftgate.commands.registry import load_commands
from draftgate.domain.change import CommitSha
from draftgate.domain.event import ChangeClosed, CommentMade, Event, NothingToDo, ReviewAsked
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from draftgate.forge.hidden import Kind, Marker, mark
from tests.unit.cli.ci.gitlab_payloads import BEFORE, HEAD, PROJECT, Json, change, labelled, note, user

COMMENTS = Path(__file__).parents[3] / "corpus" / "comments" / "known.json"

AUTHOR = Person("author")
MAINTAINER = Person("maintainer")


def event_of(payload: Mapping[str, object]) -> Event:
    return read_webhook(Payload(payload, "TRIGGER_PAYLOAD"), PROJECT)


# --- Changes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(change("open"), id="open"),
        pytest.param(change("reopen"), id="reopen"),
        pytest.param(change("update", oldrev=BEFORE), id="push"),
        pytest.param(change("update", {"draft": {"previous": True, "current": False}}), id="made ready"),
    ],
)
def test_a_change_that_is_opened_pushed_to_or_made_ready_is_reviewed(payload: Json) -> None:
    assert event_of(payload) == ReviewAsked(7, CommitSha(HEAD), author=AUTHOR, pushed_by=AUTHOR)


def test_a_push_by_somebody_else_does_not_make_them_the_author() -> None:
    event = event_of(change("update", oldrev=BEFORE) | {"user": user("maintainer", 8)})

    assert isinstance(event, ReviewAsked)
    assert (event.author, event.pushed_by) == (None, MAINTAINER)


@pytest.mark.parametrize("action", ["close", "merge"])
def test_a_change_that_is_over_is_closed(action: str) -> None:
    assert event_of(change(action)) == ChangeClosed(7)


def test_our_label_asks_for_a_review_in_the_name_of_who_set_it() -> None:
    payload = change("update", labelled(["bug"], ["bug", "Draftgate"])) | {"user": user("maintainer", 8)}

    event = event_of(payload)

    assert isinstance(event, ReviewAsked)
    assert (event.asked_by, event.head) == (MAINTAINER, CommitSha(HEAD))


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(change("update"), id="a new title"),
        pytest.param(change("update", oldrev=""), id="an empty oldrev"),
        pytest.param(change("update", labelled(["draftgate"], ["draftgate", "bug"])), id="our label stays"),
        pytest.param(change("update", labelled(["draftgate"], [])), id="our label goes"),
        pytest.param(change("update", labelled([], ["draftgate-soon"])), id="another label"),
        pytest.param(change("update", {"draft": {"previous": False, "current": True}}), id="made a draft"),
        pytest.param(change("update", labelled([], ["draftgate"])) | {"user": None}, id="our label by nobody"),
        pytest.param(change("approved"), id="an approval"),
        pytest.param(change("x\n::error::y" + "z" * 500), id="a hostile action"),
        pytest.param(change(None), id="no action"),
    ],
)
def test_other_changes_ask_for_nothing(payload: Json) -> None:
    event = event_of(payload)

    assert isinstance(event, NothingToDo)
    assert "\n" not in event.reason
    assert len(event.reason) < 130


@pytest.mark.parametrize("source", [PROJECT + 1, None], ids=["a fork", "a deleted fork"])
def test_a_fork_is_foreign_and_the_token_of_this_job_writes_all_the_same(source: int | None) -> None:
    event = event_of(change("open", source_project_id=source))

    assert isinstance(event, ReviewAsked)
    assert (event.is_foreign, event.may_be_read_only) == (True, False)


def test_a_payload_that_names_nobody_is_still_a_change() -> None:
    event = event_of(change("open", author_id=None) | {"user": None})

    assert isinstance(event, ReviewAsked)
    assert (event.author, event.pushed_by) == (None, None)


# --- Comments ------------------------------------------------------------------------------------------------------


def test_a_command_in_a_new_comment_is_for_us() -> None:
    assert event_of(note("/approve-findings 1")) == CommentMade(7, "41", MAINTAINER, "/approve-findings 1")


def test_a_release_that_names_no_action_is_believed_that_the_comment_is_new() -> None:
    payload = note("/approve-findings 1")
    del payload["object_attributes"]["action"]  # type: ignore[attr-defined]

    assert isinstance(event_of(payload), CommentMade)


@pytest.mark.parametrize(
    "body",
    ["/aprove-findings", "/draftgate", "/draftgate dance", "/approve-findings 1000", "/approve", "/review", "/retry"],
)
def test_a_comment_that_only_a_configuration_or_a_reply_can_settle_is_for_us(body: str) -> None:
    assert isinstance(event_of(note(body)), CommentMade)


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(note("thanks, I shall look at src/app.py"), id="prose"),
        pytest.param(note("/lgtm"), id="another bot's"),
        pytest.param(note("> /approve-findings"), id="quoted"),
        pytest.param(note("```\n/approve-findings\n```"), id="code"),
        pytest.param(note(""), id="empty"),
        pytest.param(note(None), id="no text"),
        pytest.param(note("/approve-findings", action="update"), id="edited"),
        pytest.param(note("/approve-findings", action="destroy"), id="another action"),
        pytest.param(note("/approve-findings", noteable_type="Issue"), id="on an issue"),
        pytest.param(note("/approve-findings", noteable_type="Commit"), id="on a commit"),
        pytest.param(note("/approve-findings", noteable_type=None), id="on nothing"),
        pytest.param(note("/approve-findings", system=True), id="GitLab's own"),
        pytest.param(note("/approve-findings", type="DiffNote"), id="on a line"),
        pytest.param(note(mark("/approve-findings", Marker(Kind.CHECKPOINT))), id="with our mark"),
        pytest.param(note("/approve-findings") | {"user": {"id": 7}}, id="by nobody"),
    ],
)
def test_a_comment_that_is_not_for_us_is_left_alone(payload: Json) -> None:
    assert isinstance(event_of(payload), NothingToDo)


def test_every_comment_that_a_command_calls_good_is_for_us() -> None:
    good = [text for command in load_commands() for text in command.good]

    assert good
    assert all(isinstance(event_of(note(text)), CommentMade) for text in good)


def test_the_known_comments_are_told_apart() -> None:
    known = json.loads(COMMENTS.read_text(encoding="utf-8"))
    understood = [case["text"] for case in known if isinstance(case["expect"], list)]

    missed = [text for text in understood if isinstance(event_of(note(text)), NothingToDo)]

    assert understood
    assert missed == []


# --- Other webhooks, and payloads that are none --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["push", "pipeline", "build", "issue", "x\n::error::y" + "z" * 500])
def test_other_webhooks_ask_for_nothing(kind: str) -> None:
    event = event_of({"object_kind": kind, "project": {"id": 1}})

    assert isinstance(event, NothingToDo)
    assert "\n" not in event.reason
    assert len(event.reason) < 120


def test_a_trigger_by_hand_asks_for_nothing() -> None:
    assert event_of({"id": "4711", "ref": "main"}) == NothingToDo(
        "the pipeline was triggered by hand or by a program, not by a webhook"
    )


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(note("/approve-findings") | {"project": {"id": PROJECT + 1}}, id="a comment"),
        pytest.param(note("thanks") | {"project": {"id": PROJECT + 1}}, id="a comment that is not for us"),
        pytest.param(change("open") | {"project": {"id": PROJECT + 1}}, id="a change"),
        pytest.param(note("/approve-findings") | {"project": None, "project_id": PROJECT + 1}, id="by number alone"),
    ],
)
def test_a_webhook_of_another_project_is_refused(payload: Json) -> None:
    with pytest.raises(
        UsageError, match=f"the project {PROJECT + 1}, and its trigger belongs to the project {PROJECT}"
    ):
        event_of(payload)


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"object_kind": ["note"]}, id="list for a kind"),
        pytest.param({"object_kind": "note"}, id="no project"),
        pytest.param(note("/approve-findings") | {"project": [PROJECT]}, id="list for a project"),
        pytest.param(note("/approve-findings") | {"project": {"id": str(PROJECT)}}, id="text for a project's number"),
        pytest.param(note("/approve-findings") | {"object_attributes": "note"}, id="text for a comment"),
        pytest.param(note(["/approve-findings"]), id="list for a text"),
        pytest.param(note("/approve-findings", system="no"), id="text for a flag"),
        pytest.param(note("/approve-findings", id="41"), id="text for an id"),
        pytest.param(note("/approve-findings", id=True), id="true for an id"),
        pytest.param(note("/approve-findings") | {"merge_request": {"iid": -1}}, id="negative"),
        pytest.param(note("/approve-findings") | {"merge_request": {"iid": 10**30}}, id="huge"),
        pytest.param(note("/approve-findings") | {"merge_request": None}, id="no merge request"),
        pytest.param(note("/approve-findings") | {"user": "maintainer"}, id="text for a user"),
        pytest.param(change({"x": 1}), id="object for an action"),
        pytest.param(change("open", iid="7"), id="text for a number"),
        pytest.param(change("open", last_commit={"id": "main; rm -rf"}), id="no commit"),
        pytest.param(change("open", last_commit=[HEAD]), id="list for a commit"),
        pytest.param(change("close", iid=None), id="no number to close"),
        pytest.param(change("update", {"labels": {"previous": [], "current": ["draftgate"]}}), id="text for a label"),
        pytest.param(change("update", {"labels": {"previous": {}, "current": []}}), id="object for labels"),
        pytest.param(change("update", labelled([], ["x"] * (LIST_LIMIT.value + 1))), id="labels without end"),
        pytest.param(change("update", {"draft": {"previous": "yes"}}), id="text for a draft mark"),
    ],
)
def test_a_payload_of_the_wrong_shape_is_refused_with_its_path(payload: Json) -> None:
    with pytest.raises(UsageError, match=r"`[a-z_.]+` ") as refused:
        event_of(payload)

    assert refused.value.context.startswith("TRIGGER_PAYLOAD")
