"""Round after round: what was decided is remembered, and nothing is done twice for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.flawed_change import CHANGE, COLUMN, REMINDER, WELCOME, commit_welcome_fixed
from tests.git_builder import Repo
from tests.program import draftgate

PLAN, JOIN, REMIND = "rooms_team.plan", "send_welcome", "send_reminder"


def review(repo: Repo, *arguments: str) -> dict[str, Any]:
    return draftgate("review", *arguments, "--format", "json", cwd=repo.path, expect=0).document


def subjects(result: dict[str, Any]) -> str:
    return " | ".join(finding["subject"] for finding in result["findings"])


def test_a_rejection_is_remembered_a_fix_noticed_and_what_stands_is_said_to_stand(reviewed: Repo) -> None:
    draftgate("do", f"/drop-finding {COLUMN} the table goes next week", cwd=reviewed.path, expect=0)
    draftgate("approve", cwd=reviewed.path, expect=0)
    commit_welcome_fixed(reviewed)

    result = review(reviewed)

    assert result["round"] == 2
    [remaining] = result["findings"]
    assert REMIND in remaining["subject"]
    assert (remaining["number"], remaining["previously_raised"]) == (1, True)
    assert [entry["reason"] for entry in result["dropped"]] == ["rejected before"]
    assert [JOIN in entry["subject"] for entry in result["previous"]["addressed"]] == [True]
    assert [REMIND in entry["subject"] for entry in result["previous"]["unresolved"]] == [True]


def test_what_nobody_decided_is_found_again_on_a_new_head(reviewed: Repo) -> None:
    commit_welcome_fixed(reviewed)

    result = review(reviewed)

    assert result["round"] == 2
    assert PLAN in subjects(result)
    assert REMIND in subjects(result)
    assert JOIN not in subjects(result)
    assert [finding["previously_raised"] for finding in result["findings"]] == [False, False]


def test_what_was_left_out_stays_away(reviewed: Repo) -> None:
    draftgate("approve", str(WELCOME), cwd=reviewed.path, expect=0)
    commit_welcome_fixed(reviewed)

    result = review(reviewed)

    assert result["findings"] == []
    assert [entry["reason"] for entry in result["dropped"]] == ["left-out before"] * 2


def test_a_finding_that_was_rejected_comes_back_when_its_code_changes(reviewed: Repo) -> None:
    draftgate("do", f"/drop-finding {REMINDER} known", cwd=reviewed.path, expect=0)
    draftgate("approve", cwd=reviewed.path, expect=0)
    reviewed.write({"rooms/mail.py": CHANGE["rooms/mail.py"].replace("address, days)", "address, days, hours)")})
    reviewed.git("commit", "--quiet", "--all", "-m", "more")

    result = review(reviewed)

    assert REMIND in subjects(result)


def test_the_same_request_is_answered_from_what_is_there(reviewed: Repo) -> None:
    before = _state(reviewed.path)

    cards = draftgate("review", cwd=reviewed.path, expect=0)

    assert "1 of 3" in cards.stdout
    assert _state(reviewed.path) == before


def test_a_submitted_head_is_not_reviewed_again_unless_forced(reviewed: Repo) -> None:
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    said = draftgate("review", cwd=reviewed.path, expect=0)
    forced = review(reviewed, "--force")

    assert "`--force` starts a new round" in said.stderr
    assert forced["round"] == 2
    assert forced["findings"][0]["previously_raised"] is True


def test_another_configuration_or_target_makes_a_new_round(reviewed: Repo) -> None:
    reviewed.write({"draftgate.yml": "version: 1\nchecks:\n  db.column-removed: {enabled: false}\n"})

    configured = review(reviewed)

    assert (configured["round"], len(configured["findings"])) == (2, 2)


def test_a_draft_that_is_gone_is_made_again_by_a_review(reviewed: Repo) -> None:
    [draft] = (reviewed.path / ".draftgate").glob("draft-*")
    draft.unlink()

    review(reviewed)

    assert draft.exists()
    draftgate("approve", cwd=reviewed.path, expect=0)


def _state(repository: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (repository / ".draftgate").iterdir()}
