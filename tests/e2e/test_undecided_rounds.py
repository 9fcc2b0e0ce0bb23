"""A round that nobody decided about ends when the next one begins: what people said about it does not end with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.flawed_change import CHANGE, COLUMN, REMINDER, WELCOME, commit_welcome_fixed
from tests.git_builder import Repo
from tests.program import draftgate

REASON = "the table goes next week"
WORDS = "Who is reminded, and how often?"
PLAN, JOIN, REMIND = "rooms_team.plan", "send_welcome", "send_reminder"


def review(repo: Repo, *arguments: str) -> dict[str, Any]:
    return draftgate("review", *arguments, "--format", "json", cwd=repo.path, expect=0).document


def do(repo: Repo, text: str) -> str:
    return draftgate("do", text, cwd=repo.path, expect=0).stdout


def status(repo: Repo) -> dict[str, Any]:
    return draftgate("status", "--format", "json", cwd=repo.path, expect=0).document


def move_the_head(repo: Repo) -> None:
    repo.git("commit", "--quiet", "--allow-empty", "--message", "nothing else")


def move_the_base(repo: Repo) -> None:
    commit = repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", "nothing else").decode().strip()
    repo.git("update-ref", "refs/heads/main", commit)


def force(_repo: Repo) -> None:
    """Nothing changes; the round is asked for."""


def change_the_configuration(repo: Repo) -> None:
    repo.write({"draftgate.yml": "version: 1\ncode_review: {max_findings: 20}\n"})


NEXT = [move_the_head, move_the_base, force, change_the_configuration]


@pytest.mark.parametrize("begin", NEXT, ids=lambda begin: begin.__name__)
def test_a_rejection_with_a_reason_outlives_its_round(reviewed: Repo, begin: Callable[[Repo], None]) -> None:
    do(reviewed, f"/drop-finding {COLUMN} {REASON}")
    begin(reviewed)

    result = review(reviewed, *(["--force"] if begin is force else []))

    assert result["round"] == 2
    assert [PLAN in finding["subject"] for finding in result["findings"]] == [False, False]
    assert [(PLAN in entry["subject"], entry["reason"]) for entry in result["dropped"]] == [(True, "rejected before")]


def test_a_rejection_outlives_two_rounds_and_a_superseded_approval(reviewed: Repo) -> None:
    do(reviewed, f"/drop-finding {COLUMN} {REASON}")
    move_the_head(reviewed)
    draftgate("approve", cwd=reviewed.path, expect=5)
    review(reviewed)

    result = review(reviewed, "--force")

    assert result["round"] == 3
    assert [PLAN in entry["subject"] for entry in result["dropped"]] == [True]


def test_a_finding_that_was_dropped_without_a_reason_is_found_again(reviewed: Repo) -> None:
    do(reviewed, f"/drop-finding {COLUMN}")

    result = review(reviewed, "--force")

    assert [PLAN in finding["subject"] for finding in result["findings"]] == [True, False, False]


@pytest.mark.parametrize("begin", NEXT, ids=lambda begin: begin.__name__)
def test_what_a_person_changed_is_changed_in_the_next_round(reviewed: Repo, begin: Callable[[Repo], None]) -> None:
    do(
        reviewed,
        f"/edit-finding {REMINDER}\n{WORDS}\n\n/relabel-finding {WELCOME} question\n"
        f"/recategorize-finding {COLUMN} api-design",
    )
    begin(reviewed)

    cards = draftgate("review", *(["--force"] if begin is force else []), cwd=reviewed.path, expect=0).stdout

    assert status(reviewed)["round"] == 2
    assert [finding["label"] for finding in status(reviewed)["findings"]][WELCOME - 1] == "question"
    assert "api-design" in cards
    assert WORDS in do(reviewed, "/preview-findings")


def test_changes_move_to_the_new_numbers_and_what_is_gone_takes_its_changes_along(reviewed: Repo) -> None:
    do(
        reviewed,
        f"/edit-finding {REMINDER}\n{WORDS}\n\n/edit-finding {WELCOME}\nThis is fixed soon.\n\n"
        f"/relabel-finding {WELCOME} todo",
    )
    commit_welcome_fixed(reviewed)

    found = review(reviewed)
    preview = do(reviewed, "/preview-findings")
    draftgate("approve", "2", cwd=reviewed.path, expect=0)

    assert [REMIND in finding["subject"] for finding in found["findings"]] == [False, True]
    assert [finding["label"] for finding in status(reviewed)["findings"]] == ["issue (blocking)", "issue"]
    assert WORDS in preview
    assert "This is fixed soon." not in preview
    [published] = (reviewed.path / ".draftgate").glob("review-*.md")
    assert WORDS in published.read_text(encoding="utf-8")
    assert "This is fixed soon." not in published.read_text(encoding="utf-8")


def test_a_change_of_a_finding_whose_code_changed_is_not_put_on_the_new_one(reviewed: Repo) -> None:
    do(reviewed, f"/edit-finding {REMINDER}\n{WORDS}")
    reviewed.write({"rooms/mail.py": CHANGE["rooms/mail.py"].replace("address, days)", "address, days, hours)")})
    reviewed.git("commit", "--quiet", "--all", "--message", "more")

    review(reviewed)

    assert WORDS not in do(reviewed, "/preview-findings")


def test_what_was_carried_can_be_changed_again(reviewed: Repo) -> None:
    do(reviewed, f"/relabel-finding {WELCOME} question\n/edit-finding {REMINDER}\n{WORDS}")
    review(reviewed, "--force")
    do(reviewed, f"/relabel-finding {WELCOME} chore\n/drop-finding {REMINDER} known")

    review(reviewed, "--force")

    assert [finding["label"] for finding in status(reviewed)["findings"]] == ["issue (blocking)", "chore"]


def test_an_edit_with_code_in_it_is_carried_as_it_was_written(reviewed: Repo) -> None:
    """The blank line makes the HTML a paragraph of its own, in which the command is no command."""
    words = "</pre>\n`code`\n/drop-finding 1\n`"
    do(reviewed, f"/edit-finding {WELCOME}\n\n{words}")
    before = status(reviewed)["findings"]

    review(reviewed, "--force")

    assert status(reviewed)["findings"] == before
    assert "/drop-finding 1" in do(reviewed, "/preview-findings")


def test_after_a_submission_nothing_is_carried(reviewed: Repo) -> None:
    do(reviewed, f"/edit-finding {REMINDER}\n{WORDS}\n\n/relabel-finding {REMINDER} todo")
    draftgate("approve", str(REMINDER), cwd=reviewed.path, expect=0)

    found = review(reviewed, "--force")

    assert [finding["previously_raised"] for finding in found["findings"]] == [True]
    assert [finding["label"] for finding in status(reviewed)["findings"]] == ["issue"]


def test_a_finalized_session_carries_nothing(reviewed: Repo) -> None:
    do(reviewed, f"/edit-finding {REMINDER}\n{WORDS}")
    draftgate("finalize", cwd=reviewed.path, expect=0)

    review(reviewed)

    assert WORDS not in do(reviewed, "/preview-findings")
