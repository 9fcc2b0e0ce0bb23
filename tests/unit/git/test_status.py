"""What is not committed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from draftgate.git.repository import Repository
from draftgate.git.status import UncommittedPath, list_uncommitted
from tests.git_builder import Executable, Repo, git_environment

Open = Callable[[Repo], Repository]


def test_every_kind_of_uncommitted_change_is_named(repo: Repo, open_repository: Open) -> None:
    repo.commit(dict.fromkeys(("edited", "staged", "deleted", "moved", "kept", "mode", "unstaged-only"), "x\n"))
    repo.write({"staged": "y\n", "added": "a\n", "unstaged-only": None})
    repo.git("add", "staged", "added")
    repo.git("mv", "moved", "renamed ü")
    repo.git("rm", "--quiet", "deleted")
    repo.git("rm", "--quiet", "--cached", "kept")
    repo.write({"edited": "y\n", "new/file": "n\n", "mode": Executable("x\n"), "line\nbreak": ""})

    found = list_uncommitted(open_repository(repo))

    gone = {"deleted", "moved", "unstaged-only"}
    there = {"added", "edited", "kept", "line\nbreak", "mode", "new/file", "renamed ü", "staged"}
    assert found == tuple(UncommittedPath(path, path in gone) for path in sorted(gone | there))


def test_a_clean_work_tree_and_a_bare_repository_have_nothing(
    repo: Repo, tmp_path: Path, open_repository: Open
) -> None:
    repo.commit({"a": "a"})

    assert list_uncommitted(open_repository(repo)) == ()
    assert list_uncommitted(open_repository(repo.clone(tmp_path / "bare.git", "--bare"))) == ()


def test_ignored_files_and_our_own_state_are_left_out(repo: Repo, tmp_path: Path) -> None:
    repo.commit({".gitignore": "*.log\n"})
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored by the user\n")
    (tmp_path / "home" / "ignored by the user").write_text("*.swp\n")
    repo.write({"a.log": "", ".a.swp": "", ".draftgate/state.json": "", "sub/.draftgate/x": "", "b": ""})
    repository = Repository.open(repo.path, {"PATH": git_environment()["PATH"], "HOME": str(tmp_path / "home")})

    assert [found.path for found in list_uncommitted(repository)] == ["b", "sub/.draftgate/x"]


def test_a_linked_work_tree_has_its_own_state(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    repo.commit({"a": "a"})
    repo.write({"in-main": ""})
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write({"in-linked": ""})

    assert [found.path for found in list_uncommitted(open_repository(linked))] == ["in-linked"]
