"""GitLab's variables become one value, or one sentence that says what is wrong with which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftgate.bootstrap.hosted import HostedRun
from draftgate.cli.ci.gitlab import PLATFORM, read_gitlab_event, read_gitlab_run
from draftgate.cli.ci.payload import PAYLOAD_LIMIT
from draftgate.cli.ci.variables import Variables
from draftgate.domain.change import CommitSha
from draftgate.domain.event import (
    ChangeClosed,
    CommandsDue,
    CommentMade,
    Event,
    NothingToDo,
    ReviewAsked,
    SweepDue,
)
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from tests.unit.cli.ci.gitlab_payloads import HEAD, PROJECT, change, note
from tests.unit.cli.ci.gitlab_runner import TOKEN, gitlab_environment

MERGE_REQUEST = "merge_request_event"
FORK = str(PROJECT + 1)
IN_FORK = {"CI_PROJECT_ID": FORK, "CI_PROJECT_PATH": "outsider/rooms", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": FORK}
OF_FORK_IN_PARENT = {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": FORK}


def event_of(folder: Path, source: str, payload: object = None, **more: str) -> Event:
    return read_gitlab_event(Variables(gitlab_environment(folder, source, payload, **more), PLATFORM))


def run_of(folder: Path, event: Event | None = None, source: str = "schedule", **more: str) -> HostedRun:
    return read_gitlab_run(Variables(gitlab_environment(folder, source, **more), PLATFORM), event or SweepDue())


# --- What a pipeline is for ----------------------------------------------------------------------------------------


def test_a_pipeline_of_a_merge_request_reviews_it(tmp_path: Path) -> None:
    assert event_of(tmp_path, MERGE_REQUEST) == ReviewAsked(7, CommitSha(HEAD), pushed_by=Person("author"))


def test_in_a_pipeline_of_merged_results_the_head_is_the_sources(tmp_path: Path) -> None:
    event = event_of(tmp_path, MERGE_REQUEST, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA="c" * 40)

    assert isinstance(event, ReviewAsked)
    assert event.head == CommitSha("c" * 40)


def test_a_pipeline_that_says_only_what_is_published_is_a_review_all_the_same(tmp_path: Path) -> None:
    variables = {"CI_PIPELINE_SOURCE": MERGE_REQUEST, "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": str(PROJECT)}

    assert read_gitlab_event(Variables(variables, PLATFORM)) == ReviewAsked(7)


@pytest.mark.parametrize("where", [IN_FORK, OF_FORK_IN_PARENT], ids=["in the fork", "in the parent"])
def test_a_fork_is_foreign_and_may_only_read(where: dict[str, str], tmp_path: Path) -> None:
    event = event_of(tmp_path, MERGE_REQUEST, **where)

    assert isinstance(event, ReviewAsked)
    assert (event.is_foreign, event.may_be_read_only) == (True, True)


def test_a_merge_train_is_not_reviewed_again(tmp_path: Path) -> None:
    event = event_of(tmp_path, MERGE_REQUEST, CI_MERGE_REQUEST_EVENT_TYPE="merge_train")

    assert isinstance(event, NothingToDo)


def test_the_manual_job_takes_up_the_commands_of_its_change(tmp_path: Path) -> None:
    assert event_of(tmp_path, MERGE_REQUEST, DRAFTGATE_MODE="commands") == CommandsDue(7)


def test_the_manual_job_of_a_fork_without_a_token_can_do_nothing(tmp_path: Path) -> None:
    more = {**IN_FORK, "DRAFTGATE_MODE": "commands"}

    assert isinstance(event_of(tmp_path, MERGE_REQUEST, **more, DRAFTGATE_GITLAB_TOKEN=""), NothingToDo)
    assert event_of(tmp_path, MERGE_REQUEST, **more) == CommandsDue(7)


def test_a_schedule_sweeps(tmp_path: Path) -> None:
    assert event_of(tmp_path, "schedule") == SweepDue()


@pytest.mark.parametrize("source", ["push", "web", "api", "pipeline", "parent_pipeline", "chat", "x\n::error::y"])
def test_other_pipelines_ask_for_nothing(source: str, tmp_path: Path) -> None:
    event = event_of(tmp_path, source, CI_MERGE_REQUEST_IID="7", DRAFTGATE_GITLAB_TOKEN="")

    assert isinstance(event, NothingToDo)
    assert "\n" not in event.reason


@pytest.mark.parametrize(
    ("mode", "of_change", "of_comment", "of_end"),
    [
        ("auto", ReviewAsked, CommentMade, ChangeClosed),
        ("review", ReviewAsked, NothingToDo, ChangeClosed),
        ("commands", NothingToDo, CommentMade, ChangeClosed),
    ],
)
def test_the_mode_leaves_out_what_another_job_does(
    mode: str, of_change: type, of_comment: type, of_end: type, tmp_path: Path
) -> None:
    payloads = change("open"), note("/approve-findings"), change("close")

    events = [event_of(tmp_path, "trigger", payload, DRAFTGATE_MODE=mode) for payload in payloads]

    assert [type(event) for event in events] == [of_change, of_comment, of_end]


def test_a_mode_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no 'fast'"):
        event_of(tmp_path, "schedule", DRAFTGATE_MODE="fast")


# --- Webhooks ------------------------------------------------------------------------------------------------------


def test_a_webhook_hands_its_payload_over_in_a_file(tmp_path: Path) -> None:
    event = event_of(tmp_path, "trigger", note("/approve-findings 1"))

    assert event == CommentMade(7, "41", Person("maintainer"), "/approve-findings 1")


def test_a_payload_may_stand_in_the_variable_itself(tmp_path: Path) -> None:
    event = event_of(tmp_path, "trigger", TRIGGER_PAYLOAD=f"\n{json.dumps(note('/approve-findings ' + 'x' * 70_000))}")

    assert isinstance(event, CommentMade)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "no JSON", id="empty"),
        pytest.param(b"[1]", "no JSON object", id="a list"),
        pytest.param(b'{"object_kind": ', "no JSON", id="cut off"),
        pytest.param(b"[" * 100_000, "no JSON", id="nested without end"),
        pytest.param(b'{"a": "' + b"x" * PAYLOAD_LIMIT.value + b'"}', "larger than", id="huge"),
    ],
)
def test_a_payload_that_is_none_is_refused(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "payload.json"
    file.write_bytes(content)

    with pytest.raises(UsageError, match=says) as refused:
        event_of(tmp_path, "trigger", TRIGGER_PAYLOAD=str(file))

    assert "webhook" in refused.value.hint
    assert "GITHUB" not in refused.value.hint


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("", "brought no payload"),
        ("{", "no JSON"),
        ('{"object_kind": {}}', "is no text"),
        ("/no/such/file", "cannot be read"),
        ("/no\0/x", "cannot be read"),
        ("x" * 5_000, "cannot be read"),
    ],
)
def test_a_variable_that_holds_no_payload_is_refused(value: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        event_of(tmp_path, "trigger", TRIGGER_PAYLOAD=value)

    assert refused.value.hint
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "where",
    [
        {"CI_COMMIT_BRANCH": "feature", "CI_COMMIT_REF_NAME": "feature"},
        {"CI_COMMIT_BRANCH": "", "CI_COMMIT_REF_NAME": "feature"},
        {"CI_COMMIT_BRANCH": "", "CI_COMMIT_REF_NAME": "main", "CI_COMMIT_TAG": "main"},
    ],
    ids=["a branch", "a ref", "a tag of the same name"],
)
@pytest.mark.parametrize("source", ["trigger", "schedule"])
def test_a_pipeline_of_another_branch_is_refused_with_the_reason(
    source: str, where: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="could have changed the job") as refused:
        event_of(tmp_path, source, note("thanks"), **where)

    assert "name main in the URL" in refused.value.hint


def test_a_trigger_that_names_no_branch_is_left_to_the_platform(tmp_path: Path) -> None:
    where = {"CI_COMMIT_BRANCH": "", "CI_COMMIT_REF_NAME": "", "CI_DEFAULT_BRANCH": ""}

    assert isinstance(event_of(tmp_path, "trigger", note("/approve-findings"), **where), CommentMade)


# --- Where it runs -------------------------------------------------------------------------------------------------


def test_a_run_holds_what_the_runner_says(tmp_path: Path) -> None:
    run = run_of(tmp_path, DRAFTGATE_CONFIG="ci/draftgate.yml", DRAFTGATE_SIGNING_KEY="another-secret-key")

    assert run == HostedRun(
        event=SweepDue(),
        repository="group/sub/rooms",
        api_url="http://127.0.0.1:9/api/v4",
        graphql_url="http://127.0.0.1:9/api/graphql",
        server_url="http://127.0.0.1:9",
        workspace=tmp_path,
        temp=run.temp,
        token=TOKEN,
        run_url="http://127.0.0.1:9/group/sub/rooms/-/jobs/99",
        config_path="ci/draftgate.yml",
        settings={},
        signing_key="another-secret-key",
        environment=run.environment,
        default_branch="main",
        repository_id=str(PROJECT),
    )
    assert run.temp.is_dir()
    assert TOKEN not in repr(run)
    assert "another-secret-key" not in repr(run)


def test_an_instance_may_live_below_a_path(tmp_path: Path) -> None:
    root = "https://forge.example.com/gitlab"

    run = run_of(tmp_path, CI_SERVER_URL=f"{root}/", CI_API_V4_URL="", CI_API_GRAPHQL_URL="", CI_JOB_URL="")

    assert (run.server_url, run.api_url, run.graphql_url) == (root, f"{root}/api/v4", f"{root}/api/graphql")
    assert run.repository_url == f"{root}/group/sub/rooms"
    assert run.run_url == f"{root}/group/sub/rooms/-/jobs"


def test_what_is_not_there_has_a_default() -> None:
    variables = {"CI_PROJECT_ID": "4711", "CI_PROJECT_PATH": "group/rooms", "DRAFTGATE_GITLAB_TOKEN": TOKEN}

    run = read_gitlab_run(Variables(variables, PLATFORM), SweepDue())

    assert (run.api_url, run.graphql_url) == ("https://gitlab.com/api/v4", "https://gitlab.com/api/graphql")
    assert (run.server_url, run.workspace, run.default_branch) == ("https://gitlab.com", None, "HEAD")


def test_in_the_pipeline_of_a_fork_the_change_is_the_parents(tmp_path: Path) -> None:
    run = run_of(tmp_path, ReviewAsked(7), MERGE_REQUEST, **IN_FORK, CI_DEFAULT_BRANCH="of-the-fork")

    assert (run.repository_id, run.repository, run.default_branch) == (str(PROJECT), "group/sub/rooms", "HEAD")


def test_a_review_of_a_fork_needs_no_token(tmp_path: Path) -> None:
    event = event_of(tmp_path, MERGE_REQUEST, **IN_FORK)

    run = run_of(tmp_path, event, MERGE_REQUEST, **IN_FORK, DRAFTGATE_GITLAB_TOKEN="")

    assert run.token == ""
    assert run.environment["CI_JOB_TOKEN"]


@pytest.mark.parametrize(
    "event", [ReviewAsked(7), CommandsDue(7), SweepDue(), ChangeClosed(7)], ids=lambda event: type(event).__name__
)
def test_a_run_without_a_token_says_how_to_make_one(event: Event, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no token") as refused:
        run_of(tmp_path, event, DRAFTGATE_GITLAB_TOKEN="")

    assert refused.value.context == "DRAFTGATE_GITLAB_TOKEN"
    assert all(
        word in refused.value.hint for word in ("Developer", "`api`", "CI_JOB_TOKEN cannot write", "GitLab.com Free")
    )


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CI_PROJECT_ID", "", "is not set"),
        ("CI_PROJECT_ID", "group/rooms", "no whole number"),
        ("CI_PROJECT_ID", "0", "no number from 1 up"),
        ("CI_PROJECT_ID", "-1", "no whole number"),
        ("CI_PROJECT_PATH", "", "is not set"),
        ("CI_PROJECT_PATH", "rooms", "names no project"),
        ("CI_PROJECT_PATH", "group/../rooms", "names no project"),
        ("CI_PROJECT_PATH", "/group/rooms", "names no project"),
        ("CI_PROJECT_PATH", "group//rooms", "names no project"),
        ("CI_PROJECT_PATH", "/".join(["a"] * 40), "names no project"),
        ("CI_API_V4_URL", "file:///etc/passwd", "no plain address"),
        ("CI_API_GRAPHQL_URL", "https://forge.example.com/api/graphql?x=1", "no plain address"),
        ("CI_SERVER_URL", "https://someone:secret@forge.example.com", "no plain address"),
        ("CI_JOB_URL", "javascript:alert(1)", "no plain address"),
        ("CI_DEFAULT_BRANCH", "--upload-pack=x", "names no branch"),
        ("CI_DEFAULT_BRANCH", "a..b", "names no branch"),
        ("CI_DEFAULT_BRANCH", "a b", "names no branch"),
        ("DRAFTGATE_CONFIG", "../../etc/passwd", "no path inside"),
        ("DRAFTGATE_CONFIG", "/etc/passwd", "no path inside"),
        ("DRAFTGATE_GITLAB_TOKEN", "two words", "blanks or characters"),
        ("DRAFTGATE_SIGNING_KEY", "key\nX-Header: 1", "blanks or characters"),
    ],
)
def test_a_wrong_variable_is_named_with_what_to_write(name: str, value: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        run_of(tmp_path, **{name: value})

    assert refused.value.context == name
    assert refused.value.hint
    assert "GitHub" not in refused.value.hint
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CI_PIPELINE_SOURCE", "", "is not set"),
        ("CI_MERGE_REQUEST_IID", "", "is not set"),
        ("CI_MERGE_REQUEST_IID", "7; exit", "no whole number"),
        ("CI_COMMIT_SHA", "main", "no commit"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", HEAD[:10], "no commit"),
    ],
)
def test_a_pipeline_that_is_none_is_refused(name: str, value: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        event_of(tmp_path, MERGE_REQUEST, **{name: value})

    assert refused.value.context == name
