"""The uncommitted state as a commit, without a byte written to the repository.

New objects and the index lie in a temporary folder that is gone afterwards; the commit's id depends only
on HEAD and the contents, so it can be made again to see whether the work tree has moved. Contents are
taken as they lie on disk, without filters or conversion of line ends; submodules stay as HEAD has them.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import SYMLINK_MODE
from draftgate.domain.round import LeftOut
from draftgate.errors import Limit, UsageError
from draftgate.git.repository import Repository
from draftgate.git.run import BLOB_LIMIT, MEBIBYTE, TOO_LARGE, Git
from draftgate.git.status import list_uncommitted

FILES_LIMIT = Limit("uncommitted files", 20_000, "files")
BYTES_LIMIT = Limit("uncommitted content", 512 * MEBIBYTE, "bytes")

_NAME, _EMAIL = "draftgate", "draftgate@localhost"
_TITLE = "Uncommitted changes"


@dataclass(frozen=True, slots=True)
class WorktreeCommit:
    """The work tree as a commit on top of HEAD.

    Attributes:
        repository: Reads it beside everything else; only valid inside the ``with`` block.
        commit: Its id, ``parent`` itself if nothing is uncommitted.
        parent: HEAD.
        paths: What differs from HEAD.
        left_out: What was left at HEAD's state, each with the reason.
    """

    repository: Repository
    commit: CommitSha
    parent: CommitSha
    paths: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Content:
    """A file to hash: its path in the tree, its mode, and the file that holds what git is to store."""

    path: str
    mode: str
    source: Path


@contextmanager
def commit_worktree(repository: Repository) -> Iterator[WorktreeCommit]:
    """Make a commit of the uncommitted state that lives as long as the block.

    Raises:
        UsageError: There is no work tree or no commit, or more is uncommitted than the limits allow.
    """
    if repository.work_tree is None:
        raise UsageError(f"{repository.root} is bare and has no work tree", hint="leave `--worktree` out")
    parent = repository.resolve("HEAD")
    with tempfile.TemporaryDirectory(prefix="draftgate-") as folder:
        place = Path(folder)
        (place / "objects").mkdir()
        yield _commit(repository, repository.work_tree, parent, place)


def _commit(repository: Repository, work_tree: Path, parent: CommitSha, place: Path) -> WorktreeCommit:
    uncommitted = list_uncommitted(repository)
    contents, left_out = _collect(work_tree, [found.path for found in uncommitted if not found.is_gone], place)
    blobs = _write_blobs(repository.writing_to(place / "objects"), contents)
    rows = [_row("0", "0" * len(parent), found.path) for found in uncommitted if found.is_gone]
    rows += [_row(content.mode, blob, content.path) for content, blob in zip(contents, blobs, strict=True)]
    wider = repository.reading_also(place / "objects")
    tree = _write_tree(wider.git.at(GIT_INDEX_FILE=str(place / "index")), parent, rows)
    unchanged = wider.git.run("rev-parse", "--verify", f"{parent}^{{tree}}").decode().strip() == tree
    commit = parent if unchanged else _write_commit(wider.git, tree, parent)
    return WorktreeCommit(wider, commit, parent, tuple(found.path for found in uncommitted), tuple(left_out))


def _collect(work_tree: Path, paths: Sequence[str], place: Path) -> tuple[list[_Content], list[LeftOut]]:
    if len(paths) > FILES_LIMIT.value:
        raise _too_much(f"{len(paths):,} files are uncommitted, more than {FILES_LIMIT.value:,}")
    contents: list[_Content] = []
    left_out: list[LeftOut] = []
    total = 0
    for path in paths:
        found = _look(work_tree / path)
        reason = _reason_to_leave_out(found)
        if found is None or reason:
            left_out.append(LeftOut(path, reason))
            continue
        total += found.st_size
        if total > BYTES_LIMIT.value:
            raise _too_much(f"uncommitted files hold more than {BYTES_LIMIT.value // MEBIBYTE} MiB")
        contents.append(_Content(path, _mode(found), _source(work_tree / path, found, place / str(len(contents)))))
    return contents, left_out


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _reason_to_leave_out(found: os.stat_result | None) -> str:
    if found is None:
        return "gone while it was read"
    if stat.S_ISDIR(found.st_mode):
        return "another repository"
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
        return "no regular file"
    return TOO_LARGE if found.st_size > BLOB_LIMIT.value else ""


def _mode(found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return SYMLINK_MODE
    return "100755" if found.st_mode & stat.S_IXUSR else "100644"


def _source(path: Path, found: os.stat_result, copy: Path) -> Path:
    """The file itself, or a copy where git would follow a link or cannot be told the name by a line."""
    if stat.S_ISLNK(found.st_mode):
        copy.write_bytes(os.fsencode(path.readlink()))
    elif "\n" in str(path):
        copy.write_bytes(path.read_bytes())
    else:
        return path
    return copy


def _write_blobs(git: Git, contents: Sequence[_Content]) -> Sequence[str]:
    # Without a view of the repository's objects: git renews the time of an object that it finds there.
    sources = b"".join(os.fsencode(content.source) + b"\n" for content in contents)
    return git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=sources).decode().split()


def _row(mode: str, blob: str, path: str) -> bytes:
    # https://git-scm.com/docs/git-update-index#_using_index_info
    return f"{mode} {blob}\t{path}\0".encode("utf-8", "surrogateescape")


def _write_tree(git: Git, parent: CommitSha, rows: Sequence[bytes]) -> str:
    git.run("read-tree", parent)
    git.run("update-index", "-z", "--index-info", stdin=b"".join(rows))
    return git.run("write-tree", "--missing-ok").decode().strip()


def _write_commit(git: Git, tree: str, parent: CommitSha) -> CommitSha:
    # HEAD's own date, so that the id is the same every time and walks through history stay short.
    date = git.run("rev-list", "-1", "--no-commit-header", "--format=%ct", parent).decode().strip()
    dated = git.at(
        GIT_AUTHOR_NAME=_NAME,
        GIT_AUTHOR_EMAIL=_EMAIL,
        GIT_AUTHOR_DATE=f"@{date} +0000",
        GIT_COMMITTER_NAME=_NAME,
        GIT_COMMITTER_EMAIL=_EMAIL,
        GIT_COMMITTER_DATE=f"@{date} +0000",
    )
    answer = dated.run("commit-tree", "--no-gpg-sign", "-p", parent, "-m", _TITLE, tree)
    return CommitSha(answer.decode().strip())


def _too_much(message: str) -> UsageError:
    return UsageError(message, hint="add what is no source to .gitignore, or commit first")
