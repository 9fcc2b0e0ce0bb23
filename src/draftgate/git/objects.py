"""Contents by object id, through one git process that lives as long as it is needed.

Every object is asked for its size before its content, and only ids are ever sent, so that no path and no
ref of the change can be taken for a request. Finding the id of a path is `draftgate.git.snapshot`.
"""

from __future__ import annotations

import re
import select
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from draftgate.domain.change import BlobId, CommitSha
from draftgate.errors import EvidenceError, Limit
from draftgate.git.repository import Repository
from draftgate.git.run import BLOB_LIMIT, MEBIBYTE, Git, GitFailed, GitTimedOut

TREE_LIMIT = Limit("folder size", 64 * MEBIBYTE, "bytes")

# https://git-scm.com/docs/git-cat-file#_batch_output
_INFO = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([a-z]+) (\d+)")
_READ_SIZE = MEBIBYTE


class MissingObject(EvidenceError):
    """The repository names an object that it does not hold."""

    reference = "missing-object"


class ObjectTooLarge(EvidenceError):
    """The object is above the size limit and was not read."""

    reference = "object-limit"


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What an object is, before it is read: full id, ``blob``, ``tree`` or ``commit``, and bytes."""

    id: str
    kind: str
    size: int


class Objects:
    """The reading end of one ``git cat-file``; use `open_objects`."""

    def __init__(self, process: subprocess.Popen[bytes], timeout_s: float) -> None:
        self._process = process
        self._timeout_s = timeout_s
        self._buffer = bytearray()

    def look_up(self, object_id: str) -> ObjectInfo | None:
        """What an object is, ``None`` if the repository does not hold it."""
        self._ask(b"info", object_id)
        return _parse_info(self._read_row())

    def read_blob(self, blob: BlobId) -> bytes:
        """The content of a file.

        Raises:
            MissingObject: The repository does not hold it.
            ObjectTooLarge: It is above the limit, and not read.
        """
        return self._read(blob, BLOB_LIMIT)

    def read_tree(self, tree: str) -> bytes:
        """A folder as git stores it; of a commit's id, its top folder."""
        return self._read(tree, TREE_LIMIT)

    def tree_of(self, commit: CommitSha) -> str:
        """The id of the top folder of a commit."""
        info = self.look_up(f"{commit}^{{tree}}")
        if info is None:
            raise missing_object(commit)
        return info.id

    def _read(self, object_id: str, limit: Limit) -> bytes:
        info = self.look_up(object_id)
        if info is None:
            raise missing_object(object_id)
        if info.size > limit.value:
            raise ObjectTooLarge(
                f"{info.size:,} {limit.unit} are above the limit of {limit.value:,} ({limit.name})",
                context=object_id,
                hint="leave the file out of the review, or keep it outside git",
            )
        self._ask(b"contents", object_id)
        self._read_row()
        return self._take(info.size + 1)[:-1]

    def _ask(self, verb: bytes, object_id: str) -> None:
        request = b"%b %b\n" % (verb, object_id.encode())
        if request.count(b"\n") > 1 or self._process.stdin is None:
            raise ValueError(f"{object_id!r} is no object id")
        try:
            self._process.stdin.write(request)
        except BrokenPipeError as broken:
            raise _ended() from broken

    def _read_row(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            self._fill()
        return self._take(end + 1)[:-1]

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._fill()
        taken = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return taken

    def _fill(self) -> None:
        stdout = self._process.stdout
        if stdout is None or not select.select([stdout], [], [], self._timeout_s)[0]:
            raise GitTimedOut(
                f"git cat-file did not answer within {self._timeout_s:.0f} s", hint="try again when the machine is idle"
            )
        chunk = stdout.read(_READ_SIZE)
        if not chunk:
            raise _ended()
        self._buffer += chunk


@contextmanager
def open_objects(repository: Repository) -> Iterator[Objects]:
    """Read objects of a repository inside the block; the process ends with it."""
    git = repository.git
    process = git.start("cat-file", "--batch-command", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with process:
        try:
            yield Objects(process, git.timeout_s)
        finally:
            process.kill()


def measure_blobs(git: Git, blobs: Collection[BlobId]) -> Mapping[BlobId, int | None]:
    """The size of each blob in one call, ``None`` for those that the repository does not hold."""
    if not blobs:
        return {}
    asked = "\n".join(blobs).encode() + b"\n"
    rows = git.run("cat-file", "--batch-check", "--buffer", stdin=asked).splitlines()
    if len(rows) != len(blobs):
        raise _ended()
    return {blob: _parse_size(row) for blob, row in zip(blobs, rows, strict=True)}


def _parse_info(row: bytes) -> ObjectInfo | None:
    if row.endswith(b" missing"):
        return None
    found = _INFO.fullmatch(row)
    if found is None:
        raise GitFailed(f"an answer cannot be read: {row[:80]!r}", context="git cat-file", hint="run `git fsck`")
    return ObjectInfo(found[1].decode(), found[2].decode(), int(found[3]))


def _parse_size(row: bytes) -> int | None:
    info = _parse_info(row)
    return None if info is None else info.size


def missing_object(name: str) -> MissingObject:
    """The error for an object (or the file it belongs to) that is named, but not held."""
    return MissingObject(
        "the object is not in this repository",
        context=name,
        hint="fetch it first: a partial or shallow clone holds only a part (`git fetch --refetch`, `--unshallow`)",
    )


def _ended() -> GitFailed:
    return GitFailed(
        "the process ended before it answered",
        context="git cat-file",
        hint="see whether `git fsck` is clean; a partial clone needs the missing objects fetched first",
    )
