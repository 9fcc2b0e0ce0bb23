"""A job tells how it ended in its outputs, its summary, its annotations and its log."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest

from draftgate.cli.ci.job import MAX_WARNINGS, Job
from draftgate.cli.ci.outputs import ResultPlace
from draftgate.cli.ci.summary import SUMMARY_LIMIT, append_summary
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import Submission
from draftgate.errors import ConfigurationError, Problem, UsageError
from tests.builders import blocker, finding, session
from tests.unit.cli.ci.runner import TOKEN, Here, obeyed


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path, io.StringIO())


def waiting(sentence: str = "3 findings wait", **more: object) -> RunOutcome:
    outcome = RunOutcome(0, Phase.AWAITING_APPROVAL, sentence, session((blocker(), finding())), reads=6, writes=4)
    return dataclasses.replace(outcome, **more)  # type: ignore[arg-type]  # fields by name


def test_the_log_ends_with_the_outcome_and_the_figures(here: Here) -> None:
    here.job.finish(waiting(), elapsed_s=1.23)

    assert here.log.getvalue().splitlines() == [
        "awaiting-approval: 3 findings wait",
        "2 findings · 1 blocker · 1 important · automated 1.2 s · 10 requests",
    ]


def test_after_a_submission_the_figures_say_what_was_approved_and_how_long_it_waited(here: Here) -> None:
    submission = Submission("x", Verdict.COMMENT, (2,), "d" * 64, "2026-01-02T10:04:01Z")
    submitted = session((blocker(), finding()), phase=Phase.SUBMITTED, submission=submission)

    here.job.finish(waiting(phase=Phase.SUBMITTED, session=submitted), elapsed_s=1)

    assert "2 findings (1 approved, 1 skipped) · 1 important" in here.log.getvalue()
    assert "waited 4 min" in here.log.getvalue()


def test_hostile_text_gets_no_further_than_the_page(here: Here) -> None:
    hostile = "::add-mask::x\n::error::y\nEOF\nphase=submitted\n##[error]z"
    shows = session((blocker(hostile, body=hostile),))

    here.job.finish(waiting(hostile, session=shows, warnings=(hostile,), checkpoint_url=hostile), elapsed_s=1)

    assert [name for name, _ in obeyed(here.log.getvalue())] == ["warning"]
    assert here.outputs["phase"] == "awaiting-approval"
    assert here.outputs["checkpoint-url"] == hostile
    assert len(here.outputs) == 14


def test_the_result_lies_in_files_for_the_next_step(here: Here) -> None:
    here.job.finish(waiting(), elapsed_s=1)

    sarif = json.loads(Path(here.outputs["sarif-file"]).read_text(encoding="utf-8"))
    report = json.loads(Path(here.outputs["report-file"]).read_text(encoding="utf-8"))
    assert len(sarif["runs"][0]["results"]) == 2
    assert report["schema"] == "draftgate/result/v1"
    assert Path(here.outputs["sarif-file"]).parent.stat().st_mode & 0o777 == 0o755


def test_a_secret_that_was_quoted_stands_nowhere(here: Here) -> None:
    leaking = session((blocker(f"the token {TOKEN} is in the file", body=TOKEN),))

    here.job.finish(waiting(f"found {TOKEN}", session=leaking, warnings=(TOKEN,)), elapsed_s=1)

    files = [path.read_text(encoding="utf-8") for path in here.folder.rglob("*") if path.is_file()]
    assert len(files) == 5
    assert TOKEN not in here.log.getvalue() + "".join(files)


def test_many_warnings_are_not_all_annotations(here: Here) -> None:
    here.job.finish(waiting(warnings=tuple(f"warning {number}" for number in range(50))), elapsed_s=1)

    assert len(obeyed(here.log.getvalue())) == MAX_WARNINGS


@pytest.mark.parametrize("field", ["outputs", "summary", "results"])
def test_what_cannot_be_written_is_said_and_stops_nothing(field: str, here: Here) -> None:
    missing = here.folder / "no" / "such" / "folder"
    broken: dict[str, object] = {field: ResultPlace(missing) if field == "results" else missing}

    shown = dataclasses.replace(here.job, **broken).finish(waiting(), elapsed_s=1)  # type: ignore[arg-type]

    assert shown is not None
    [(level, message)] = obeyed(here.log.getvalue())
    assert (level, "cannot be written: No such file or directory" in message) == ("warning", True)


def test_a_step_that_knows_the_folder_by_another_path_is_given_paths_from_it(here: Here) -> None:
    job = dataclasses.replace(here.job, results=ResultPlace(here.folder, is_shared_root=True))

    job.finish(waiting(), elapsed_s=1)

    sarif = Path(here.outputs["sarif-file"])
    assert not sarif.is_absolute()
    assert (here.folder / sarif).is_file()


def test_a_runner_without_files_gets_the_log_alone(here: Here) -> None:
    job: Job = dataclasses.replace(here.job, outputs=None, summary=None)

    job.finish(waiting(session=None), elapsed_s=1)

    assert list(here.folder.iterdir()) == []
    assert here.log.getvalue()


def test_an_error_is_one_annotation_and_a_page_with_what_to_do(here: Here) -> None:
    here.job.explain(UsageError("it is no number", context="GITHUB_RUN_ID", hint="write `digits`"), elapsed_s=1)

    assert obeyed(here.log.getvalue()) == [("error", "GITHUB_RUN_ID: it is no number\n→ write `digits`")]
    assert "What to do: write `digits`" in here.summary


def test_every_problem_of_a_configuration_is_named(here: Here) -> None:
    problems = tuple(Problem("draftgate.yml", line, 1, "when", "no such word", "write once") for line in (3, 4))

    here.job.explain(ConfigurationError(problems), elapsed_s=1)

    [(_, message)] = obeyed(here.log.getvalue())
    assert "draftgate.yml:3:1" in message
    assert "draftgate.yml:4:1" in message
    assert here.summary.count("no such word") == 2


def test_a_summary_never_grows_beyond_what_the_runner_takes(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    append_summary(file, "first\n")

    append_summary(file, "a line with é\n" * 100_000)
    append_summary(file, "last\n" * 100)

    content = file.read_bytes()
    assert len(content) <= SUMMARY_LIMIT.value
    assert content.startswith(b"first\na line with")
    assert content.count(b"Cut here") == 1
    content.decode("utf-8")
