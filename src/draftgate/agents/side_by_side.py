"""Runs jobs side by side, each in a thread of its own, and waits for them no longer than it may.

A thread cannot be stopped from outside. One that is late is left behind: it is a daemon, ends with the process, and
what it still wants to do is refused by whatever it does it with.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class SideBySide(Generic[T]):
    """Jobs at work.

    Args:
        jobs: Each returns its result and never raises.
        at_once: How many run at the same time.
    """

    def __init__(self, jobs: Sequence[Callable[[], T]], at_once: int) -> None:
        self._results: list[T | None] = [None] * len(jobs)
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._gate = threading.Semaphore(at_once)
        self._left = len(jobs)
        for index, job in enumerate(jobs):
            threading.Thread(target=self._work, args=(index, job), name=f"agent-{index}", daemon=True).start()

    def wait(self, seconds: Callable[[], float]) -> tuple[T | None, ...]:
        """The results in the order of the jobs; ``None`` for one that was not done in time.

        Args:
            seconds: How long there is left to wait, asked again whenever a job is done.
        """
        while self._left:
            try:
                self._done.get(timeout=max(seconds(), 0.001))
            except queue.Empty:
                break
            self._left -= 1
        return tuple(self._results)

    def _work(self, index: int, job: Callable[[], T]) -> None:
        try:
            with self._gate:
                self._results[index] = job()
        finally:  # nobody waits for what will not come
            self._done.put(index)
