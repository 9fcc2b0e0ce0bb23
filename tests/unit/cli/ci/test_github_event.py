"""Which events of GitHub ask for something, decided from the event alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from draftgate.cli.ci.github_event import Trigger, read_event
from draftgate.cli.ci.payload import Payload
from draftgate.commands.registry import load_commands
from draftgate.domain.change import CommitSha
from draftgate.domain.event import (
    ChangeClosed,
    CommandAsked,
    CommentMade,
    Event,
    NothingToDo,
    ReviewAsked,
    SweepDue,
)
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from draftgate.forge.hidden import Kind, Marker, mark
from tests.unit.cli.ci.payloads import HEAD, Json, account, change, comment, dispatch

EXAMPLES = Path(__file__).parents[3] / "corpus" / "webhooks"
COMMENTS = EXAMPLES.parent / "comments" / "known.json"

AUTHOR = Person("author")
MAINTAINER = Person("maintainer")


def event_of(
    name: str,
    payload: Mapping[str, object],
    *,
    actor: str = "author",
    triggered_by: str = "maintainer",
    attempt: int = 1,
) -> Event:
    return read_event(Trigger(name, actor, triggered_by, attempt), lambda: Payload(payload, "event.json"))


def examples(name: str) -> list[Json]:
    found = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_change_that_is_opened_or_pushed_to_is_reviewed(name: str, action: str) -> None:
    event = event_of(name, change(action))

    assert event == ReviewAsked(7, CommitSha(HEAD), author=AUTHOR, pushed_by=AUTHOR)


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_closed_change_is_closed(name: str) -> None:
    assert event_of(name, change("closed")) == ChangeClosed(7)


def test_our_label_asks_for_a_review_in_the_name_of_who_set_it() -> None:
    event = event_of("pull_request", change("labeled", label={"name": "Draftgate"}, sender=account("maintainer")))

    assert isinstance(event, ReviewAsked)
    assert event.asked_by == MAINTAINER


def test_another_label_asks_for_nothing() -> None:
    event = event_of("pull_request", change("labeled", label={"name": "::error::bug"}))

    assert event == NothingToDo("only the label `draftgate` asks for a review")


@pytest.mark.parametrize("head_repo", ["outsider/rooms", None], ids=["a fork", "a deleted fork"])
def test_a_fork_is_foreign_and_may_only_read(head_repo: str | None) -> None:
    event = event_of("pull_request", change("opened", head_repo=head_repo))

    assert isinstance(event, ReviewAsked)
    assert (event.is_foreign, event.may_be_read_only) == (True, True)


def test_a_fork_has_a_token_that_writes_on_the_target_event() -> None:
    event = event_of("pull_request_target", change("opened", head_repo="outsider/rooms"))

    assert isinstance(event, ReviewAsked)
    assert (event.is_foreign, event.may_be_read_only) == (True, False)


@pytest.mark.parametrize(
    ("actor", "sender"),
    [("dependabot[bot]", "maintainer"), ("maintainer", "dependabot[bot]")],
    ids=["re-run by a person", "by itself"],
)
def test_dependabot_is_treated_as_a_fork(actor: str, sender: str) -> None:
    event = event_of("pull_request", change("opened", sender=account(sender)), actor=actor)

    assert isinstance(event, ReviewAsked)
    assert (event.is_foreign, event.may_be_read_only) == (True, True)


def test_the_case_of_a_repository_name_makes_no_fork() -> None:
    event = event_of("pull_request", change("opened", head_repo="Maintainer/Rooms"))

    assert isinstance(event, ReviewAsked)
    assert not event.is_foreign


def test_a_payload_that_names_nobody_is_still_a_change() -> None:
    payload = change("opened")
    del payload["sender"], payload["pull_request"]["user"]

    event = event_of("pull_request", payload)

    assert isinstance(event, ReviewAsked)
    assert (event.author, event.pushed_by) == (None, None)


def test_a_push_by_a_program_says_so() -> None:
    event = event_of("pull_request", change("synchronize", sender=account("draftgate[bot]", "Bot")))

    assert isinstance(event, ReviewAsked)
    assert event.pushed_by == Person("draftgate[bot]", is_bot=True)


def test_a_command_in_a_new_comment_is_for_us() -> None:
    assert event_of("issue_comment", comment("/approve-findings 1")) == CommentMade(
        7, "41", MAINTAINER, "/approve-findings 1"
    )


def test_a_command_is_its_senders() -> None:
    payload = comment("/approve-findings", sender=account("outsider"))

    event = event_of("issue_comment", payload)

    assert isinstance(event, CommentMade)
    assert event.author == Person("outsider")


@pytest.mark.parametrize(
    "body",
    ["/aprove-findings", "/draftgate", "/draftgate dance", "/approve-findings 1000", "/approve", "/review", "/retry"],
)
def test_a_comment_that_only_a_configuration_or_a_reply_can_settle_is_for_us(body: str) -> None:
    assert isinstance(event_of("issue_comment", comment(body)), CommentMade)


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(comment("thanks, I shall look at src/app.py"), id="prose"),
        pytest.param(comment("/lgtm"), id="another bot's"),
        pytest.param(comment("> /approve-findings"), id="quoted"),
        pytest.param(comment("```\n/approve-findings\n```"), id="code"),
        pytest.param(comment(""), id="empty"),
        pytest.param(comment(None), id="no text"),
        pytest.param(comment("/approve-findings", action="edited"), id="edited"),
        pytest.param(comment("/approve-findings", action="deleted"), id="deleted"),
        pytest.param(comment("/approve-findings", issue={"number": 7}), id="on an issue"),
        pytest.param(comment("/approve-findings", issue={"number": 7, "pull_request": None}), id="on an issue (null)"),
        pytest.param(comment(mark("/approve-findings", Marker(Kind.CHECKPOINT))), id="with our mark"),
    ],
)
def test_a_comment_that_is_not_for_us_is_left_alone(payload: Json) -> None:
    assert isinstance(event_of("issue_comment", payload), NothingToDo)


def test_every_comment_that_a_command_calls_good_is_for_us() -> None:
    good = [text for command in load_commands() for text in command.good]

    assert good
    assert all(isinstance(event_of("issue_comment", comment(text)), CommentMade) for text in good)


def test_the_known_comments_are_told_apart() -> None:
    known = json.loads(COMMENTS.read_text(encoding="utf-8"))
    understood = [case["text"] for case in known if isinstance(case["expect"], list)]

    missed = [text for text in understood if isinstance(event_of("issue_comment", comment(text)), NothingToDo)]

    assert understood
    assert missed == []


def test_a_dispatch_with_a_number_asks_for_a_review_in_the_name_of_who_started_it() -> None:
    assert event_of("workflow_dispatch", dispatch(number="42")) == ReviewAsked(42, asked_by=MAINTAINER)


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_dispatch_with_a_command_says_whether_it_is_a_rerun(attempt: int) -> None:
    payload = dispatch(number="#42", command=" /approve-findings 1 ")

    event = event_of("workflow_dispatch", payload, attempt=attempt)

    assert event == CommandAsked(42, "/approve-findings 1", MAINTAINER, is_rerun=attempt > 1)


@pytest.mark.parametrize("payload", [dispatch(), dispatch(number="", command=" ")], ids=["no inputs", "empty ones"])
def test_a_dispatch_without_inputs_sweeps(payload: Json) -> None:
    assert event_of("workflow_dispatch", payload) == SweepDue()


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"gate": "release"}, "not in this release"),
        ({"command": "/approve-findings"}, "no pull request"),
        ({"number": "seven"}, "no number"),
        ({"number": "0"}, "no number"),
        ({"number": "7/../8"}, "no number"),
        ({"number": "9" * 30}, "no number"),
        ({"number": "7", "command": "approve"}, "no command"),
        ({"number": ["7"]}, "is no text"),
    ],
    ids="gate, command alone, word, zero, path, huge, no command, list".split(", "),
)
def test_a_dispatch_that_cannot_be_meant_is_refused(inputs: Json, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        event_of("workflow_dispatch", dispatch(**inputs))

    assert refused.value.hint


def test_a_dispatch_by_nobody_is_refused() -> None:
    with pytest.raises(UsageError, match="nobody is named"):
        event_of("workflow_dispatch", dispatch(number="7"), triggered_by="")


def test_a_schedule_sweeps() -> None:
    assert event_of("schedule", {"schedule": "17 * * * *"}) == SweepDue()


@pytest.mark.parametrize("name", ["merge_group", "pull_request_review", "pull_request_review_comment", "push"])
def test_other_events_ask_for_nothing(name: str) -> None:
    events = [event_of(name, payload) for payload in examples(name)]

    assert set(events) == {NothingToDo(f"the event {name} asks for nothing")}


@pytest.mark.parametrize("index", range(len(examples("issue_comment"))))
def test_the_published_comments_on_issues_ask_for_nothing(index: int) -> None:
    assert isinstance(event_of("issue_comment", examples("issue_comment")[index]), NothingToDo)


@pytest.mark.parametrize("payload", examples("pull_request"), ids=lambda payload: payload["action"])
def test_the_published_changes_are_told_apart_by_their_action(payload: Json) -> None:
    kinds = {"opened": ReviewAsked, "reopened": ReviewAsked, "synchronize": ReviewAsked, "closed": ChangeClosed}
    kinds["ready_for_review"] = ReviewAsked

    event = event_of("pull_request", payload, actor="Codertocat")

    assert type(event) is kinds.get(payload["action"], NothingToDo)


@pytest.mark.parametrize("payload", examples("workflow_dispatch"), ids=["1", "2"])
def test_the_published_dispatches_have_no_inputs(payload: Json) -> None:
    assert event_of("workflow_dispatch", payload) == SweepDue()


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        pytest.param("pull_request", {"action": "opened", "pull_request": {"number": "7"}}, id="text for a number"),
        pytest.param("pull_request", {"action": "opened", "pull_request": {"number": True}}, id="true for a number"),
        pytest.param("pull_request", {"action": "opened", "pull_request": {"number": -1}}, id="negative"),
        pytest.param("pull_request", {"action": "opened", "pull_request": {"number": 10**30}}, id="huge"),
        pytest.param("pull_request", {"action": "opened", "pull_request": [7]}, id="list for a change"),
        pytest.param("pull_request", {"action": "opened"}, id="no change"),
        pytest.param("pull_request", {"action": "closed", "pull_request": {}}, id="no number to close"),
        pytest.param("pull_request", {"action": {}}, id="object for an action"),
        pytest.param("pull_request", change("opened") | {"sender": "author"}, id="text for a sender"),
        pytest.param(
            "pull_request",
            change("opened", pull_request={"number": 7, "head": {"sha": "main; rm -rf"}}),
            id="no commit",
        ),
        pytest.param("issue_comment", comment(["/approve-findings"]), id="list for a body"),
        pytest.param("issue_comment", comment("/approve-findings", issue={"pull_request": {}}), id="no number"),
        pytest.param(
            "issue_comment",
            comment("/approve-findings", comment={"id": "41", "body": "/approve-findings"}),
            id="text for an id",
        ),
        pytest.param(
            "issue_comment",
            comment("/approve-findings", issue={"number": 7, "pull_request": "yes"}),
            id="text for a pull request",
        ),
    ],
)
def test_a_payload_of_the_wrong_shape_is_refused_with_its_path(name: str, payload: Json) -> None:
    with pytest.raises(UsageError, match=r"`[a-z_.]+` ") as refused:
        event_of(name, payload)

    assert refused.value.context == "event.json"


def test_a_hostile_name_of_an_event_stays_on_one_line() -> None:
    event = event_of("x\n::error::y" + "z" * 500, {})

    assert isinstance(event, NothingToDo)
    assert "\n" not in event.reason
    assert len(event.reason) < 120
