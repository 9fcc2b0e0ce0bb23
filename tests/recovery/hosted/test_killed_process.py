"""The real program in a process of its own, killed by SIGKILL right after each write of a review and of an approval."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.forge_http.faults import KILL
from tests.fakes.github_run import Ran
from tests.recovery.hosted import oracle
from tests.recovery.hosted.compare import differences
from tests.recovery.hosted.everywhere import CASES, Case
from tests.recovery.hosted.flows import on_stage
from tests.recovery.hosted.stage import DIED, Stage

KILLED = [case for case in CASES if case.flow.name in {"review held", "approve a subset"}]


@pytest.mark.parametrize("case", KILLED, ids=str)
def test_a_process_that_is_killed_after_a_write_is_simply_run_again(case: Case, tmp_path: Path) -> None:
    with on_stage(case.flow, tmp_path, case.forge) as stage:
        undisturbed = _run(stage, tmp_path / "undisturbed")
        expected = oracle.standing(stage.seen)
        assert (undisturbed.code, oracle.wrongs(stage.seen)) == (0, [])
        wrong: dict[str, object] = {}

        for at, write in enumerate(undisturbed.writes):
            stage.begin()
            fault = stage.simulator.faults.add(KILL, writes_only=True, skip=at, when="after")
            killed = _run(stage, tmp_path / f"killed-{at}", started=lambda pid, fault=fault: setattr(fault, "pid", pid))
            stage.simulator.faults.clear()
            again = _run(stage, tmp_path / f"again-{at}")
            found = [*oracle.wrongs(stage.seen), *differences(oracle.standing(stage.seen), expected)]
            if found or (killed.code, again.code) != (DIED, 0):
                wrong[f"{at}: {write.line}"] = [killed.code, again.code, again.log, *found]

        assert wrong == {}


def _run(stage: Stage, folder: Path, *, started: Callable[[int], object] = lambda _pid: None) -> Ran:
    return stage.forge.run_process(stage.world, stage.simulator, folder, stage.event, started)
