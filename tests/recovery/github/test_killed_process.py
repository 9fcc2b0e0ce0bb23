"""The real program in a process of its own, killed by SIGKILL right after each write of a review and of an approval."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.domain.event import CommentMade
from tests.fakes.forge_http.faults import KILL
from tests.fakes.github_run import Ran, Runner
from tests.recovery.github import oracle
from tests.recovery.github.compare import differences
from tests.recovery.github.flows import FLOWS, Flow, on_stage
from tests.recovery.github.stage import DIED, Stage

KILLED = [flow for flow in FLOWS if flow.name in {"review held", "approve a subset"}]


@pytest.mark.parametrize("flow", KILLED, ids=lambda flow: flow.name.replace(" ", "-"))
def test_a_process_that_is_killed_after_a_write_is_simply_run_again(flow: Flow, tmp_path: Path) -> None:
    with on_stage(flow, tmp_path) as stage:
        undisturbed = _run(stage, tmp_path / "undisturbed")
        expected = oracle.standing(stage.pull)
        assert (undisturbed.code, oracle.wrongs(stage.pull)) == (0, [])
        wrong: dict[str, object] = {}

        for at, write in enumerate(undisturbed.writes):
            stage.begin()
            fault = stage.simulator.faults.add(KILL, writes_only=True, skip=at, when="after")
            killed = _run(stage, tmp_path / f"killed-{at}", started=lambda pid, fault=fault: setattr(fault, "pid", pid))
            stage.simulator.faults.clear()
            again = _run(stage, tmp_path / f"again-{at}")
            found = [*oracle.wrongs(stage.pull), *differences(oracle.standing(stage.pull), expected)]
            if found or (killed.code, again.code) != (DIED, 0):
                wrong[f"{at}: {write.line}"] = [killed.code, again.code, again.log, *found]

        assert wrong == {}


def _run(stage: Stage, folder: Path, *, started: Callable[[int], object] = lambda _pid: None) -> Ran:
    runner = Runner(stage.scenario, stage.simulator, folder, has_process=True, started=started)
    if not isinstance(stage.event, CommentMade):
        return runner.review()
    [comment] = [comment for comment in stage.pull.comments if str(comment.id) == stage.event.comment_id]
    return runner.deliver(comment)
