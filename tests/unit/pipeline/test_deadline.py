"""A step that takes too long is stopped, wherever it is, and leaves no timer behind."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable

import pytest

from draftgate.pipeline.deadline import DeadlinePassed, deadline


def run_for_ever() -> None:
    while True:
        pass


def match_for_ever() -> None:
    re.match(r"(a+)+$", "a" * 64 + "b")


@pytest.mark.parametrize("step", [run_for_ever, match_for_ever])
def test_endless_python_and_a_runaway_pattern_are_both_stopped(step: Callable[[], None]) -> None:
    with pytest.raises(DeadlinePassed), deadline(0.05):
        step()


def test_a_step_in_time_leaves_no_timer_behind() -> None:
    with deadline(60):
        pass

    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_it_refuses_to_promise_what_it_cannot_hold() -> None:
    refused: list[str] = []

    def elsewhere() -> None:
        try:
            with deadline(1):
                pass
        except RuntimeError as error:
            refused.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()

    assert refused == ["a deadline holds in the main thread only"]
