"""What GitHub's schema lets be null may be null."""

from __future__ import annotations

import pytest

from tests.fakes.github import graphql_reviews
from tests.fakes.github_run import Runner


@pytest.mark.parametrize("field", ["commit", "submittedAt"])
def test_a_review_is_made_and_published_without(field: str, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(graphql_reviews.REVIEW, field, lambda _review, _call: None)

    reviewed = runner.review()
    ran = runner.command("maintainer", "/approve-findings 1")

    assert reviewed.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")
    assert len(runner.reviews) == 1
