"""The uncommitted state as a commit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.domain.change import CommitSha
from draftgate.domain.round import LeftOut
from draftgate.errors import UsageError
from draftgate.git.objects import open_objects
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, prove_scope
from draftgate.git.snapshot import CommitSnapshot
from draftgate.git.worktree import commit_worktree
from tests.git_builder import Executable, Link, Repo

Open = Callable[[Repo], Repository]


def test_the_commit_holds_what_a_real_commit_would(repo: Repo, open_repository: Open) -> None:
    repo.commit(
        {"edited": "x\n", "gone": "x\n", "same": "x\n", "file-to-folder": "x", "folder/to-file": "x", "mode": "x"}
    )
    repo.write(
        {
            "edited": "y\r\n",
            "gone": None,
            "new/ü\nline": "n\n",
            "link": Link("nowhere"),
            "mode": Executable("x"),
            "file-to-folder": None,
            "folder/to-file": None,
        }
    )
    (repo.path / "folder").rmdir()
    repo.write({"file-to-folder/inner": "i", "folder": "f"})
    repo.git("add", "new")
    head = repo.head

    with commit_worktree(open_repository(repo)) as made:
        tree = made.repository.git.run("rev-parse", f"{made.commit}^{{tree}}")
        assert made.parent == head
        assert made.repository.merge_bases(made.commit, made.parent) == (head,)

    repo.commit()
    assert tree == repo.git("rev-parse", "HEAD^{tree}")


def test_scope_and_snapshot_work_on_it(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a.py": "old\n"})
    repo.write({"a.py": "needle\n", "b.py": "needle\n"})

    with commit_worktree(open_repository(repo)) as made, open_objects(made.repository) as objects:
        scope = prove_scope(made.repository, NamedCommit("HEAD", made.parent), NamedCommit("work tree", made.commit))
        snapshot = CommitSnapshot(made.repository, objects, made.commit)
        assert [file.path for file in scope.files] == ["a.py", "b.py"]
        assert [match.path for match in snapshot.grep(["needle"])] == ["a.py", "b.py"]
        assert snapshot.read("b.py") == "needle\n"


def test_the_same_state_is_the_same_commit_and_another_state_another(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "1"})
    repo.write({"a": "2"})

    def made() -> CommitSha:
        with commit_worktree(open_repository(repo)) as commit:
            return commit.commit

    first = made()
    repo.git("add", "a")
    assert made() == first
    repo.write({"a": "3"})
    assert made() != first


def test_a_clean_work_tree_is_head_itself(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "1"})

    with commit_worktree(open_repository(repo)) as made:
        assert (made.commit, made.paths, made.left_out) == (repo.head, (), ())


def test_the_objects_are_gone_afterwards(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "1"})
    repo.write({"a": "2"})
    repository = open_repository(repo)

    with commit_worktree(repository) as made:
        commit = made.commit

    with pytest.raises(UsageError):
        repository.resolve(commit)


def test_what_cannot_be_taken_stays_as_head_has_it_and_is_named(
    repo: Repo, tmp_path: Path, open_repository: Open
) -> None:
    repo.commit({"big": "small\n", "a": "1"})
    repo.write({"big": b"x" * (10 * 1024 * 1024 + 1), "a": "2"})
    Repo.create(repo.path / "nested").commit({"x": "x"})

    with commit_worktree(open_repository(repo)) as made:
        assert made.left_out == (LeftOut("big", "larger than 10 MiB"), LeftOut("nested/", "another repository"))
        assert made.paths == ("a", "big", "nested/")
        listed = made.repository.git.run("ls-tree", "-r", "--name-only", made.commit)
        assert listed == b"a\nbig\n"
        assert made.repository.git.run("cat-file", "blob", f"{made.commit}:big") == b"small\n"


def test_filters_are_not_run(repo: Repo, open_repository: Open) -> None:
    repo.commit({".gitattributes": "*.txt filter=upper text eol=crlf\n", "a.txt": "a\n"})
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "filter.upper.required", "true")
    repo.write({"a.txt": "b\r\n"})

    with commit_worktree(open_repository(repo)) as made:
        assert made.repository.git.run("cat-file", "blob", f"{made.commit}:a.txt") == b"b\r\n"


def test_a_submodule_stays_as_head_has_it(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    inner = Repo.create(tmp_path / "inner")
    inner.commit({"a": "1"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    repo.commit()
    Repo(repo.path / "sub", 1).commit({"a": "2"})

    with commit_worktree(open_repository(repo)) as made:
        assert made.commit == made.parent
        assert made.left_out == (LeftOut("sub", "another repository"),)


@pytest.mark.parametrize("name", ["with:colon", 'with "quotes" and \\', "with space"])
def test_the_repository_may_lie_anywhere(tmp_path: Path, open_repository: Open, name: str) -> None:
    repo = Repo.create(tmp_path / name)
    repo.commit({"a": "1"})
    repo.write({"a": "2"})

    with commit_worktree(open_repository(repo)) as made:
        assert made.repository.git.run("cat-file", "blob", f"{made.commit}:a") == b"2"
        assert made.repository.resolve("main") == repo.head


def test_a_sha256_repository_and_a_linked_work_tree_are_no_exception(tmp_path: Path, open_repository: Open) -> None:
    main = Repo.create(tmp_path / "main", object_format="sha256")
    main.commit({"a": "1", "b": "1"})
    main.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write({"a": "2", "b": None})

    with commit_worktree(open_repository(linked)) as made:
        assert made.paths == ("a", "b")
        assert made.repository.git.run("ls-tree", "--name-only", made.commit) == b"a\n"


def test_a_bare_repository_has_no_work_tree_to_take(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    repo.commit({"a": "1"})
    repository = open_repository(repo.clone(tmp_path / "bare.git", "--bare"))

    with pytest.raises(UsageError, match="is bare"), commit_worktree(repository):
        pass
