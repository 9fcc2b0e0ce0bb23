"""Where findings hang on GitLab, which takes any place in a draft and loses the wrong ones when it is published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.gitlab.entities import Position
from tests.fakes.gitlab.scenario import make_scenario
from tests.fakes.gitlab_run import Runner, open_runner
from tests.fakes.llm.reviewing import a_finding, agent_answers, cast
from tests.fakes.llm.script import Json
from tests.fakes.llm.seen import KEY
from tests.fakes.llm.server import FakeModel
from tests.git_builder import Repo

BRANCH = "reminders"
LINES = [f"    step_{number}()" for number in range(1, 31)]
BEFORE = "\n".join(["def remind(team):", *LINES, ""])
AFTER = BEFORE.replace("    step_3()\n", "    step_3(team)\n    step_3b(team)\n").replace("    step_20()\n", "")
OLD, NEW = "rooms/reminders.py", "rooms/remind.py"


def make_repository(folder: Path) -> Repo:
    """One file with a line that changes, one that comes and one that goes; one that moves; one that comes whole."""
    repo = Repo.create(folder)
    repo.commit({"rooms/steps.py": BEFORE, OLD: BEFORE.replace("step", "part")}, "Remind teams")
    repo.branch(BRANCH)
    moved = AFTER.replace("step", "part")
    repo.commit({"rooms/steps.py": AFTER, OLD: None, NEW: moved, "rooms/added.py": "def add(team):\n    return 1\n"})
    return repo


@dataclass(frozen=True)
class Place:
    """A place, and the lines that GitLab names for it: of the old file and of the new one."""

    finding: Json
    lines: tuple[int | None, int | None]
    start: tuple[int | None, int | None] | None = None
    paths: tuple[str, str] = ("rooms/steps.py", "rooms/steps.py")


PLACES = {
    "added": Place(a_finding("rooms/steps.py", 5, "    step_3b(team)"), (None, 5)),
    "changed": Place(a_finding("rooms/steps.py", 4, "    step_3(team)"), (None, 4)),
    "removed": Place(a_finding("rooms/steps.py", 21, "    step_20()", side="LEFT"), (21, None)),
    "context before": Place(a_finding("rooms/steps.py", 2, "    step_1()"), (2, 2)),
    "context after an offset": Place(a_finding("rooms/steps.py", 7, "    step_5()"), (6, 7)),
    "context of the old file": Place(a_finding("rooms/steps.py", 22, "    step_21()", side="LEFT"), (22, 22)),
    "range of added lines": Place(
        a_finding("rooms/steps.py", 5, "    step_3b(team)", start_line=4), (None, 5), (None, 4)
    ),
    "range from added to context": Place(
        a_finding("rooms/steps.py", 7, "    step_5()", start_line=5), (6, 7), (None, 5)
    ),
    "renamed, added": Place(a_finding(NEW, 5, "    part_3b(team)"), (None, 5), paths=(OLD, NEW)),
    "renamed, context": Place(a_finding(NEW, 7, "    part_5()"), (6, 7), paths=(OLD, NEW)),
    "renamed, removed": Place(a_finding(OLD, 21, "    part_20()", side="LEFT"), (21, None), paths=(OLD, NEW)),
    "new file": Place(
        a_finding("rooms/added.py", 2, "    return 1"), (None, 2), paths=("rooms/added.py", "rooms/added.py")
    ),
}


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModel]:
    with FakeModel(cast("")) as server:
        yield server
        assert server.violations == []


@pytest.fixture
def finding(model: FakeModel, tmp_path: Path) -> Iterator[Callable[..., Runner]]:
    """A runner whose model finds exactly these things."""
    scenario = make_scenario(tmp_path / "gitlab", make_repository(tmp_path / "source"), branch=BRANCH)
    with open_runner(scenario, tmp_path / "jobs") as runner:

        def find(*findings: Json) -> Runner:
            model.script = cast(agent_answers(*findings))
            runner.variables |= {"DRAFTGATE_LLM_API_KEY": KEY, "DRAFTGATE_LLM_BASE_URL": model.base_url}
            return runner

        yield find


def published(runner: Runner) -> Position:
    """Where the one note of the one review was published."""
    [note] = [note for note in runner.merge_request.notes if note.kind == "DiffNote"]
    assert note.position is not None
    return note.position


def _number(line: object) -> int | None:
    """Inside of a range GitLab keeps numbers as they were sent, and those can be texts."""
    return None if line is None else int(str(line))


@pytest.mark.parametrize("name", PLACES)
def test_a_finding_hangs_where_it_belongs(name: str, finding: Callable[..., Runner]) -> None:
    place = PLACES[name]
    runner = finding(place.finding)
    assert runner.review().ended == (0, "awaiting-approval")

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    position = published(runner)
    assert (position.old_line, position.new_line) == place.lines
    assert (position.old_path, position.new_path) == place.paths
    if place.start is not None:
        assert position.line_range is not None
        start = position.line_range["start"]
        assert (_number(start.get("old_line")), _number(start.get("new_line"))) == place.start
    assert "stands on the file" not in runner.checkpoint.body


def test_a_line_outside_of_the_hunks_hangs_on_the_file(finding: Callable[..., Runner]) -> None:
    runner = finding(a_finding("rooms/steps.py", 13, "    step_11()"))
    runner.review()

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    position = published(runner)
    assert position.position_type == "file"
    assert position.new_path == "rooms/steps.py"


def test_all_of_them_at_once(finding: Callable[..., Runner]) -> None:
    findings = [
        {**place.finding, "subject": f"Something about {name}"} for name, place in PLACES.items() if not place.start
    ]
    runner = finding(*findings)
    runner.configure("code_review:\n  max_findings: 100\n")
    runner.review()

    ran = runner.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    [review] = runner.reviews
    assert len(review.comments) == len(findings)
    assert (runner.draft, runner.unsummed) == (None, [])


def test_a_suggested_change_names_the_lines_above_its_own(finding: Callable[..., Runner]) -> None:
    one = a_finding(
        "rooms/steps.py",
        5,
        "    step_3(team)\n    step_3b(team)",
        start_line=4,
        suggestion="    step_3(team, 1)\n    step_3b(team, 1)",
    )
    runner = finding(one)
    runner.review()
    runner.command("maintainer", "/approve-findings")

    [note] = [note for note in runner.merge_request.notes if note.kind == "DiffNote"]
    assert "```suggestion:-1+0\n    step_3(team, 1)\n" in note.body


# --- Places that GitLab loses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad_draft", ["drop", "fail"])
def test_a_note_that_is_lost_at_its_publication_is_posted_on_the_file(bad_draft: str, reviewed: Runner) -> None:
    reviewed.scenario.world.bad_draft = bad_draft  # type: ignore[assignment]
    reviewed.merge_request.lost_places.add(("rooms/mail.py", 1))

    ran = reviewed.command("maintainer", "/approve-findings")

    assert ran.ended == (0, "submitted")
    [review] = reviewed.reviews
    assert sorted(path for path, _, _ in review.comments) == [
        "rooms/mail.py",
        "rooms/mail.py",
        "rooms/migrations/0002_remove_plan.py",
    ]
    assert [line for path, line, _ in review.comments if path == "rooms/mail.py"] == [None, 5]
    assert (reviewed.own_drafts, reviewed.unsummed) == ([], [])
    assert "finding 2" in reviewed.checkpoint.body
    assert "stands on the file" in reviewed.checkpoint.body


@pytest.mark.parametrize("bad_draft", ["drop", "fail"])
@pytest.mark.parametrize(("trouble", "times"), [("500", 9), ("422", 2)])
def test_a_note_that_gitlab_takes_at_no_place_is_posted_without_one(
    bad_draft: str, trouble: str, times: int, reviewed: Runner
) -> None:
    """Where it fails, the next run tries again before it goes on to a wider place."""
    reviewed.scenario.world.bad_draft = bad_draft  # type: ignore[assignment]
    reviewed.merge_request.lost_places.add(("rooms/mail.py", 1))
    reviewed.simulator.faults.add(trouble, match="POST .*/discussions$", times=times)

    ran = reviewed.command("maintainer", "/approve-findings")
    if trouble == "500":
        assert ran.code == 4
        ran = reviewed.deliver(reviewed.last_comment)

    assert ran.ended == (0, "submitted")
    [review] = reviewed.reviews
    assert sorted(path or "" for path, _, _ in review.comments) == [
        "",
        "rooms/mail.py",
        "rooms/migrations/0002_remove_plan.py",
    ]
    assert (reviewed.own_drafts, reviewed.unsummed) == ([], [])
    assert "did not keep the place of finding 2" in reviewed.checkpoint.body


def test_a_note_that_gitlab_takes_nowhere_is_said_and_holds_up_no_later_run(reviewed: Runner) -> None:
    reviewed.merge_request.lost_places.add(("rooms/mail.py", 1))
    reviewed.simulator.faults.add("422", match="POST .*/discussions$", times=None)
    reviewed.command("maintainer", "/approve-findings")

    ran = reviewed.review()

    assert ran.ended == (0, "submitted")
    assert "finding 2 is approved and not public" in reviewed.checkpoint.body


def test_a_line_that_gitlab_does_not_show_moves_its_finding_to_the_file(runner: Runner) -> None:
    """The answer to a draft says so: its `line_code` is null."""
    runner.merge_request.lost_lines.add(("rooms/mail.py", 1))

    ran = runner.review()

    assert ran.ended == (0, "awaiting-approval")
    assert runner.draft is not None
    assert [line for path, line, _ in runner.draft.comments if path == "rooms/mail.py"] == [None, 5]
    assert "did not take the place of finding 2" in runner.checkpoint.body
    assert runner.command("maintainer", "/approve-findings").ended == (0, "submitted")
