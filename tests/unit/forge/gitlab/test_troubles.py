"""Every status and wording that GitLab is known to use becomes the one error that its callers can act on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from draftgate.errors import ForgeRefused, PermissionDenied
from draftgate.forge.gitlab.troubles import Denied, Limited, Lost, Refused, Trouble, check_answer
from draftgate.forge.hosted.answers import Call
from tests.unit.forge.github.scripted_api import BEGIN

NOTES = Call("POST", "/api/v4/projects/7/merge_requests/1/notes")
DRAFTS = Call("POST", "/api/v4/projects/7/merge_requests/1/draft_notes")
NO_LINE = '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}'


def refused(status: int, body: object, call: Call = DRAFTS) -> Refused:
    with pytest.raises(Refused) as refusal:
        check_answer(call, status, {}, body if isinstance(body, str) else json.dumps(body))
    return refusal.value


@pytest.mark.parametrize(
    ("status", "body", "trouble", "words"),
    [
        (400, {"message": NO_LINE}, Trouble.ANCHOR, NO_LINE),
        (400, {"message": {"line_code": ["can't be blank"]}}, Trouble.ANCHOR, "line_code can't be blank"),
        (400, {"message": {"position": ["is incomplete"]}}, Trouble.ANCHOR, "position is incomplete"),
        (400, {"message": "Position is invalid"}, Trouble.ANCHOR, "Position is invalid"),
        (422, {"message": {"note_diff_file": ["is missing"]}}, Trouble.ANCHOR, "note_diff_file is missing"),
        (400, {"error": "note is missing"}, Trouble.OTHER, "note is missing"),
        (
            400,
            {"message": {"note": ["is too long (maximum is 1000000 characters)"]}},
            Trouble.OTHER,
            "note is too long",
        ),
        (400, {"message": ["one", "two"]}, Trouble.OTHER, "one; two"),
        (401, {"message": "401 Unauthorized"}, Trouble.BAD_CREDENTIALS, "401 Unauthorized"),
        (
            401,
            {"error": "invalid_token", "error_description": "Token is expired."},
            Trouble.BAD_CREDENTIALS,
            "invalid_token; Token is expired.",
        ),
        (403, {"message": "403 Forbidden"}, Trouble.NOT_ACCESSIBLE, "403 Forbidden"),
        (
            403,
            {"error": "insufficient_scope", "error_description": "The request requires higher privileges"},
            Trouble.NOT_ACCESSIBLE,
            "insufficient_scope",
        ),
        (404, {"message": "404 Project Not Found"}, Trouble.NOT_FOUND, "404 Project Not Found"),
        (404, {"error": "404 Not Found"}, Trouble.NOT_FOUND, "404 Not Found"),
        (405, {"message": "405 Method Not Allowed"}, Trouble.OTHER, "405 Method Not Allowed"),
        (409, {"message": "SHA does not match HEAD of source branch: 1234"}, Trouble.CONFLICT, "SHA does not match"),
        (410, {"message": "Gone"}, Trouble.NOT_FOUND, "Gone"),
        (413, {"error": "payload too large"}, Trouble.OTHER, "payload too large"),
        (422, {"message": "422 Unprocessable Entity"}, Trouble.OTHER, "422 Unprocessable Entity"),
        (304, "", Trouble.OTHER, "(304)"),
    ],
)
def test_a_status_and_its_words_are_one_trouble(status: int, body: object, trouble: Trouble, words: str) -> None:
    refusal = refused(status, body)

    assert (refusal.trouble, refusal.status) == (trouble, status)
    assert words in str(refusal)
    assert refusal.hint


@pytest.mark.parametrize("status", [401, 403])
def test_what_is_about_the_token_is_a_denial_and_says_what_the_token_needs(status: int) -> None:
    refusal = refused(status, {"message": "no"})

    assert isinstance(refusal, Denied)
    assert isinstance(refusal, PermissionDenied)
    assert refusal.is_denied
    assert "DRAFTGATE_GITLAB_TOKEN" in refusal.hint


@pytest.mark.parametrize("status", [404, 409, 410, 422])
def test_anything_else_that_is_declined_is_no_denial(status: int) -> None:
    refusal = refused(status, {"message": "no"})

    assert not refusal.is_denied
    assert isinstance(refusal, ForgeRefused)
    assert refusal.is_gone == (status in {404, 410})


def test_words_about_a_place_are_no_place_where_the_status_says_otherwise() -> None:
    assert refused(403, {"message": "position of responsibility"}).trouble is Trouble.NOT_ACCESSIBLE


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520, 599])
def test_a_failure_of_the_server_is_a_lost_answer(status: int) -> None:
    with pytest.raises(Lost, match=f"failed with {status}"):
        check_answer(DRAFTS, status, {}, "<html>Bad Gateway</html>")


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"ratelimit-reset": f"{int(BEGIN) + 40}"}, 41.0),
        ({"ratelimit-reset": f"{int(BEGIN) - 40}"}, 0.0),
        ({"retry-after": "3", "ratelimit-reset": f"{int(BEGIN) + 40}"}, 3.0),
        ({"retry-after": "Mon, 05 Jan 2026 08:00:25 GMT"}, 25.0),
        ({"ratelimit-reset": "soon"}, None),
        ({"ratelimit-reset": "9" * 40}, None),
        ({}, None),
    ],
)
def test_a_limit_tells_how_long_to_wait(headers: dict[str, str], told: float | None) -> None:
    with pytest.raises(Limited) as limit:
        check_answer(NOTES, 429, headers, "Retry later\n")

    assert limit.value.told_s(BEGIN) == told


@pytest.mark.parametrize("status", [200, 201, 204])
def test_success_passes(status: int) -> None:
    check_answer(NOTES, status, {}, "")


def test_a_note_that_was_nothing_but_commands_is_a_refusal() -> None:
    """P17: GitLab answers 202 and makes no note; who read its id fell over."""
    body = {"commands_changes": {"state_event": "close"}, "summary": ["Closed this merge request."]}

    refusal = refused(202, body, NOTES)

    assert (refusal.trouble, refusal.status) == (Trouble.ONLY_COMMANDS, 202)


def test_another_202_is_a_success() -> None:
    check_answer(Call("POST", "/api/v4/projects/7/merge_requests/1/approve"), 202, {}, "{}")
    check_answer(Call("GET", "/api/v4/projects/7/merge_requests/1/notes"), 202, {}, "[]")


def nested(depth: int) -> str:
    return '{"message":' * depth + '"deep"' + "}" * depth


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body>Bad Gateway</body></html>",
        "{",
        "null",
        "7",
        '"a text"',
        "[]",
        '["a", {"b": 1}]',
        '{"message": null}',
        '{"message": 7}',
        '{"message": [null, 7, [], {}]}',
        '{"message": {"a": {"b": {"c": {"d": {"e": "deep"}}}}}}',
        nested(50),
        nested(100_000),
        "[" * 100_000,
        json.dumps({"message": "x" * 5_000_000}),
        json.dumps({"message": ["x" * 1000] * 10_000}),
        json.dumps({"message": {f"field {number}": ["is wrong"] for number in range(10_000)}}),
        json.dumps({"message": {"x" * 100_000: ["is wrong"]}}),
        json.dumps({"message": "a\u202eb\x1b[31m\nsecond line\u200b"}),
    ],
    ids=range(20),
)
def test_no_body_is_too_hostile_for_one_bounded_sentence(body: str) -> None:
    refusal = refused(422, body)

    text = str(refusal)
    assert len(text) < 3000
    assert len(refusal.messages) <= 5
    assert "\n" not in text
    assert not {"\x1b", "\u202e", "\u200b"} & set(text)


def test_a_hostile_path_is_bounded_too() -> None:
    refusal = refused(404, {"message": "no"}, Call("GET", f"/a\n\x1b[31m{'b' * 10_000}"))

    assert len(refusal.context) < 400
    assert not {"\x1b", "\n"} & set(refusal.context)


def test_every_trouble_has_a_sentence() -> None:
    sentences: list[Any] = [trouble.value for trouble in Trouble]

    assert len(set(sentences)) == len(sentences)
    assert all(sentences)
