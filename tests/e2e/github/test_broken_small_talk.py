"""Comments that hold no command stand between a round and its approval, and change nothing."""

from __future__ import annotations

import pytest

from tests.fakes.github_run import Runner


@pytest.mark.parametrize("text", ["Thanks, I look at it.", "/drop-finding", "> /approve-findings 1"])
def test_talk_between_a_round_and_its_approval_changes_nothing(text: str, reviewed: Runner) -> None:
    reviewed.say("maintainer", text)

    ran = reviewed.command("maintainer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")
    assert len(reviewed.reviews) == 1
