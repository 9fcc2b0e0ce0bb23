"""Whole-process figures of the main job: help, configuration, a change of 50 files, a repository of 50,000 files.

    python benchmarks/main_job.py [--runs 5] [--large REPO ...]

Every row is a real process of the installed program: wall time (minimum and median) and peak memory. With
``--large``, git directories of real projects are joined into one repository of at least 50,000 files, and a
change of 50 of its files is reviewed with head checked out and from a bare clone.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

DRAFTGATE = [sys.executable, "-m", "draftgate"]
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "benchmark"),
            ("EMAIL", "benchmark@example.invalid"),
            ("DATE", "@1700000000 +0000"),
        )
    },
}
FILES = 50
LARGE = 50_000


def main() -> int:
    """Run every group and print one row per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", nargs="*", type=Path, default=[])
    options = parser.parse_args()
    sys.stdout.write(f"{'figure':52} {'min s':>8} {'median s':>9} {'peak MB':>8}\n")
    with tempfile.TemporaryDirectory(prefix="draftgate-benchmark-") as folder:
        _measure_small(Path(folder), options.runs)
        if options.large:
            _measure_large(Path(folder), options.large, options.runs)
    return 0


def _measure_small(folder: Path, runs: int) -> None:
    repository = folder / "small"
    _make_small(repository)
    _row("draftgate --help", ["--help"], repository, runs)
    _row("draftgate config check", ["config", "check"], repository, runs)
    _row(f"draftgate review, {FILES} changed files", ["review", "--force", "--format", "json"], repository, runs)


def _measure_large(folder: Path, sources: Sequence[Path], runs: int) -> None:
    repository = folder / "large"
    count = _make_large(repository, sources)
    arguments = ["review", "--base", "base", "--head", "head", "--force", "--format", "json"]
    _row(f"{FILES} files of {count:,}, head checked out", arguments, repository, runs)
    bare = folder / "large.git"
    _git(folder, "clone", "--quiet", "--bare", "--shared", str(repository), str(bare))
    _row(f"{FILES} files of {count:,}, bare repository", arguments, bare, runs)


def _row(name: str, arguments: list[str], folder: Path, runs: int) -> None:
    seconds: list[float] = []
    peak = 0
    for _ in range(runs + 1):
        began = time.perf_counter()
        with subprocess.Popen(
            [*DRAFTGATE, *arguments], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds.append(time.perf_counter() - began)
        peak = max(peak, usage.ru_maxrss)
        if process.returncode != 0:
            sys.exit(f"{name}: exit {process.returncode}")
    counted = seconds[1:]  # the first warms the page cache
    sys.stdout.write(f"{name:52} {min(counted):8.2f} {statistics.median(counted):9.2f} {peak / 1024:8.0f}\n")
    sys.stdout.flush()


def _make_small(repository: Path) -> None:
    _git(repository.parent, "init", "--quiet", "--initial-branch=main", str(repository))
    for number in range(FILES):
        _write(repository / f"app/module_{number}.py", _module(number, extra=""))
        _write(repository / f"app/caller_{number}.py", f"from app.module_{number} import work\n\nwork(1, 2)\n")
    _commit(repository, "base")
    _git(repository, "checkout", "--quiet", "-b", "change")
    for number in range(FILES):
        _write(repository / f"app/module_{number}.py", _module(number, extra=", extra"))
    _commit(repository, "head")


def _module(number: int, *, extra: str) -> str:
    helpers = "\n\n".join(f"def helper_{index}(a, b):\n    return a * {index} + b" for index in range(20))
    return f"{helpers}\n\n\ndef work(a, b{extra}):\n    return a + b + {number}\n"


def _make_large(repository: Path, sources: Sequence[Path]) -> int:
    """Join the newest trees of real repositories, as often as it takes, and change files of the first kinds."""
    _git(repository.parent, "init", "--quiet", "--initial-branch=main", str(repository))
    alternates = "".join(
        f"{_git(source, 'rev-parse', '--path-format=absolute', '--git-path', 'objects')}\n" for source in sources
    )
    _write(repository / ".git/objects/info/alternates", alternates)
    count = copies = 0
    while count < LARGE:
        for index, source in enumerate(sources):
            _git(
                repository,
                "read-tree",
                f"--prefix=copy{copies}/project{index}/",
                _git(source, "rev-parse", "HEAD^{tree}"),
            )
        _drop_missing(repository)
        count = len(_git(repository, "ls-files").splitlines())
        copies += 1
    _git(repository, "commit", "--quiet", "-m", "base")
    _git(repository, "tag", "base")
    _git(repository, "checkout-index", "--all", "--quiet")
    names = [name for name in _git(repository, "ls-files", "*.py", "*.rb").splitlines() if "/test" not in name]
    for name in names[:: max(1, len(names) // FILES)][:FILES]:
        path = repository / name
        _write(path, path.read_text("utf-8", "replace").replace("(self", "(self, added_argument", 1) + "\n")
    _git(repository, "commit", "--quiet", "--all", "-m", "head")
    _git(repository, "tag", "head")
    return count


def _drop_missing(repository: Path) -> None:
    """Take files out of the index whose blobs a partial copy lacks."""
    rows = [line.partition("\t") for line in _git(repository, "ls-files", "--stage").splitlines()]
    blobs = {path: facts.split()[1] for facts, _, path in rows}
    asked = "".join(f"{blob}\n" for blob in sorted(set(blobs.values())))
    answers = _git(repository, "cat-file", "--batch-check", stdin=asked).splitlines()
    missing = {answer.split()[0] for answer in answers if answer.endswith(" missing")}
    gone = "".join(f"{path}\n" for path, blob in blobs.items() if blob in missing)
    _git(repository, "update-index", "--force-remove", "--stdin", stdin=gone)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _commit(repository: Path, message: str) -> None:
    _git(repository, "add", "--all")
    _git(repository, "commit", "--quiet", "-m", message)


def _git(folder: Path, *arguments: str, stdin: str = "") -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, input=stdin.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8", "replace").strip()


if __name__ == "__main__":
    sys.exit(main())
