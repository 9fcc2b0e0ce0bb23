"""A bound on how long a step may take, whatever the change makes it do.

Checks read hostile text in this very process, so the bound is a timer signal: it interrupts any Python code
and the regular expression engine. It works in the main thread of a program, which is where reviews run.
"""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class DeadlinePassed(Exception):
    """The step took longer than it may."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Let the block run for so many seconds at most.

    Raises:
        DeadlinePassed: it took longer.
        RuntimeError: it is not the main thread, where the bound would not hold.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("a deadline holds in the main thread only")

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise DeadlinePassed(f"not done after {math.ceil(seconds)} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
