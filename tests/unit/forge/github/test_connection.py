"""What is sent, repeated and looked for when GitHub does not simply answer; real HTTP, scripted answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from draftgate.errors import DraftgateError, PermissionDenied, Unavailable, UsageError
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.transport import Access
from draftgate.forge.github.troubles import Refused, Trouble
from tests.unit.forge.github.scripted_api import BEGIN, TOKEN, Answer, ScriptedApi, Time

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
CONTENT = "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."
QUOTA = {"x-ratelimit-remaining": "4711"}
RATE_LIMITED = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
TOO_QUICK = {"message": "Validation Failed", "errors": [{"resource": "IssueComment", "code": "abuse", "field": "body"}]}
REVIEW = {"id": 9001, "state": "COMMENTED"}


def says(message: str) -> dict[str, str]:
    return {"message": message}


LIMITS = [
    pytest.param(Answer(403, says(SECONDARY), QUOTA), 60, id="403 without retry-after"),
    pytest.param(Answer(403, says(CONTENT), {"retry-after": "30", **QUOTA}), 30, id="403 with retry-after"),
    pytest.param(Answer(429, says("Too many requests"), {"Retry-After": "12"}), 12, id="429"),
    pytest.param(
        Answer(
            403,
            says("API rate limit exceeded for installation."),
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{int(BEGIN) + 45}"},
        ),
        46,
        id="403 primary",
    ),
    pytest.param(Answer(422, TOO_QUICK), 60, id="422 abuse"),
    pytest.param(Answer(422, says("was submitted too quickly")), 60, id="422 too quickly"),
]
LOST = [
    pytest.param(Answer(502, "<html>Bad Gateway</html>"), id="502"),
    pytest.param(Answer(500), id="500"),
    pytest.param(Answer(cut="before"), id="connection cut"),
    pytest.param(Answer(200, {"id": 1}, cut="within"), id="body cut"),
    pytest.param(Answer(200, '{"id": '), id="half of the JSON"),
    pytest.param(Answer(200, "<html>maintenance</html>"), id="a page"),
]


def post_review(connection: Connection) -> Callable[[], int]:
    return lambda: connection.repo.get_pull(1).create_review(body="text", event="COMMENT").id


def find_review(connection: Connection) -> Callable[[], int | None]:
    return lambda: next((int(review["id"]) for review in connection.pages("pulls/1/reviews")), None)


def names(api: ScriptedApi) -> list[str]:
    return [f"{request.verb} {request.path.partition('?')[0].rpartition('/')[2]}" for request in api.received]


# --- Reads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "wait_s"), LIMITS)
def test_a_read_that_came_too_soon_waits_as_told(
    limit: Answer, wait_s: float, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(limit, Answer(200, {"number": 1}))

    pull = connection.get("pulls/1")

    assert pull["number"] == 1
    assert time.waits == [wait_s]


@pytest.mark.parametrize("answer", LOST)
def test_a_read_is_repeated_when_its_answer_is_lost(
    answer: Answer, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(answer, answer, Answer(200, {"number": 1}))

    pull = connection.get("pulls/1")

    assert pull["number"] == 1
    assert time.waits == [1, 5]
    assert connection.requests.reads == 3


def test_a_read_that_is_never_answered_stops_and_says_how_to_go_on(api: ScriptedApi, connection: Connection) -> None:
    api.script(*[Answer(503)] * 9)

    with pytest.raises(Unavailable, match="GitHub failed with 503") as stop:
        connection.get("pulls/1")

    assert len(api.received) == 3
    assert stop.value.exit_code == 4
    assert "goes on from there" in stop.value.hint


def test_a_late_answer_is_a_lost_one(api: ScriptedApi, time: Time) -> None:
    access = Access(token=TOKEN, repository="owner/name", api_url=api.url, timeout_s=1)
    api.script(Answer(200, {}, late_s=5))

    with (
        Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection,
        pytest.raises(Unavailable, match="did not answer in time"),
    ):
        connection.get("pulls/1")


def test_a_reset_further_away_than_the_run_may_wait_fails_at_once_and_names_the_time(
    api: ScriptedApi, time: Time, connection: Connection
) -> None:
    reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767607200"}
    api.script(Answer(403, says("API rate limit exceeded for installation."), reset))

    with pytest.raises(Unavailable, match="2026-01-05 10:00:01 UTC"):
        connection.get("pulls/1")

    assert time.waits == []
    assert len(api.received) == 1


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (Answer(403, says("Resource not accessible by integration"), QUOTA), Trouble.NOT_ACCESSIBLE),
        (Answer(403, says("Must have admin rights to Repository."), QUOTA), Trouble.NOT_ACCESSIBLE),
        (
            Answer(403, says("Must have admin rights to Repository."), {"x-ratelimit-remaining": "0"}),
            Trouble.NOT_ACCESSIBLE,
        ),
        (Answer(401, says("Bad credentials")), Trouble.BAD_CREDENTIALS),
        (Answer(404, says("Not Found")), Trouble.NOT_FOUND),
        (Answer(406, says("Sorry, the diff exceeded the maximum number of lines (20000)")), Trouble.TOO_LARGE_DIFF),
        (Answer(307, says("Temporary Redirect"), {"Location": "/elsewhere"}), Trouble.MOVED),
        (Answer(301, says("Moved"), {"Location": "https://elsewhere.invalid/repositories/1"}), Trouble.MOVED),
    ],
)
def test_a_refusal_is_not_repeated(
    answer: Answer, trouble: Trouble, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(answer)

    with pytest.raises(Refused) as refusal:
        connection.get("pulls/1")

    assert refusal.value.trouble is trouble
    assert (len(api.received), time.waits) == (1, [])


def test_a_renamed_repository_is_followed_on_the_same_host(api: ScriptedApi, connection: Connection) -> None:
    api.script(
        Answer(301, says("Moved"), {"Location": f"{api.url}/repositories/5/pulls/1"}), Answer(200, {"number": 1})
    )

    assert connection.get("pulls/1")["number"] == 1
    assert api.asked()[-1] == "GET /repositories/5/pulls/1"


def test_what_did_not_change_is_no_trouble(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, {"id": 5, "body": "text"}, {"etag": '"1"'}), Answer(304))
    comment = connection.repo.get_issue(1).get_comment(5)

    assert connection.read(lambda: comment.body) == "text"
    assert connection.read(comment.update) is False


# --- Writes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "wait_s"), LIMITS)
def test_a_write_that_came_too_soon_waits_as_told_and_needs_no_look(
    limit: Answer, wait_s: float, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(limit, Answer(200, REVIEW))

    review = connection.write(post_review(connection), landed=find_review(connection))

    assert review == 9001
    assert time.waits == [wait_s]
    assert names(api) == ["POST reviews", "POST reviews"]


@pytest.mark.parametrize("answer", LOST)
def test_a_write_whose_answer_was_lost_is_looked_for_and_found(
    answer: Answer, api: ScriptedApi, connection: Connection
) -> None:
    api.script(answer, Answer(200, [REVIEW]))

    review = connection.write(post_review(connection), landed=find_review(connection))

    assert review == 9001
    assert names(api) == ["POST reviews", "GET reviews"]


@pytest.mark.parametrize("answer", LOST)
def test_a_write_that_did_not_take_effect_is_sent_again(
    answer: Answer, api: ScriptedApi, connection: Connection
) -> None:
    api.script(answer, Answer(200, []), Answer(200, REVIEW))

    review = connection.write(post_review(connection), landed=find_review(connection))

    assert review == 9001
    assert names(api) == ["POST reviews", "GET reviews", "POST reviews"]
    assert (connection.requests.reads, connection.requests.writes) == (1, 2)


def test_a_write_is_sent_three_times_at_most_and_looked_for_after_each(
    api: ScriptedApi, connection: Connection
) -> None:
    api.script(*[Answer(502), Answer(200, [])] * 9)

    with pytest.raises(Unavailable, match="GitHub failed with 502") as stop:
        connection.write(post_review(connection), landed=find_review(connection))

    assert names(api) == ["POST reviews", "GET reviews"] * 3
    assert "goes on from there" in stop.value.hint


def test_without_an_allowance_a_lost_write_is_still_looked_for(api: ScriptedApi, time: Time) -> None:
    access = Access(token=TOKEN, repository="owner/name", api_url=api.url)
    api.script(Answer(502), Answer(200, [REVIEW]))

    with Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection:
        assert connection.write(post_review(connection), landed=find_review(connection)) == 9001


def test_a_refusal_after_a_lost_answer_is_looked_into(api: ScriptedApi, connection: Connection) -> None:
    """The first review became visible too late for the look, and now stands in the way of the second."""
    refusal = {"message": "Unprocessable Entity", "errors": ["User can only have one pending review per pull request"]}
    api.script(Answer(502), Answer(200, []), Answer(422, refusal), Answer(200, [REVIEW]))

    assert connection.write(post_review(connection), landed=find_review(connection)) == 9001


def test_a_refused_write_is_not_looked_for(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(422, {"message": "Unprocessable Entity", "errors": ["Line could not be resolved"]}))

    with pytest.raises(Refused) as refusal:
        connection.write(post_review(connection), landed=find_review(connection))

    assert refusal.value.trouble is Trouble.ANCHOR
    assert names(api) == ["POST reviews"]


def test_an_edit_survives_a_failure_and_a_limit(api: ScriptedApi, time: Time, connection: Connection) -> None:
    api.script(Answer(502), Answer(403, says(CONTENT), {"Retry-After": "1"}), Answer(200, {"id": 5, "body": "new"}))
    comment = connection.repo.get_issue(1).get_comment(5)

    def edit() -> bool:
        comment.edit("new")
        return True

    assert connection.write(edit, landed=lambda: None)
    assert names(api) == ["PATCH 5"] * 3
    assert time.waits == [1, 1]


def test_a_deletion_needs_no_look_and_finds_its_own_effect(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(502), Answer(404, says("Not Found")))

    connection.delete(connection.repo.get_issue(1).get_comment(5).delete)

    assert names(api) == ["DELETE 5", "DELETE 5"]


def test_a_deletion_that_is_not_allowed_is_refused(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(403, says("Resource not accessible by integration")))

    with pytest.raises(PermissionDenied):
        connection.delete(connection.repo.get_issue(1).get_comment(5).delete)


def test_writes_keep_a_pace_and_reads_do_not(api: ScriptedApi, time: Time, connection: Connection) -> None:
    api.script(*[Answer(200, {"number": 1})] * 20, *[Answer(200, REVIEW)] * 12)

    for _ in range(20):
        connection.get("pulls/1")
    for _ in range(12):
        connection.write(post_review(connection), landed=lambda: None)

    assert time.waits == [1, 1]


def test_the_whole_run_has_one_allowance(api: ScriptedApi, time: Time, connection: Connection) -> None:
    api.script(*[Answer(429, says("slow down"), {"retry-after": "50"}), Answer(200, {"number": 1})] * 9)

    connection.get("pulls/1")
    connection.get("pulls/1")
    with pytest.raises(Unavailable):
        connection.get("pulls/1")

    assert time.waits == [50, 50]


# --- GraphQL ---------------------------------------------------------------------------------------------------------


def test_a_query_sends_its_document_and_returns_the_data(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, {"data": {"viewer": {"login": "bot"}}}))

    data = connection.query("standing", owner="owner", name="name", number=1)

    assert data == {"viewer": {"login": "bot"}}
    assert api.asked() == ["POST /graphql"]
    assert api.received[0].body["variables"] == {"owner": "owner", "name": "name", "number": 1}
    assert "query Standing(" in api.received[0].body["query"]
    assert (connection.requests.reads, connection.requests.writes) == (1, 0)


@pytest.mark.parametrize(
    "answer",
    [Answer(502), Answer(200, {"data": None}), Answer(200, []), Answer(200, '{"data"')],
    ids=["502", "no data", "a list", "cut off"],
)
def test_a_query_without_its_data_is_asked_again(answer: Answer, api: ScriptedApi, connection: Connection) -> None:
    api.script(answer, Answer(200, {"data": {"viewer": {"login": "bot"}}}))

    assert connection.query("standing")["viewer"] == {"login": "bot"}


def test_a_query_over_the_limit_waits(api: ScriptedApi, time: Time, connection: Connection) -> None:
    api.script(Answer(200, RATE_LIMITED), Answer(200, {"data": {"viewer": {}}}))

    connection.query("standing")

    assert time.waits == [60]


def test_a_mutation_that_was_answered_in_part_is_looked_for(api: ScriptedApi, connection: Connection) -> None:
    thread = {"thread": {"id": "T", "isResolved": True}}
    api.script(Answer(200, {"data": {"resolveReviewThread": thread}, "errors": [{"message": "resolvedBy failed"}]}))

    data = connection.mutate("minimize_comment", subjectId="T", landed=lambda: {"resolveReviewThread": thread})

    assert data == {"resolveReviewThread": thread}
    assert connection.requests.writes == 1


def test_a_mutation_over_the_limit_waits_and_is_not_looked_for(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, RATE_LIMITED), Answer(200, {"data": {"resolveReviewThread": {}}}))

    def landed() -> dict[str, Any]:
        raise AssertionError

    assert connection.mutate("minimize_comment", subjectId="T", landed=landed) == {"resolveReviewThread": {}}


def test_a_forbidden_mutation_names_its_permission(api: ScriptedApi, connection: Connection) -> None:
    error = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
    api.script(Answer(200, {"data": {"resolveReviewThread": None}, "errors": [error]}))

    with pytest.raises(PermissionDenied) as denial:
        connection.mutate("minimize_comment", subjectId="T", landed=lambda: None)

    assert "`pull-requests: write`" in denial.value.hint
    assert "mutation minimize_comment" in denial.value.context


# --- Pages and texts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["link", "Link", "LINK"])
def test_a_list_is_read_as_long_as_there_is_a_next_page(header: str, api: ScriptedApi, connection: Connection) -> None:
    more = {header: '<https://api.example.invalid/repos/owner/name/pulls/1/files?per_page=30&page=2>; rel="next"'}
    api.script(
        Answer(200, [{"filename": f"f{n:02}.py"} for n in range(1, 31)], more),
        Answer(200, [{"filename": "f31.py"}]),
    )

    files = list(connection.pages("pulls/1/files"))

    assert len(files) == 31
    assert [request.path for request in api.received] == [
        "/repos/owner/name/pulls/1/files?per_page=100",
        "/repos/owner/name/pulls/1/files?page=2&per_page=30",
    ]


def test_a_short_or_an_empty_page_is_not_the_last_one(api: ScriptedApi, connection: Connection) -> None:
    next_page = {"link": f'<{api.url}/next>; rel="next", <{api.url}/last>; rel="last"'}
    api.script(Answer(200, [], next_page), Answer(200, [{"id": 1}], next_page), Answer(200, [{"id": 2}]))

    assert [entry["id"] for entry in connection.pages("pulls/1/reviews")] == [1, 2]


def test_only_the_page_that_failed_is_asked_for_again(api: ScriptedApi, connection: Connection) -> None:
    api.script(
        Answer(200, [{"id": 1}], {"link": f'<{api.url}/next>; rel="next"'}), Answer(502), Answer(200, [{"id": 2}])
    )

    assert [entry["id"] for entry in connection.pages("pulls/1/reviews")] == [1, 2]
    assert names(api) == ["GET reviews", "GET next", "GET next"]


def test_a_list_can_be_wrapped(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, {"total_count": 1, "check_runs": [{"id": 7}]}))

    runs = list(connection.pages("commits/abc/check-runs", items="check_runs", check_name="draftgate"))

    assert [run["id"] for run in runs] == [7]
    assert "check_name=draftgate" in api.received[0].path


def test_pygithubs_own_lists_follow_the_same_rules(api: ScriptedApi, connection: Connection) -> None:
    api.script(
        Answer(200, [{"id": 1}], {"link": f'<http://localhost:{api.port}/next?page=2>; rel="next"'}),
        Answer(200, [{"id": 2}]),
    )

    comments = connection.read(lambda: list(connection.repo.get_issue(1).get_comments()))

    assert [comment.id for comment in comments] == [1, 2]
    assert api.received[0].path == "/repos/owner/name/issues/1/comments?per_page=100"


@pytest.mark.parametrize("body", [{"message": "no list"}, "null"], ids=["an object", "nothing"])
def test_something_else_than_a_list_is_no_empty_list(body: object, api: ScriptedApi, connection: Connection) -> None:
    api.script(*[Answer(200, body)] * 3)

    with pytest.raises(Unavailable):
        list(connection.pages("pulls/1/reviews"))


def test_a_diff_is_text_whatever_it_begins_with(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, "diff --git a/x b/x\n"), Answer(200, "{ no JSON"))

    texts = [connection.text("pulls/1", "application/vnd.github.diff") for _ in range(2)]

    assert texts == ["diff --git a/x b/x\n", "{ no JSON"]
    assert api.received[0].headers["Accept"] == "application/vnd.github.diff"


# --- Addresses and credentials ---------------------------------------------------------------------------------------


@pytest.fixture
def second_api() -> Iterator[ScriptedApi]:
    scripted = ScriptedApi()
    yield scripted
    scripted.close()


def test_every_request_says_who_asks_and_which_version_is_meant(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, {}), Answer(200, {"data": {}}))

    connection.get("pulls/1")
    connection.query("standing")

    for request in api.received:
        assert request.headers["Authorization"] == f"token {TOKEN}"
        assert request.headers["X-GitHub-Api-Version"] == "2022-11-28"
        assert request.headers["User-Agent"].startswith("draftgate/")


def test_an_enterprise_server_has_a_path_prefix(api: ScriptedApi, time: Time) -> None:
    access = Access(token=TOKEN, repository="owner/name", api_url=f"{api.url}/api/v3")
    url = f"http://localhost:{api.port}/api/v3/repos/owner/name/issues/comments/5"
    api.script(
        Answer(200, {"id": 5, "url": url}), Answer(200, {"id": 5, "url": url}), Answer(200, {"data": {"viewer": {}}})
    )

    with Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection:
        comment = connection.write(lambda: connection.repo.get_issue(1).create_comment("a"), landed=lambda: None)
        connection.read(comment.update)
        connection.query("standing")

    assert api.asked() == [
        "POST /api/v3/repos/owner/name/issues/1/comments",
        "GET /api/v3/repos/owner/name/issues/comments/5",
        "POST /api/graphql",
    ]


def test_graphql_may_have_an_address_of_its_own(api: ScriptedApi, second_api: ScriptedApi, time: Time) -> None:
    access = Access(token=TOKEN, repository="owner/name", api_url=api.url, graphql_url=f"{second_api.url}/other/place")
    second_api.script(Answer(200, {"data": {"viewer": {}}}))

    with Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection:
        connection.query("standing")

    assert (api.asked(), second_api.asked()) == ([], ["POST /other/place"])


def test_the_token_goes_to_no_other_host_that_an_answer_names(
    api: ScriptedApi, second_api: ScriptedApi, connection: Connection
) -> None:
    api.script(Answer(200, [{"id": 1}], {"link": f'<{second_api.url}/next>; rel="next"'}), Answer(200, []))

    list(connection.pages("pulls/1/reviews"))

    assert second_api.received == []
    assert names(api) == ["GET reviews", "GET next"]


def test_an_address_outside_the_api_is_not_followed(api: ScriptedApi, time: Time) -> None:
    access = Access(token=TOKEN, repository="owner/name", api_url=f"{api.url}/api/v3")
    api.script(Answer(200, [{"id": 1}], {"link": f'<{api.url}/elsewhere>; rel="next"'}))

    with (
        Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection,
        pytest.raises(Unavailable, match="not part of its API"),
    ):
        list(connection.pages("pulls/1/reviews"))


def test_a_proxy_of_the_environment_is_used(api: ScriptedApi, time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", api.url)
    monkeypatch.setenv("no_proxy", "")
    access = Access(token=TOKEN, repository="owner/name", api_url="http://api.example.invalid")
    api.script(Answer(200, {"number": 1}))

    with Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection:
        connection.get("pulls/1")

    assert api.asked() == ["GET http://api.example.invalid:80/repos/owner/name/pulls/1"]


def test_a_missing_file_of_authorities_is_named(time: Time) -> None:
    access = Access(token=TOKEN, repository="owner/name", api_url="https://127.0.0.1:9", ca_file="/missing.pem")

    with (
        Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep) as connection,
        pytest.raises(UsageError) as problem,
    ):
        connection.get("pulls/1")

    assert "SSL_CERT_FILE" in problem.value.hint


@pytest.mark.parametrize("url", ["", "api.github.com", "ftp://127.0.0.1", "https://"])
def test_an_address_that_is_none_is_named(url: str, time: Time) -> None:
    with pytest.raises(UsageError) as problem:
        Connection(Access(TOKEN, "owner/name", api_url=url), wait_s=0, clock=time.clock, sleep=time.sleep)

    assert "GITHUB_API_URL" in problem.value.hint


@pytest.mark.parametrize("token", ["", f"{TOKEN}\n", f" {TOKEN}", f"{TOKEN}é"])
def test_a_token_that_is_none_is_not_repeated(token: str, time: Time) -> None:
    with pytest.raises(PermissionDenied) as denial:
        Connection(Access(token, "owner/name"), wait_s=0, clock=time.clock, sleep=time.sleep)

    assert TOKEN not in f"{denial.value!r} {denial.value} {denial.value.hint}"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401, says("Bad credentials")),
        Answer(403, says("Resource not accessible by integration")),
        Answer(422, says("Validation Failed")),
        Answer(502),
        Answer(cut="before"),
        Answer(429),
    ],
    ids=["401", "403", "422", "502", "cut", "429"],
)
def test_the_token_is_in_no_log_and_no_error(
    answer: Answer, api: ScriptedApi, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api.script(*[answer] * 3)

    with pytest.raises(DraftgateError) as error:
        connection.get("pulls/1")

    chain: BaseException | None = error.value
    while chain is not None:
        assert TOKEN not in f"{chain!r} {chain} {vars(chain)}"
        chain = chain.__cause__
    assert caplog.records
    assert all(TOKEN not in f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert TOKEN not in repr(connection) + repr(Access(TOKEN, "owner/name"))
