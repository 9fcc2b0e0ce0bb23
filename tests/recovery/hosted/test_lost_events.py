"""Events that never arrive: the next command takes up what waits, and so does the schedule, once and in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.domain.event import CommentMade, ReviewAsked, SweepDue
from tests.recovery.hosted import oracle
from tests.recovery.hosted.flows import Flow, on_stage, reviewed
from tests.recovery.hosted.forge import Forge
from tests.recovery.hosted.stage import Stage

DROP, APPROVE = "/drop-finding 2 it is called from nowhere else", "/approve-findings"


def _two_commands(stage: Stage) -> CommentMade:
    """Two commands, of which nobody but the people knows; the later one's event is the stage's."""
    reviewed(stage)
    stage.say(DROP, "admin")
    return stage.say(APPROVE)


@pytest.fixture
def stage(tmp_path: Path, forge: Forge) -> Iterator[Stage]:
    with on_stage(Flow("two commands", _two_commands), tmp_path, forge) as made:
        yield made


def _answers(stage: Stage) -> dict[str, list[str]]:
    return {
        comment.body: oracle.reactions(stage.seen, str(comment.id))
        for comment in stage.seen.comments
        if comment.body.startswith("/")
    }


BOTH_DONE = {DROP: ["eyes", "rocket"], APPROVE: ["eyes", "rocket"]}
WITHOUT_THE_SECOND = [("request-changes", ("1", "3"))]


def test_the_next_command_takes_up_the_one_before(stage: Stage) -> None:
    ran = stage.run(stage.event)

    assert (ran.code, oracle.published(stage.seen)) == (0, WITHOUT_THE_SECOND)
    assert (_answers(stage), oracle.wrongs(stage.seen)) == (BOTH_DONE, [])


def test_the_schedule_takes_up_both(stage: Stage) -> None:
    ran = stage.run(SweepDue())

    assert (ran.code, oracle.published(stage.seen)) == (0, WITHOUT_THE_SECOND)
    assert (_answers(stage), oracle.wrongs(stage.seen)) == (BOTH_DONE, [])


def test_events_that_arrive_after_all_change_nothing(stage: Stage) -> None:
    assert stage.run(SweepDue()).code == 0
    settled = oracle.standing(stage.seen)

    again = [stage.run(event) for event in (stage.event, SweepDue(), ReviewAsked(stage.world.number))]

    assert [(ran.code, any(entry.is_write for entry in ran.log)) for ran in again] == [(0, False)] * 3
    assert oracle.standing(stage.seen) == settled


def test_the_earlier_event_arrives_last(stage: Stage) -> None:
    earlier = next(comment for comment in stage.seen.comments if comment.body == DROP)
    assert stage.run(stage.event).code == 0

    late = stage.run(CommentMade(stage.world.number, str(earlier.id), stage.event.author, DROP))

    assert (late.code, any(entry.is_write for entry in late.log)) == (0, False)
    assert oracle.published(stage.seen) == WITHOUT_THE_SECOND


def test_a_push_whose_event_is_lost_is_noticed_by_the_approval(stage: Stage) -> None:
    stage.push()

    ran = stage.run(stage.event)

    assert (ran.code, oracle.published(stage.seen), oracle.phase(stage.seen)) == (5, [], "superseded")
    assert oracle.wrongs(stage.seen) == []
