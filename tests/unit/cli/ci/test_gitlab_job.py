"""A job on GitLab tells how it ended in artifacts and its log, and nothing of others gets further than text."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest

from draftgate.bootstrap.hosted import HostedRun
from draftgate.cli.ci.gitlab_job import ARTIFACTS, FOLDER
from draftgate.cli.ci.outputs import ResultFiles, outputs_of
from draftgate.cli.ci.platforms import GITLAB
from draftgate.cli.ci.variables import Variables
from draftgate.cli.run_ci import run_job
from draftgate.config.layers import from_environment
from draftgate.domain.finding import Decoration
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.errors import HeadMoved, UsageError
from tests.builders import HEAD, blocker, finding, session
from tests.unit.cli.ci.gitlab_payloads import note
from tests.unit.cli.ci.gitlab_runner import TOKEN, Here, gitlab_environment, messages, obeyed

URL = "http://127.0.0.1:9/group/sub/rooms"

HOSTILE = (
    "section_start:1700000000:x\r\x1b[0K\x1b[8mhidden\n"
    "section_end:1700000000:x\r\x1b[0K\n\x1b]8;;http://example.invalid\x07click\x9b2J\r\x1b[2K::error::z\nA=B"
)


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path, io.StringIO())


def waiting(sentence: str = "2 findings wait", **more: object) -> RunOutcome:
    outcome = RunOutcome(0, Phase.AWAITING_APPROVAL, sentence, session((blocker(), finding())), reads=6, writes=4)
    return dataclasses.replace(outcome, **more)  # type: ignore[arg-type]  # fields by name


def test_the_log_lists_the_findings_and_where_to_read_on(here: Here) -> None:
    outcome = waiting(checkpoint_url=f"{URL}/-/merge_requests/7#note_1", review_url="")

    here.job.finish(outcome, elapsed_s=1.23, repository_url=URL)

    assert here.log.getvalue().splitlines() == [
        "1 🛑 issue · app/models/team.py:44 · two requests can create the same row",
        "2 ⚠️ issue · app/models/team.py:44 · two callers still pass the old argument",
        f"the checkpoint: {URL}/-/merge_requests/7#note_1",
        f"in full: {URL}/-/jobs/99/artifacts/browse/draftgate/",
        "awaiting-approval: 2 findings wait",
        "2 findings · 1 blocker · 1 important · automated 1.2 s · 10 requests",
    ]


def test_a_long_list_is_cut(here: Here) -> None:
    here.job.finish(waiting(session=session(tuple(finding(f"finding {n}") for n in range(80)))), elapsed_s=1)

    assert "… and 30 more\n" in here.log.getvalue()
    assert here.log.getvalue().count("finding 4") == 11  # 4 and 40 to 49


def test_the_result_is_kept_in_artifacts(here: Here) -> None:
    here.job.finish(waiting(checkpoint_url=f"{URL}/-/merge_requests/7#note_1"), elapsed_s=1, repository_url=URL)

    assert sorted(path.name for path in (here.folder / FOLDER).iterdir()) == sorted(ARTIFACTS)
    assert here.outputs == {
        "DRAFTGATE_PHASE": "awaiting-approval",
        "DRAFTGATE_FINDINGS": "2",
        "DRAFTGATE_BLOCKERS": "1",
        "DRAFTGATE_RECOMMENDED_VERDICT": "request-changes",
        "DRAFTGATE_CHECKPOINT_URL": f"{URL}/-/merge_requests/7#note_1",
        "DRAFTGATE_HEAD_SHA": HEAD,
        "DRAFTGATE_SARIF_FILE": "draftgate/findings.sarif",
        "DRAFTGATE_REPORT_FILE": "draftgate/report.json",
        "DRAFTGATE_COST_USD": "0",
        "DRAFTGATE_TOKENS": "0",
    }
    assert len(json.loads(here.artifact("findings.sarif"))["runs"][0]["results"]) == 2
    assert json.loads(here.artifact("report.json"))["schema"] == "draftgate/result/v1"
    assert f"{URL}/-/blob/{HEAD}/app/models/team.py#L44" in here.artifact("summary.md")


def test_what_could_not_be_written_to_the_change_is_shown_in_full_in_the_summary(here: Here) -> None:
    here.job.finish(waiting(phase=RunPhase.READ_ONLY, warnings=("the token can only read",)), elapsed_s=1)

    assert "`role` became required here." in here.artifact("summary.md")
    assert messages(here.log.getvalue()) == ["WARNING: the token can only read"]


def test_hostile_text_gets_no_further_than_text(here: Here) -> None:
    shows = session((blocker(HOSTILE, body=HOSTILE),))

    here.job.finish(waiting(HOSTILE, session=shows, warnings=(HOSTILE,), checkpoint_url=HOSTILE), elapsed_s=1)
    here.job.explain(UsageError(HOSTILE, context=HOSTILE, hint=HOSTILE), elapsed_s=1)

    assert obeyed(HOSTILE)
    assert obeyed(here.log.getvalue()) == []
    assert "section_start:1700000000:x⟨U+000D⟩⟨U+001B⟩[0K" in here.log.getvalue()


def test_hostile_text_is_no_variable_of_a_later_job(here: Here) -> None:
    here.job.finish(waiting(checkpoint_url=f"{URL}\nLD_PRELOAD=x", review_url=f"{URL}/$CI_JOB_TOKEN"), elapsed_s=1)

    assert {"DRAFTGATE_CHECKPOINT_URL", "DRAFTGATE_REVIEW_URL", "LD_PRELOAD"}.isdisjoint(here.outputs)


def test_a_secret_that_was_quoted_stands_nowhere(here: Here) -> None:
    leaking = session((blocker(f"the token {TOKEN} is in the file", body=TOKEN),))

    here.job.finish(waiting(f"found {TOKEN}", session=leaking, warnings=(TOKEN,), review_url=TOKEN), elapsed_s=1)

    files = [path.read_text(encoding="utf-8") for path in (here.folder / FOLDER).iterdir()]
    assert len(files) == len(ARTIFACTS)
    assert TOKEN not in here.log.getvalue() + "".join(files)


def test_no_variable_that_a_job_hands_on_is_taken_for_a_setting(here: Here) -> None:
    names = outputs_of(waiting(), None, ResultFiles())
    environment = {f"DRAFTGATE_{name.upper().replace('-', '_')}": "1" for name in names}

    layer, problems, warnings = from_environment(environment, ())

    assert (layer.data, problems, warnings) == ({}, (), ())


# --- The folder ----------------------------------------------------------------------------------------------------


def test_what_an_earlier_job_left_is_not_taken_for_this_ones(here: Here) -> None:
    here.job.finish(waiting(), elapsed_s=1)
    (here.folder / FOLDER / "notes.txt").write_text("somebody's own", encoding="utf-8")

    here.job.explain(UsageError("it is no number", hint="write digits"), elapsed_s=1)

    assert sorted(path.name for path in (here.folder / FOLDER).iterdir()) == ["notes.txt", "summary.md"]
    assert "it is no number" in here.artifact("summary.md")


@pytest.mark.parametrize("name", ARTIFACTS)
def test_a_file_that_leads_elsewhere_is_replaced(
    name: str, here: Here, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    elsewhere.write_text("kept", encoding="utf-8")
    job = here.job
    (here.folder / FOLDER).mkdir()
    (here.folder / FOLDER / name).symlink_to(elsewhere)

    job.finish(waiting(), elapsed_s=1)

    assert elsewhere.read_text(encoding="utf-8") == "kept"
    assert not (here.folder / FOLDER / name).is_symlink()


def test_a_folder_that_leads_elsewhere_is_replaced(here: Here, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "report.json").write_text("kept", encoding="utf-8")
    (here.folder / FOLDER).symlink_to(elsewhere, target_is_directory=True)

    here.job.finish(waiting(), elapsed_s=1)

    assert [path.read_text(encoding="utf-8") for path in elsewhere.iterdir()] == ["kept"]
    assert here.outputs["DRAFTGATE_FINDINGS"] == "2"


def test_a_folder_that_cannot_be_cleared_is_said_and_not_used(here: Here) -> None:
    (here.folder / FOLDER / "report.json").mkdir(parents=True)

    here.job.finish(waiting(), elapsed_s=1)

    assert len(messages(here.log.getvalue())) == 1
    assert [path.name for path in (here.folder / FOLDER).iterdir()] == ["report.json"]


def test_what_cannot_be_written_is_said_and_stops_nothing(here: Here) -> None:
    job = here.job
    (here.folder / FOLDER / "report.json").mkdir(parents=True)

    shown = job.finish(waiting(), elapsed_s=1)

    assert shown is not None
    [message] = messages(here.log.getvalue())
    assert message.startswith("WARNING: the files of the result cannot be written")
    assert here.outputs["DRAFTGATE_PHASE"] == "awaiting-approval"
    assert not list((here.folder / FOLDER).glob(".draftgate-*"))


def test_a_job_without_a_folder_gets_the_log_alone(here: Here) -> None:
    missing = Here(here.folder / "none", here.log)
    job = missing.job
    (here.folder / "none").rmdir()

    dataclasses.replace(job, outputs=None, summary=None, results=None).finish(waiting(), elapsed_s=1)

    assert not (here.folder / "none").exists()
    assert "awaiting-approval" in here.log.getvalue()


# --- From the variables to the exit code ---------------------------------------------------------------------------


def run(here: Here, outcome: RunOutcome | Exception, source: str, payload: object = None, **more: str) -> int:
    def handle(_hosted: HostedRun) -> RunOutcome:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    environment = gitlab_environment(here.folder, source, payload, **more)
    return run_job(here.job, Variables(environment, GITLAB.name), handle, GITLAB)


def test_an_event_that_asks_for_nothing_ends_without_work_or_token(here: Here) -> None:
    never = AssertionError("there is nothing to do")

    code = run(here, never, "trigger", note("thanks"), DRAFTGATE_GITLAB_TOKEN="", CI_PROJECT_PATH="")

    assert code == 0
    assert here.outputs == {"DRAFTGATE_PHASE": "skipped", "DRAFTGATE_COST_USD": "0", "DRAFTGATE_TOKENS": "0"}
    assert here.log.getvalue().startswith("skipped: the comment holds no command of Draftgate\n")


@pytest.mark.parametrize(
    ("level", "found", "code"),
    [
        ("", (blocker(),), 0),
        ("blocker", (blocker(),), 1),
        ("blocker", (finding(),), 0),
        ("any", (finding(decorations=(Decoration.NON_BLOCKING,)),), 1),
    ],
)
def test_waiting_findings_fail_the_job_as_the_variable_says(
    level: str, found: tuple[object, ...], code: int, here: Here
) -> None:
    outcome = RunOutcome(0, Phase.AWAITING_APPROVAL, "done", session(found))  # type: ignore[arg-type]

    assert run(here, outcome, "merge_request_event", DRAFTGATE_FAIL_ON=level) == code


def test_a_level_that_is_not_there_is_refused_by_the_name_of_its_variable(here: Here) -> None:
    assert run(here, waiting(), "merge_request_event", DRAFTGATE_FAIL_ON="some") == 2
    assert messages(here.log.getvalue()) == [
        "ERROR: there is no level 'some' for DRAFTGATE_FAIL_ON",
        "→ write one of none, blocker, any",
    ]


def test_an_error_of_the_work_is_explained_and_gives_its_code(here: Here) -> None:
    error = HeadMoved("the change has a newer head", hint="start a new review")

    assert run(here, error, "trigger", note("/approve-findings")) == HeadMoved.exit_code
    assert messages(here.log.getvalue()) == ["ERROR: the change has a newer head", "→ start a new review"]
    assert "start a new review" in here.artifact("summary.md")


def test_no_error_speaks_of_another_platform(here: Here) -> None:
    assert run(here, waiting(), "schedule", CI_PROJECT_ID="") == 2
    assert "inside GitLab CI" in here.log.getvalue()
    assert "GitHub" not in here.log.getvalue()
