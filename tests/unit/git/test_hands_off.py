"""Reading leaves no trace: no byte of the repository changes, and nothing that it configures runs."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.domain.change import BlobId
from draftgate.errors import DraftgateError
from draftgate.git.diff import diff_commits
from draftgate.git.objects import measure_blobs, open_objects
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, prove_scope
from draftgate.git.search import search_commit
from draftgate.git.snapshot import CommitSnapshot
from draftgate.git.status import list_uncommitted
from draftgate.git.worktree import commit_worktree
from tests.git_builder import Link, Repo, git_environment

COMMANDS = (
    "cat-file config diff-tree for-each-ref grep hash-object ls-tree merge-base rev-list rev-parse status".split()
)
HOOKS = (
    "post-checkout",
    "post-commit",
    "post-index-change",
    "pre-commit",
    "fsmonitor-watchman",
    "reference-transaction",
)


def _snapshot(repository: Repository) -> None:
    with open_objects(repository) as objects:
        snapshot = CommitSnapshot(repository, objects, repository.resolve("feature"))
        for path in snapshot.paths():
            snapshot.read(path)
        list(snapshot.grep(["new", "old"], globs=["*.py"]))


def _worktree(repository: Repository) -> None:
    with commit_worktree(repository) as made:
        prove_scope(made.repository, NamedCommit("main", repository.resolve("main")), NamedCommit("-", made.commit))
        _snapshot(made.repository)


def _names(repository: Repository) -> None:
    repository.current_branch()
    repository.default_branch()
    repository.upstream_of("feature")
    main, feature = repository.resolve("main"), repository.resolve("feature")
    repository.summarize(main, feature)
    repository.merge_bases(main, feature)
    with pytest.raises(DraftgateError):
        repository.resolve("featur")


def _scope(repository: Repository) -> None:
    main, feature = repository.resolve("main"), repository.resolve("feature")
    prove_scope(repository, NamedCommit("main", main), NamedCommit("feature", feature))
    diff_commits(repository, main, feature)


def _search(repository: Repository) -> None:
    search_commit(repository.git, repository.resolve("feature"), ["new"])
    measure_blobs(repository.git, [BlobId("1" * 40)])


def _status(repository: Repository) -> None:
    assert list_uncommitted(repository)


EVERYTHING = [_names, _scope, _search, _snapshot, _status, _worktree]


@pytest.fixture
def built(repo: Repo) -> Repo:
    """Two branches, and changes of every kind in the work tree."""
    repo.commit({"a.py": "old\n", "b.py": "x\n", "c.txt": "c\n"})
    repo.branch("feature")
    repo.commit({"a.py": "new\n", "link": Link("a.py")})
    repo.write({"a.py": "newer\n", "b.py": None, "new.py": "n\n"})
    repo.git("add", "new.py")
    os.utime(repo.path / "c.txt", (1, 1))  # makes git compare the content
    return repo


def _fingerprint(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Mode, time and content of everything below the folder, the git directory included."""
    found = {}
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        content = place.read_bytes() if place.is_file() else b""
        name = str(place.relative_to(folder))
        found[name] = (status.st_mode, status.st_mtime_ns, hashlib.sha256(content).hexdigest())
    return found


@pytest.mark.parametrize("read", EVERYTHING)
@pytest.mark.parametrize("setting", ["core.splitIndex", "core.untrackedCache", "index.sparse", "core.fsmonitor"])
def test_the_checkout_is_not_touched(built: Repo, read: Callable[[Repository], None], setting: str) -> None:
    built.git("config", setting, "true")
    built.git("config", "gc.auto", "1")
    before = _fingerprint(built.path)

    read(Repository.open(built.path, git_environment()))

    assert _fingerprint(built.path) == before


@pytest.fixture
def trap(built: Repo, tmp_path: Path) -> Path:
    """Everything in the repository's own configuration that can start a program starts one that writes this file."""
    sprung = tmp_path / "sprung"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{sprung}"\ncat\n')
    program.chmod(0o755)
    actors = {
        "core.fsmonitor": program,
        "core.pager": program,
        "core.editor": program,
        "core.askPass": program,
        "core.sshCommand": program,
        "core.gitProxy": program,
        "core.alternateRefsCommand": program,
        "core.attributesFile": tmp_path / "attributes",
        "credential.helper": f"!{program}",
        "diff.external": program,
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.process": program,
        "filter.evil.required": "true",
        "filter.with=equals.clean": program,
        "merge.evil.driver": program,
        "gpg.program": program,
        "log.showSignature": "true",
        "commit.gpgSign": "true",
        "grep.fallbackToNoIndex": "true",
        "uploadpack.packObjectsHook": program,
        "remote.origin.uploadpack": program,
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "interactive.diffFilter": program,
        "pager.status": program,
        "pager.grep": program,
        **{f"alias.{command}": f"!{program}" for command in COMMANDS},
    }
    for name, value in actors.items():
        built.git("config", name, str(value))
    (tmp_path / "attributes").write_text("* diff=evil filter=evil merge=evil\n")
    (built.path / ".gitattributes").write_text("* diff=evil filter=evil merge=evil\n*.txt filter=with=equals\n")
    for hook in HOOKS:
        (built.path / ".git" / "hooks" / hook).write_bytes(program.read_bytes())
        (built.path / ".git" / "hooks" / hook).chmod(0o755)
    return sprung


@pytest.mark.parametrize("command", [["status"], ["diff", "main", "feature"], ["log", "-p", "-1"]], ids=" ".join)
def test_the_trap_works_on_a_plain_git(built: Repo, trap: Path, command: list[str]) -> None:
    with contextlib.suppress(AssertionError):  # the program is no well-behaved filter, and git may say so
        built.git(*command)

    assert trap.exists()


@pytest.mark.parametrize("read", EVERYTHING)
def test_nothing_that_the_repository_configures_is_started(
    built: Repo, trap: Path, read: Callable[[Repository], None]
) -> None:
    read(Repository.open(built.path, git_environment()))

    assert not trap.exists(), trap.read_text()


@pytest.mark.parametrize("read", [_scope, _search, _snapshot])
def test_a_missing_object_is_not_fetched_from_a_promisor(
    built: Repo, trap: Path, read: Callable[[Repository], None]
) -> None:
    blob = built.sha("feature:a.py")
    (built.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(DraftgateError):
        read(Repository.open(built.path, git_environment()))

    assert not trap.exists(), trap.read_text()
