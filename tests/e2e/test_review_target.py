"""What ``draftgate review`` compares when a person says little or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flawed_change import BRANCH, CHANGE, TITLE, make_flawed_repository
from tests.git_builder import IDENTITY_EMAIL, IDENTITY_NAME, Repo
from tests.program import draftgate, program_environment

FUNCTION = {"lib.py": "def join(team):\n    return team\n", "use.py": "from lib import join\n\njoin(1)\n"}
BROKEN = {"lib.py": "def join(team, role):\n    return team, role\n"}


def review(cwd: Path, *arguments: str, environment: dict[str, str] | None = None) -> dict[str, object]:
    done = draftgate("review", *arguments, "--format", "json", cwd=cwd, expect=0, environment=environment)
    return done.document


def subjects(result: dict[str, object]) -> list[str]:
    findings = result["findings"]
    assert isinstance(findings, list)
    return [finding["subject"] for finding in findings]


@pytest.mark.parametrize("name", ["main", "master"])
def test_a_branch_is_compared_with_where_it_left_the_default_branch(tmp_path: Path, name: str) -> None:
    repo = Repo.create(tmp_path, branch=name)
    base = repo.commit(FUNCTION)
    repo.branch("work")
    head = repo.commit(BROKEN)

    result = review(tmp_path)

    assert (result["base_sha"], result["head_sha"]) == (base, head)
    assert len(subjects(result)) == 1


def test_the_users_default_branch_comes_before_main(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo", branch="trunk")
    repo.commit(FUNCTION)
    trunk = repo.commit({"other.txt": "x\n"})
    repo.git("branch", "main", "HEAD~1")
    repo.branch("work")
    repo.commit(BROKEN)
    (tmp_path / "gitconfig").write_text("[init]\n\tdefaultBranch = trunk\n", encoding="utf-8")
    environment = {**program_environment(), "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}

    result = review(repo.path, environment=environment)

    assert result["base_sha"] == trunk


def test_origin_head_comes_first(tmp_path: Path) -> None:
    origin = Repo.create(tmp_path / "origin", branch="develop")
    origin.commit(FUNCTION)
    develop = origin.commit({"other.txt": "x\n"})
    clone = origin.clone(tmp_path / "clone")
    clone.git("branch", "main", "HEAD~1")
    clone.branch("work")
    clone.commit(BROKEN)

    result = review(clone.path)

    assert result["base_sha"] == develop


def test_on_the_default_branch_what_is_ahead_of_its_upstream_is_reviewed(tmp_path: Path) -> None:
    origin = Repo.create(tmp_path / "origin")
    base = origin.commit(FUNCTION)
    clone = origin.clone(tmp_path / "clone")
    nothing = draftgate("review", cwd=clone.path, expect=0)
    head = clone.commit(BROKEN)

    result = review(clone.path)

    assert "nothing to review; try `--base HEAD~1`" in nothing.stdout
    assert (result["base_sha"], result["head_sha"]) == (base, head)


def test_on_a_default_branch_without_upstream_there_is_nothing_to_review_and_a_base_can_be_named(
    tmp_path: Path,
) -> None:
    repo = Repo.create(tmp_path)
    base = repo.commit(FUNCTION)
    repo.commit(BROKEN)

    nothing = draftgate("review", "--format", "json", cwd=tmp_path, expect=0)
    named = review(tmp_path, "--base", "HEAD~1")

    assert "try `--base HEAD~1`" in nothing.stderr
    assert nothing.document["findings"] == []
    assert (named["base_sha"], len(subjects(named))) == (base, 1)


def test_base_and_head_can_be_named_and_the_merge_base_is_what_the_head_is_compared_with(tmp_path: Path) -> None:
    """D35: the target moved on after the branch left it; its own changes are no part of the change."""
    repo = Repo.create(tmp_path)
    left = repo.commit(FUNCTION)
    repo.branch("work")
    head = repo.commit({"notes.txt": "x\n"})
    repo.switch("main")
    repo.commit(BROKEN)

    result = review(tmp_path, "--base", "main", "--head", "work")

    assert (result["base_sha"], result["head_sha"]) == (left, head)
    assert subjects(result) == []
    assert result["coverage"] == {
        "files": 1,
        "reviewed": 0,
        "left_out": [{"path": "notes.txt", "reason": "not covered: no built-in check reads this kind of file"}],
    }


def test_a_detached_head_is_reviewed(flawed: Repo) -> None:
    flawed.git("checkout", "--quiet", "--detach")

    result = review(flawed.path)

    assert result["head_sha"] == flawed.head
    assert len(subjects(result)) == 3


def test_a_bare_repository_is_reviewed_and_keeps_its_state_beside_its_objects(flawed: Repo, tmp_path: Path) -> None:
    bare = flawed.clone(tmp_path / "bare.git", "--bare")

    result = review(bare.path, "--base", "main", "--head", BRANCH)
    draftgate("approve", "1", "--head", BRANCH, cwd=bare.path, expect=0)

    assert len(subjects(result)) == 3
    assert len(list((bare.path / ".draftgate").glob("review-*.json"))) == 1


def test_a_linked_worktree_is_reviewed_as_its_own_branch(flawed: Repo, tmp_path: Path) -> None:
    flawed.git("switch", "--quiet", "main")
    linked = tmp_path / "linked"
    flawed.git("worktree", "add", "--quiet", str(linked), BRANCH)

    result = review(linked)

    assert len(subjects(result)) == 3
    assert (linked / ".draftgate").is_dir()
    assert not (flawed.path / ".draftgate").exists()


def test_a_subfolder_and_a_folder_that_is_named_mean_the_whole_repository(flawed: Repo, tmp_path: Path) -> None:
    from_inside = review(flawed.path / "rooms" / "migrations")
    from_outside = review(tmp_path, str(flawed.path / "rooms"))

    assert len(subjects(from_inside)) == 3
    assert from_outside == from_inside
    assert (flawed.path / ".draftgate").is_dir()


def test_uncommitted_changes_are_named_and_not_reviewed(flawed: Repo) -> None:
    flawed.git("switch", "--quiet", "main")
    flawed.branch("empty-handed")
    flawed.git("commit", "--quiet", "--allow-empty", "-m", "nothing")
    flawed.write(CHANGE)

    left = draftgate("review", "--format", "json", cwd=flawed.path, expect=0)

    assert "uncommitted changes are not reviewed" in left.stderr
    assert "rooms/mail.py" in left.stderr
    assert "--worktree" in left.stderr
    assert left.document["findings"] == []


def test_the_work_tree_is_reviewed_and_approved_when_asked_for(flawed: Repo) -> None:
    flawed.git("switch", "--quiet", "main")
    flawed.write(CHANGE)

    result = review(flawed.path, "--worktree")
    draftgate("approve", "1", cwd=flawed.path, expect=0)

    assert len(subjects(result)) == 3


def test_a_work_tree_that_changed_after_its_review_is_refused(flawed: Repo) -> None:
    flawed.git("switch", "--quiet", "main")
    flawed.write(CHANGE)
    draftgate("review", "--worktree", cwd=flawed.path, expect=0)
    flawed.write({"rooms/mail.py": "x = 1\n"})

    refused = draftgate("approve", cwd=flawed.path, expect=5)

    assert "nothing was submitted" in refused.stderr


def test_the_change_is_called_by_its_commit(tmp_path: Path) -> None:
    repo = make_flawed_repository(tmp_path / "rooms")

    change = review(repo.path)["change"]

    assert change == {"forge": "local", "repository": "rooms", "number": None, "title": TITLE, "url": None}


def test_a_change_of_binary_files_alone_has_no_findings_and_says_what_was_left_out(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"logo.png": b"\x89PNG\0\0one"})
    repo.branch("work")
    repo.commit({"logo.png": b"\x89PNG\0\0two"})

    result = review(tmp_path)

    assert subjects(result) == []
    assert result["coverage"] == {
        "files": 1,
        "reviewed": 0,
        "left_out": [{"path": "logo.png", "reason": "binary"}],
    }


def test_a_change_that_changes_no_file_has_no_findings(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit(FUNCTION)
    repo.branch("work")
    repo.git("commit", "--quiet", "--allow-empty", "-m", "nothing")

    cards = draftgate("review", cwd=tmp_path, expect=0)
    approved = draftgate("approve", "none", cwd=tmp_path, expect=0)

    assert "Nothing found" in cards.stdout
    assert "draftgate approve none" in cards.stdout
    assert "Submitted as comment" in approved.stdout


def test_who_works_here_is_whom_git_names(flawed: Repo, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(f"[user]\n\tname = {IDENTITY_NAME}\n\temail = {IDENTITY_EMAIL}\n", encoding="utf-8")
    environment = {**program_environment(USER="somebody"), "GIT_CONFIG_GLOBAL": str(config)}
    draftgate("review", cwd=flawed.path, environment=environment, expect=0)

    approved = draftgate("approve", cwd=flawed.path, environment=environment, expect=0)

    assert f"by {IDENTITY_NAME}" in approved.stdout
