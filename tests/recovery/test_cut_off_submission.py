"""A submission that was cut off, and then something else is done than giving the same command again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from draftgate.forge.local.folder import FOLDER_NAME
from tests.flawed_change import commit_welcome_fixed, make_flawed_repository
from tests.git_builder import Repo
from tests.recovery.crashing import How, Program, Stop
from tests.recovery.state import files_of, reviews_of, session_of

KILLED = -9


@dataclass(frozen=True, slots=True)
class Shown:
    """A repository whose findings were shown, and the writes that approving two of them takes."""

    repo: Repo
    writes: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.repo.path


@pytest.fixture
def shown(program: Program, tmp_path: Path) -> Shown:
    tried = make_flawed_repository(tmp_path / "tried")
    repo = make_flawed_repository(tmp_path / "repository")
    for repository in (tried, repo):
        assert program.run("review", cwd=repository.path).code == 0
    approved = program.run("approve", "1,3", cwd=tried.path)
    return Shown(repo, approved.writes)


def _cut_off(program: Program, shown: Shown, before: str) -> None:
    """Approve 1 and 3 and be killed before the first write whose name begins so."""
    at = next(at for at, write in enumerate(shown.writes) if write.startswith(before))
    assert program.run("approve", "1,3", cwd=shown.path, stop=Stop(at, How.KILLED_BEFORE)).code == KILLED


def test_another_set_is_refused_and_the_frozen_one_is_named(program: Program, shown: Shown) -> None:
    _cut_off(program, shown, "rename review-")

    other = program.run("approve", "2", cwd=shown.path)
    everything = program.run("approve", "1,3", "--as", "approve", cwd=shown.path)

    assert (other.code, everything.code) == (5, 5)
    assert "1,3 as request-changes" in other.stderr
    assert "draftgate approve 1,3 --as request-changes" in everything.stderr
    assert reviews_of(shown.path) == []


def test_the_bare_command_goes_on_with_the_frozen_set(program: Program, shown: Shown) -> None:
    _cut_off(program, shown, "rename review-")

    assert program.run("approve", cwd=shown.path).code == 0

    [review] = reviews_of(shown.path)
    assert isinstance(review, dict)
    assert [comment["number"] for comment in review["comments"]] == [1, 3]


@pytest.mark.parametrize("command", ["/drop-finding 2", "/discard-findings", "/edit-finding 2\ntext"])
def test_nothing_else_is_done_before_it_is_finished(program: Program, shown: Shown, command: str) -> None:
    _cut_off(program, shown, "rename review-")

    refused = program.run("do", command, cwd=shown.path)

    assert refused.code == 2
    assert "approve-findings" in refused.stderr
    assert session_of(shown.path)["phase"] == "submitting"


def test_a_review_finishes_it_first(program: Program, shown: Shown) -> None:
    _cut_off(program, shown, "unlink draft-")

    reviewed = program.run("review", cwd=shown.path)

    assert reviewed.code == 0
    assert session_of(shown.path)["phase"] == "submitted"
    assert len(reviews_of(shown.path)) == 1


def test_a_head_that_moved_meanwhile_ends_it_published_once_or_not_at_all(program: Program, shown: Shown) -> None:
    """Wherever it was cut off: what was published is recorded, and what was not is taken away."""
    commit_welcome_fixed(shown.repo)
    moved = shown.repo.head
    wrong: dict[str, object] = {}

    for at, write in enumerate(shown.writes):
        if not write.startswith(("rename", "unlink")):
            continue
        shown.repo.git("reset", "--quiet", "--hard", "HEAD~1")
        program.run("finalize", cwd=shown.path)
        for file in (shown.path / FOLDER_NAME).iterdir():
            file.unlink()
        assert program.run("review", cwd=shown.path).code == 0
        assert program.run("approve", "1,3", cwd=shown.path, stop=Stop(at, How.KILLED_BEFORE)).code == KILLED
        published = len(reviews_of(shown.path))
        shown.repo.git("reset", "--quiet", "--hard", moved)
        again = program.run("approve", "1,3", cwd=shown.path)
        phase = session_of(shown.path)["phase"]
        names = {name.partition("-")[0] for name in files_of(shown.path)} - {".gitignore", "scope"}
        expected = (
            (0, "submitted", {"session", "checkpoint", "review"})
            if published
            else (5, "superseded", {"session", "checkpoint"})
        )
        if (again.code, phase, names) != expected or len(reviews_of(shown.path)) != published:
            wrong[f"{at}: {write}"] = (again.code, phase, names, again.stderr)

    assert wrong == {}
