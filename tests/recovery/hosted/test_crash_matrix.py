"""Every write of every flow, stopped in every way: the same event again ends as if nothing had happened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from draftgate.domain.event import CommentMade, SweepDue
from tests.recovery.hosted import oracle
from tests.recovery.hosted.compare import differences
from tests.recovery.hosted.everywhere import CASES, Case
from tests.recovery.hosted.flows import Flow, on_stage
from tests.recovery.hosted.stage import DIED, How, Ran, Stage

UNAVAILABLE = 4


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture(scope="module")
def flow(case: Case) -> Flow:
    return case.flow


@pytest.fixture(scope="module")
def stage(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with on_stage(case.flow, tmp_path_factory.mktemp("stage"), case.forge) as made:
        yield made


@pytest.mark.parametrize("how", How, ids=lambda how: how.name.lower().replace("_", "-"))
def test_the_same_event_again_ends_as_if_nothing_had_happened(flow: Flow, stage: Stage, how: How) -> None:
    stage.begin()
    before = oracle.published(stage.seen)
    undisturbed = stage.run(stage.event)
    expected, after = oracle.standing(stage.seen), oracle.published(stage.seen)
    assert (undisturbed.code, len(after) - len(before), oracle.wrongs(stage.seen)) == (flow.code, flow.publishes, [])
    wrong: dict[str, object] = {}

    for stop in undisturbed.stops(how):
        stage.begin()
        stopped = stage.run(stage.event, stop)
        found = list(_wrong_end(stopped, flow, how, gets_over=_is_gotten_over(stage, undisturbed.write(stop))))
        found += _published_else(stage, before, after)
        stage.wait(flow.dies_for)
        again = stage.run(stage.event)
        found += [f"again: exit {again.code}: {again.said}"] if again.code not in {0, flow.code} else []
        found += _wrong_standing(stage, flow, expected)
        if found:
            wrong[f"{stop.write}: {undisturbed.write(stop)}"] = found

    assert wrong == {}


def test_the_schedule_finishes_what_a_dead_run_left(flow: Flow, stage: Stage) -> None:
    """The event is not delivered again; whoever comes by next takes the command up."""
    if not isinstance(stage.event, CommentMade):
        pytest.skip("the schedule looks for commands alone")
    stage.begin()
    undisturbed = stage.run(stage.event)
    expected = oracle.standing(stage.seen)
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


def _wrong_end(stopped: Ran, flow: Flow, how: How, *, gets_over: bool) -> Iterator[str]:
    """A run that gets over it ends as it should, one that cannot says so and asks to be run again."""
    codes = {How.DEAD: DIED, How.REFUSED: UNAVAILABLE, How.CUT_OFF: UNAVAILABLE}
    allowed = {codes.get(how, flow.code), *({flow.code} if gets_over and how is How.REFUSED else ())}
    if stopped.code not in allowed:
        yield f"exit {stopped.code}: {stopped.said}"


def _is_gotten_over(stage: Stage, write: str) -> bool:
    return any(re.search(pattern, write) for pattern in stage.forge.gets_over)


def _published_else(stage: Stage, before: list[oracle.Published], after: list[oracle.Published]) -> list[str]:
    """A run that was stopped has published all of it or nothing; what it has begun to publish belongs to that."""
    wanted = after[-1][1] if len(after) > len(before) else ()
    begun = set(oracle.loose(stage.seen))
    is_part = oracle.published(stage.seen) in (before, after) and begun <= set(wanted)
    return [] if is_part else ["published something else"]


def _wrong_standing(stage: Stage, flow: Flow, expected: dict[str, object]) -> list[str]:
    seen = stage.seen
    found = differences(_comparable(oracle.standing(seen), flow), _comparable(expected, flow))
    if found and flow.name in stage.forge.forgets:
        anew = _comparable(oracle.standing(oracle.without_given_up(seen)), flow)
        found = differences(anew, _comparable(_made_anew(stage), flow))
    return [*oracle.wrongs(seen), *found]


def _made_anew(stage: Stage) -> dict[str, object]:
    """How the flow ends where nothing vouches for what was there before; the stage is left there."""
    stage.begin()
    stage.world.lose_draft()
    stage.run(stage.event)
    return oracle.standing(oracle.without_given_up(stage.seen))


def _comparable(standing: dict[str, object], flow: Flow) -> object:
    """Everything, or everything but the number of the round where it may be another."""
    if not flow.is_made_anew:
        return standing
    text = re.sub(r"(ound\W+|review/)\d+", r"\1(number)", repr(standing))
    return text.replace("first round", "round").replace("follow-up round", "round")
