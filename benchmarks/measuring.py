"""What benchmarks of several forges share: the change, a process and what it cost, and the rows that are printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.forge_http.log import RequestLog
from tests.git_builder import Repo


@dataclass(frozen=True)
class Cost:
    """What one process cost; `reads` and `writes` are requests to the API, `git` those of git."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    reads: int
    writes: int
    git: int

    @property
    def requests(self) -> int:
        """To the API."""
        return self.reads + self.writes


@dataclass(frozen=True)
class Bar:
    """A figure and the most that it may be."""

    name: str
    figure: float
    most: float

    @property
    def is_held(self) -> bool:
        """Whether it is."""
        return self.figure <= self.most


def rows(size: int, runs: int, plays: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """Measure in turns, so that whatever else the machine does meets all of them; print a row for each."""
    costs: dict[str, list[Cost]] = {name: [] for name in plays}
    for _ in range(runs):
        for name, play in plays.items():
            costs[name].append(play())
    least = {name: min(measured, key=lambda cost: cost.wall_s) for name, measured in costs.items()}
    for name, cost in least.items():
        figures = (
            f"{cost.wall_s:7.2f} {cost.cpu_s:7.2f} {cost.peak_mb:8.0f} {cost.reads:6} {cost.writes:7} {cost.git:4}"
        )
        print(f"{f'{name}, {size} files':56} {figures}", flush=True)
    return least


def make_source(path: Path, size: int) -> Repo:
    """On the branch, a function in each of so many files takes one more argument, and its caller does not know."""
    source = Repo.create(path)
    callers = {
        f"app/caller_{number}.py": f"from app.module_{number} import work\n\nwork(1, 2)\n" for number in range(size)
    }
    source.commit({**callers, **{f"app/module_{number}.py": _module(number, "") for number in range(size)}})
    source.branch("change")
    source.commit({f"app/module_{number}.py": _module(number, ", extra") for number in range(size)})
    return source


def _module(number: int, extra: str) -> str:
    other = "\n\n".join(f"def other_{index}(a, b):\n    return a * {index} + b\n" for index in range(20))
    return f"{other}\n\ndef work(a, b{extra}):\n    return a + b + {number}\n"


def measure(log: RequestLog, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Cost:
    """Run a program in a process of its own, and count its requests in the log of a simulator."""
    before = len(log)
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(folder), **environment}
    measured = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command], cwd=folder, env=surroundings, stdout=subprocess.PIPE, check=True
    )
    used = json.loads(measured.stdout)
    if used["exit"] != 0:
        sys.exit(f"{command[0]}: exit {used['exit']}\n{used['log']}")
    sent = log[before:]
    api = [entry for entry in sent if ".git/" not in entry.path]
    writes = sum(entry.is_write for entry in api)
    return Cost(used["wall_s"], used["cpu_s"], used["peak_kb"] / 1024, len(api) - writes, writes, len(sent) - len(api))


_MEASURE = """
import json, os, subprocess, sys, tempfile, time
with tempfile.TemporaryFile() as log:
    began = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdout=log, stderr=log)
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - began
    log.seek(0)
    said = log.read().decode("utf-8", "replace")
print(json.dumps({
    "exit": os.waitstatus_to_exitcode(status), "wall_s": wall_s, "cpu_s": usage.ru_utime + usage.ru_stime,
    "peak_kb": usage.ru_maxrss, "log": said,
}))
"""
"""A small process between: to Linux, a process begins with the peak memory of the one that started it."""
