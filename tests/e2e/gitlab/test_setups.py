"""The GitLabs that there are: old ones and new ones, with and without a licence, under a path, behind an authority."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.gitlab.certificates import make_certificates
from tests.fakes.gitlab.people import Edition
from tests.fakes.gitlab.scenario import make_scenario
from tests.fakes.gitlab_run import Runner, open_runner

COLUMN, REMINDER = "rooms/migrations/0002_remove_plan.py:8", "rooms/mail.py:5"


def approve_some(runner: Runner) -> None:
    """A review and an approval of a part of it."""
    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.command("maintainer", "/approve-findings 1,3").ended == (0, "submitted")
    assert [(review.state, review.lines) for review in runner.reviews] == [("request-changes", [COLUMN, REMINDER])]
    assert (runner.own_drafts, runner.unsummed) == ([], [])


@pytest.mark.parametrize("tier", list(Edition), ids=str)
@pytest.mark.parametrize("version", ["16.4.0", "17.0.0", "18.4.0", "18.11.0", "19.2.0"])
def test_every_version_and_edition(version: str, tier: Edition, opens: Callable[..., Runner]) -> None:
    runner = opens(version=version, tier=tier)

    approve_some(runner)

    takes_the_state = version != "16.4.0"
    assert (runner.reviewer_state == "requested_changes") is takes_the_state
    assert ("did not take the state" in runner.checkpoint.body) is not takes_the_state


@pytest.mark.parametrize("tier", list(Edition), ids=str)
def test_every_edition_lets_the_bot_approve(tier: Edition, opens: Callable[..., Runner]) -> None:
    runner = opens(tier=tier)
    runner.review()

    ran = runner.command("maintainer", "/approve-findings none --as approve")

    assert ran.ended == (0, "submitted")
    assert runner.has_approved
    assert not any("/None/" in entry.path for entry in runner.simulator.log)


def test_an_approval_that_comes_to_a_moved_head_is_told(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("409", match="POST .*/approve$")

    ran = reviewed.command("maintainer", "/approve-findings none --as approve")

    assert ran.ended == (0, "submitted")
    assert not reviewed.has_approved
    assert "its head moved after the review was published" in reviewed.checkpoint.body


def test_an_approval_that_is_not_allowed_after_all_is_told(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("401", match="POST .*/approve$")

    ran = reviewed.command("maintainer", "/approve-findings none --as approve")

    assert ran.ended == (0, "submitted")
    assert not reviewed.has_approved
    assert "does not let" in reviewed.checkpoint.body


def test_a_gitlab_under_a_path(opens: Callable[..., Runner]) -> None:
    runner = opens(relative_root="/gitlab")

    approve_some(runner)

    assert "/gitlab/acme/tools/rooms/-/" in runner.checkpoint.body


def test_a_private_project(opens: Callable[..., Runner]) -> None:
    approve_some(opens(visibility="private"))


def test_an_authority_of_ones_own(tmp_path: Path) -> None:
    certificates = make_certificates(tmp_path / "certificates")
    with open_runner(make_scenario(tmp_path / "gitlab"), tmp_path / "jobs", certificates=certificates) as runner:
        approve_some(runner)


def test_an_authority_that_nobody_named_is_not_trusted(tmp_path: Path) -> None:
    certificates = make_certificates(tmp_path / "certificates")
    with open_runner(make_scenario(tmp_path / "gitlab"), tmp_path / "jobs", certificates=certificates) as runner:
        runner.variables["SSL_CERT_FILE"] = ""

        ran = runner.by_process.review()

        assert ran.code == 4
        assert "SSL_CERT_FILE" in ran.log


def test_a_project_that_was_renamed_is_found_by_its_number(reviewed: Runner) -> None:
    """The links of the checkpoint are those of another project by then, so that it is made anew."""
    path = reviewed.scenario.project.full_path
    reviewed.scenario.world.rename(reviewed.scenario.project, "halls")

    refused = reviewed.command("maintainer", "/approve-findings 1")
    offered = reviewed.reply
    again = reviewed.command("maintainer", "/draftgate review --force")
    ran = reviewed.command("maintainer", "/approve-findings 1")

    assert refused.code == 5
    assert "/draftgate review --force" in offered
    assert again.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")
    assert path not in reviewed.reviews[0].body + reviewed.checkpoint.body


def test_pages_that_are_shorter_than_asked_end_nothing(reviewed: Runner) -> None:
    """GitLab hides notes after it made the page."""
    for number in range(120):
        reviewed.say("developer", f"Remark {number}")
    reviewed.scenario.world.short_pages = True

    ran = reviewed.command("maintainer", "/approve-findings 1,3")

    assert ran.ended == (0, "submitted")
    assert len(reviewed.checkpoints) == 1
    assert [review.lines for review in reviewed.reviews] == [[COLUMN, REMINDER]]


# --- Limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["429", "429-notes", "429-bare"])
@pytest.mark.parametrize("match", ["GET .*/merge_requests/1", "POST .*/notes$", "POST .*/draft_notes$"])
def test_a_limit_is_waited_for(shape: str, match: str, runner: Runner) -> None:
    runner.simulator.faults.clock = runner.scenario.world.now.timestamp
    runner.simulator.faults.add(shape, match=match)

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert len(runner.own_drafts) == 3
    assert runner.slept > 0


def test_a_limit_that_ends_in_an_hour_ends_the_run_and_loses_nothing(reviewed: Runner) -> None:
    reviewed.simulator.faults.add("429-in-an-hour", match="PUT .*/publish$", skip=1)

    stopped = reviewed.command("maintainer", "/approve-findings 1,3")
    again = reviewed.deliver(reviewed.last_comment)

    assert stopped.code == 4
    assert "wait until" in stopped.log
    assert again.ended == (0, "submitted")
    assert [review.lines for review in reviewed.reviews] == [[COLUMN, REMINDER]]
    assert reviewed.unsummed == []


def test_many_notes_of_one_minute_are_within_gitlabs_limit(reviewed: Runner) -> None:
    """60 notes a minute on GitLab.com; drafts do not count."""
    reviewed.scenario.world.limits.notes = 60

    assert reviewed.command("maintainer", "/approve-findings").ended == (0, "submitted")


# --- Requests --------------------------------------------------------------------------------------------------------


def test_what_a_review_and_an_approval_cost(runner: Runner) -> None:
    ran = runner.review()
    approved = runner.command("maintainer", "/approve-findings 1,3")

    assert len(ran.writes) == 6  # opened, three drafts, shown, status
    assert len(ran.requests) - len(ran.writes) <= 16
    assert len(approved.writes) <= 13
    assert len(approved.requests) - len(approved.writes) <= 32
