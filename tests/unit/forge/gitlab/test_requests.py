"""How many requests a job sends to GitLab: a bounded number, whatever the number of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.gitlab.people import Edition
from tests.fakes.gitlab.scenario import make_scenario
from tests.fakes.gitlab_run import Ran, Runner, open_runner
from tests.flawed_change import BASE, BRANCH, CHANGE
from tests.git_builder import Repo


def modules(parameters: str, *, files: int, callers: int) -> dict[str, str]:
    """Functions whose callers stay as they are: so many that are called, and so many in all."""
    functions = {f"mail/m{n}.py": f"def notify_{n}({parameters}):\n    return team\n" for n in range(files)}
    calls = {
        f"jobs/j{n}.py": f"from mail import m{n}\n\n\ndef run(team):\n    m{n}.notify_{n}(team)\n"
        for n in range(callers)
    }
    return {**functions, **calls}


@contextmanager
def runner_of(tmp_path: Path, *, files: int, callers: int = 2, version: str = "18.4.0") -> Iterator[Runner]:
    source = Repo.create(tmp_path / "source")
    source.commit({**BASE, **modules("team", files=files, callers=callers)}, "Book rooms in teams")
    source.branch(BRANCH)
    source.commit({**CHANGE, **modules("team, role", files=files, callers=callers)}, "Change them all")
    scenario = make_scenario(tmp_path / "gitlab", source, version=version, tier=Edition.FREE)
    with open_runner(scenario, tmp_path / "jobs") as runner:
        yield runner


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with runner_of(tmp_path, files=2) as opened:
        yield opened


def reads(ran: Ran) -> int:
    return len(ran.requests) - len(ran.writes)


def draft_writes(ran: Ran) -> int:
    """Made, changed, published and removed, one by one."""
    return sum("/draft_notes" in entry.path and not entry.path.endswith("bulk_publish") for entry in ran.writes)


def sent(ran: Ran) -> list[str]:
    return [entry.line for entry in ran.requests]


def test_a_review_takes_six_reads_and_ten_requests_beside_a_write_for_each_draft_note(tmp_path: Path) -> None:
    """Of a hundred files and twenty-five findings."""
    with runner_of(tmp_path, files=97, callers=22) as runner:
        ran = runner.review()

        assert ran.ended == (0, "awaiting-approval")
        assert int(ran.outputs["findings"]) == 25
        assert draft_writes(ran) == len(runner.own_drafts) == 25
        assert reads(ran) <= 6, sent(ran)
        assert len(ran.requests) - 25 <= 10, sent(ran)


def test_the_number_of_requests_is_the_same_for_three_files_and_for_a_hundred(tmp_path: Path) -> None:
    asked = []
    for files in (1, 97):
        with runner_of(tmp_path / f"{files}", files=files, callers=1) as runner:
            ran = runner.review()
            assert ran.ended == (0, "awaiting-approval")
            asked.append((reads(ran), len(ran.writes), int(ran.outputs["findings"])))

    assert asked[0] == asked[1]


def test_a_change_of_files_without_hunks_costs_no_more(tmp_path: Path) -> None:
    """A file that only moved has no diff, and asking for the whole diff again for each finding would be a read each."""
    source = Repo.create(tmp_path / "source")
    rows = "".join(f"row {n}\n" for n in range(30))
    source.commit({**BASE, "old.txt": rows, "logo.png": b"\0one"}, "Book rooms in teams")
    source.branch(BRANCH)
    source.commit({**CHANGE, "old.txt": None, "new.txt": rows, "logo.png": b"\0two"}, "Change them all")

    with open_runner(make_scenario(tmp_path / "gitlab", source), tmp_path / "jobs") as runner:
        ran = runner.review()

        assert ran.ended == (0, "awaiting-approval")
        assert reads(ran) <= 6, sent(ran)


@pytest.mark.parametrize("version", ["17.0.0", "18.4.0", "19.2.0"])
def test_the_same_head_again_writes_nothing(tmp_path: Path, version: str) -> None:
    with runner_of(tmp_path, files=2, version=version) as runner:
        first = runner.review()
        again = runner.review()

    assert first.ended == (0, "awaiting-approval")
    assert again.writes == []
    assert len(again.requests) <= 6, sent(again)


def test_a_merge_request_without_findings_writes_nothing_the_second_time(tmp_path: Path) -> None:
    source = Repo.create(tmp_path / "source")
    source.commit({"a.py": "x = 1\n"})
    source.branch(BRANCH)
    source.commit({"a.py": "x = 2\n"})

    with open_runner(make_scenario(tmp_path / "gitlab", source), tmp_path / "jobs") as runner:
        first = runner.review()
        again = runner.review()

    assert len(first.requests) <= 10, sent(first)
    assert again.writes == []


def test_a_comment_that_is_not_for_us_costs_nothing(runner: Runner) -> None:
    runner.review()

    ran = runner.command("maintainer", "Looks fine.")

    assert (ran.code, sent(ran)) == (0, [])


ALL, TWO = "/approve-findings all --as comment", "/approve-findings 1,3 --as comment"
APPROVE, REQUEST = "/approve-findings all --as approve", "/approve-findings all --as request-changes"
SUBMISSIONS = {"all": ALL, "two of five": TWO, "approve": APPROVE, "request changes": REQUEST}


@pytest.fixture(params=["18.4.0", "19.2.0"])
def reviewed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runner]:
    """Five findings wait."""
    with runner_of(tmp_path, files=2, version=request.param) as opened:
        assert int(opened.review().outputs["findings"]) == 5
        yield opened


@pytest.mark.parametrize("command", SUBMISSIONS.values(), ids=SUBMISSIONS)
def test_a_submission_takes_eight_writes_beside_those_of_draft_notes(reviewed: Runner, command: str) -> None:
    ran = reviewed.command("maintainer", command)

    assert ran.ended == (0, "submitted")
    assert reviewed.own_drafts == []
    assert draft_writes(ran) == (7 if command == TWO else 5), sent(ran)
    assert len(ran.writes) - draft_writes(ran) <= 8, sent(ran)


@pytest.mark.parametrize("command", SUBMISSIONS.values(), ids=SUBMISSIONS)
def test_a_submission_takes_six_reads(reviewed: Runner, command: str) -> None:
    ran = reviewed.command("maintainer", command)

    assert ran.ended == (0, "submitted")
    assert reads(ran) <= 6, sent(ran)


def test_the_reads_of_a_submission_do_not_grow_with_its_findings(tmp_path: Path) -> None:
    asked = []
    for callers in (2, 22):
        with runner_of(tmp_path / f"{callers}", files=22, callers=callers) as runner:
            runner.review()
            asked.append(reads(runner.command("maintainer", ALL)))

    assert asked[0] == asked[1]
