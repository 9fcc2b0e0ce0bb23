"""A command holds for the findings that could be seen when it was given, whatever the clock says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from draftgate.forge.local.folder import StateFolder
from tests.flawed_change import BRANCH
from tests.forging import forge, one
from tests.git_builder import Repo
from tests.program import draftgate, finish, start

WAITS = "waiting for another draftgate run in this repository"
CHANGED = "the findings changed after you wrote this"


@pytest.mark.parametrize("at", ["2999-01-01T00:00:00.000000+00:00", "1999-01-01T00:00:00.000000+00:00", ""])
def test_times_of_another_clock_stop_nobody(reviewed: Repo, at: str) -> None:
    """The state may have been written on a machine whose clock was wrong, or the clock was put back since."""
    times = dict.fromkeys(("started_at", "updated_at", "shown_at"), at)
    forge(one(reviewed, "session"), lambda content: content.update(times))

    draftgate("do", "/drop-finding 3 known", cwd=reviewed.path, expect=0)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    assert len(list((reviewed.path / ".draftgate").glob("review-*.json"))) == 1


def never() -> None:
    raise AssertionError("nobody else holds the lock")


def wait_until_it_waits(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    assert WAITS in process.stderr.readline()


def put_state(source: Path, repo: Repo) -> None:
    shutil.rmtree(repo.path / ".draftgate", ignore_errors=True)
    shutil.copytree(source / ".draftgate", repo.path / ".draftgate")


@pytest.fixture
def next_round(reviewed: Repo, tmp_path: Path) -> Path:
    """A folder with the state after another round of the same change."""
    shutil.copytree(reviewed.path, tmp_path / "next", symlinks=True)
    draftgate("review", "--force", cwd=tmp_path / "next", expect=0)
    return tmp_path / "next"


@pytest.mark.parametrize(
    "command", [("approve",), ("approve", "none"), ("do", "/drop-finding 1 no"), ("do", "/discard-findings")]
)
def test_a_round_that_was_replaced_while_the_command_waited_is_refused(
    reviewed: Repo, next_round: Path, command: tuple[str, ...]
) -> None:
    with StateFolder(reviewed.path).locked(never):
        process = start(*command, cwd=reviewed.path)
        wait_until_it_waits(process)
        put_state(next_round, reviewed)
    done = finish(process)

    assert done.code == 2, done
    assert CHANGED in done.stderr
    assert one(reviewed, "session").read_bytes() == one(Repo(next_round), "session").read_bytes()
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []


def test_a_round_that_came_while_the_command_waited_is_refused(flawed: Repo, reviewed_template: Repo) -> None:
    """Nothing could be seen when it was given."""
    with StateFolder(flawed.path).locked(never):
        process = start("approve", cwd=flawed.path)
        wait_until_it_waits(process)
        put_state(reviewed_template.path, flawed)
    done = finish(process)

    assert done.code == 2, done
    assert CHANGED in done.stderr
    assert list((flawed.path / ".draftgate").glob("review-*")) == []


def test_a_change_to_the_same_round_while_the_command_waited_is_no_other_round(reviewed: Repo, tmp_path: Path) -> None:
    """Two people at one round: what the first one dropped is not published by the second."""
    shutil.copytree(reviewed.path, tmp_path / "dropped", symlinks=True)
    draftgate("do", "/drop-finding 3 known", cwd=tmp_path / "dropped", expect=0)

    with StateFolder(reviewed.path).locked(never):
        process = start("approve", cwd=reviewed.path)
        wait_until_it_waits(process)
        put_state(tmp_path / "dropped", reviewed)
    done = finish(process)

    assert done.code == 0, done
    status = draftgate("status", "--head", BRANCH, "--format", "json", cwd=reviewed.path, expect=0).document
    assert status["submitted"]["numbers"] == [1, 2]


def test_a_comment_never_approves_the_findings_that_it_made(reviewed: Repo) -> None:
    done = draftgate("do", "/draftgate review --force\n/approve-findings", cwd=reviewed.path, expect=2)

    assert CHANGED in done.stderr
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []
