"""What GitLab's answers say, read strictly: a promise that is not kept is an error and never a default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from draftgate.errors import Unavailable
from draftgate.forge.gitlab import facts

MERGE_REQUEST: Mapping[str, Any] = {
    "iid": 1,
    "title": "A change",
    "description": None,
    "state": "opened",
    "draft": False,
    "web_url": "https://gitlab.example.invalid/a/b/-/merge_requests/1",
    "source_branch": "feature",
    "target_branch": "main",
    "sha": "c" * 40,
    "diff_refs": {"base_sha": "a" * 40, "start_sha": "b" * 40, "head_sha": "c" * 40},
    "changes_count": "3",
    "author": {"id": 5, "username": "author"},
    "labels": ["bug", "::scoped"],
    "reviewers": [{"id": 6}],
}
NOTE: Mapping[str, Any] = {
    "id": 9,
    "body": "text",
    "author": {"id": 5, "username": "author"},
    "created_at": "2026-01-02T03:04:05.678Z",
    "updated_at": "2026-01-02T03:04:05.678Z",
    "system": False,
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.678901+00:00", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.000+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-01T23:30:00-05:30", "2026-01-02T05:00:00Z"),
        ("2025-12-31T22:00:00-02:00", "2026-01-01T00:00:00Z"),
    ],
)
def test_a_time_is_told_in_utc_to_the_second(text: str, said: str) -> None:
    assert facts.time(text) == said


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-02T03:04:05", "0001-01-01T00:00:00+14:00", 7]
)
def test_a_time_that_is_none_or_of_no_zone_is_refused(text: Any) -> None:  # noqa: ANN401 - hostile
    with pytest.raises(Unavailable, match="time"):
        facts.time(text)


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("3", 3),
        ("0", 0),
        ("1000+", 1001),
        ("100+", 101),
        (7, 7),
        ("", 0),
        (None, 0),
        ("many", 0),
        ("9" * 30, 0),
        ("-1", 0),
    ],
)
def test_changes_are_counted_in_text(said: object, count: int) -> None:
    assert facts.change_facts({**MERGE_REQUEST, "changes_count": said}).changed_files == count


@pytest.mark.parametrize(
    ("login", "is_bot"),
    [
        ("project_12_bot_0123456789abcdef", True),
        ("project_12_bot", True),
        ("project_12_bot1", True),
        ("group_7_bot_0123456789abcdef", True),
        ("service_account_0123456789", True),
        ("service_account_group_7_0123456789", True),
        ("ghost", True),
        ("ghost1", True),
        ("author", False),
        ("project_bot", False),
        ("project_x_bot_1", False),
        ("project_\uff11\uff12_bot_1", False),
        ("my_project_12_bot_1", False),
        ("project_12_bot-1", False),
        ("ghostwriter", False),
        ("robot", False),
    ],
)
def test_a_name_that_gitlab_makes_for_a_token_is_a_bots(login: str, *, is_bot: bool) -> None:
    assert facts.is_bot(login) == is_bot
    assert facts.account({"id": 1, "username": login}).is_bot == is_bot


def test_gitlabs_word_about_a_bot_counts_more_than_its_name() -> None:
    assert facts.account({"id": 1, "username": "robot", "bot": True}).is_bot
    person = facts.person({"id": 1, "username": "robot", "bot": True})
    assert person is not None
    assert person.is_bot


@pytest.mark.parametrize("missing", ["base_sha", "start_sha", "head_sha"])
@pytest.mark.parametrize("value", [None, ""])
def test_a_diff_that_is_not_made_yet_has_no_refs(missing: str, value: object) -> None:
    refs = {**MERGE_REQUEST["diff_refs"], missing: value}

    assert facts.diff_refs({**MERGE_REQUEST, "diff_refs": refs}) is None
    with pytest.raises(Unavailable, match="has not made the diff"):
        facts.require_diff_refs({**MERGE_REQUEST, "diff_refs": refs})


def test_no_refs_at_all_is_the_same() -> None:
    assert facts.diff_refs({**MERGE_REQUEST, "diff_refs": None}) is None
    assert facts.diff_refs({}) is None


def test_base_and_start_are_not_taken_for_each_other() -> None:
    refs = facts.require_diff_refs(MERGE_REQUEST)

    assert (refs.base, refs.start, refs.head) == ("a" * 40, "b" * 40, "c" * 40)
    now = facts.change_now(MERGE_REQUEST, refs)
    assert (now.base_tip, now.head, now.base_ref, now.head_ref) == ("b" * 40, "c" * 40, "main", "feature")


@pytest.mark.parametrize(
    ("state", "is_open"), [("opened", True), ("closed", False), ("merged", False), ("locked", False)]
)
def test_only_an_opened_merge_request_is_open(state: str, *, is_open: bool) -> None:
    now = facts.change_now({**MERGE_REQUEST, "state": state}, facts.require_diff_refs(MERGE_REQUEST))

    assert now.is_open == is_open


@pytest.mark.parametrize(
    ("more", "is_draft"),
    [({"draft": True}, True), ({"draft": None, "work_in_progress": True}, True), ({"draft": False}, False)],
)
def test_a_draft_has_had_two_names(more: dict[str, object], *, is_draft: bool) -> None:
    assert facts.change_facts({**MERGE_REQUEST, **more}).is_draft == is_draft


def test_what_may_be_empty_is_empty() -> None:
    found = facts.change_facts({**MERGE_REQUEST, "author": None, "labels": None, "description": None})

    assert (found.author, found.labels, found.description) == (None, (), "")


@pytest.mark.parametrize("name", ["title", "web_url"])
def test_what_is_promised_and_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(Unavailable, match=f"`{name}`"):
        facts.change_facts({**MERGE_REQUEST, name: None})


@pytest.mark.parametrize("name", ["id", "body", "created_at"])
def test_a_note_without_what_it_needs_is_an_error(name: str) -> None:
    with pytest.raises(Unavailable, match=f"`{name}`"):
        facts.note({**NOTE, name: None})


@pytest.mark.parametrize("author", [None, {}, {"id": None, "username": None}])
def test_a_note_of_a_deleted_account_is_nobodys(author: object) -> None:
    found = facts.note({**NOTE, "author": author})
    known = facts.comment(found, None, "https://gitlab.example.invalid/a/b/-/merge_requests/1")

    assert (found.author, found.author_id) == (None, None)
    assert not known.comment.is_ours


def test_a_note_is_ours_by_the_number_of_its_author_alone() -> None:
    found = facts.note({**NOTE, "author": {"id": 6, "username": "bot"}})

    ours = [facts.comment(found, number, "https://x.invalid").comment.is_ours for number in (6, 5, None)]

    assert ours == [True, False, False]


def test_a_note_has_plain_newlines_and_an_address() -> None:
    known = facts.comment(facts.note({**NOTE, "body": "one\r\ntwo"}), 5, "https://x.invalid/1", edited={9})

    assert (known.comment.text, known.comment.url) == ("one\ntwo", "https://x.invalid/1#note_9")
    assert known.comment.is_edited


@pytest.mark.parametrize(
    ("facts_of_it", "is_edited"),
    [
        ({}, False),
        ({"updated_at": None}, False),
        ({"updated_at": "2026-01-02T03:05:00Z"}, None),
        ({"updated_at": "2026-01-02T03:05:00Z", "edited": False}, False),
        ({"edited": True}, True),
    ],
)
def test_a_later_time_alone_may_be_a_reaction(facts_of_it: dict[str, object], *, is_edited: bool | None) -> None:
    assert facts.note({**NOTE, **facts_of_it}).is_edited is is_edited


@pytest.mark.parametrize("more", [{"system": True}, {"internal": True}, {"confidential": True}, {"position": {}}])
def test_a_note_that_not_everybody_sees_as_a_comment_is_none(more: dict[str, object]) -> None:
    assert facts.note(NOTE).is_top_level
    assert not facts.note({**NOTE, **more}).is_top_level
