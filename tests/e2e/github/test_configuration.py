"""Where the configuration of a change comes from, and what is said where it cannot be used."""

from __future__ import annotations

import pytest

from tests.fakes.github_run import Runner
from tests.trusted_files import BROKEN_TREES, OPEN


def _plain(markdown: str) -> str:
    return markdown.replace("\\", "").replace("`", "")


@pytest.mark.parametrize("name", BROKEN_TREES)
def test_files_that_cannot_be_used_are_shown_above_the_checkpoint_and_the_draft_stays(
    name: str, reviewed: Runner
) -> None:
    files, problem = BROKEN_TREES[name]
    before = reviewed.draft
    others = {path: content for path, content in files.items() if path != "draftgate.yml"}
    reviewed.configure(files.get("draftgate.yml"), **others)

    ran = reviewed.review("synchronize")

    assert ran.code == 2
    assert problem in ran.log
    assert problem in _plain(reviewed.checkpoint.body)
    assert before is not None
    assert reviewed.draft == before


def test_a_file_that_was_named_and_is_not_there_is_shown(reviewed: Runner) -> None:
    reviewed.variables["INPUT_CONFIG"] = "ci/review.yml"

    ran = reviewed.review("synchronize")

    assert ran.code == 2
    assert "ci/review.yml: there is no such file on the branch main" in _plain(reviewed.checkpoint.body)


def test_a_change_of_a_file_that_was_named_is_noted(runner: Runner) -> None:
    runner.variables["INPUT_CONFIG"] = "ci/review.yml"
    runner.configure(None, **{"ci/review.yml": "version: 1\n"})
    runner.push({"ci/review.yml": OPEN, "draftgate.yml": OPEN})

    assert runner.review().ended == (0, "awaiting-approval")

    assert "this change edits ci/review.yml, which decides how changes are reviewed" in runner.checkpoint.body
    assert "edits draftgate.yml" not in runner.checkpoint.body


def test_a_change_of_the_file_is_noted_and_counts_for_nothing(runner: Runner) -> None:
    runner.push({"draftgate.yml": OPEN})

    assert runner.review().ended == (0, "awaiting-approval")

    assert "this change edits draftgate.yml, which decides how changes are reviewed" in runner.checkpoint.body
    assert runner.command("author", "/approve-findings").ended == (0, "awaiting-approval")
    assert runner.command("outsider", "/approve-findings").ended == (0, "awaiting-approval")
    assert runner.reviews == []


# --- A target that is not the default branch -------------------------------------------------------------------------


@pytest.fixture
def released(runner: Runner) -> Runner:
    """The change goes to a branch whose file opens the approval to everybody, and the default branch's does not."""
    runner.configure("draft: held\n")
    runner.configure(OPEN + "checks: {db.column-removed: {enabled: false}}\n", branch="release")
    runner.pull.base_ref = "release"
    return runner


def test_the_targets_file_says_how_and_the_default_branchs_who(released: Runner) -> None:
    assert released.review().ended == (0, "awaiting-approval")

    assert released.title == "2 findings wait for your approval"
    for login in ("author", "outsider"):
        assert released.command(login, "/approve-findings").ended == (0, "awaiting-approval")
    assert released.reviews == []
    assert released.command("maintainer", "/approve-findings").ended == (0, "submitted")


def test_the_problems_of_both_branches_are_told_apart(released: Runner) -> None:
    released.configure("approval: {who: everybody}\n")
    released.configure("skip: {drafts: 1}\n", branch="release")

    ran = released.review()

    assert ran.code == 2
    assert "main:draftgate.yml:1:17  approval.who: expected" in ran.log
    assert ran.log.count("draftgate.yml:1:16  skip.drafts: expected") == 1
    assert "main:draftgate.yml:1:16" not in ran.log
