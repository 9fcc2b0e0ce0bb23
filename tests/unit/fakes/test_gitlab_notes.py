"""The simulated GitLab holds comments and threads to GitLab's rules, and does what their quick actions say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gitlab.exceptions import GitlabCreateError, GitlabDeleteError, GitlabError

from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.scenario import BOT, REPORTER_BOT, push
from tests.fakes.gitlab.stage import Stage
from tests.flawed_change import CHANGE

OpenGitlab = Callable[..., Stage]
MAIL = "rooms/mail.py"
NO_LINE = """Note {:line_code=>["can't be blank", "must be a valid line code"]}"""


def write(stage: Stage, body: str, name: str = BOT) -> Any:  # noqa: ANN401, python-gitlab's note
    return stage.merge_request(name).notes.create({"body": body})


def thread(stage: Stage, name: str = BOT, **fields: object) -> Any:  # noqa: ANN401, python-gitlab's discussion
    return stage.merge_request(name).discussions.create({"body": "Why?", **fields})


# --- Notes ---


def test_a_note_says_whose_it_is_and_where(stage: Stage) -> None:
    made = write(stage, "Hello")

    note = stage.merge_request("outsider").notes.get(made.id)

    assert (note.body, note.type, note.system, note.resolvable) == ("Hello", None, False, False)
    assert (note.noteable_type, note.noteable_iid) == ("MergeRequest", 1)
    assert note.author["username"] == stage.scenario.bot.username
    assert note.created_at == note.updated_at
    assert note.created_at.endswith(".000Z")


def test_notes_come_newest_first_in_pages(stage: Stage) -> None:
    for number in range(5):
        write(stage, f"{number}")

    page = stage.ask("GET", "notes", query={"per_page": 2, "page": 2})
    everything = stage.merge_request().notes.list(get_all=True, sort="asc", order_by="updated_at", per_page=2)

    assert [note["body"] for note in page.json()] == ["2", "1"]
    assert {name: page.headers[name] for name in ("X-Total", "X-Total-Pages", "X-Next-Page", "X-Prev-Page")} == {
        "X-Total": "5",
        "X-Total-Pages": "3",
        "X-Next-Page": "3",
        "X-Prev-Page": "1",
    }
    assert 'rel="next"' in page.headers["Link"]
    assert [note.body for note in everything] == ["0", "1", "2", "3", "4"]


def test_a_page_may_be_short_although_more_follow(stage: Stage) -> None:
    stage.world.short_pages = True
    for number in range(5):
        write(stage, f"{number}")

    first = stage.ask("GET", "notes", query={"per_page": 3})

    assert len(first.json()) == 2
    assert first.headers["X-Next-Page"] == "2"


def test_an_edit_moves_the_time_of_the_update_alone(stage: Stage) -> None:
    note = write(stage, "Hello")

    note.body = "Good day"
    note.save()

    after = stage.merge_request().notes.get(note.id)
    assert (after.body, after.created_at < after.updated_at) == ("Good day", True)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("author", True), ("maintainer", True), ("owner", True), ("developer", False), ("guest", False)],
)
def test_others_comments_are_changed_by_maintainers_alone(stage: Stage, name: str, *, allowed: bool) -> None:
    note = write(stage, "Mine", "author")

    answer = stage.ask("PUT", f"notes/{note.id}", name, json={"body": "Yours"})

    assert answer.status_code == (200 if allowed else 403)


def test_a_system_note_cannot_be_changed_or_deleted(stage: Stage) -> None:
    push(stage.world, stage.scenario.merge_request, {"more.txt": "more\n"})
    (note,) = stage.merge_request("owner").notes.list(get_all=True)

    with pytest.raises(GitlabDeleteError):
        note.delete()

    assert note.system
    assert note.body.startswith("added 1 commit")


@pytest.mark.parametrize(
    ("body", "status"), [("x" * 1_000_000, 201), ("x" * 1_000_001, 400), ("é" * 500_001, 400), ("  ", 400)]
)
def test_a_comment_has_at_most_a_million_bytes_and_at_least_one_letter(stage: Stage, body: str, status: int) -> None:
    assert stage.ask("POST", "notes", json={"body": body}).status_code == status


def test_internal_notes_are_for_members_from_planner_on(stage: Stage) -> None:
    made = stage.merge_request("planner").notes.create({"body": "Between us", "internal": True})

    assert made.internal
    assert [note.body for note in stage.merge_request("developer").notes.list(get_all=True)] == ["Between us"]
    for name in ("guest", "outsider"):
        assert stage.merge_request(name).notes.list(get_all=True) == []


def test_a_locked_merge_request_takes_comments_of_members_alone(stage: Stage) -> None:
    write(stage, "/lock")

    write(stage, "Mine", "guest")
    with pytest.raises(GitlabCreateError) as refused:
        write(stage, "Mine", "outsider")

    assert refused.value.response_code == 403


# --- Emoji ---


def test_an_emoji_is_put_on_once_and_taken_off_by_its_owner(stage: Stage) -> None:
    note = stage.merge_request().notes.get(write(stage, "Hello").id)
    eyes = note.awardemojis.create({"name": "eyes"})

    with pytest.raises(GitlabCreateError) as again:
        note.awardemojis.create({"name": "eyes"})
    with pytest.raises(GitlabCreateError) as unknown:
        note.awardemojis.create({"name": "no_such_thing"})
    other = stage.merge_request("author").notes.get(note.id).awardemojis
    with pytest.raises(GitlabError) as foreign:
        other.delete(eyes.id)

    assert [each.response_code for each in (again.value, unknown.value, foreign.value)] == [404, 404, 401]
    assert "has already been taken" in str(again.value)
    assert [award.user["username"] for award in other.list(get_all=True)] == [stage.scenario.bot.username]
    note.awardemojis.delete(eyes.id)
    assert note.awardemojis.list(get_all=True) == []


# --- Threads ---


def test_a_thread_has_its_place_and_can_be_resolved(stage: Stage) -> None:
    made = thread(stage, position=stage.position(MAIL, new_line=1))

    (note,) = made.attributes["notes"]

    assert (note["type"], note["resolvable"], note["resolved"]) == ("DiffNote", True, False)
    assert (note["position"]["new_line"], note["position"]["old_line"]) == (1, None)
    made.resolved = True
    made.save()
    (note,) = stage.merge_request().discussions.get(made.id).attributes["notes"]
    assert (note["resolved"], note["resolved_by"]["username"]) == (True, stage.scenario.bot.username)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param({"new_line": 100}, id="no such line"),
        pytest.param({"new_line": 3}, id="a context line with one number"),
        pytest.param({"old_line": 3, "new_line": 4}, id="numbers that do not belong together"),
    ],
)
def test_a_thread_is_refused_at_once_where_a_draft_is_not(stage: Stage, lines: dict[str, Any]) -> None:
    with pytest.raises(GitlabCreateError) as refused:
        thread(stage, position=stage.position(MAIL, **lines))

    assert (refused.value.response_code, NO_LINE in str(refused.value)) == (400, True)


def test_a_place_without_a_line_is_incomplete(stage: Stage) -> None:
    with pytest.raises(GitlabCreateError) as refused:
        thread(stage, position=stage.position(MAIL))

    assert ':position=>["is incomplete"]' in str(refused.value)


def test_threads_come_in_pages_however_many_notes_they_have(stage: Stage) -> None:
    for _ in range(3):
        thread(stage).notes.create({"body": "Because"})

    pages = [stage.ask("GET", "discussions", query={"per_page": 2, "page": page}) for page in (1, 2)]

    assert [len(page.json()) for page in pages] == [2, 1]
    assert [len(each["notes"]) for page in pages for each in page.json()] == [2, 2, 2]
    assert "next" not in pages[1].headers["Link"]


def test_a_reply_makes_a_thread_of_a_plain_note(stage: Stage) -> None:
    write(stage, "Hello")
    (found,) = stage.merge_request("author").discussions.list(get_all=True)
    individual = found.individual_note

    found.notes.create({"body": "Hello yourself"})

    (found,) = stage.merge_request().discussions.list(get_all=True)
    assert (individual, found.individual_note) == (True, False)
    assert [note["type"] for note in found.attributes["notes"]] == ["DiscussionNote", "DiscussionNote"]


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("developer", True), ("maintainer", True), ("author", True), (REPORTER_BOT, False), ("outsider", False)],
)
def test_threads_are_resolved_by_developers_and_the_author(stage: Stage, name: str, *, allowed: bool) -> None:
    made = thread(stage)

    answer = stage.ask("PUT", f"discussions/{made.id}", name, json={"resolved": True})

    assert answer.status_code == (200 if allowed else 403)


def test_a_note_of_a_thread_is_resolved_or_changed_and_never_both(stage: Stage) -> None:
    made = thread(stage)
    path = f"discussions/{made.id}/notes/{made.attributes['notes'][0]['id']}"

    both = stage.ask("PUT", path, json={"resolved": True, "body": "x"})
    resolved = stage.ask("PUT", path, json={"resolved": True})
    changed = stage.ask("PUT", path, json={"body": "Why, then?"})

    assert [each.status_code for each in (both, resolved, changed)] == [400, 200, 200]
    assert (resolved.json()["resolved"], changed.json()["body"]) == (True, "Why, then?")


def test_a_thread_goes_with_its_last_note(stage: Stage) -> None:
    made = thread(stage)

    made.notes.delete(made.attributes["notes"][0]["id"])

    assert stage.merge_request().discussions.list(get_all=True) == []


def test_a_push_moves_threads_along_and_outdates_what_it_changed(stage: Stage) -> None:
    places_at_first: list[dict[str, Any]] = [{"new_line": 1}, {"new_line": 5}, {"old_line": 1}]
    kept, lost, removed = (thread(stage, position=stage.position(MAIL, **lines)) for lines in places_at_first)

    changed = CHANGE[MAIL].replace("days):", "days=None):")
    head = push(stage.world, stage.scenario.merge_request, {MAIL: "import this\n" + changed})

    places = {each.id: each.attributes["notes"] for each in stage.merge_request().discussions.list(get_all=True)}
    assert places[kept.id][0]["position"]["new_line"] == 2
    assert places[kept.id][0]["position"]["head_sha"] == head
    assert places[removed.id][0]["position"]["old_line"] == 1
    assert places[lost.id][0]["position"]["head_sha"] != head, "it stays at the version where its line was last"
    assert [note["body"] for note in places[lost.id]] == ["Why?", "changed this line in version 2 of the diff"]


# --- Quick actions ---


def test_quick_actions_are_taken_out_of_the_text_and_done(stage: Stage) -> None:
    stage.world.add_label(stage.scenario.project, "bug")

    note = write(stage, "Fine.\n/approve\n/label ~bug\nBye")

    assert note.body == "Fine.\nBye"
    assert stage.scenario.merge_request.approved_by(stage.scenario.bot)
    assert stage.scenario.merge_request.labels == ["bug"]
    assert [(each.name, each.argument, each.applied) for each in stage.world.executed] == [
        ("approve", "", True),
        ("label", "~bug", True),
    ]


def test_a_text_of_quick_actions_alone_makes_no_note(stage: Stage) -> None:
    done = stage.ask("POST", "notes", json={"body": "/close"})
    failed = stage.ask("POST", "notes", json={"body": "/close"})

    assert (done.status_code, done.json()["commands_changes"]) == (202, {"state_event": "close"})
    assert (failed.status_code, "Could not apply close" in failed.json()["message"]) == (400, True)
    assert [note.system for note in stage.scenario.merge_request.notes] == [True]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("```\n/close\n```", id="a fence"),
        pytest.param("~~~~ text\n```\n/close\n~~~~", id="a fence of another kind"),
        pytest.param("> /close", id="a quotation"),
        pytest.param(">>>\n/close\n>>>", id="a block of quotations"),
        pytest.param("    /close", id="indented code"),
        pytest.param("`/close`", id="inline code"),
        pytest.param("`one\n/close\ntwo`", id="inline code over several rows"),
        pytest.param("<details>\n/close\n</details>", id="HTML"),
        pytest.param(r"\/close", id="escaped"),
        pytest.param("see /close", id="in the middle of a row"),
        pytest.param("/closed", id="another word"),
        pytest.param("/etc/passwd", id="a path"),
    ],
)
def test_what_is_no_quick_action_stays(stage: Stage, body: str) -> None:
    note = write(stage, body)

    assert (note.body, stage.world.executed, stage.scenario.merge_request.state) == (body, [], "opened")


@pytest.mark.parametrize("body", ["/CLOSE", "/close now", "x\r\n/close\r\ny", "```\nopen\n```\n/close", "/close  "])
def test_a_quick_action_is_found_wherever_a_row_begins_with_it(stage: Stage, body: str) -> None:
    stage.ask("POST", "notes", json={"body": body})

    assert stage.scenario.merge_request.state == "closed"


@pytest.mark.parametrize(
    ("command", "name", "applied"),
    [
        ("/merge", BOT, False),
        ("/merge", "maintainer", True),
        ("/close", "outsider", False),
        ("/close", "author", True),
        ("/label ~bug", "reporter", False),
        ("/target_branch none", "maintainer", False),
        ("/request_review @maintainer", BOT, True),
        ("/assign me", BOT, True),
        ("/draft", BOT, True),
        ("/ready", BOT, False),
        ("/title Better", BOT, True),
        ("/submit_review", BOT, True),
        ("/todo", BOT, True),
    ],
)
def test_a_quick_action_does_what_its_writer_may(stage: Stage, command: str, name: str, *, applied: bool) -> None:
    stage.world.add_label(stage.scenario.project, "bug")

    answer = stage.ask("POST", "notes", name, json={"body": command})

    assert [each.applied for each in stage.world.executed] == [applied]
    assert answer.status_code == (202 if applied else 400)


def test_submit_review_publishes_the_drafts(stage: Stage) -> None:
    stage.merge_request().draft_notes.create({"note": "finding"})

    stage.ask("POST", "notes", json={"body": "/submit_review approve"})

    assert [note.body for note in stage.scenario.merge_request.notes if not note.system] == ["finding"]
    assert stage.scenario.merge_request.approved_by(stage.scenario.bot)


def test_an_edit_does_quick_actions_too_and_may_leave_nothing(stage: Stage) -> None:
    note, other = write(stage, "Hello"), write(stage, "Hello")

    kept = stage.ask("PUT", f"notes/{note.id}", json={"body": "Bye\n/close"})
    gone = stage.ask("PUT", f"notes/{other.id}", json={"body": "/reopen"})

    assert (kept.status_code, kept.json()["body"], gone.status_code) == (200, "Bye", 202)
    assert stage.scenario.merge_request.state == "opened"
    assert [each.body for each in stage.scenario.merge_request.notes if not each.system] == ["Bye"]


# --- Whom and what a text names ---


def test_a_text_tells_everybody_it_names(stage: Stage) -> None:
    write(stage, "@author and @acme/tools, @all: see #1, acme/x!2, ~bug, %v1, $3, &4. Closes #5")
    thread(stage, body="`@guest` and\n```\n@planner #7\n```\n\n    @owner\n\nan@example.invalid")

    assert [each.text for each in stage.world.mentioned] == ["@author", "@acme/tools", "@all"]
    linked = ["#1", "acme/x!2", "~bug", "%v1", "$3", "&4", "#5", "Closes #5"]
    assert [each.text for each in stage.world.referenced] == linked


def test_in_a_private_project_guests_and_strangers_do_not_comment(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(visibility="private")

    answers = [stage.ask("POST", "notes", name, json={"body": "x"}).status_code for name in ("guest", "outsider", BOT)]

    assert answers == [403, 404, 201]
    assert stage.scenario.project.members[stage.scenario.person("guest")] is Level.GUEST
