"""Checkpoints of nothing, one finding, a handful and five hundred: shown, approved, and read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.github.scenario import make_scenario
from tests.fakes.github.world import LONGEST_BODY
from tests.fakes.github_run import open_runner
from tests.flawed_change import BRANCH
from tests.git_builder import Repo

IN_A_FILE = 10


def make_repository(folder: Path, findings: int) -> Repo:
    """A change with so many findings: functions get a parameter that their callers, elsewhere, do not give."""
    source = Repo.create(folder)
    source.commit({"README.md": "Rooms\n", **_functions(findings, "team"), **_calls(findings)}, "Notify teams")
    source.branch(BRANCH)
    source.commit({"README.md": "Rooms, notified\n", **_functions(findings, "team, role")}, "Notify roles")
    return source


def _functions(count: int, parameters: str) -> dict[str, str]:
    return {
        f"mail/m{first}.py": "\n\n".join(f"def notify_{n}({parameters}):\n    return team\n" for n in numbers)
        for first, numbers in _files(count)
    }


def _calls(count: int) -> dict[str, str]:
    return {
        f"jobs/j{first}.py": f"from mail import m{first}\n\n\n"
        + "\n\n".join(f"def run_{n}(team):\n    m{first}.notify_{n}(team)\n" for n in numbers)
        for first, numbers in _files(count)
    }


def _files(count: int) -> Iterator[tuple[int, range]]:
    return ((first, range(first, min(first + IN_A_FILE, count))) for first in range(0, count, IN_A_FILE))


@pytest.mark.parametrize("findings", [0, 1, 6])
def test_as_many_as_there_are_are_shown_and_published(findings: int, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source", findings)

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        shown = runner.review()
        cards = runner.checkpoint.body.count("\n- [ ] **")
        approved = runner.command("maintainer", "/approve-findings" if findings else "/approve-findings none")

        assert shown.ended == (0, "awaiting-approval" if findings else "nothing-found")
        assert cards == findings
        assert runner.continuations == []
        assert approved.ended == (0, "submitted")
        assert [len(review.lines) for review in runner.reviews] == [findings]


def test_nothing_is_published_of_a_round_without_findings_unless_it_is_said(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source", 0)

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        runner.review()
        ran = runner.command("maintainer", "/approve-findings")

        assert ran.ended == (0, "nothing-found")
        assert runner.reaction == "eyes confused"
        assert "none" in runner.reply
        assert runner.reviews == []


def test_five_hundred_findings_spill_over_and_are_published(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source", 500)

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        shown = runner.review()
        bodies = [runner.checkpoint.body, *(comment.body for comment in runner.continuations)]
        cards = sum(body.count("\n- [ ] **") for body in bodies)
        again = runner.review("synchronize")
        held = runner.draft
        approved = runner.command("maintainer", "/approve-findings")

        assert shown.ended == (0, "awaiting-approval")
        assert shown.outputs["findings"] == "500"
        assert len(bodies) > 2
        assert cards == 500
        assert max(map(len, bodies)) <= LONGEST_BODY
        assert held is not None
        assert len(held.lines) == 500
        assert again.ended == (0, "awaiting-approval")
        assert again.writes == []
        assert approved.ended == (0, "submitted")
        assert [len(review.lines) for review in runner.reviews] == [500]
        assert runner.draft is None
        assert len(runner.continuations) < len(bodies) - 1  # the state alone needs fewer


def test_a_continuation_that_was_changed_is_a_refusal(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source", 120)

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        runner.review()
        part = runner.continuations[0]
        part.body = part.body.replace("breaks 1 place", "breaks nothing", 1)
        ran = runner.command("maintainer", "/approve-findings")

        assert ran.code == 5
        assert f"the continuation {part.id}" in runner.reply
        assert runner.reviews == []


def test_a_round_with_fewer_findings_leaves_no_continuation_behind(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source", 120)

    with open_runner(make_scenario(tmp_path / "github", source), tmp_path / "jobs") as runner:
        runner.review()
        before = len(runner.continuations)
        runner.push({f"jobs/j{number}.py": None for number in range(0, 110, IN_A_FILE)})
        ran = runner.review("synchronize")

        assert before >= 1
        assert ran.outputs["findings"] == "10"
        assert runner.continuations == []
