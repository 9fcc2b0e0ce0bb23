"""The history of a commit: what was committed, and who wrote a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.domain.change import CommitSha
from draftgate.domain.history import BlamedLine
from draftgate.git.history import GitHistory
from draftgate.git.repository import Repository
from draftgate.git.run import GitFailed, GitTimedOut
from draftgate.git.worktree import commit_worktree
from tests.git_builder import IDENTITY_NAME, Link, Repo, git_environment


def _history(repo: Repo, commit: str = "HEAD") -> GitHistory:
    repository = Repository.open(repo.path, git_environment())
    return GitHistory(repository, repository.resolve(commit))


def _subjects(repo: Repo, path: str | None = None, limit: int = 10) -> list[str]:
    found = _history(repo).log(path, limit)
    assert found is not None
    return [commit.subject for commit in found]


def test_the_log_holds_what_each_commit_says(repo: Repo) -> None:
    sha = repo.commit({"a": "1\n"}, "Add a\nand go on\n\nBecause.\n\nSigned-off-by: none\n")

    commits = _history(repo).log(None, 10)

    assert commits is not None
    (only,) = commits
    assert (only.sha, only.author, only.date) == (sha, IDENTITY_NAME, "2023-11-14T22:13:20+00:00")
    assert (only.subject, only.body) == ("Add a and go on", "Because.\n\nSigned-off-by: none")


def test_the_log_is_of_one_path_newest_first_and_no_longer_than_asked(repo: Repo) -> None:
    repo.commit({"a": "1", "d/b": "1"}, "one")
    repo.commit({"a": "2"}, "two")
    repo.commit({"d/b": "2"}, "three")

    assert _subjects(repo) == ["three", "two", "one"]
    assert _subjects(repo, "a") == ["two", "one"]
    assert _subjects(repo, "d/b", 1) == ["three"]


def test_commits_that_head_does_not_contain_are_not_told_of(repo: Repo) -> None:
    repo.commit({"a": "1"}, "one")
    repo.branch("later")
    repo.commit({"a": "2"}, "two")

    commits = _history(repo, "main").log("a", 10)

    assert commits is not None
    assert [commit.subject for commit in commits] == ["one"]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "/",
            ".",
            "..",
            "no",
            "d",
            "d/",
            "d//f",
            "./d/f",
            "d/../d/f",
            "../d/f",
            "../../etc/passwd",
            "/etc/passwd",
        ),
        *(
            "link",
            "dirlink/f",
            "sub",
            ".git/config",
            "*",
            ":(glob)**",
            ":/",
            ":!x",
            "--all",
            "-L1,2",
            "d/f\0",
            "a" * 9999,
        ),
        *("\ud800", "d\\f"),
    ],
    ids=ascii,
)
def test_what_is_no_regular_file_of_head_has_no_history(repo: Repo, path: str) -> None:
    sha = repo.commit({"d/f": "f\n", "link": Link("/etc/passwd"), "dirlink": Link("d")})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    repo.git("commit", "--quiet", "-m", "submodule")
    history = _history(repo)

    assert history.log("d/f", 9)
    assert history.log(path, 9) is None
    assert history.blame("d/f", 1, 1)
    assert history.blame(path, 1, 1) is None


@pytest.mark.parametrize("path", ["*.py", ":(glob)a", "--all", "-x", "a\nb", "größe 説明", "caf\udce9"], ids=ascii)
def test_a_strange_name_is_that_file_and_no_pattern(repo: Repo, path: str) -> None:
    repo.commit({"a.py": "1\n", "a": "1\n"}, "others")
    repo.commit({path: "1\n"}, "this one")
    history = _history(repo)

    blamed = history.blame(path, 1, 1)

    assert _subjects(repo, path) == ["this one"]
    assert blamed is not None
    assert [line.text for line in blamed] == ["1"]


def test_each_line_is_blamed_on_the_commit_that_changed_it(repo: Repo) -> None:
    first = repo.commit({"f": b"one\r\ncaf\xe9\nthree\n"})
    second = repo.commit({"f": b"one\r\ncaf\xe9\n\tthree!\nfour"})

    blamed = _history(repo).blame("f", 2, 99)

    early, late = "2023-11-14T22:13:20+00:00", "2023-11-14T22:14:20+00:00"
    assert blamed == (
        BlamedLine(2, CommitSha(first), IDENTITY_NAME, early, "caf\N{REPLACEMENT CHARACTER}"),
        BlamedLine(3, CommitSha(second), IDENTITY_NAME, late, "\tthree!"),
        BlamedLine(4, CommitSha(second), IDENTITY_NAME, late, "four"),
    )


def test_lines_after_the_last_one_are_not_there(repo: Repo) -> None:
    repo.commit({"f": "one\n", "empty": ""})
    history = _history(repo)

    assert history.blame("f", 2, 3) == ()
    assert history.blame("empty", 1, 1) == ()


def test_neither_the_tree_nor_the_configuration_has_a_say(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit({"f": "one\n", ".mailmap": "Somebody Else <test@example.invalid>\n", "g": "1"}, "one")
    repo.git("mv", "f", "moved")
    moved = repo.commit({".gitattributes": "moved diff=upper\n"}, "two")
    changed = repo.commit({"moved": "ONE\n"}, "three")
    (tmp_path / "skip").write_text(f"{changed}\n")
    repo.git("config", "blame.ignoreRevsFile", str(tmp_path / "skip"))
    repo.git("config", "diff.upper.textconv", "tr a-z A-Z <")
    repo.git("config", "log.follow", "true")
    repo.git("config", "log.mailmap", "true")
    repo.git("config", "mailmap.file", str(repo.path / ".mailmap"))

    blamed = _history(repo).blame("moved", 1, 1)

    assert blamed is not None
    assert [(line.sha, line.author, line.text) for line in blamed] == [(changed, IDENTITY_NAME, "ONE")]
    assert _subjects(repo, "moved") == ["three", "two"]
    assert len({first, moved, changed}) == 3


def test_a_bare_repository_is_read_without_the_mailmap_of_its_head(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"f": "one\n", ".mailmap": "Somebody Else <test@example.invalid>\n"})

    blamed = _history(repo.clone(tmp_path / "bare", "--bare")).blame("f", 1, 1)

    assert blamed is not None
    assert [line.author for line in blamed] == [IDENTITY_NAME]


@pytest.mark.parametrize("name", [".git-blame-ignore-revs", "/nonexistent/file"])
def test_a_list_of_commits_to_skip_that_is_not_there_does_no_harm(repo: Repo, name: str) -> None:
    repo.commit({"f": "one\n"})
    repo.git("config", "blame.ignoreRevsFile", name)

    assert _history(repo).blame("f", 1, 1)


def test_a_repository_of_the_other_object_format_is_read(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo", object_format="sha256")
    sha = repo.commit({"f": "one\n"})
    history = _history(repo)

    logged, blamed = history.log("f", 1), history.blame("f", 1, 1)

    assert logged is not None
    assert blamed is not None
    assert [logged[0].sha, blamed[0].sha] == [sha, sha]


def test_uncommitted_work_as_a_commit_is_blamed_too(repo: Repo) -> None:
    first = repo.commit({"f": "one\n"})
    repo.write({"f": "one\ntwo\n"})
    repository = Repository.open(repo.path, git_environment())

    with commit_worktree(repository) as worktree:
        blamed = GitHistory(worktree.repository, worktree.commit).blame("f", 1, 2)

        assert blamed is not None
        assert [line.sha for line in blamed] == [first, worktree.commit]


def test_a_shallow_clone_is_known_to_lack_history(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"f": "one\n"}, "one")
    repo.commit({"f": "one\ntwo\n"}, "two")
    shallow = repo.clone(tmp_path / "shallow", "--depth=1")

    assert not _history(repo).is_cut
    assert _history(shallow).is_cut
    assert _subjects(shallow, "f") == ["two"]
    blamed = _history(shallow).blame("f", 1, 2)
    assert blamed is not None
    assert [line.sha for line in blamed] == [shallow.head, shallow.head]


def test_a_commit_with_an_impossible_date_and_name_is_read(repo: Repo) -> None:
    repo.write({"f": "x\n"})
    repo.git("add", "f")
    tree = repo.git("write-tree").decode().strip()
    person = b"caf\xe9 <x> 99999999999999999 +9999"
    raw = b"tree %s\nauthor %s\ncommitter %s\n\nsubject\xe9\n" % (tree.encode(), person, person)
    sha = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw).decode().strip()
    repo.git("update-ref", "refs/heads/main", sha)
    history = _history(repo)

    blamed, logged = history.blame("f", 1, 1), history.log("f", 1)

    assert blamed is not None
    assert logged is not None
    assert [(line.author, line.date) for line in blamed] == [("caf\N{REPLACEMENT CHARACTER}", "")]
    assert [commit.subject for commit in logged] == ["subject\N{REPLACEMENT CHARACTER}"]


def test_a_history_that_cannot_be_read_is_an_error_and_never_empty(repo: Repo) -> None:
    repo.commit({"f": "one\n"})
    repo.commit({"f": "one\ntwo\n"})
    parent = repo.sha("HEAD~1")
    (repo.path / ".git" / "objects" / parent[:2] / parent[2:]).unlink()

    with pytest.raises(GitFailed):
        _history(repo).log(None, 10)
    with pytest.raises(GitFailed):
        _history(repo).blame("f", 1, 2)


def test_more_than_the_limit_is_cut_between_commits(repo: Repo) -> None:
    repo.commit({"f": "one\n"}, "small")
    for number in range(3):
        repo.git("commit", "--quiet", "--allow-empty", "--file=-", stdin=b"big %d\n\n" % number + b"x" * 3_000_000)

    assert _subjects(repo) == ["big 2"]


def test_a_very_long_line_is_blamed_in_part_or_not_at_all(repo: Repo) -> None:
    repo.commit({"f": "x" * 1_000_000 + "\n" + "y" * 5_000_000 + "\nz\n"})

    blamed = _history(repo).blame("f", 1, 3)

    assert blamed is not None
    assert [(line.line, len(line.text)) for line in blamed] == [(1, 4096)]


def test_a_blame_that_takes_too_long_is_stopped(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"f": "one\n"})
    path = git_environment()["PATH"]
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\ncase "$*" in *" blame "*) sleep 60;; *) PATH={path} exec git "$@";; esac\n')
    program.chmod(0o755)
    repository = Repository.open(repo.path, {"PATH": f"{program.parent}:{path}"})

    with pytest.raises(GitTimedOut):
        GitHistory(repository, repository.resolve("HEAD"), time_limit_s=0.5).blame("f", 1, 1)
