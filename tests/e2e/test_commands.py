"""Comment commands at the terminal: ``draftgate do``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.git_builder import Repo
from tests.program import draftgate


def findings(repo: Repo) -> dict[int, dict[str, Any]]:
    """Each finding of the session and what became of it."""
    document = draftgate("status", "--format", "json", cwd=repo.path, expect=0).document
    return {finding["number"]: finding for finding in document["findings"]}


def states(repo: Repo) -> list[str]:
    return [finding["state"] for finding in findings(repo).values()]


def test_several_commands_run_in_their_order(reviewed: Repo) -> None:
    comment = """\
Thanks, two of these are fine.

/drop-finding 1 the column is gone from the API too
/relabel-finding 2 issue (blocking)
/edit-finding 3
Who is reminded, and of what?

- the team
- the guests
/recategorize-finding 3 logic
"""

    draftgate("do", comment, cwd=reviewed.path, expect=0)
    previewed = draftgate("do", "/preview-findings", cwd=reviewed.path, expect=0)
    result = draftgate("review", "--format", "json", cwd=reviewed.path, expect=0).document

    first, second = result["findings"]
    assert findings(reviewed)[1]["reason"] == "the column is gone from the API too"
    assert (first["number"], first["severity"]) == (2, "blocker")
    assert (second["body"], second["category"]) == (
        "Who is reminded, and of what?\n\n- the team\n- the guests",
        "logic",
    )
    assert result["dropped"] == [
        {"reason": "rejected", "subject": "`rooms_team.plan` is removed but still read in 1 place"}
    ]
    assert "- the guests" in previewed.stdout
    assert "Nothing has been posted." in previewed.stdout


NOT_COMMANDS = {
    "quoted": "> /drop-finding 1",
    "fenced": "```\n/drop-finding 1\n```",
    "indented": "    /drop-finding 1",
    "hidden": "<!--\n/drop-finding 1\n-->",
    "in-a-sentence": "please /drop-finding 1",
    "empty": "",
}


@pytest.mark.parametrize("case", NOT_COMMANDS)
def test_what_is_no_command_does_nothing(reviewed: Repo, case: str) -> None:
    done = draftgate("do", NOT_COMMANDS[case], cwd=reviewed.path, expect=2)

    assert "there is no command in this text" in done.stderr
    assert states(reviewed) == ["open"] * 3


@pytest.mark.parametrize(
    ("comment", "hint"),
    [
        ("/drop-finding 1\n/edit-finding", "line 2"),
        ("/drop-finding 1\n/drop-findng 2", "drop-finding"),
        ("/drop-finding 1\n/approve-findings 1-", "numbers and ranges"),
        ("/approve-findings 1\n/drop-finding 2", "line 2"),
        ("/drop-finding 1\n/approve-findings --dry-run", "--dry-run"),
    ],
    ids=["half-a-command", "misspelt", "half-a-range", "a-change-after-the-submission", "unknown-flag"],
)
def test_when_one_line_is_not_understood_none_runs(reviewed: Repo, comment: str, hint: str) -> None:
    done = draftgate("do", comment, cwd=reviewed.path, expect=2)

    assert hint in done.stderr
    assert states(reviewed) == ["open"] * 3


def test_a_change_and_the_approval_stand_in_one_comment(reviewed: Repo) -> None:
    done = draftgate("do", "/drop-finding 1: known\n/approve-findings all", cwd=reviewed.path, expect=0)

    assert "Submitted as comment" in done.stdout
    assert states(reviewed) == ["dropped", "submitted", "submitted"]


def test_a_comment_is_read_from_stdin(reviewed: Repo) -> None:
    draftgate("do", "-", cwd=reviewed.path, stdin="/drop-finding 1–2\r\n", expect=0)

    assert states(reviewed) == ["dropped", "dropped", "open"]


def test_the_same_finding_is_not_dropped_twice(reviewed: Repo) -> None:
    draftgate("do", "/drop-finding 1", cwd=reviewed.path, expect=0)

    again = draftgate("do", "/drop-finding 1", cwd=reviewed.path, expect=0)
    other = draftgate("do", "/drop-finding 1 for a reason", cwd=reviewed.path, expect=2)

    assert "2 findings (1 dropped)" in again.stdout
    assert "the findings here are 2-3" in other.stderr


def test_a_round_that_is_discarded_posts_nothing_and_a_new_one_can_begin(reviewed: Repo) -> None:
    draftgate("do", "/drop-finding 1 on purpose", cwd=reviewed.path, expect=0)
    draftgate("do", "/discard-findings", cwd=reviewed.path, expect=0)
    refused = draftgate("approve", cwd=reviewed.path, expect=2)
    again = draftgate("do", "/draftgate review --force", cwd=reviewed.path, expect=0)

    assert "aborted" in refused.stderr
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []
    assert "2 findings" in again.stdout
    assert "rooms_team.plan" not in again.stdout


def test_help_lists_the_commands_and_says_which_apply_now(reviewed: Repo) -> None:
    done = draftgate("do", "/draftgate help", cwd=reviewed.path, expect=0)

    assert "/approve-findings" in done.stdout
    assert "/drop-finding" in done.stdout


@pytest.mark.parametrize("command", ["/draftgate respond", "/draftgate fix", "/draftgate pause"])
def test_a_command_of_a_later_release_is_answered(reviewed: Repo, command: str) -> None:
    done = draftgate("do", command, cwd=reviewed.path, expect=2)

    assert "not available in this release" in done.stderr
