"""Approving: exactly what was approved is published, once, with the verdict that follows or was given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.flawed_change import COLUMN, REMINDER, WELCOME, commit_welcome_fixed
from tests.git_builder import Repo
from tests.program import ACCOUNT, draftgate


def reviews(repo: Repo) -> list[dict[str, Any]]:
    """What is published, read from the state folder."""
    files = sorted((repo.path / ".draftgate").glob("review-*.json"))
    return [json.loads(file.read_text(encoding="utf-8"))["content"] for file in files]


def numbers(review: dict[str, Any]) -> list[int]:
    return [comment["number"] for comment in review["comments"]]


def status(repo: Repo) -> dict[str, Any]:
    return draftgate("status", "--format", "json", cwd=repo.path, expect=0).document


SETS = {
    "bare": ((), [COLUMN, WELCOME, REMINDER], "request-changes"),
    "all": (("all",), [COLUMN, WELCOME, REMINDER], "request-changes"),
    "subset": (("2,3",), [WELCOME, REMINDER], "comment"),
    "range": (("1-2",), [COLUMN, WELCOME], "request-changes"),
    "all-except": (("all", "except", "1"), [WELCOME, REMINDER], "comment"),
    "as-people-type": (("#1 and #\uff13",), [COLUMN, REMINDER], "request-changes"),
    "none": (("none",), [], "comment"),
    "as-comment": (("--as", "comment"), [COLUMN, WELCOME, REMINDER], "comment"),
    "as-approve": (("2", "--as", "approve"), [WELCOME], "approve"),
    "skip-below": (("--skip-below", "blocker"), [COLUMN], "request-changes"),
}


@pytest.mark.parametrize("case", SETS)
def test_exactly_the_approved_findings_are_published(reviewed: Repo, case: str) -> None:
    arguments, published, verdict = SETS[case]

    done = draftgate("approve", *arguments, cwd=reviewed.path, expect=0)

    [review] = reviews(reviewed)
    assert (numbers(review), review["verdict"], review["head"]) == (published, verdict, reviewed.head)
    assert review["author"] == ACCOUNT
    assert review["reference"] in done.stdout
    assert f"Submitted as {verdict}" in done.stdout
    assert list((reviewed.path / ".draftgate").glob("draft-*")) == []


def test_the_published_page_holds_what_was_shown_and_nothing_that_was_left_out(reviewed: Repo) -> None:
    shown = draftgate("review", "--format", "json", cwd=reviewed.path, expect=0).document

    draftgate("approve", str(WELCOME), cwd=reviewed.path, expect=0)

    [review] = reviews(reviewed)
    page = (reviewed.path / review["reference"]).read_text(encoding="utf-8")
    column, welcome, reminder = shown["findings"]
    assert welcome["subject"] in review["comments"][0]["text"]
    assert review["comments"][0]["anchor"] == welcome["anchor"]
    assert review["comments"][0]["text"] in page
    assert column["subject"] not in page
    assert reminder["subject"] not in page


INVALID = {
    "no-such-finding": (("9",), "the findings here are 1-3"),
    "half-a-range": (("1-",), "numbers and ranges"),
    "backwards": (("3-1",), "`1-3`"),
    "words": (("the", "first"), "numbers and ranges"),
    "zero": (("0",), "numbers begin at 1"),
    "boxes": (("checked",), "no boxes to tick"),
    "verdict": (("--as", "approved"), "request-changes, comment, approve"),
    "severity": (("--skip-below", "high"), "blocker, important"),
    "nothing-left": (("2", "--skip-below", "blocker"), "write `none`"),
    "reply": (("1 --replies A",), "no replies here"),
    "thread": (("1 --resolve 1",), "leave `--resolve` out"),
}


@pytest.mark.parametrize("case", INVALID)
def test_what_is_not_understood_publishes_nothing(reviewed: Repo, case: str) -> None:
    arguments, hint = INVALID[case]

    done = draftgate("approve", *arguments, cwd=reviewed.path, expect=2)

    assert hint in done.stderr
    assert reviews(reviewed) == []
    assert len(list((reviewed.path / ".draftgate").glob("draft-*"))) == 1


@pytest.mark.parametrize(
    "arguments", [("1,3",), ("--skip-below", "blocker"), ("2", "--as", "approve")], ids=["set", "skip-below", "verdict"]
)
def test_approving_the_same_twice_is_approving_once(reviewed: Repo, arguments: tuple[str, ...]) -> None:
    draftgate("approve", *arguments, cwd=reviewed.path, expect=0)
    first = reviews(reviewed)

    again = draftgate("approve", *arguments, cwd=reviewed.path, expect=0)

    assert reviews(reviewed) == first
    assert first[0]["reference"] in again.stdout


def test_another_set_after_the_submission_is_refused(reviewed: Repo) -> None:
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    other = draftgate("approve", "2,3", cwd=reviewed.path, expect=2)

    assert "was submitted with 1 as request-changes" in other.stderr
    assert [numbers(review) for review in reviews(reviewed)] == [[1]]


def test_a_dropped_and_an_edited_finding_are_published_as_amended(reviewed: Repo) -> None:
    draftgate("do", "/drop-finding 1 known\n/edit-finding 2\nWho is *welcomed*?", cwd=reviewed.path, expect=0)

    draftgate("approve", cwd=reviewed.path, expect=0)

    [review] = reviews(reviewed)
    assert numbers(review) == [WELCOME, REMINDER]
    assert review["verdict"] == "comment"
    assert "Who is *welcomed*?" in review["comments"][0]["text"]
    assert "signature" not in review["comments"][0]["text"]


def test_a_moved_head_is_refused_and_the_round_superseded(reviewed: Repo) -> None:
    commit_welcome_fixed(reviewed)

    refused = draftgate("approve", cwd=reviewed.path, expect=5)
    again = draftgate("approve", cwd=reviewed.path)

    assert "draftgate review" in refused.stderr
    assert status(reviewed)["phase"] == "superseded"
    assert again.code == 2
    assert reviews(reviewed) == []
    assert list((reviewed.path / ".draftgate").glob("draft-*")) == []


def test_a_branch_that_is_gone_is_refused(reviewed: Repo) -> None:
    reviewed.git("switch", "--quiet", "main")
    reviewed.git("branch", "--quiet", "-D", "invitations")

    refused = draftgate("approve", cwd=reviewed.path, expect=5)

    assert "is gone" in refused.stderr
    assert reviews(reviewed) == []


def test_there_is_nothing_to_approve_before_a_review(flawed: Repo) -> None:
    refused = draftgate("approve", cwd=flawed.path, expect=2)

    assert "draftgate review" in refused.stderr


def test_a_review_in_which_nothing_is_held_is_submitted_from_what_was_shown(flawed: Repo) -> None:
    """`draft: just-in-time`: there is no draft between review and approval."""
    flawed.write({"draftgate.yml": "version: 1\ndraft: just-in-time\n"})
    draftgate("review", cwd=flawed.path, expect=0)
    held = list((flawed.path / ".draftgate").glob("draft-*"))

    draftgate("approve", "2", cwd=flawed.path, expect=0)

    assert held == []
    assert [numbers(review) for review in reviews(flawed)] == [[WELCOME]]


def test_a_verdict_that_has_to_be_chosen_is_asked_for(flawed: Repo) -> None:
    flawed.write({"draftgate.yml": "version: 1\napproval:\n  verdict: ask\n"})
    draftgate("review", cwd=flawed.path, expect=0)

    asked = draftgate("approve", "1", cwd=flawed.path, expect=2)
    chosen = draftgate("approve", "1", "--as", "comment", cwd=flawed.path, expect=0)

    assert "`--as request-changes`, `--as comment`, `--as approve`" in asked.stderr
    assert "Submitted as comment" in chosen.stdout


def test_the_state_stays_out_of_commits(reviewed: Repo, tmp_path: Path) -> None:
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    assert reviewed.git("status", "--porcelain") == b""
    assert reviewed.git("check-ignore", ".draftgate/lock") == b".draftgate/lock\n"
