"""The runner's variables become one value, or one sentence that says what is wrong with which."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from draftgate.bootstrap.hosted import HostedRun
from draftgate.cli.ci.github import read_github_event, read_github_run, result_place
from draftgate.cli.ci.outputs import ResultPlace
from draftgate.cli.ci.variables import Variables
from draftgate.domain.event import CommentMade, NothingToDo, ReviewAsked, SweepDue
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from tests.unit.cli.ci.payloads import change, comment, dispatch
from tests.unit.cli.ci.runner import TOKEN, job_environment


def run_of(folder: Path, **more: str) -> HostedRun:
    return read_github_run(Variables(job_environment(folder, "schedule", {}, **more)), SweepDue())


def test_a_run_holds_what_the_runner_says(tmp_path: Path) -> None:
    run = run_of(tmp_path, INPUT_LANGUAGE="de", INPUT_MODELS="", INPUT_CONFIG="ci/draftgate.yml")

    assert run == HostedRun(
        event=SweepDue(),
        repository="maintainer/rooms",
        api_url="http://127.0.0.1:9/api/v3",
        graphql_url="http://127.0.0.1:9/api/graphql",
        server_url="http://127.0.0.1:9",
        workspace=tmp_path,
        temp=tmp_path,
        token=TOKEN,
        run_url="http://127.0.0.1:9/maintainer/rooms/actions/runs/1234567",
        config_path="ci/draftgate.yml",
        settings={"language": "de"},
        signing_key=None,
        environment=run.environment,
    )


def test_a_run_does_not_show_its_secrets(tmp_path: Path) -> None:
    run = run_of(tmp_path, **{"INPUT_SIGNING-KEY": "another-secret-key"})

    assert TOKEN not in repr(run)
    assert "another-secret-key" not in repr(run)
    assert run.signing_key == "another-secret-key"


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://github.example.com/api/v3/", "https://github.example.com/api/graphql"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql"),
    ],
)
def test_the_graphql_address_stands_beside_the_api(api: str, graphql: str, tmp_path: Path) -> None:
    run = run_of(tmp_path, GITHUB_API_URL=api, GITHUB_GRAPHQL_URL="")

    assert run.graphql_url == graphql


def test_what_is_not_there_has_a_default(tmp_path: Path) -> None:
    variables = {"GITHUB_REPOSITORY": "maintainer/rooms", "GITHUB_TOKEN": TOKEN}

    run = read_github_run(Variables(variables), SweepDue())

    assert (run.api_url, run.server_url, run.workspace) == ("https://api.github.com", "https://github.com", None)
    assert run.run_url == "https://github.com/maintainer/rooms/actions"
    assert run.temp.is_dir()


def test_a_folder_that_is_not_there_is_no_workspace(tmp_path: Path) -> None:
    run = run_of(tmp_path, GITHUB_WORKSPACE=str(tmp_path / "none"), RUNNER_TEMP=str(tmp_path / "none"))

    assert run.workspace is None
    assert run.temp.is_dir()


@pytest.mark.parametrize(("given", "used"), [(TOKEN, TOKEN), ("", "of-the-workflow")], ids=["given", "left out"])
def test_the_input_counts_before_the_variable(given: str, used: str, tmp_path: Path) -> None:
    run = run_of(tmp_path, **{"INPUT_GITHUB-TOKEN": given, "GITHUB_TOKEN": "of-the-workflow"})

    assert run.token == used


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("GITHUB_REPOSITORY", "rooms", "names no repository"),
        ("GITHUB_REPOSITORY", "maintainer/rooms/../other", "names no repository"),
        ("GITHUB_REPOSITORY", "../..", "names no repository"),
        ("GITHUB_REPOSITORY", "", "is not set"),
        ("GITHUB_API_URL", "file:///etc/passwd", "no plain address"),
        ("GITHUB_API_URL", "https://someone:secret@api.example.invalid", "no plain address"),
        ("GITHUB_GRAPHQL_URL", "https://api.example.invalid/graphql?x=1", "no plain address"),
        ("GITHUB_SERVER_URL", "github.com", "no plain address"),
        ("GITHUB_RUN_ID", "1; exit", "no whole number"),
        ("INPUT_GITHUB-TOKEN", "two words", "blanks or characters"),
        ("INPUT_SIGNING-KEY", "key\nX-Header: 1", "blanks or characters"),
        ("INPUT_CONFIG", "../../etc/passwd", "no path inside"),
        ("INPUT_CONFIG", "/etc/passwd", "no path inside"),
        ("INPUT_LANGUAGE", "x" * 70_000, "longer than"),
        ("INPUT_LANGUAGE", "d\0e", "null byte"),
    ],
)
def test_a_wrong_variable_is_named_with_what_to_write(name: str, value: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        run_of(tmp_path, **{name: value})

    assert name in refused.value.context or name.removeprefix("INPUT_").lower() in refused.value.context
    assert refused.value.hint
    assert "secret" not in str(refused.value)


def test_a_run_without_a_token_says_where_one_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no token") as refused:
        run_of(tmp_path, **{"INPUT_GITHUB-TOKEN": ""})

    assert refused.value.context == "INPUT_GITHUB-TOKEN, GITHUB_TOKEN"


def test_an_unknown_input_is_ignored(tmp_path: Path) -> None:
    assert run_of(tmp_path, **{"INPUT_NO-SUCH-THING": "x"}) is not None


@pytest.mark.parametrize(
    ("mode", "of_change", "of_comment"),
    [
        ("auto", ReviewAsked, CommentMade),
        ("review", ReviewAsked, NothingToDo),
        ("commands", NothingToDo, CommentMade),
    ],
)
def test_the_mode_leaves_out_what_another_job_does(
    mode: str, of_change: type, of_comment: type, tmp_path: Path
) -> None:
    opened = Variables(job_environment(tmp_path / "1", "pull_request", change("opened"), INPUT_MODE=mode))
    commented = Variables(
        job_environment(tmp_path / "2", "issue_comment", comment("/approve-findings"), INPUT_MODE=mode)
    )

    assert isinstance(read_github_event(opened), of_change)
    assert isinstance(read_github_event(commented), of_comment)


def test_a_mode_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no 'fast'"):
        read_github_event(Variables(job_environment(tmp_path, "push", {}, INPUT_MODE="fast")))


def test_a_further_attempt_is_whoever_started_it(tmp_path: Path) -> None:
    attempt = {"GITHUB_RUN_ATTEMPT": "2", "GITHUB_TRIGGERING_ACTOR": "maintainer"}

    event = read_github_event(
        Variables(job_environment(tmp_path, "workflow_dispatch", dispatch(number="7"), **attempt))
    )

    assert event == ReviewAsked(7, asked_by=Person("maintainer"))


def test_a_further_attempt_is_not_put_on_who_made_the_first(tmp_path: Path) -> None:
    attempt = {"GITHUB_RUN_ATTEMPT": "2", "GITHUB_TRIGGERING_ACTOR": ""}

    with pytest.raises(UsageError, match="nobody is named"):
        read_github_event(Variables(job_environment(tmp_path, "workflow_dispatch", dispatch(number="7"), **attempt)))


def test_a_result_lies_in_the_jobs_temporary_folder(tmp_path: Path) -> None:
    assert result_place(Variables(job_environment(tmp_path, "push", {}))) == ResultPlace(tmp_path)


def test_in_the_container_of_an_action_a_result_lies_where_later_steps_start(tmp_path: Path) -> None:
    environment = job_environment(tmp_path, "push", {}, GITHUB_WORKSPACE="/github/workspace")

    assert result_place(Variables(environment)) == ResultPlace(Path("/github/workspace"), is_shared_root=True)


def test_the_secrets_are_found_by_the_names_of_their_variables() -> None:
    variables = {
        "INPUT_GITHUB-TOKEN": "token-of-the-app",
        "OPENAI_API_KEY": "a-key-of-a-provider",
        "DRAFTGATE_SIGNING_KEY": "signing",
        "APP_PRIVATE_KEY": "first-line\nsecond-line-of-it\n",
        "SHORT_TOKEN": "main",
        "GITHUB_REPOSITORY": "maintainer/rooms",
    }

    secrets = Variables(variables).secrets()

    assert secrets == ("a-key-of-a-provider", "second-line-of-it", "token-of-the-app", "first-line", "signing")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_temporary_folder_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir(mode=0o555)

    assert run_of(tmp_path, RUNNER_TEMP=str(tmp_path / "temp")).temp != tmp_path / "temp"
