"""State that came with a commit was made by whoever wrote the commit: no command reads it, none writes beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flawed_change import BRANCH, make_flawed_repository
from tests.git_builder import Repo
from tests.program import Done, draftgate

COMMANDS = {
    "review": ("review",),
    "review-another": ("review", "--head", "main"),
    "review-worktree": ("review", "--worktree"),
    "status": ("status",),
    "approve": ("approve",),
    "do": ("do", "/preview-findings"),
    "finalize": ("finalize",),
}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A branch whose author committed a session, a draft and a submitted review with it."""
    repo = make_flawed_repository(tmp_path_factory.mktemp("origin") / "rooms")
    draftgate("review", cwd=repo.path, expect=0)
    draftgate("approve", "1", cwd=repo.path, expect=0)
    draftgate("review", "--force", cwd=repo.path, expect=0)
    repo.commit(message="with state")
    repo.switch("main")
    return repo


@pytest.fixture
def cloned(origin: Repo, tmp_path: Path) -> Repo:
    """A reader's clone with that branch checked out."""
    clone = origin.clone(tmp_path / "clone")
    clone.switch(BRANCH)
    return clone


def files_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in (folder / ".draftgate").iterdir()}


def assert_refused(done: Done, folder: Path) -> None:
    assert done.code == 5, done.stderr
    assert str(folder / ".draftgate") in done.stderr
    assert "came with a commit and is not trusted" in done.stderr
    assert "git rm -r --cached .draftgate" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_trusts_state_that_a_clone_brought(cloned: Repo, command: str) -> None:
    before = files_of(cloned.path)
    assert {name.partition("-")[0] for name in before} == {
        ".gitignore", "checkpoint", "draft", "review", "scope", "session",
    }  # fmt: skip

    done = draftgate(*COMMANDS[command], cwd=cloned.path)

    assert_refused(done, cloned.path)
    assert files_of(cloned.path) == before


@pytest.mark.parametrize("command", ["review", "approve", "finalize"])
def test_a_place_in_the_index_is_enough(reviewed: Repo, command: str) -> None:
    reviewed.git("add", "--force", ".draftgate")
    before = files_of(reviewed.path)

    done = draftgate(*COMMANDS[command], cwd=reviewed.path)

    assert_refused(done, reviewed.path)
    assert files_of(reviewed.path) == before


def test_one_file_is_enough(flawed: Repo) -> None:
    """Not even a session: a review that somebody is said to have published."""
    flawed.commit({".draftgate/review-invitations-33cd5e40-0000000000000000.md": "All is well.\n"})

    done = draftgate("review", cwd=flawed.path)

    assert_refused(done, flawed.path)
    assert len(files_of(flawed.path)) == 1


def test_state_that_is_staged_for_removal_is_still_of_the_commit(cloned: Repo) -> None:
    cloned.git("rm", "-r", "--quiet", "--cached", ".draftgate")

    done = draftgate("approve", cwd=cloned.path)

    assert_refused(done, cloned.path)


@pytest.mark.parametrize("where", ["a-subfolder", "elsewhere", "a-linked-worktree"])
def test_it_does_not_matter_from_where(cloned: Repo, tmp_path: Path, where: str) -> None:
    linked = tmp_path / "linked"
    cloned.git("worktree", "add", "--quiet", "--detach", str(linked))
    folder, cwd, arguments = {
        "a-subfolder": (cloned.path, cloned.path / "rooms", ("review",)),
        "elsewhere": (cloned.path, tmp_path, ("review", str(cloned.path))),
        "a-linked-worktree": (linked, linked, ("review",)),
    }[where]

    done = draftgate(*arguments, cwd=cwd)

    assert_refused(done, folder)


def test_such_a_branch_is_reviewed_from_another_branch_by_its_name(cloned: Repo) -> None:
    """With another branch checked out nothing of it lies in the work tree, and the state is the reader's own."""
    cloned.switch("main")

    result = draftgate("review", "--head", BRANCH, "--format", "json", cwd=cloned.path, expect=0)
    draftgate("approve", "1", "--head", BRANCH, cwd=cloned.path, expect=0)

    assert (result.document["round"], len(result.document["findings"])) == (1, 3)
    assert len(list((cloned.path / ".draftgate").glob("review-*.json"))) == 1


def test_what_the_refusal_says_to_do_helps(cloned: Repo) -> None:
    """Out of the index alone is not enough: the commit that is checked out still holds it, and the hint says so."""
    refused = draftgate("review", cwd=cloned.path, expect=5)
    cloned.git("rm", "-r", "--quiet", "--force", ".draftgate")
    cloned.git("commit", "--quiet", "--message", "without state")

    result = draftgate("review", "--format", "json", cwd=cloned.path, expect=0).document
    draftgate("approve", "1", cwd=cloned.path, expect=0)

    assert (result["round"], len(result["findings"])) == (1, 3)
    assert len(list((cloned.path / ".draftgate").glob("review-*.json"))) == 1
    assert "commit" in refused.stderr.partition("→")[2]


@pytest.mark.parametrize("command", ["status", "finalize"])
def test_a_branch_without_commits_has_no_state_of_a_commit(reviewed: Repo, command: str) -> None:
    """A command must not ask git for the files of a commit that is not there."""
    reviewed.git("checkout", "--quiet", "--orphan", "alone")

    done = draftgate(command, cwd=reviewed.path)

    assert done.code == 0, done.stderr


def test_a_bare_repository_keeps_its_own_state_whatever_a_commit_holds(cloned: Repo, tmp_path: Path) -> None:
    bare = cloned.clone(tmp_path / "bare.git", "--bare")

    draftgate("review", "--base", "main", "--head", BRANCH, cwd=bare.path, expect=0)
    draftgate("approve", "1", "--head", BRANCH, cwd=bare.path, expect=0)

    assert len(list((bare.path / ".draftgate").glob("review-*.json"))) == 1
