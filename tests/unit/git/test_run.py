"""How git is called: what it sees, how long it may take, how much it may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.errors import Limit, UsageError
from draftgate.git.repository import Repository
from draftgate.git.run import Git, GitFailed, GitTimedOut, OutputTooLarge
from tests.git_builder import Repo, git_environment

HOSTILE_ENVIRONMENT = {
    "GIT_DIR": "/elsewhere",
    "GIT_WORK_TREE": "/elsewhere",
    "GIT_INDEX_FILE": "/elsewhere",
    "GIT_OBJECT_DIRECTORY": "/elsewhere",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/elsewhere",
    "GIT_EXTERNAL_DIFF": "/elsewhere",
    "GIT_SSH_COMMAND": "/elsewhere",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "diff.noprefix",
    "GIT_CONFIG_VALUE_0": "true",
    "GIT_CONFIG_PARAMETERS": "'diff.noprefix=true'",
    "GIT_TRACE": "/elsewhere",
    "GIT_REPLACE_REF_BASE": "refs/elsewhere/",
    "SECRET_TOKEN": "secret",
}


def _program(folder: Path, script: str) -> dict[str, str]:
    """An environment whose `git` is this shell script."""
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:{git_environment()['PATH']}"}


def test_git_sees_nothing_of_the_callers_git_variables_and_secrets(tmp_path: Path) -> None:
    environment = _program(tmp_path / "bin", "env")

    seen = Git.hardened({**HOSTILE_ENVIRONMENT, **environment}).run("anything").decode()

    assert "/elsewhere" not in seen
    assert "refs/elsewhere" not in seen
    assert "noprefix" not in seen
    assert "secret" not in seen
    assert "GIT_CONFIG_GLOBAL=/dev/null" in seen


def test_a_repository_reads_the_same_under_a_hostile_environment(repo: Repo) -> None:
    sha = repo.commit({"a.py": "a\n"})

    opened = Repository.open(repo.path, {**HOSTILE_ENVIRONMENT, **git_environment()})

    assert opened.resolve("HEAD") == sha


def test_an_answer_above_the_limit_is_refused_and_names_the_limit(tmp_path: Path) -> None:
    git = Git.hardened(_program(tmp_path / "bin", "exec yes"))

    with pytest.raises(OutputTooLarge, match=r"1,000 bytes \(answer\)"):
        git.run("log", limit=Limit("answer", 1000, "bytes"))


def test_reading_up_to_a_limit_says_that_there_was_more(tmp_path: Path) -> None:
    git = Git.hardened(_program(tmp_path / "bin", "exec yes"))

    output, is_cut = git.read_up_to(Limit("answer", 5, "bytes"), "log")

    assert (output, is_cut) == (b"y\ny\ny", True)


def test_an_answer_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    git = Git.hardened(_program(tmp_path / "bin", "printf 12345"))

    assert git.read_up_to(Limit("answer", 5, "bytes"), "log") == (b"12345", False)


@pytest.mark.parametrize("script", ["exec sleep 60", "exec yes >/dev/null", "exec >&-; exec sleep 60", "sleep 60"])
def test_a_git_that_does_not_end_is_stopped(tmp_path: Path, script: str) -> None:
    git = Git(_program(tmp_path / "bin", script), timeout_s=0.2)

    with pytest.raises(GitTimedOut, match="did not answer"):
        git.run("log")


def test_a_failure_carries_gits_words_without_control_characters(tmp_path: Path) -> None:
    git = Git.hardened(_program(tmp_path / "bin", r"printf 'fatal: \033[31mno\nsuch\007 thing' >&2; exit 128"))

    with pytest.raises(GitFailed) as failure:
        git.run("log")

    assert str(failure.value) == "git log: fatal: [31mno such thing"
    assert failure.value.hint


def test_a_large_request_does_not_block_on_a_large_answer(tmp_path: Path) -> None:
    git = Git.hardened(_program(tmp_path / "bin", "exec cat"))
    request = b"x" * 3_000_000

    assert git.run("hash-object", stdin=request) == request


def test_a_machine_without_git_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`git` was not found"):
        Repository.open(tmp_path, {"PATH": str(tmp_path)})


@pytest.mark.parametrize("version", ["git version 2.38.1", "git version 1.9", "something else"])
def test_an_old_git_is_refused(tmp_path: Path, version: str) -> None:
    environment = _program(tmp_path / "bin", f"echo {version}")

    with pytest.raises(UsageError, match="too old") as refusal:
        Repository.open(tmp_path, environment)

    assert "2.39" in refusal.value.hint


@pytest.mark.parametrize(
    ("printed", "expected"), [("git version 2.50.1 (Apple Git-155)", "2.50.1"), ("git version 3.0.rc1", "3.0")]
)
def test_vendors_version_texts_are_read(tmp_path: Path, repo: Repo, printed: str, expected: str) -> None:
    repo.commit({"a": "a"})
    script = f'case "$*" in *" version") echo "{printed}";; *) PATH={git_environment()["PATH"]} exec git "$@";; esac'

    assert Repository.open(repo.path, _program(tmp_path / "bin", script)).git_version == expected
