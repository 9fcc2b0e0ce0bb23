"""Writes take turns, and all waiting of a run comes out of one allowance."""

from __future__ import annotations

import pytest

from draftgate.forge.github.troubles import Limited, Lost
from draftgate.forge.hosted.answers import Call, NotNow
from draftgate.forge.hosted.pace import Pace, Rate, Repetitions
from tests.unit.forge.github.scripted_api import BEGIN, Time

CALL = Call("POST", "/x")


def pace_of(time: Time, wait_s: float = 120) -> Pace:
    return Pace(Rate(burst=10, per_second=1.0), wait_s=wait_s, clock=time.clock, sleep=time.sleep)


def limited(**headers: str) -> Limited:
    return Limited(CALL, "limits", {name.replace("_", "-"): value for name, value in headers.items()})


def lost(**headers: str) -> Lost:
    return Lost(CALL, "failed", {name.replace("_", "-"): value for name, value in headers.items()})


def test_ten_writes_go_at_once_and_the_next_one_a_second(time: Time) -> None:
    pace = pace_of(time)

    for _ in range(14):
        pace.take_turn()

    assert time.waits == [1.0] * 4


def test_a_pause_earns_turns_again_up_to_ten(time: Time) -> None:
    pace = pace_of(time)
    for _ in range(10):
        pace.take_turn()

    time.now += 3600
    for _ in range(11):
        pace.take_turn()

    assert time.waits == [1.0]


def test_a_clock_that_is_set_back_does_not_stop_the_writes(time: Time) -> None:
    pace = pace_of(time)
    time.now -= 86400

    for _ in range(12):
        pace.take_turn()

    assert time.waits == [1.0, 1.0]


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        (limited(), [60.0, 60.0]),
        (limited(x_ratelimit_remaining="4711"), [60.0, 60.0]),
        (limited(retry_after="30", x_ratelimit_remaining="4711"), [30.0, 30.0]),
        (limited(retry_after="12"), [12.0, 12.0]),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset=f"{int(BEGIN) + 40}"), [41.0, 0.0]),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset=f"{int(BEGIN) + 3600}"), []),
        (limited(retry_after="121"), []),
        (limited(retry_after="nonsense"), [60.0, 60.0]),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset="soon"), [60.0, 60.0]),
        (limited(retry_after="Mon, 05 Jan 2026 08:00:25 GMT"), [25.0, 0.0]),
        (lost(), [1.0, 5.0]),
        (lost(retry_after="7"), [7.0, 7.0]),
        (lost(retry_after="700"), []),
        (lost(x_ratelimit_remaining="0", x_ratelimit_reset=f"{int(BEGIN) + 40}"), [1.0, 5.0]),
    ],
)
def test_it_waits_as_told_and_twice_at_most(answer: NotNow, waits: list[float], time: Time) -> None:
    repetitions = Repetitions(pace_of(time))

    while repetitions.wait(answer):
        assert len(time.waits) < 10

    assert time.waits == waits


def test_the_wait_grows_where_the_allowance_has_room(time: Time) -> None:
    repetitions = Repetitions(pace_of(time, wait_s=600))

    while repetitions.wait(limited()):
        assert len(time.waits) < 10

    assert time.waits == [60.0, 120.0]


def test_the_allowance_is_shared_by_all_calls(time: Time) -> None:
    pace = pace_of(time)

    granted = [Repetitions(pace).wait(limited(retry_after="50")) for _ in range(3)]

    assert granted == [True, True, False]
    assert sum(time.waits) == 100


def test_without_an_allowance_nothing_is_repeated(time: Time) -> None:
    assert not Repetitions(pace_of(time, wait_s=0)).wait(lost())
    assert not Repetitions(pace_of(time, wait_s=0)).wait(limited(retry_after="0"))
    assert time.waits == []
