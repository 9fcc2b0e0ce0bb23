"""Finding a repository, and what its names stand for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.errors import UsageError
from draftgate.git.repository import Branch, RangeSummary, Repository
from tests.git_builder import Repo, git_environment

Open = Callable[[Repo], Repository]


def test_a_repository_is_found_from_a_folder_inside(repo: Repo) -> None:
    repo.commit({"src/deep/a.py": "a\n"})

    found = Repository.open(repo.path / "src" / "deep", git_environment())

    assert found.root == repo.path
    assert found.git_dir == repo.path / ".git"
    assert found.work_tree is not None
    assert found.object_format == "sha1"


def test_a_sha256_repository_is_read(tmp_path: Path, open_repository: Open) -> None:
    repo = Repo.create(tmp_path / "repo", object_format="sha256")
    sha = repo.commit({"a.py": "a\n"})

    found = open_repository(repo)

    assert found.object_format == "sha256"
    assert found.resolve("main") == sha
    assert len(sha) == 64


def test_a_bare_repository_has_no_work_tree(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    sha = repo.commit({"a.py": "a\n"})

    found = open_repository(repo.clone(tmp_path / "bare.git", "--bare"))

    assert found.work_tree is None
    assert found.root == tmp_path / "bare.git"
    assert found.resolve("HEAD") == sha


def test_a_linked_work_tree_has_its_own_head_and_shared_refs(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    first = repo.commit({"a.py": "a\n"})
    repo.commit({"a.py": "b\n"})
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "linked"), first)

    found = open_repository(Repo(tmp_path / "linked"))

    assert found.root == tmp_path / "linked"
    assert found.common_dir == repo.path / ".git"
    assert found.current_branch() == "side"
    assert found.resolve("HEAD") == first
    assert found.resolve("main") == repo.head


def test_a_submodule_is_a_repository_of_its_own(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    inner = Repo.create(tmp_path / "inner")
    sha = inner.commit({"a.py": "a\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "libs/inner")
    repo.commit()

    found = open_repository(Repo(repo.path / "libs" / "inner"))

    assert found.root == repo.path / "libs" / "inner"
    assert found.resolve("HEAD") == sha


def test_a_repository_of_another_owner_is_read(repo: Repo, open_repository: Open) -> None:
    """Git refuses such a folder (CVE-2022-24765) unless `safe.directory` allows it, which the command line may."""
    sha = repo.commit({"a.py": "a\n"})
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    for place in [repo.path, *repo.path.rglob("*")]:
        os.chown(place, 65534, 65534)
    with pytest.raises(AssertionError, match="dubious ownership"):
        repo.git("status")

    assert open_repository(repo).resolve("HEAD") == sha


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is not in a git repository"),
        ("gitdir: /nonexistent/place", "is not in a git repository"),
        ("no pointer at all", "cannot open"),
    ],
    ids=["nothing", "dangling .git file", "broken .git file"],
)
def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / ".git").write_text(content)

    with pytest.raises(UsageError, match=message) as refusal:
        Repository.open(tmp_path, git_environment())

    assert refusal.value.hint


def test_a_work_tree_configured_elsewhere_is_not_taken(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    sha = repo.commit({"a.py": "a\n"})
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key").write_text("secret")
    repo.git("config", "core.worktree", str(tmp_path / "private"))

    found = open_repository(repo)

    assert found.work_tree is None
    assert found.resolve("HEAD") == sha


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        Repository.open(tmp_path / "missing", git_environment())


def test_a_repository_without_commits_is_refused(repo: Repo, open_repository: Open) -> None:
    with pytest.raises(UsageError, match="has no commits"):
        open_repository(repo)


def test_an_unborn_branch_beside_others_is_no_obstacle(repo: Repo, open_repository: Open) -> None:
    sha = repo.commit({"a.py": "a\n"})
    repo.git("checkout", "--quiet", "--orphan", "fresh")

    found = open_repository(repo)

    assert found.current_branch() == "fresh"
    assert found.resolve("main") == sha
    with pytest.raises(UsageError, match="'HEAD' names no commit"):
        found.resolve("HEAD")


def test_a_detached_head_is_on_no_branch(repo: Repo, open_repository: Open) -> None:
    repo.switch(repo.commit({"a.py": "a\n"}))

    assert open_repository(repo).current_branch() is None


def test_names_resolve_to_the_commit_they_stand_for(repo: Repo, open_repository: Open) -> None:
    first = repo.commit({"a.py": "a\n"})
    repo.git("tag", "-a", "v1", "-m", "annotated")
    second = repo.commit({"a.py": "b\n"})

    found = open_repository(repo)

    assert [found.resolve(name) for name in ("v1", "HEAD~1", first[:10])] == [first] * 3
    assert found.resolve("refs/heads/main") == second


@pytest.mark.parametrize("ref", ["", "-p", "^main", "--output=/tmp/x", "a\nb", "a\0b", "x\udc80"])
def test_what_cannot_be_a_name_is_refused_before_git_sees_it(repo: Repo, open_repository: Open, ref: str) -> None:
    repo.commit({"a.py": "a\n"})

    with pytest.raises(UsageError, match="cannot be the name of a commit"):
        open_repository(repo).resolve(ref)


@pytest.mark.parametrize("ref", ["nope", "main..main", "HEAD:a.py", "HEAD^{tree}", "0" * 40, "HEAD~9"])
def test_a_name_without_a_commit_is_refused(repo: Repo, open_repository: Open, ref: str) -> None:
    repo.commit({"a.py": "a\n"})

    with pytest.raises(UsageError, match="names no commit here"):
        open_repository(repo).resolve(ref)


def test_an_unknown_name_is_answered_with_those_written_alike(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a.py": "a\n"})
    repo.branch("feature/login")

    with pytest.raises(UsageError) as refusal:
        open_repository(repo).resolve("feature/logn")

    assert refusal.value.hint == "did you mean feature/login?"


def test_the_default_branch_is_what_origin_says(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    repo.commit({"a.py": "a\n"})
    repo.branch("develop")

    found = open_repository(repo.clone(tmp_path / "clone"))

    assert found.default_branch() == Branch("develop", "refs/remotes/origin/develop")
    assert found.upstream_of("develop") == Branch("develop", "refs/remotes/origin/develop")
    assert found.upstream_of("main") is None


def test_a_dangling_origin_head_is_passed_over(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a.py": "a\n"})
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")

    assert open_repository(repo).default_branch() == Branch("main", "refs/heads/main")


@pytest.mark.parametrize(
    ("branches", "expected"),
    [
        (["trunk", "main"], Branch("trunk", "refs/heads/trunk")),
        (["main", "master"], Branch("main", "refs/heads/main")),
        (["master", "other"], Branch("master", "refs/heads/master")),
        (["other"], None),
    ],
    ids=["init.defaultBranch", "main", "master", "none"],
)
def test_without_origin_the_usual_names_count(
    repo: Repo, tmp_path: Path, branches: list[str], expected: Branch | None
) -> None:
    repo.commit({"a.py": "a\n"})
    repo.git("branch", "-m", "main", branches[0])
    for name in branches[1:]:
        repo.git("branch", name)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text("[init]\n\tdefaultBranch = trunk\n")
    environment = {"PATH": git_environment()["PATH"], "HOME": str(tmp_path / "home")}

    assert Repository.open(repo.path, environment).default_branch() == expected


def test_a_remote_branch_stands_in_for_a_missing_local_one(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    repo.commit({"a.py": "a\n"})
    repo.branch("feature")
    clone = repo.clone(tmp_path / "clone")
    clone.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")

    found = open_repository(clone).default_branch()

    assert found == Branch("main", "refs/remotes/origin/main")
    assert found.label == "origin/main"


def test_a_range_is_summed_up(repo: Repo, open_repository: Open) -> None:
    base = repo.commit({"a.py": "a\n"})
    repo.commit({"a.py": "b\n"}, "first")
    repo.commit({"a.py": "c\n"}, "Grüße, second\n\nbody")
    found = open_repository(repo)

    summary = found.summarize(found.resolve(base), found.resolve("HEAD"))

    assert summary == RangeSummary(2, "Grüße, second", "draftgate-test")


def test_histories_that_never_meet_have_no_merge_base(repo: Repo, open_repository: Open) -> None:
    first = repo.commit({"a.py": "a\n"})
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit({"a.py": "b\n"})
    found = open_repository(repo)

    assert found.merge_bases(found.resolve(first), found.resolve("other")) == ()
