"""The simulated GitLab holds draft notes and their places to GitLab's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gitlab.exceptions import GitlabCreateError, GitlabError, GitlabGetError, GitlabHttpError

from tests.fakes.gitlab.positions import line_code
from tests.fakes.gitlab.scenario import BOT, push, push_to
from tests.fakes.gitlab.stage import Stage
from tests.flawed_change import BASE, CHANGE

OpenGitlab = Callable[..., Stage]
MAIL, MODELS, MIGRATION = "rooms/mail.py", "rooms/models.py", "rooms/migrations/0002_remove_plan.py"


def draft(stage: Stage, name: str = BOT, note: str = "A flaw", **fields: Any) -> dict[str, Any]:  # noqa: ANN401, JSON
    made = stage.merge_request(name).draft_notes.create({"note": note, **fields})
    return dict(made.attributes)


def bodies(stage: Stage) -> list[str]:
    """What people wrote, oldest first, as the author reads it."""
    discussions = stage.merge_request("author").discussions.list(get_all=True)
    return [note["body"] for each in discussions for note in each.attributes["notes"] if not note["system"]]


def test_drafts_are_seen_by_their_author_alone_and_all_at_once(stage: Stage) -> None:
    for number in range(25):
        draft(stage, note=f"{number}")
    other = draft(stage, "developer", note="theirs")

    mine = stage.merge_request().draft_notes.list(get_all=False)

    assert [each.note for each in mine] == [f"{number}" for number in range(25)]
    with pytest.raises(GitlabGetError) as refused:
        stage.merge_request().draft_notes.get(other["id"])
    assert refused.value.response_code == 404
    assert bodies(stage) == []


@pytest.mark.parametrize(
    ("path", "lines", "code"),
    [
        pytest.param(MAIL, {"new_line": 1}, (3, 1), id="an added line"),
        pytest.param(MAIL, {"new_line": 2}, (3, 2), id="a second added line"),
        pytest.param(MAIL, {"old_line": 1}, (1, 1), id="a removed line"),
        pytest.param(MAIL, {"old_line": 3, "new_line": 3}, (3, 3), id="a context line with both numbers"),
        pytest.param(MODELS, {"old_line": 6}, (6, 6), id="a line that is gone"),
        pytest.param(MIGRATION, {"new_line": 9}, (0, 9), id="a line of a new file"),
        pytest.param(MAIL, {"new_line": 3}, None, id="a context line with one number"),
        pytest.param(MAIL, {"old_line": 3}, None, id="a context line with the other number"),
        pytest.param(MAIL, {"old_line": 3, "new_line": 4}, None, id="numbers that do not belong together"),
        pytest.param(MAIL, {"new_line": 100}, None, id="a line that is not there"),
        pytest.param(MIGRATION, {"old_line": 1}, None, id="an old line of a new file"),
        pytest.param("rooms/plans.py", {"old_line": 1, "new_line": 1}, None, id="a file that is unchanged"),
        pytest.param("none.py", {"new_line": 1}, None, id="no such file"),
        pytest.param(MAIL, {}, None, id="no line"),
    ],
)
def test_a_draft_is_taken_whatever_its_line_and_its_code_tells(
    stage: Stage, path: str, lines: dict[str, Any], code: tuple[int, int] | None
) -> None:
    made = draft(stage, position=stage.position(path, **lines))

    assert made["line_code"] == (None if code is None else line_code(path, *code))


def test_a_place_names_the_commits_of_a_version_in_their_order(stage: Stage) -> None:
    push_to(stage.world, stage.scenario.project, "main", {"README.md": "# Rooms\n"})
    head = push(stage.world, stage.scenario.merge_request, {"more.txt": "more\n"})
    right = stage.position(MAIL, new_line=1)
    swapped = {**right, "base_sha": right["start_sha"], "start_sha": right["base_sha"]}

    codes = [draft(stage, position=each)["line_code"] for each in (right, swapped, {**right, "head_sha": "0" * 40})]

    assert right["base_sha"] != right["start_sha"]
    assert right["head_sha"] == head
    assert [code is None for code in codes] == [False, True, True]


def test_a_place_of_an_older_version_is_still_one(stage: Stage) -> None:
    older = stage.position(MAIL, new_line=1)
    push(stage.world, stage.scenario.merge_request, {MAIL: "import this\n" + CHANGE[MAIL]})

    assert draft(stage, position=older)["line_code"] == line_code(MAIL, 3, 1)


def test_a_renamed_file_has_two_names(stage: Stage) -> None:
    moved = "rooms/letters.py"
    push(stage.world, stage.scenario.merge_request, {MAIL: None, moved: BASE[MAIL] + "# the end\n"})
    line = BASE[MAIL].count("\n") + 1

    both = draft(stage, position=stage.position(moved, MAIL, new_line=line))
    context = draft(stage, position=stage.position(moved, MAIL, old_line=5, new_line=5))
    one = draft(stage, position=stage.position(moved, new_line=line))

    assert both["line_code"] == line_code(moved, line, line)
    assert context["line_code"] == line_code(moved, 5, 5)
    assert one["line_code"] is None


def test_a_line_far_from_the_change_is_unfolded(stage: Stage) -> None:
    long = "".join(f"line {number}\n" for number in range(1, 61))
    push_to(stage.world, stage.scenario.project, "main", {"long.txt": long})
    main = stage.scenario.project.git.sha("refs/heads/main")
    push(stage.world, stage.scenario.merge_request, {"long.txt": "first\n" + long}, onto=main)

    both = draft(stage, position=stage.position("long.txt", old_line=50, new_line=51))
    one = draft(stage, position=stage.position("long.txt", new_line=51))

    assert (both["line_code"], one["line_code"]) == (line_code("long.txt", 50, 51), None)


def test_a_place_needs_its_commits_and_a_type(stage: Stage) -> None:
    whole = stage.position(MAIL, new_line=1)

    for missing in ("base_sha", "start_sha", "head_sha", "position_type"):
        part = {name: value for name, value in whole.items() if name != missing}
        answer = stage.ask("POST", "draft_notes", json={"note": "x", "position": part})
        assert (answer.status_code, answer.json()) == (400, {"error": f"position[{missing}] is missing"})

    assert len(stage.simulator.violations) == 4
    stage.simulator.violations.clear()


def test_a_range_of_lines_and_a_whole_file_are_places(stage: Stage) -> None:
    ends = {
        "start": {"line_code": line_code(MAIL, 3, 1), "type": "new"},
        "end": {"line_code": line_code(MAIL, 3, 2), "type": "new"},
    }
    draft(stage, note="range", position=stage.position(MAIL, new_line=2, line_range=ends))
    draft(stage, note="file", position=stage.position(MAIL, position_type="file"))
    draft(stage, note="elsewhere", position=stage.position("none.py", position_type="file"))

    stage.merge_request().draft_notes.bulk_publish()

    notes = {each.attributes["notes"][0]["body"]: each.attributes["notes"][0] for each in discussions(stage)}
    assert notes["range"]["position"]["line_range"]["end"]["line_code"] == line_code(MAIL, 3, 2)
    assert notes["file"]["position"]["position_type"] == "file"
    assert "elsewhere" not in notes


def test_an_update_without_a_place_erases_it(stage: Stage) -> None:
    position = stage.position(MAIL, new_line=1)
    made = stage.merge_request().draft_notes.create({"note": "one", "position": position})

    manager = stage.merge_request().draft_notes
    with_place = manager.update(made.id, {"note": "two", "position": position})
    made.note = "three"
    made.save()

    assert with_place["line_code"] is not None
    kept = manager.get(made.id)
    assert (kept.note, kept.position, kept.line_code) == ("three", None, None)


def test_an_update_needs_a_text(stage: Stage) -> None:
    made = draft(stage)

    answer = stage.ask("PUT", f"draft_notes/{made['id']}", json={"position": stage.position(MAIL, new_line=1)})

    assert (answer.status_code, answer.json()["message"]) == (400, "400 Bad request - Missing params to modify")


def test_publishing_takes_all_drafts_of_the_caller_and_nobody_elses(stage: Stage) -> None:
    draft(stage, note="of another run")
    draft(stage, note="of this one", position=stage.position(MAIL, new_line=1))
    draft(stage, "developer", note="of somebody else")

    stage.merge_request().draft_notes.bulk_publish()

    assert bodies(stage) == ["of another run", "of this one"]
    assert len(stage.scenario.merge_request.drafts) == 1


def test_one_draft_is_published_alone_or_deleted(stage: Stage) -> None:
    first, second, third = (draft(stage, note=note) for note in ("first", "second", "third"))
    drafts = stage.merge_request().draft_notes

    drafts.get(second["id"]).publish()
    drafts.delete(third["id"])

    assert bodies(stage) == ["second"]
    assert [each.id for each in drafts.list(get_all=True)] == [first["id"]]


def test_an_answer_without_a_body_has_no_type(stage: Stage) -> None:
    draft(stage)

    answer = stage.ask("POST", "draft_notes/bulk_publish")

    assert (answer.status_code, answer.content, answer.headers.get("Content-Type")) == (204, b"", None)


def test_a_draft_with_a_bad_place_is_lost_without_a_word(stage: Stage) -> None:
    draft(stage, note="good", position=stage.position(MAIL, new_line=1))
    draft(stage, note="bad", position=stage.position(MAIL, new_line=100))
    draft(stage, note="good too", position=stage.position(MAIL, new_line=2))

    stage.merge_request().draft_notes.bulk_publish()

    assert bodies(stage) == ["good", "good too"]
    assert stage.scenario.merge_request.drafts == []


def test_a_draft_with_a_bad_place_breaks_every_publishing_until_it_is_gone(stage: Stage) -> None:
    stage.world.bad_draft = "fail"
    draft(stage, note="good", position=stage.position(MAIL, new_line=1))
    bad = draft(stage, note="bad", position=stage.position(MAIL, new_line=100))

    answers = [stage.ask("POST", "draft_notes/bulk_publish") for _ in range(2)]

    assert [(answer.status_code, answer.content) for answer in answers] == [(500, b"")] * 2
    assert bodies(stage) == ["good", "good"], "what came before the bad one is public, each time anew"
    assert len(stage.scenario.merge_request.drafts) == 2
    stage.merge_request().draft_notes.delete(bad["id"])
    stage.merge_request().draft_notes.bulk_publish()
    assert stage.scenario.merge_request.drafts == []


def test_a_draft_without_a_place_becomes_a_thread_that_stands_in_the_way(stage: Stage) -> None:
    stage.scenario.project.all_threads_resolved = True
    draft(stage, note="summary")

    stage.merge_request().draft_notes.bulk_publish()

    (found,) = discussions(stage)
    assert (found.attributes["notes"][0]["type"], found.individual_note) == ("DiscussionNote", False)
    assert found.attributes["notes"][0]["resolved"] is False
    assert stage.project().mergerequests.get(1).detailed_merge_status == "discussions_not_resolved"


def test_a_reply_resolves_its_thread_or_reopens_it(stage: Stage) -> None:
    thread = stage.merge_request("author").discussions.create({"body": "Why?"})
    draft(stage, note="Because", in_reply_to_discussion_id=thread.id, resolve_discussion=True)
    stage.merge_request().draft_notes.bulk_publish()
    resolved = stage.merge_request().discussions.get(thread.id).attributes["notes"][0]["resolved"]

    draft(stage, note="No", in_reply_to_discussion_id=thread.id)
    stage.merge_request().draft_notes.bulk_publish()

    after = stage.merge_request().discussions.get(thread.id).attributes["notes"]
    assert resolved is True
    assert [(note["body"], note["resolved"]) for note in after] == [("Why?", False), ("Because", False), ("No", False)]


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        (BOT, {"in_reply_to_discussion_id": "0" * 40}, "Thread to reply to cannot be found"),
        ("outsider", {"resolve_discussion": True}, "User is not allowed to resolve thread"),
    ],
)
def test_a_draft_is_refused_with_a_reason(stage: Stage, name: str, fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(GitlabCreateError) as refused:
        draft(stage, name, **fields)

    assert refused.value.response_code == 400
    assert reason in str(refused.value.response_body)


def test_there_is_one_draft_reply_in_a_thread_and_none_to_the_system(stage: Stage) -> None:
    thread = stage.merge_request("author").discussions.create({"body": "Why?"})
    push(stage.world, stage.scenario.merge_request, {"more.txt": "more\n"})
    system = stage.scenario.merge_request.discussions[-1]
    draft(stage, in_reply_to_discussion_id=thread.id)

    for discussion_id, reason in ((thread.id, "has already been taken"), (system.id, "Replies to system notes")):
        with pytest.raises(GitlabCreateError) as refused:
            draft(stage, in_reply_to_discussion_id=discussion_id)
        assert reason in str(refused.value.response_body)


def test_quick_actions_in_a_draft_are_done_when_it_is_published(stage: Stage) -> None:
    draft(stage, note="Fine\n/close")
    draft(stage, note="/label ~none")
    before = list(stage.world.executed)

    stage.merge_request().draft_notes.bulk_publish()

    assert before == []
    assert [(each.name, each.applied) for each in stage.world.executed] == [("close", True), ("label", False)]
    assert (stage.scenario.merge_request.state, bodies(stage)) == ("closed", ["Fine"])


@pytest.mark.parametrize("version", ["16.4.0", "18.11.0"])
def test_before_19_2_a_state_and_a_summary_are_ignored_without_a_word(open_gitlab: OpenGitlab, version: str) -> None:
    stage = open_gitlab(version=version)
    as_reviewer(stage)
    draft(stage, note="finding")

    stage.merge_request().draft_notes.bulk_publish(post_data={"reviewer_state": "requested_changes", "note": "Summary"})

    assert bodies(stage) == ["finding"]
    assert reviewer_states(stage) == ["reviewed"]


def test_since_19_2_a_review_has_a_state_and_a_summary(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(version="19.2.0", tier="premium")
    as_reviewer(stage)
    draft(stage, note="finding")
    started = reviewer_states(stage)

    publish = stage.merge_request().draft_notes.bulk_publish
    publish(post_data={"reviewer_state": "requested_changes", "note": "Summary"})

    summary = stage.scenario.merge_request.notes[-2]
    assert (started, reviewer_states(stage)) == (["review_started"], ["requested_changes"])
    assert (bodies(stage), summary.kind) == (["finding", "Summary"], None)
    assert stage.project().mergerequests.get(1).detailed_merge_status == "requested_changes"
    publish(post_data={"reviewer_state": "reviewed"})
    assert stage.project().mergerequests.get(1).detailed_merge_status == "mergeable"


def test_the_state_of_who_is_no_reviewer_is_lost_without_a_word(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(version="19.2.0")

    stage.merge_request().draft_notes.bulk_publish(post_data={"reviewer_state": "requested_changes"})

    assert reviewer_states(stage) == []
    assert stage.project().mergerequests.get(1).detailed_merge_status == "mergeable"


def test_a_summary_that_cannot_be_is_422_after_the_drafts_are_public(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(version="19.2.0")
    draft(stage, note="finding")

    with pytest.raises(GitlabHttpError) as refused:
        stage.merge_request().draft_notes.bulk_publish(post_data={"note": "x" * 1_000_001})

    assert (refused.value.response_code, bodies(stage)) == (422, ["finding"])


def test_an_unknown_state_is_refused_where_states_are_known(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(version="19.2.0")

    with pytest.raises(GitlabError) as refused:
        stage.merge_request().draft_notes.bulk_publish(post_data={"reviewer_state": "approved"})

    assert refused.value.response_code == 400
    assert "does not have a valid value" in stage.simulator.violations.pop()


def discussions(stage: Stage) -> list[Any]:
    return list(stage.merge_request("author").discussions.list(get_all=True))


def as_reviewer(stage: Stage) -> None:
    merge_request = stage.project().mergerequests.get(1)
    merge_request.reviewer_ids = [stage.scenario.bot.id]
    merge_request.save()


def reviewer_states(stage: Stage) -> list[str]:
    return [each.state for each in stage.merge_request().reviewer_details.list(get_all=True)]
