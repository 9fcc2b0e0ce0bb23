"""Time and memory of the diff parser beside `unidiff`, on a real diff.

    python benchmarks/diff_parser.py REPO A B

Both read the same text of `git diff A B`; ours is timed bare (hunks found, lines not yet cut) and with
every line made, which is what `unidiff` always does. Files whose path or line counts differ from
`git diff --numstat -z` are counted as wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec

from draftgate.domain.diff import FileDiff, LineKind
from draftgate.domain.patch import parse_patch

Counts = tuple[str, int, int]
"""Path, added lines, removed lines; a binary file has none."""

FLAGS = ("--no-color", "--no-ext-diff", "--no-textconv", "-M", "--src-prefix=a/", "--dst-prefix=b/", "--full-index")
RUNS = 3


def git_diff(repo: str, a: str, b: str, *options: str) -> bytes:
    """What `git diff` prints between two commits."""
    command = ["git", "-C", repo, "diff", *FLAGS, *options, a, b]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def read_numstat(output: bytes) -> set[Counts]:
    """The counts of `git diff --numstat -z`, where a rename has its two paths in fields of their own."""
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0")[:-1])
    counts = set()
    for field in fields:
        added, removed, path = field.split("\t", 2)
        if not path:
            next(fields)
            path = next(fields)
        counts.add((path, 0 if added == "-" else int(added), 0 if removed == "-" else int(removed)))
    return counts


def count_ours(files: Iterable[FileDiff]) -> set[Counts]:
    """The counts by our parser."""
    return {(file.path, len(file.added_lines), len(file.removed_lines)) for file in files}


def cut_lines(patch: bytes) -> int:
    """Parse and make every line, dropping it again; how many of them are changes."""
    hunks = (hunk for file in parse_patch(patch) for hunk in file.hunks)
    return sum(line.kind is not LineKind.CONTEXT for hunk in hunks for line in hunk.lines)


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of a few runs."""
    return min(_seconds_once(work) for _ in range(RUNS))


def _seconds_once(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_bytes(work: Callable[[], object]) -> int:
    """Most memory that Python held at a time for the work, result included."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result
    return peak


def report(name: str, work: Callable[[], object], size: int, wrong: str) -> float:
    """Measure and print one row; its seconds."""
    taken, peak = seconds(work), peak_bytes(work)
    print(f"{name:24} {taken:7.3f} s  {peak / 1e6:8.1f} MB = text + {peak / size:4.2f} x text  {wrong}")
    return taken


def report_unidiff(patch: bytes, expected: set[Counts]) -> float | None:
    """The row of `unidiff`, which is no dependency of ours; `None` if it is not there."""
    if find_spec("unidiff") is None:
        print("unidiff is not installed: `pip install unidiff==1.0.1` in an environment of your own")
        return None
    patch_set = import_module("unidiff").PatchSet
    text = patch.decode("utf-8", "surrogateescape")
    got = {(file.path, file.added, file.removed) for file in patch_set(text)}
    return report("unidiff", lambda: patch_set(text), len(patch), f"{len(expected - got)} files wrong")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", metavar="REPO")
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    options = parser.parse_args()
    repo, a, b = options.repository, options.a, options.b
    patch = git_diff(repo, a, b)
    expected = read_numstat(git_diff(repo, a, b, "--numstat", "-z"))
    wrong = f"{len(expected - count_ours(parse_patch(patch)))} files wrong"
    lines = patch.count(b"\n")
    print(f"{lines} lines, {len(expected)} files, {len(patch) / 1e6:.1f} MB of diff; fastest of {RUNS}, CPU seconds")
    bare = report("draftgate", lambda: parse_patch(patch), len(patch), wrong)
    cut = report("draftgate, every line", lambda: cut_lines(patch), len(patch), "")
    other = report_unidiff(patch, expected)
    if other is not None:
        print(f"draftgate is {other / bare:.1f} x as fast, {other / cut:.1f} x with every line made")
    return 0


if __name__ == "__main__":
    sys.exit(main())
