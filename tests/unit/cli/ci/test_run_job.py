"""From the variables of a job to its exit code, with a stand-in for the work."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.bootstrap.hosted import HostedRun
from draftgate.cli.ci.variables import Variables
from draftgate.cli.run_ci import run_job
from draftgate.domain.event import CommentMade
from draftgate.domain.finding import Decoration
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.people import Person
from draftgate.domain.phase import Phase
from draftgate.domain.session import AcceptedCommand, Session
from draftgate.errors import HeadMoved
from tests.builders import blocker, finding, session
from tests.unit.cli.ci.payloads import comment
from tests.unit.cli.ci.runner import TOKEN, Here, job_environment, obeyed

Handle = Callable[[HostedRun], RunOutcome]

FOR_US = comment("/approve-findings 1")
DROPPED = AcceptedCommand("40", "maintainer", "/drop-finding 1", "2026-01-02T10:00:02Z")


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path, io.StringIO())


def ending(phase: str, of: Session | None = None, exit_code: int = 0) -> Handle:
    return lambda _hosted: RunOutcome(exit_code, phase, "done", of)


def run(here: Here, handle: Handle, payload: dict[str, object] = FOR_US, **more: str) -> int:
    return run_job(here.job, Variables(job_environment(here.folder, "issue_comment", payload, **more)), handle)


def test_the_work_is_handed_the_event_with_its_place(here: Here) -> None:
    seen: list[HostedRun] = []

    def handle(hosted: HostedRun) -> RunOutcome:
        seen.append(hosted)
        return RunOutcome(0, Phase.SUBMITTED, "submitted")

    assert run(here, handle) == 0
    [hosted] = seen
    assert hosted.event == CommentMade(7, "41", Person("maintainer"), "/approve-findings 1")
    assert (hosted.repository, hosted.token) == ("maintainer/rooms", TOKEN)
    assert here.outputs["phase"] == "submitted"


def test_an_event_that_asks_for_nothing_ends_without_work_or_token(here: Here) -> None:
    def handle(_hosted: HostedRun) -> RunOutcome:
        raise AssertionError("there is nothing to do")

    code = run(here, handle, comment("thanks"), **{"INPUT_GITHUB-TOKEN": "", "GITHUB_REPOSITORY": ""})

    assert code == 0
    assert here.outputs["phase"] == "skipped"
    assert here.log.getvalue().startswith("skipped: the comment holds no command of Draftgate\n")


@pytest.mark.parametrize(
    ("level", "found", "code"),
    [
        ("", (blocker(),), 0),
        ("none", (blocker(),), 0),
        ("blocker", (blocker(),), 1),
        ("blocker", (finding(),), 0),
        ("any", (finding(decorations=(Decoration.NON_BLOCKING,)),), 1),
        ("any", (), 0),
    ],
)
def test_waiting_findings_fail_the_job_as_the_input_says(
    level: str, found: tuple[object, ...], code: int, here: Here
) -> None:
    waiting = ending(Phase.AWAITING_APPROVAL, session(found))  # type: ignore[arg-type]

    assert run(here, waiting, **{"INPUT_FAIL-ON": level}) == code


@pytest.mark.parametrize(
    "handle",
    [
        pytest.param(ending(Phase.SUBMITTED, session((blocker(),), phase=Phase.SUBMITTED)), id="submitted"),
        pytest.param(ending(RunPhase.READ_ONLY, session((blocker(),))), id="read-only"),
        pytest.param(ending(Phase.AWAITING_APPROVAL, session((blocker(),), commands=(DROPPED,))), id="dropped"),
    ],
)
def test_findings_that_do_not_wait_fail_nothing(handle: Handle, here: Here) -> None:
    assert run(here, handle, **{"INPUT_FAIL-ON": "any"}) == 0


def test_the_exit_code_of_the_work_counts_before_the_findings(here: Here) -> None:
    refused = ending(Phase.AWAITING_APPROVAL, session((blocker(),)), exit_code=5)

    assert run(here, refused, **{"INPUT_FAIL-ON": "any"}) == 5


def test_a_level_that_is_not_there_is_refused_before_any_work(here: Here) -> None:
    assert run(here, ending(Phase.SUBMITTED), **{"INPUT_FAIL-ON": "some"}) == 2
    assert obeyed(here.log.getvalue()) == [
        ("error", "there is no level 'some' for the input `fail-on`\n→ write one of none, blocker, any")
    ]


def test_an_error_of_the_work_is_explained_and_gives_its_code(here: Here) -> None:
    def handle(_hosted: HostedRun) -> RunOutcome:
        raise HeadMoved("the change has a newer head", hint="start a new review")

    assert run(here, handle) == HeadMoved.exit_code
    assert obeyed(here.log.getvalue()) == [("error", "the change has a newer head\n→ start a new review")]
    assert "start a new review" in here.summary


def test_a_refusal_of_the_system_is_no_bug(here: Here) -> None:
    def handle(_hosted: HostedRun) -> RunOutcome:
        raise OSError(28, "No space left on device", "/tmp/objects")  # noqa: S108 - a name in a message

    assert run(here, handle) == 4
    assert "No space left on device" in here.summary


def test_a_bug_is_said_on_the_page_and_left_to_the_report(here: Here) -> None:
    def handle(_hosted: HostedRun) -> RunOutcome:
        raise ZeroDivisionError("::error::x")

    with pytest.raises(ZeroDivisionError):
        run(here, handle)

    assert [name for name, _ in obeyed(here.log.getvalue())] == ["error"]
    assert "bug in Draftgate" in here.summary
