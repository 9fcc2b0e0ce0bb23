"""Of which review a command speaks: the branch's own, or the only one that is open, and then it says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.flawed_change import BRANCH
from tests.git_builder import Repo
from tests.program import draftgate


def published(repo: Repo) -> list[str]:
    return sorted(page.name for page in (repo.path / ".draftgate").glob("review-*.json"))


def phase(repo: Repo, branch: str) -> str:
    done = draftgate("status", "--head", branch, "--format", "json", cwd=repo.path, expect=0)
    return str(done.document["phase"])


def session_file(repo: Repo, branch: str) -> Path:
    [file] = (repo.path / ".draftgate").glob(f"session-{branch}-*.json")
    return file


@pytest.mark.parametrize("selection", ["", " ", "\t", "\u00a0"], ids=["empty", "blank", "tab", "no-break-space"])
def test_an_empty_set_is_not_taken_for_everything(reviewed: Repo, selection: str) -> None:
    """In a script it is a variable that was not set."""
    done = draftgate("approve", selection, cwd=reviewed.path, expect=2)

    assert "the set is empty" in done.stderr
    assert "`none`" in done.stderr
    assert published(reviewed) == []
    assert phase(reviewed, BRANCH) == "awaiting-approval"


@pytest.mark.parametrize("arguments", [("", "--as", "approve"), ("", ""), ("--skip-below", "blocker", "")])
def test_an_empty_set_beside_options_is_refused_too(reviewed: Repo, arguments: tuple[str, ...]) -> None:
    draftgate("approve", *arguments, cwd=reviewed.path, expect=2)

    assert published(reviewed) == []


def test_from_a_branch_without_review_the_only_open_one_is_meant_and_named(reviewed: Repo) -> None:
    reviewed.branch("second", "main")

    status = draftgate("status", cwd=reviewed.path, expect=0)
    approved = draftgate("approve", "1", cwd=reviewed.path, expect=0)

    sentence = f"second has no open review; this is about the review of {BRANCH}"
    assert sentence in status.stderr
    assert sentence in approved.stderr
    assert [name.startswith(f"review-{BRANCH}-") for name in published(reviewed)] == [True]


def test_what_is_said_about_it_leaves_the_json_alone(reviewed: Repo) -> None:
    reviewed.branch("second", "main")

    done = draftgate("status", "--format", "json", cwd=reviewed.path, expect=0)

    assert (done.document["change"], done.stderr) == (BRANCH, "")


@pytest.mark.parametrize(
    "again", [("approve", "1"), ("approve",), ("do", "/drop-finding 1 no"), ("do", "/discard-findings")]
)
def test_a_branch_whose_review_was_submitted_never_speaks_of_another(reviewed: Repo, again: tuple[str, ...]) -> None:
    reviewed.branch("second")
    draftgate("review", cwd=reviewed.path, expect=0)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)
    before = published(reviewed)
    other = session_file(reviewed, BRANCH).read_bytes()

    draftgate(*again, cwd=reviewed.path)

    assert published(reviewed) == before
    assert session_file(reviewed, BRANCH).read_bytes() == other


def test_the_set_that_was_submitted_is_answered_again_and_no_other_is_published(reviewed: Repo) -> None:
    reviewed.branch("second")
    draftgate("review", cwd=reviewed.path, expect=0)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    again = draftgate("approve", "1", cwd=reviewed.path, expect=0)
    more = draftgate("approve", "2", cwd=reviewed.path, expect=2)

    assert "submitted before" in again.stdout
    assert "→" in more.stderr
    assert len(published(reviewed)) == 1
    assert phase(reviewed, BRANCH) == "awaiting-approval"


@pytest.mark.parametrize("command", ["status", "approve", "do"])
def test_several_open_reviews_are_named_and_none_is_meant(reviewed: Repo, command: str) -> None:
    reviewed.branch("second")
    draftgate("review", cwd=reviewed.path, expect=0)
    reviewed.switch("main")

    done = draftgate(command, *(["/drop-finding 1 no"] if command == "do" else []), cwd=reviewed.path, expect=2)

    assert BRANCH in done.stderr
    assert "second" in done.stderr
    assert "--head" in done.stderr
    assert published(reviewed) == []


BROKEN = {
    "cut-off": b"{",
    "another-release": json.dumps({"schema": "draftgate/session/v9", "digest": "0" * 64, "content": {}}).encode(),
    "not-text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("damage", BROKEN)
def test_another_branchs_broken_session_stops_nobody_here(reviewed: Repo, damage: str) -> None:
    reviewed.branch("second")
    draftgate("review", cwd=reviewed.path, expect=0)
    session_file(reviewed, BRANCH).write_bytes(BROKEN[damage])

    draftgate("status", cwd=reviewed.path, expect=0)
    draftgate("do", "/drop-finding 3 known", cwd=reviewed.path, expect=0)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)
    draftgate("review", "--force", cwd=reviewed.path, expect=0)
    draftgate("finalize", cwd=reviewed.path, expect=0)

    assert session_file(reviewed, BRANCH).read_bytes() == BROKEN[damage]


def test_another_branchs_broken_session_can_be_removed_by_its_name(reviewed: Repo) -> None:
    reviewed.branch("second")
    draftgate("review", cwd=reviewed.path, expect=0)
    session_file(reviewed, BRANCH).write_bytes(b"{")

    done = draftgate("finalize", "--head", BRANCH, cwd=reviewed.path, expect=0)

    assert "could not be read" in done.stdout
    assert list((reviewed.path / ".draftgate").glob("session-*")) == [session_file(reviewed, "second")]
    assert phase(reviewed, "second") == "awaiting-approval"


def test_a_broken_session_is_removed_although_its_branch_is_gone(reviewed: Repo) -> None:
    reviewed.switch("main")
    session_file(reviewed, BRANCH).write_bytes(b"{")
    reviewed.git("branch", "--delete", "--force", BRANCH)

    draftgate("finalize", "--head", BRANCH, cwd=reviewed.path, expect=0)

    assert list((reviewed.path / ".draftgate").glob("session-*")) == []


@pytest.mark.parametrize("command", ["status", "approve", "finalize"])
def test_from_a_branch_without_review_a_broken_session_is_no_dead_end(reviewed: Repo, command: str) -> None:
    """It may be the one that is meant; what removes it has to name it: plain ``finalize`` means another branch."""
    reviewed.switch("main")
    session_file(reviewed, BRANCH).write_bytes(b"{")

    done = draftgate(command, cwd=reviewed.path)

    assert done.code in {0, 5}, done
    assert session_file(reviewed, BRANCH).name in done.stdout + done.stderr
    assert "--head" in done.stdout + done.stderr
