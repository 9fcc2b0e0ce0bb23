"""Two processes at work on one change at the same moment."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from draftgate.forge.local.folder import FOLDER_NAME, StateFolder
from tests.flawed_change import make_flawed_repository
from tests.git_builder import Repo
from tests.program import finish, start
from tests.recovery.crashing import Program
from tests.recovery.state import files_of, reviews_of, session_of

WAITS = "waiting for another draftgate run in this repository"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_flawed_repository(tmp_path / "repository")


def _never() -> None:
    raise AssertionError("nobody else holds the lock")


def _wait_until_it_waits(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    assert WAITS in process.stderr.readline()


def test_two_approvals_at_the_same_moment_make_one_review(program: Program, repo: Repo) -> None:
    assert program.run("review", cwd=repo.path).code == 0

    with StateFolder(repo.path).locked(_never):
        both = [start("approve", "1,2", cwd=repo.path) for _ in range(2)]
        for process in both:
            _wait_until_it_waits(process)
    done = [finish(process) for process in both]

    assert [each.code for each in done] == [0, 0], done
    assert len(reviews_of(repo.path)) == 1
    assert session_of(repo.path)["phase"] == "submitted"
    assert not list((repo.path / FOLDER_NAME).glob("draft-*"))


def test_two_different_approvals_at_the_same_moment_publish_one_of_them(program: Program, repo: Repo) -> None:
    assert program.run("review", cwd=repo.path).code == 0

    with StateFolder(repo.path).locked(_never):
        both = [start("approve", numbers, cwd=repo.path) for numbers in ("1", "2,3")]
        for process in both:
            _wait_until_it_waits(process)
    done = [finish(process) for process in both]

    assert sorted(each.code for each in done) == [0, 2]
    [review] = reviews_of(repo.path)
    assert isinstance(review, dict)
    assert [comment["number"] for comment in review["comments"]] in ([1], [2, 3])


def test_two_reviews_at_once_leave_one_session(program: Program, repo: Repo, tmp_path: Path) -> None:
    alone = make_flawed_repository(tmp_path / "alone" / "repository")
    assert program.run("review", cwd=alone.path).code == 0

    with StateFolder(repo.path).locked(_never):
        both = [start("review", cwd=repo.path) for _ in range(2)]
        for process in both:
            _wait_until_it_waits(process)
    done = [finish(process) for process in both]

    assert [each.code for each in done] == [0, 0], done
    assert done[0].stdout.splitlines()[:20] == done[1].stdout.splitlines()[:20]
    assert files_of(repo.path) == files_of(alone.path)


def test_an_approval_during_a_review_waits_and_then_refuses_what_was_not_shown(program: Program, repo: Repo) -> None:
    """The findings of the first round were on the screen when it was given; the second round's were not."""
    assert program.run("review", cwd=repo.path).code == 0
    writes = program.run("review", "--force", cwd=repo.path).writes
    paused = program.pause("review", "--force", cwd=repo.path, at=len(writes) // 2)

    approval = start("approve", cwd=repo.path)
    _wait_until_it_waits(approval)
    assert program.go_on(paused) == 0
    refused = finish(approval)

    assert refused.code == 2
    assert "the findings changed after you wrote this" in refused.stderr
    assert session_of(repo.path)["phase"] == "awaiting-approval"
    assert reviews_of(repo.path) == []


def test_status_needs_no_lock(program: Program, repo: Repo) -> None:
    writes = program.run("review", cwd=repo.path).writes
    paused = program.pause("review", "--force", cwd=repo.path, at=len(writes) // 2)

    status = program_status(repo)

    assert program.go_on(paused) == 0
    assert '"round": 2' in status


def program_status(repo: Repo) -> str:
    done = finish(start("status", "--format", "json", cwd=repo.path))
    assert done.code == 0, done.stderr
    return done.stdout
