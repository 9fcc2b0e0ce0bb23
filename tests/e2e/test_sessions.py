"""``draftgate status`` and ``draftgate finalize``, with no session, one and several."""

from __future__ import annotations

import pytest

from tests.flawed_change import BRANCH, REMINDER
from tests.git_builder import Repo
from tests.program import draftgate


@pytest.fixture
def two_branches(reviewed: Repo) -> Repo:
    """Two reviews wait, and ``main`` is checked out."""
    reviewed.branch("second")
    draftgate("review", cwd=reviewed.path, expect=0)
    reviewed.git("switch", "--quiet", "main")
    return reviewed


def test_status_says_where_the_review_stands(reviewed: Repo) -> None:
    draftgate("do", f"/drop-finding {REMINDER} known", cwd=reviewed.path, expect=0)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    document = draftgate("status", "--format", "json", cwd=reviewed.path, expect=0).document
    cards = draftgate("status", cwd=reviewed.path, expect=0).stdout

    assert set(document) == set("schema change phase round base_sha head_sha findings submitted failure".split())
    assert (document["schema"], document["change"]) == ("draftgate/status/v1", BRANCH)
    assert (document["phase"], document["round"], document["failure"]) == ("submitted", 1, None)
    assert (document["base_sha"], document["head_sha"]) == (reviewed.sha("main"), reviewed.head)
    assert [(each["number"], each["state"], each["reason"]) for each in document["findings"]] == [
        (1, "submitted", ""),
        (2, "left-out", ""),
        (3, "dropped", "known"),
    ]
    assert document["submitted"]["verdict"] == "request-changes"
    assert document["submitted"]["numbers"] == [1]
    assert (reviewed.path / document["submitted"]["reference"]).exists()
    assert "Phase: submitted" in cards


def test_status_without_a_review_says_how_to_start_one(flawed: Repo) -> None:
    document = draftgate("status", "--format", "json", cwd=flawed.path, expect=0).document
    cards = draftgate("status", cwd=flawed.path, expect=0)

    assert (document["phase"], document["findings"], document["submitted"]) == (None, [], None)
    assert "draftgate review" in cards.stdout
    assert not (flawed.path / ".draftgate").exists()


def test_status_has_two_formats(reviewed: Repo) -> None:
    done = draftgate("status", "--format", "sarif", cwd=reviewed.path, expect=2)

    assert "cards or json" in done.stderr


def test_the_only_open_review_is_meant_from_another_branch(reviewed: Repo) -> None:
    reviewed.git("switch", "--quiet", "main")

    done = draftgate("status", "--format", "json", cwd=reviewed.path, expect=0)

    assert done.document["change"] == BRANCH


def test_of_several_open_reviews_one_has_to_be_named(two_branches: Repo) -> None:
    unclear = draftgate("approve", cwd=two_branches.path, expect=2)
    draftgate("approve", "1", "--head", "second", cwd=two_branches.path, expect=0)

    assert BRANCH in unclear.stderr
    assert "--head" in unclear.stderr
    assert len(list((two_branches.path / ".draftgate").glob("review-second-*.json"))) == 1


def test_finalize_ends_the_session_and_keeps_what_was_published(reviewed: Repo) -> None:
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    done = draftgate("finalize", cwd=reviewed.path, expect=0)
    again = draftgate("finalize", cwd=reviewed.path, expect=0)
    refused = draftgate("approve", cwd=reviewed.path, expect=2)

    assert "What was published stays: .draftgate/review-" in done.stdout
    assert again.stdout == "No active review sessions.\n"
    assert "draftgate review" in refused.stderr
    assert len(list((reviewed.path / ".draftgate").glob("review-*.json"))) == 1


def test_finalize_takes_the_draft_away(reviewed: Repo) -> None:
    draftgate("finalize", cwd=reviewed.path, expect=0)

    assert list((reviewed.path / ".draftgate").glob("draft-*")) == []


def test_finalize_without_sessions_is_no_error(flawed: Repo) -> None:
    done = draftgate("finalize", cwd=flawed.path, expect=0)

    assert done.stdout == "No active review sessions.\n"


def test_finalize_ends_one_session_only(two_branches: Repo) -> None:
    listed = draftgate("finalize", cwd=two_branches.path, expect=0)
    draftgate("finalize", "--head", "second", cwd=two_branches.path, expect=0)
    remaining = draftgate("status", "--format", "json", cwd=two_branches.path, expect=0).document

    assert "nothing was removed" in listed.stdout
    assert f"  {BRANCH} · round 1 · awaiting-approval" in listed.stdout
    assert (remaining["change"], remaining["phase"]) == (BRANCH, "awaiting-approval")


def test_finalize_takes_no_number_here(reviewed: Repo) -> None:
    done = draftgate("finalize", "17", cwd=reviewed.path, expect=2)

    assert "--head BRANCH" in done.stderr


def test_a_finalized_change_can_be_reviewed_again_without_memory(reviewed: Repo) -> None:
    draftgate("do", "/drop-finding 1 known", cwd=reviewed.path, expect=0)
    draftgate("approve", cwd=reviewed.path, expect=0)
    draftgate("finalize", cwd=reviewed.path, expect=0)

    result = draftgate("review", "--format", "json", cwd=reviewed.path, expect=0).document

    assert len(result["findings"]) == 3
    assert [finding["previously_raised"] for finding in result["findings"]] == [False] * 3
