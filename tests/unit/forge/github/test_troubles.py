"""Every wording that GitHub is known to use becomes the one error that its callers can act on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from draftgate.errors import ForgeRefused, PermissionDenied
from draftgate.forge.github.troubles import (
    Denied,
    Limited,
    Lost,
    Refused,
    Trouble,
    check_answer,
    check_graphql,
)
from draftgate.forge.hosted.answers import Call

REVIEW = Call("POST", "/repos/owner/name/pulls/1/reviews")


def as_object(message: str, **more: str) -> dict[str, Any]:
    return {
        "message": "Validation Failed",
        "errors": [{"resource": "Thing", "code": "custom", **more, "message": message}],
    }


def as_string(message: str) -> dict[str, Any]:
    return {"message": "Unprocessable Entity", "errors": [message]}


def as_message(message: str) -> dict[str, Any]:
    return {"message": message, "documentation_url": "https://docs.github.com/rest"}


def refused(status: int, body: object, call: Call = REVIEW, headers: dict[str, str] | None = None) -> Refused:
    with pytest.raises(Refused) as refusal:
        check_answer(call, status, headers or {}, body if isinstance(body, str) else json.dumps(body))
    return refusal.value


@pytest.mark.parametrize("shape", [as_object, as_string, as_message], ids=["objects", "strings", "message"])
@pytest.mark.parametrize(
    ("status", "words", "trouble"),
    [
        (
            422,
            "Pull request review thread line must be part of the diff",
            Trouble.ANCHOR,
        ),
        (
            422,
            "Pull request review thread start line must be part of the same hunk as the line.",
            Trouble.ANCHOR,
        ),
        (
            422,
            "Pull request review thread diff hunk can't be blank",
            Trouble.ANCHOR,
        ),
        (422, "Line could not be resolved", Trouble.ANCHOR),
        (422, "Path could not be resolved", Trouble.ANCHOR),
        (422, "Can not approve your own pull request", Trouble.OWN_CHANGE),
        (422, "Can not request changes on your own pull request", Trouble.OWN_CHANGE),
        (422, "GitHub Actions is not permitted to approve pull requests.", Trouble.ACTIONS_MAY_NOT_APPROVE),
        (422, "User can only have one pending review per pull request", Trouble.PENDING_EXISTS),
        (422, "user_id can only have one pending review per pull request", Trouble.PENDING_EXISTS),
        (422, "Review comments is invalid and Review threads is invalid", Trouble.INVALID_COMMENTS),
        (422, "Can not delete a non-pending pull request review", Trouble.ALREADY_SUBMITTED),
        (403, "Resource not accessible by integration", Trouble.NOT_ACCESSIBLE),
        (403, "Must have admin rights to Repository.", Trouble.NOT_ACCESSIBLE),
        (406, "Sorry, the diff exceeded the maximum number of lines (20000)", Trouble.TOO_LARGE_DIFF),
        (422, "Body is too long (maximum is 65536 characters)", Trouble.TOO_LONG),
        (422, "Review cannot be requested from pull request author.", Trouble.REVIEWER),
        (422, "Reviews may only be requested from collaborators. One or more of the users is not.", Trouble.REVIEWER),
        (401, "Bad credentials", Trouble.BAD_CREDENTIALS),
        (404, "Not Found", Trouble.NOT_FOUND),
        (410, "This issue was deleted", Trouble.NOT_FOUND),
        (422, "Something new", Trouble.OTHER),
        (409, "Something new", Trouble.OTHER),
        (307, "Temporary Redirect", Trouble.MOVED),
    ],
)
def test_a_published_wording_is_one_trouble_in_every_shape(
    status: int, words: str, trouble: Trouble, shape: Callable[[str], object]
) -> None:
    refusal = refused(status, shape(words))

    assert (refusal.trouble, refusal.status) == (trouble, status)
    assert words in refusal.messages
    assert words in str(refusal)
    assert refusal.hint


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (
            {"type": "UNPROCESSABLE", "message": "User can only have one pending review per pull request"},
            "PENDING_EXISTS",
        ),
        ({"type": "VALIDATION", "message": "Review has already been submitted."}, "ALREADY_SUBMITTED"),
        ({"type": "FORBIDDEN", "message": "Resource not accessible by integration"}, "NOT_ACCESSIBLE"),
        ({"type": "INSUFFICIENT_SCOPES", "message": "Your token has not been granted the scopes"}, "NOT_ACCESSIBLE"),
        ({"type": "NOT_FOUND", "message": "Could not resolve to a node with the global id of 'X'."}, "NOT_FOUND"),
        ({"type": "UNPROCESSABLE", "message": "Path could not be resolved"}, "ANCHOR"),
        ({"type": ["odd"], "message": 7}, "OTHER"),
        ({}, "OTHER"),
        ("a bare sentence", "OTHER"),
        (None, "OTHER"),
    ],
)
def test_a_graphql_error_is_the_same_trouble(error: object, trouble: str) -> None:
    with pytest.raises(Refused) as refusal:
        check_graphql(Call("mutation", "any"), {}, {"data": {"any": None}, "errors": [error]})

    assert refusal.value.trouble is Trouble[trouble]


def test_data_beside_an_error_is_never_taken_for_the_whole() -> None:
    answer = {
        "data": {"viewer": {"login": "bot"}, "repository": None},
        "errors": [{"type": "NOT_FOUND", "message": "x"}],
    }

    with pytest.raises(Refused):
        check_graphql(Call("query", "any"), {}, answer)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"data": {"addIt": {"thread": {"id": "T"}}}, "errors": [{"type": "FORBIDDEN", "message": "x"}]}, Lost),
        ({"data": {"addIt": {"thread": None}}, "errors": [{"type": "FORBIDDEN", "message": "x"}]}, Denied),
        ({"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}, Lost),
        ({"data": None, "errors": [{"type": "RATE_LIMITED", "message": "x"}]}, Limited),
        ({"data": None, "errors": [{"message": "You have exceeded a secondary rate limit."}]}, Limited),
        ({"data": None, "errors": [{"type": "UNPROCESSABLE", "message": "was submitted too quickly"}]}, Limited),
    ],
    ids=["data", "empty data", "gave up", "rate limit", "secondary limit", "too quickly"],
)
def test_a_mutation_that_may_have_landed_is_told_from_one_that_did_not(answer: object, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        check_graphql(Call("mutation", "any"), {}, answer)


@pytest.mark.parametrize(
    ("call", "headers", "named"),
    [
        (REVIEW, {}, "`pull-requests: write`"),
        (Call("GET", "/repos/owner/name/pulls/1"), {}, "`pull-requests: read`"),
        (Call("POST", "/repos/owner/name/check-runs"), {}, "`checks: write`"),
        (Call("GET", "/repos/owner/name/contents/a.py"), {}, "`contents: read`"),
        (Call("GET", "/orgs/owner/teams/a/memberships/somebody"), {}, "`members: read`"),
        (Call("mutation", "resolve_thread"), {}, "`contents: write`"),
        (
            REVIEW,
            {"x-accepted-github-permissions": "pull_requests=write,contents=read; issues=write"},
            "`pull-requests: write`, `contents: read` or `issues: write`",
        ),
        (REVIEW, {"x-accepted-github-permissions": "<b>=write"}, "`pull-requests: write`"),
    ],
)
def test_a_denial_names_the_permission_to_add(call: Call, headers: dict[str, str], named: str) -> None:
    denial = refused(403, as_message("Resource not accessible by integration"), call, headers)

    assert isinstance(denial, PermissionDenied)
    assert f"add {named} to" in denial.hint
    assert denial.exit_code == 3


def test_a_bad_token_is_a_denial_that_names_the_input() -> None:
    denial = refused(401, as_message("Bad credentials"))

    assert isinstance(denial, PermissionDenied)
    assert "`github-token`" in denial.hint


def test_what_is_no_denial_does_not_pass_for_one() -> None:
    refusal = refused(422, as_string("Line could not be resolved"))

    assert isinstance(refusal, ForgeRefused)
    assert not isinstance(refusal, PermissionDenied)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>gateway</html>",
        "{",
        "[1]",
        '"text"',
        "[" * 100_000,
        '{"message": 3, "errors": "x"}',
        '{"errors": [[]]}',
    ],
    ids=["nothing", "a page", "half", "list", "string", "deep", "odd", "odd list"],
)
def test_a_body_of_no_known_shape_still_refuses(body: str) -> None:
    assert refused(404, body).trouble is Trouble.NOT_FOUND


def test_github_s_words_are_bounded_and_on_one_line() -> None:
    hostile = "x\n::error::\x1b[31m\u202e" + "y" * 100_000

    refusal = refused(422, {"message": hostile, "errors": [hostile] * 500})

    assert len(refusal.messages) == 5
    assert len(str(refusal)) < 2000
    assert not set("\n\x1b\u202e") & set(str(refusal))


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failure_of_the_server_says_nothing_about_the_request(status: int) -> None:
    with pytest.raises(Lost):
        check_answer(REVIEW, status, {}, "<html>")
