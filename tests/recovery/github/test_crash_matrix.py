"""Every write of every flow on GitHub, stopped in every way: the same event again ends as if nothing had happened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from draftgate.domain.event import CommentMade, SweepDue
from tests.recovery.github import oracle
from tests.recovery.github.compare import differences
from tests.recovery.github.flows import FLOWS, Flow, on_stage
from tests.recovery.github.stage import DIED, How, Ran, Stage

UNAVAILABLE = 4


@pytest.fixture(scope="module", params=FLOWS, ids=lambda flow: flow.name.replace(" ", "-"))
def flow(request: pytest.FixtureRequest) -> Flow:
    assert isinstance(request.param, Flow)
    return request.param


@pytest.fixture(scope="module")
def stage(flow: Flow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with on_stage(flow, tmp_path_factory.mktemp("stage")) as made:
        yield made


@pytest.mark.parametrize("how", How, ids=lambda how: how.name.lower().replace("_", "-"))
def test_the_same_event_again_ends_as_if_nothing_had_happened(flow: Flow, stage: Stage, how: How) -> None:
    stage.begin()
    before = oracle.published(stage.pull)
    undisturbed = stage.run(stage.event)
    expected, after = oracle.standing(stage.pull), oracle.published(stage.pull)
    assert (undisturbed.code, len(after) - len(before), oracle.wrongs(stage.pull)) == (flow.code, flow.publishes, [])
    wrong: dict[str, object] = {}

    for stop in undisturbed.stops(how):
        stage.begin()
        stopped = stage.run(stage.event, stop)
        found = list(_wrong_end(stopped, flow, how))
        found += ["published something else"] if oracle.published(stage.pull) not in (before, after) else []
        stage.wait(flow.dies_for)
        again = stage.run(stage.event)
        found += [f"again: exit {again.code}: {again.said}"] if again.code not in {0, flow.code} else []
        found += [
            *oracle.wrongs(stage.pull),
            *differences(_comparable(oracle.standing(stage.pull), flow), _comparable(expected, flow)),
        ]
        if found:
            wrong[f"{stop.write}: {undisturbed.write(stop)}"] = found

    assert wrong == {}


def test_the_schedule_finishes_what_a_dead_run_left(flow: Flow, stage: Stage) -> None:
    """The event is not delivered again; whoever comes by next takes the command up."""
    if not isinstance(stage.event, CommentMade):
        pytest.skip("the schedule looks for commands alone")
    stage.begin()
    undisturbed = stage.run(stage.event)
    expected = oracle.standing(stage.pull)
    wrong: dict[str, object] = {}

    for stop in undisturbed.stops(How.DEAD):
        stage.begin()
        stage.run(stage.event, stop)
        stage.wait(flow.dies_for)
        swept = stage.run(SweepDue())
        found = [f"exit {swept.code}: {swept.said}"] if swept.code not in {0, flow.code} else []
        found += _wrong_standing(stage, flow, expected)
        if found:
            wrong[f"{stop.write}: {undisturbed.write(stop)}"] = found

    assert wrong == {}


def _wrong_end(stopped: Ran, flow: Flow, how: How) -> Iterator[str]:
    """A run that gets over it ends as it should, one that cannot says so and asks to be run again."""
    codes = {How.DEAD: DIED, How.REFUSED: UNAVAILABLE, How.CUT_OFF: UNAVAILABLE}
    if stopped.code != codes.get(how, flow.code):
        yield f"exit {stopped.code}: {stopped.said}"


def _wrong_standing(stage: Stage, flow: Flow, expected: dict[str, object]) -> list[str]:
    present = oracle.standing(stage.pull)
    return [*oracle.wrongs(stage.pull), *differences(_comparable(present, flow), _comparable(expected, flow))]


def _comparable(standing: dict[str, object], flow: Flow) -> object:
    """Everything, or everything but the number of the round where it may be another."""
    if not flow.is_made_anew:
        return standing
    text = re.sub(r"(ound\W+|review/)\d+", r"\1(number)", repr(standing))
    return text.replace("first round", "round").replace("follow-up round", "round")
