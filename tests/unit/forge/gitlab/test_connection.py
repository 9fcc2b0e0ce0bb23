"""What is sent, followed, repeated and looked for when GitLab does not simply answer; real HTTP, scripted answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from draftgate.errors import DraftgateError, PermissionDenied, Unavailable, UsageError
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.transport import Access
from draftgate.forge.gitlab.troubles import Refused, Trouble
from tests.fakes.gitlab.certificates import make_certificates
from tests.fakes.gitlab.scenario import make_scenario
from tests.fakes.gitlab.server import serve
from tests.unit.forge.github.scripted_api import BEGIN, Answer, ScriptedApi, Time
from tests.unit.forge.gitlab.conftest import TOKEN

HTML = {"Content-Type": "text/html; charset=utf-8"}
NOTE = {"id": 9001, "body": "text"}
ROOT = "/api/v4/projects/7"

LIMITS = [
    pytest.param(Answer(429, "Retry later\n", {"Retry-After": "12", "Content-Type": "text/plain"}), 12, id="told"),
    pytest.param(Answer(429, "Retry later\n", {"RateLimit-Reset": f"{int(BEGIN) + 45}"}), 46, id="a reset"),
    pytest.param(Answer(429), 60, id="nothing told"),
]
LOST = [
    pytest.param(Answer(502, "<html>GitLab is not responding</html>", HTML), id="502"),
    pytest.param(Answer(500), id="500"),
    pytest.param(Answer(cut="before"), id="connection cut"),
    pytest.param(Answer(200, {"id": 1}, cut="within"), id="body cut"),
    pytest.param(Answer(200, '{"id": '), id="half of the JSON"),
    pytest.param(Answer(200, ""), id="no JSON"),
    pytest.param(Answer(200, "[" * 100_000), id="JSON without an end"),
    pytest.param(Answer(200, "<html>Sign in</html>", HTML), id="a page"),
    pytest.param(Answer(200, "<html>maintenance</html>"), id="a page that is called JSON"),
]


def says(message: str) -> dict[str, str]:
    return {"message": message}


def post_note(connection: Connection) -> Callable[[], int]:
    return lambda: int(connection.merge_request(1).notes.create({"body": "text"}).get_id())


def find_note(connection: Connection) -> Callable[[], int | None]:
    return lambda: next((int(note["id"]) for note in connection.pages("merge_requests/1/notes")), None)


def names(api: ScriptedApi) -> list[str]:
    return [f"{request.verb} {request.path.partition('?')[0].rpartition('/')[2]}" for request in api.received]


# --- Reads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "wait_s"), LIMITS)
def test_a_read_that_came_too_soon_waits_as_told(
    limit: Answer, wait_s: float, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(limit, Answer(200, {"iid": 1}))

    assert connection.get("merge_requests/1")["iid"] == 1
    assert time.waits == [wait_s]


@pytest.mark.parametrize("answer", LOST)
def test_a_read_is_repeated_when_its_answer_is_lost(
    answer: Answer, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(answer, answer, Answer(200, {"iid": 1}))

    assert connection.get("merge_requests/1")["iid"] == 1
    assert time.waits == [1, 5]
    assert (connection.requests.reads, connection.requests.writes) == (3, 0)


@pytest.mark.parametrize("answer", LOST)
def test_a_list_is_repeated_when_its_answer_is_lost(answer: Answer, api: ScriptedApi, connection: Connection) -> None:
    api.script(answer, Answer(200, [NOTE]))

    assert [note["id"] for note in connection.pages("merge_requests/1/notes")] == [9001]


def test_a_read_that_is_never_answered_stops_and_says_how_to_go_on(api: ScriptedApi, connection: Connection) -> None:
    api.script(*[Answer(503)] * 9)

    with pytest.raises(Unavailable, match="GitLab failed with 503") as stop:
        connection.get("merge_requests/1")

    assert len(api.received) == 3
    assert stop.value.exit_code == 4
    assert "goes on from there" in stop.value.hint


def test_a_late_answer_is_a_lost_one(api: ScriptedApi, time: Time) -> None:
    connection = Connection(
        Access(TOKEN, "7", f"{api.url}/api/v4", timeout_s=1), wait_s=0, clock=time.clock, sleep=time.sleep
    )
    api.script(Answer(200, {}, late_s=5))

    with pytest.raises(Unavailable, match="did not answer in time"):
        connection.get("merge_requests/1")


def test_a_limit_beyond_the_allowance_fails_at_once_and_names_the_time(
    api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(Answer(429, "Retry later\n", {"Retry-After": "7200"}))

    with pytest.raises(Unavailable, match="2026-01-05 10:00:00 UTC"):
        connection.get("merge_requests/1")

    assert (time.waits, len(api.received)) == ([], 1)


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (Answer(400, says("400 Bad request")), Trouble.OTHER),
        (Answer(401, says("401 Unauthorized")), Trouble.BAD_CREDENTIALS),
        (Answer(403, says("403 Forbidden")), Trouble.NOT_ACCESSIBLE),
        (Answer(404, says("404 Project Not Found")), Trouble.NOT_FOUND),
        (Answer(409, says("409 Conflict")), Trouble.CONFLICT),
        (Answer(301, says("Moved"), {"Location": "https://elsewhere.invalid/api/v4/projects/7"}), Trouble.MOVED),
        (Answer(301, says("Moved")), Trouble.OTHER),
    ],
    ids=["400", "401", "403", "404", "409", "moved away", "moved nowhere"],
)
def test_a_refusal_is_not_repeated(
    answer: Answer, trouble: Trouble, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(answer)

    with pytest.raises(Refused) as refusal:
        connection.get("merge_requests/1")

    assert refusal.value.trouble is trouble
    assert (len(api.received), time.waits) == (1, [])


# --- Writes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "wait_s"), LIMITS)
def test_a_write_that_came_too_soon_waits_as_told_and_needs_no_look(
    limit: Answer, wait_s: float, api: ScriptedApi, time: Time, connection: Connection
) -> None:
    api.script(limit, Answer(201, NOTE))

    assert connection.write(post_note(connection), landed=find_note(connection)) == 9001
    assert time.waits == [wait_s]
    assert names(api) == ["POST notes", "POST notes"]


@pytest.mark.parametrize("answer", LOST)
def test_a_write_whose_answer_was_lost_is_looked_for_and_found(
    answer: Answer, api: ScriptedApi, connection: Connection
) -> None:
    api.script(answer, Answer(200, [NOTE]))

    assert connection.write(post_note(connection), landed=find_note(connection)) == 9001
    assert names(api) == ["POST notes", "GET notes"]


@pytest.mark.parametrize("answer", LOST)
def test_a_write_that_did_not_take_effect_is_sent_again(
    answer: Answer, api: ScriptedApi, connection: Connection
) -> None:
    api.script(answer, Answer(200, []), Answer(201, NOTE))

    assert connection.write(post_note(connection), landed=find_note(connection)) == 9001
    assert names(api) == ["POST notes", "GET notes", "POST notes"]
    assert (connection.requests.reads, connection.requests.writes) == (1, 2)


@pytest.mark.parametrize("answer", LOST)
@pytest.mark.parametrize("verb", ["PUT", "DELETE"])
def test_other_writes_are_judged_alike(answer: Answer, verb: str, api: ScriptedApi, connection: Connection) -> None:
    notes = connection.merge_request(1).notes
    send: dict[str, Callable[[], object]] = {
        "PUT": lambda: notes.update(5, {"body": "new"}) is not None,
        "DELETE": lambda: notes.delete(5) is None,
    }
    api.script(answer, Answer(200, NOTE) if verb == "PUT" else Answer(204))

    assert connection.write(send[verb], landed=lambda: None)
    assert names(api) == [f"{verb} 5"] * 2


def test_a_write_is_sent_three_times_at_most_and_looked_for_after_each(
    api: ScriptedApi, connection: Connection
) -> None:
    api.script(*[Answer(502), Answer(200, [])] * 9)

    with pytest.raises(Unavailable, match="GitLab failed with 502"):
        connection.write(post_note(connection), landed=find_note(connection))

    assert names(api) == ["POST notes", "GET notes"] * 3


def test_a_refusal_after_a_lost_answer_is_looked_into(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(502), Answer(200, []), Answer(400, says("has already been taken")), Answer(200, [NOTE]))

    assert connection.write(post_note(connection), landed=find_note(connection)) == 9001


def test_a_note_of_nothing_but_commands_is_refused_and_not_repeated(api: ScriptedApi, connection: Connection) -> None:
    """P17: the answer has no id, since there is no note."""
    body = {"commands_changes": {"state_event": "close"}, "summary": ["Closed this merge request."]}
    api.script(Answer(202, body))

    with pytest.raises(Refused) as refusal:
        connection.write(post_note(connection), landed=find_note(connection))

    assert refusal.value.trouble is Trouble.ONLY_COMMANDS
    assert names(api) == ["POST notes"]


def test_publishing_is_answered_with_nothing(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(204), Answer(204, headers={"Content-Type": "text/html"}))
    drafts = connection.merge_request(1).draft_notes

    connection.write(lambda: drafts.bulk_publish(post_data={}) is None, landed=lambda: None)
    connection.delete(lambda: drafts.delete(5))

    assert names(api) == ["POST bulk_publish", "DELETE 5"]


def test_a_deletion_needs_no_look_and_finds_its_own_effect(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(502), Answer(404, says("404 Not found")))

    connection.delete(lambda: connection.merge_request(1).notes.delete(5))

    assert names(api) == ["DELETE 5", "DELETE 5"]


def test_writes_keep_a_pace_and_reads_do_not(api: ScriptedApi, time: Time, connection: Connection) -> None:
    api.script(*[Answer(200, {"iid": 1})] * 20, *[Answer(201, NOTE)] * 32)

    for _ in range(20):
        connection.get("merge_requests/1")
    for _ in range(32):
        connection.write(post_note(connection), landed=lambda: None)

    assert time.waits == pytest.approx([0.1, 0.1])


# --- Redirects -------------------------------------------------------------------------------------------------------


@pytest.fixture
def second_api() -> Iterator[ScriptedApi]:
    scripted = ScriptedApi()
    yield scripted
    scripted.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_read_follows_a_renamed_project_on_the_same_server(
    status: int, api: ScriptedApi, connection: Connection
) -> None:
    moved = f"{api.url}/api/v4/projects/99/merge_requests/1?view=simple"
    api.script(Answer(status, says("Moved"), {"Location": moved}), Answer(200, {"iid": 1}))

    assert connection.get("merge_requests/1", view="simple")["iid"] == 1
    assert [request.path for request in api.received] == [
        f"{ROOT}/merge_requests/1?view=simple",
        "/api/v4/projects/99/merge_requests/1?view=simple",
    ]
    assert connection.requests.reads == 2


def test_a_redirect_may_be_relative(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(301, None, {"Location": "/api/v4/projects/99"}), Answer(200, {"id": 99}))

    assert connection.get("")["id"] == 99


@pytest.mark.parametrize(
    "place",
    [
        "{other}/api/v4/projects/7/merge_requests/1",
        "//localhost:{port}/api/v4/projects/7/merge_requests/1",
        "https://127.0.0.1:{port}/api/v4/projects/7/merge_requests/1",
        "http://somebody@127.0.0.1:{port}/api/v4/projects/7/merge_requests/1",
        "ftp://127.0.0.1:{port}/x",
    ],
    ids=["another port", "another name", "another scheme", "a name in it", "ftp"],
)
def test_the_token_follows_a_redirect_to_no_other_origin(
    place: str, api: ScriptedApi, second_api: ScriptedApi, connection: Connection
) -> None:
    target = place.format(other=second_api.url, port=api.port)
    api.script(Answer(301, says("Moved"), {"Location": target}))

    with pytest.raises(Refused) as refusal:
        connection.get("merge_requests/1")

    assert refusal.value.trouble is Trouble.MOVED
    assert (second_api.received, len(api.received)) == ([], 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_write_follows_no_redirect(status: int, api: ScriptedApi, connection: Connection) -> None:
    """A followed POST becomes a GET, and whether the first one took effect nobody knows."""
    moved = {"Location": f"{api.url}/api/v4/projects/99/merge_requests/1/notes"}
    api.script(Answer(status, says("Moved"), moved))

    with pytest.raises(Refused) as refusal:
        connection.write(post_note(connection), landed=find_note(connection))

    assert refusal.value.trouble is Trouble.MOVED
    assert "present path" in refusal.value.hint
    assert names(api) == ["POST notes"]


def test_a_mutation_follows_no_redirect(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(307, None, {"Location": f"{api.url}/elsewhere"}))

    with pytest.raises(Refused) as refusal:
        connection.query("mutation Any { any { errors } }")

    assert refusal.value.trouble is Trouble.MOVED
    assert connection.requests.writes == 1


def test_redirects_in_a_circle_end(api: ScriptedApi, connection: Connection) -> None:
    api.script(*[Answer(301, None, {"Location": f"{ROOT}/merge_requests/1"})] * 9)

    with pytest.raises(Refused) as refusal:
        connection.get("merge_requests/1")

    assert refusal.value.trouble is Trouble.MOVED
    assert len(api.received) == 3


# --- GraphQL ---------------------------------------------------------------------------------------------------------


def test_a_query_sends_its_document_and_returns_the_data(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, {"data": {"currentUser": {"username": "bot"}}}))

    data = connection.query("query Me($x: ID!) { currentUser { username } }", x="1")

    assert data == {"currentUser": {"username": "bot"}}
    assert api.asked() == ["POST /api/graphql"]
    assert api.received[0].body["variables"] == {"x": "1"}
    assert (connection.requests.reads, connection.requests.writes) == (1, 0)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(200, {"data": None, "errors": [{"message": "Query has complexity of 300"}]}), "complexity of 300"),
        (Answer(200, {"data": {"project": {}}, "errors": [{"message": "no"}]}), "no"),
        (Answer(200, {"errors": [{"path": ["x"]}, "odd", None]}), ""),
        (Answer(200, {"data": None}), ""),
        (Answer(200, {"data": [1]}), ""),
        (Answer(200, []), ""),
        (Answer(200, "7"), ""),
    ],
    ids=["too complex", "beside data", "odd errors", "no data", "a list as data", "a list", "a number"],
)
def test_a_query_without_its_whole_data_is_declined(
    answer: Answer, words: str, api: ScriptedApi, connection: Connection
) -> None:
    api.script(answer)

    with pytest.raises(Refused) as refusal:
        connection.read(lambda: connection.query("query Me { currentUser { username } }"))

    assert words in str(refusal.value)
    assert len(api.received) == 1


# --- Pages and texts -------------------------------------------------------------------------------------------------


def test_a_list_is_read_as_long_as_there_is_a_next_page(api: ScriptedApi, connection: Connection) -> None:
    more = {"link": f'<{api.url}{ROOT}/merge_requests/1/diffs?page=2&per_page=30>; rel="next"'}
    api.script(
        Answer(200, [{"new_path": f"f{n:02}.py"} for n in range(1, 31)], more), Answer(200, [{"new_path": "f31.py"}])
    )

    files = list(connection.pages("merge_requests/1/diffs"))

    assert len(files) == 31
    assert [request.path for request in api.received] == [
        f"{ROOT}/merge_requests/1/diffs?per_page=100",
        f"{ROOT}/merge_requests/1/diffs?page=2&per_page=30",
    ]


def test_a_short_or_an_empty_page_is_not_the_last_one(api: ScriptedApi, connection: Connection) -> None:
    """P03: notes that are hidden are taken out after a page was cut."""
    more = {"Link": f'<{api.url}{ROOT}/next>; rel="next", <{api.url}{ROOT}/last>; rel="last"'}
    api.script(Answer(200, [], more), Answer(200, [{"id": 1}], more), Answer(200, [{"id": 2}]))

    assert [entry["id"] for entry in connection.pages("merge_requests/1/notes")] == [1, 2]


def test_the_token_goes_to_no_other_host_that_a_list_names(
    api: ScriptedApi, second_api: ScriptedApi, connection: Connection
) -> None:
    api.script(Answer(200, [{"id": 1}], {"Link": f'<{second_api.url}{ROOT}/next>; rel="next"'}), Answer(200, []))

    list(connection.pages("merge_requests/1/notes"))

    assert second_api.received == []
    assert names(api) == ["GET notes", "GET next"]


@pytest.mark.parametrize(
    "body", [says("no list"), "null", "7", '"text"', {}], ids=["object", "null", "7", "text", "{}"]
)
def test_something_else_than_a_list_is_no_empty_list(body: object, api: ScriptedApi, connection: Connection) -> None:
    api.script(*[Answer(200, body)] * 3)

    with pytest.raises(DraftgateError):
        list(connection.pages("merge_requests/1/notes"))


@pytest.mark.parametrize("body", [[], [1], "null", "7"], ids=["[]", "a list", "null", "7"])
def test_something_else_than_an_object_is_no_answer(body: object, api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, body))

    with pytest.raises(Unavailable, match="something else"):
        connection.get("merge_requests/1")


def test_a_raw_file_is_text_whatever_it_begins_with(api: ScriptedApi, connection: Connection) -> None:
    plain = {"Content-Type": "text/plain; charset=utf-8"}
    api.script(Answer(200, "a: 1\n", plain), Answer(200, "{ no JSON", plain), Answer(200, "", plain))

    texts = [connection.text("repository/files/a.yml/raw", ref="main") for _ in range(3)]

    assert texts == ["a: 1\n", "{ no JSON", ""]


# --- Addresses and credentials ---------------------------------------------------------------------------------------


def test_every_request_says_who_asks(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(200, {}), Answer(200, []), Answer(200, {"data": {}}))

    connection.get("merge_requests/1")
    list(connection.pages("merge_requests/1/notes"))
    connection.query("query Me { currentUser { username } }")

    for request in api.received:
        headers = {name.lower(): value for name, value in request.headers.items()}
        assert headers["private-token"] == TOKEN
        assert headers["user-agent"].startswith("draftgate/")
        assert TOKEN not in request.path


def test_a_server_may_live_below_a_path(api: ScriptedApi, time: Time) -> None:
    connection = Connection(
        Access(TOKEN, "acme/tools/rooms", f"{api.url}/gitlab/api/v4/"), wait_s=0, clock=time.clock, sleep=time.sleep
    )
    api.script(Answer(200, {"iid": 1}), Answer(201, NOTE), Answer(200, {"data": {}}))

    connection.get("merge_requests/1")
    connection.write(post_note(connection), landed=lambda: None)
    connection.query("query Me { currentUser { username } }")

    root = "/gitlab/api/v4/projects/acme%2Ftools%2Frooms"
    assert api.asked() == [
        f"GET {root}/merge_requests/1",
        f"POST {root}/merge_requests/1/notes",
        "POST /gitlab/api/graphql",
    ]


def test_the_token_of_a_job_is_sent_as_one_and_none_is_sent_without_one(api: ScriptedApi, time: Time) -> None:
    api.script(Answer(200, {}), Answer(200, {}))
    for token in ("glcbt-0123456789", ""):
        access = Access(token, "7", f"{api.url}/api/v4", is_of_job=True)
        Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep).get("merge_requests/1")

    sent = [{name.lower(): value for name, value in request.headers.items()} for request in api.received]
    assert [headers.get("job-token") for headers in sent] == ["glcbt-0123456789", None]
    assert not any("private-token" in headers for headers in sent)


def test_a_certificate_that_nobody_here_signed_is_named_in_one_sentence(tmp_path: Path, time: Time) -> None:
    scenario = make_scenario(tmp_path / "world")
    certificates = make_certificates(tmp_path / "tls")
    with serve(scenario.world, certificates=certificates) as simulator:
        path = scenario.project.full_path

        def connect(ca_file: str) -> Connection:
            access = Access(scenario.tokens["bot"], path, simulator.api_url, ca_file=ca_file)
            return Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep)

        with pytest.raises(Unavailable, match=r"certificate is not signed .*SSL_CERT_FILE") as problem:
            connect("").get("merge_requests/1")
        found = connect(str(certificates.ca_file)).get("merge_requests/1")

    assert found["iid"] == 1
    assert "\n" not in str(problem.value)


def test_a_missing_file_of_authorities_is_named(time: Time) -> None:
    access = Access(TOKEN, "7", "https://127.0.0.1:9/api/v4", ca_file="/missing.pem")

    with pytest.raises(UsageError) as problem:
        Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep).get("merge_requests/1")

    assert "SSL_CERT_FILE" in problem.value.hint


@pytest.mark.parametrize("url", ["", "gitlab.com/api/v4", "ftp://127.0.0.1/api/v4", "https://"])
def test_an_address_that_is_none_is_named(url: str, time: Time) -> None:
    with pytest.raises(UsageError) as problem:
        Connection(Access(TOKEN, "7", url), wait_s=0, clock=time.clock, sleep=time.sleep)

    assert "CI_API_V4_URL" in problem.value.hint


@pytest.mark.parametrize("is_of_job", [False, True])
@pytest.mark.parametrize("token", [f"{TOKEN}\n", f" {TOKEN}", f"{TOKEN}é", f"{TOKEN}\x00"])
def test_a_token_that_is_none_is_not_repeated(token: str, *, is_of_job: bool, time: Time) -> None:
    with pytest.raises(PermissionDenied) as denial:
        Connection(Access(token, "7", is_of_job=is_of_job), wait_s=0, clock=time.clock, sleep=time.sleep)

    assert TOKEN not in f"{denial.value!r} {denial.value} {denial.value.hint}"


def test_no_token_is_said_before_anything_is_sent(time: Time) -> None:
    with pytest.raises(PermissionDenied) as denial:
        Connection(Access("", "7"), wait_s=0, clock=time.clock, sleep=time.sleep)

    assert "DRAFTGATE_GITLAB_TOKEN" in denial.value.hint


def test_a_proxy_and_its_password_are_in_no_error(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://somebody:s3cret@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    access = Access(TOKEN, "7", "http://gitlab.example.invalid/api/v4")

    with pytest.raises(Unavailable, match="through the proxy") as problem:
        Connection(access, wait_s=0, clock=time.clock, sleep=time.sleep).get("merge_requests/1")

    assert "s3cret" not in f"{problem.value} {problem.value.hint} {problem.value.context}"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401, says("401 Unauthorized")),
        Answer(403, says("403 Forbidden")),
        Answer(400, says("400 Bad request")),
        Answer(502),
        Answer(cut="before"),
        Answer(429),
        Answer(200, "<html>Sign in</html>", HTML),
        Answer(301, None, {"Location": "https://elsewhere.invalid/"}),
    ],
    ids=["401", "403", "400", "502", "cut", "429", "page", "moved"],
)
def test_the_token_is_in_no_log_and_no_error(
    answer: Answer, api: ScriptedApi, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api.script(*[answer] * 3)

    with pytest.raises(DraftgateError) as error:
        connection.get("merge_requests/1")

    chain: BaseException | None = error.value
    while chain is not None:
        assert TOKEN not in f"{chain!r} {chain} {vars(chain)}"
        chain = chain.__cause__
    assert caplog.records
    assert all(TOKEN not in f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert TOKEN not in repr(connection) + repr(Access(TOKEN, "7"))
