"""Reconstruct real commits byte for byte from their diffs.

    python benchmarks/real_history.py REPO [REPO...] [--commits N]

For each commit against its first parent (an empty tree for a root) the diff is parsed, applied to the
old blobs, and the object id of the result is held against the id that git lists. New blobs are never
read. What cannot be proved is counted and named: binary files, blobs that a partial copy lacks.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from draftgate.domain.diff import FileDiff
from draftgate.domain.patch import parse_patch
from draftgate.domain.raw_diff import join, parse_raw_z
from draftgate.domain.reconstruct import reconstruct
from draftgate.errors import EvidenceError

DIFF_TREE = (
    *("diff-tree", "--stdin", "--root", "-r", "--raw", "-p", "-z", "-M", "--full-index"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=none"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
SENTINEL = b"end of the diff of one commit, 5d0f3c1e8a7b4926b1c0"
CHUNK = 1 << 20


class Blobs:
    """Blobs of a repository by id, read through one `git cat-file --batch`."""

    def __init__(self, repo: str) -> None:
        self._process = subprocess.Popen(
            ["git", "-C", repo, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def read(self, blob: str) -> bytes | None:
        """The content, `None` if this copy of the repository lacks it."""
        stdin, stdout = self._pipes()
        stdin.write(blob.encode() + b"\n")
        stdin.flush()
        header = stdout.readline().split()
        if len(header) != 3:
            return None
        content = stdout.read(int(header[2]))
        stdout.read(1)
        return content

    def close(self) -> None:
        """End the process."""
        for pipe in self._pipes():
            pipe.close()
        self._process.wait()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("git cat-file was started without pipes")
        return self._process.stdin, self._process.stdout


def list_commits(repo: str, limit: int) -> list[str]:
    """The newest commits, with the first parent of each, as `git diff-tree --stdin` reads them."""
    command = ["git", "-C", repo, "rev-list", "--parents", f"--max-count={limit}", "HEAD"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [" ".join(line.split()[:2]) for line in lines]


def stream_diffs(repo: str, commits: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
    """The commits with their list and patch, `None` where git itself could not make the diff."""
    rest = list(commits)
    while rest:
        done = 0
        for output in _run_diff_tree(repo, rest):
            yield rest[done], output.partition(b"\0")[2]
            done += 1
        if done < len(rest):  # git died on this one, so a new process goes on behind it
            yield rest[done], None
        rest = rest[done + 1 :]


def _run_diff_tree(repo: str, commits: Sequence[str]) -> Iterator[bytes]:
    with ExitStack() as stack:
        questions = stack.enter_context(tempfile.TemporaryFile())
        # git echoes a line that names no commit, which marks the end of each answer.
        questions.write(b"".join(commit.encode() + b"\n" + SENTINEL + b"\n" for commit in commits))
        questions.seek(0)
        process = stack.enter_context(
            subprocess.Popen(
                ["git", "-C", repo, *DIFF_TREE], stdin=questions, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        )
        stack.callback(process.kill)
        if process.stdout is None:
            raise RuntimeError("git diff-tree was started without a pipe")
        yield from _split(process.stdout)


def _split(stream: IO[bytes]) -> Iterator[bytes]:
    mark = SENTINEL + b"\n"
    pending = bytearray()
    while chunk := stream.read(CHUNK):
        searched = max(0, len(pending) - len(mark))
        pending += chunk
        start = 0
        while (end := pending.find(mark, max(start, searched))) >= 0:
            yield bytes(pending[start:end])
            start = end + len(mark)
        del pending[:start]


def object_id(content: bytes, like: str) -> str:
    """The id git gives a blob, in the hash of the id `like`."""
    digest = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content) + content)
    return digest.hexdigest()


def check_file(file: FileDiff, blobs: Blobs) -> str:
    """`ok`, `skipped: why` or `failed: why`."""
    if file.binary:
        return "skipped: binary"
    if file.old_mode == "160000" or file.new_mode == "160000":
        return _check_submodule(file)
    old = b"" if file.old_blob is None else blobs.read(file.old_blob)
    if old is None:
        return "skipped: old blob missing in this copy"
    new = reconstruct(old, file)
    if file.new_blob is None:
        return "failed: a deleted file is not empty" if new else "ok"
    return "ok" if object_id(new, file.new_blob) == file.new_blob else "failed: another object id"


def _check_submodule(file: FileDiff) -> str:
    """Git shows the commit of a submodule as text, so its diff must turn one such text into the other."""
    if "160000" not in (file.old_mode or "160000") or "160000" not in (file.new_mode or "160000"):
        return "skipped: submodule became a file or the reverse"
    old, new = (b"Subproject commit %b\n" % blob.encode() if blob else b"" for blob in (file.old_blob, file.new_blob))
    return "ok" if reconstruct(old, file) == new else "failed: another submodule commit"


def check_repository(repo: str, limit: int) -> Counter[str]:
    """Count what became of each commit and file, and print every failure."""
    counts: Counter[str] = Counter()
    blobs = Blobs(repo)
    for commit, output in stream_diffs(repo, list_commits(repo, limit)):
        counts["commits"] += 1
        if output is None:
            counts["commits skipped: git cannot diff them here"] += 1
            continue
        counts.update(_check_commit(repo, commit, output, blobs))
    blobs.close()
    return counts


def _check_commit(repo: str, commit: str, output: bytes, blobs: Blobs) -> Counter[str]:
    counts: Counter[str] = Counter(bytes_of_diff=len(output))
    try:
        raw, separator, patch = output.partition(b"\0\0")  # no path is empty, so the first two NULs part them
        files = join(parse_raw_z(raw + separator[:1]), parse_patch(patch))
    except EvidenceError as error:
        print(f"FAILED {repo} {commit}: {error}")
        return counts + Counter({"failed: not read": 1})
    for file in files:
        try:
            result = check_file(file, blobs)
        except EvidenceError as error:
            result = f"failed: {error.message}"
        if result.startswith("failed"):
            print(f"FAILED {repo} {commit} {file.path!r}: {result}")
        counts["files"] += 1
        counts[result] += 1
    return counts


def main() -> int:
    """Check the repositories of the command line; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="REPO")
    parser.add_argument("--commits", type=int, default=2000, metavar="N", help="newest commits of each (%(default)s)")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    begin = time.perf_counter()
    for repo in options.repositories:
        start = time.perf_counter()
        counts = check_repository(repo, options.commits)
        total += counts
        _print(Path(repo).resolve().parent.name, counts, time.perf_counter() - start)
    _print("all", total, time.perf_counter() - begin)
    return 1 if any(key.startswith("failed") for key in total) else 0


def _print(name: str, counts: Counter[str], seconds: float) -> None:
    failed = sum(count for key, count in counts.items() if key.startswith("failed"))
    megabytes = counts["bytes_of_diff"] / 1e6
    print(
        f"{name}: {counts['commits']} commits, {counts['files']} files, {megabytes:.1f} MB of diff, "
        f"{counts['ok']} exact, {failed} failed, {seconds:.1f} s"
    )
    for key in sorted(key for key in counts if "skipped" in key or "failed" in key):
        print(f"  {counts[key]} {key}")


if __name__ == "__main__":
    sys.exit(main())
