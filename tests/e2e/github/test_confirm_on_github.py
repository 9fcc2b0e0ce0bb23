"""The script that a user runs against the real service does run, and its assumptions are those of the simulator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.fakes.github.scenario import APP, APP_PERMISSIONS, Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve
from tests.program import program_environment

SCRIPT = Path(__file__).parents[3] / "scripts" / "confirm-on-github"
SECOND_TOKEN = "ghs_of_another_job"  # noqa: S105 - made up


def _run(
    scenario: Scenario, simulator: Simulator, login: str, *options: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    permissions = APP_PERMISSIONS if login == APP else None
    scenario.world.add_token(SECOND_TOKEN, scenario.person(login), permissions)
    environment = program_environment(
        DRAFTGATE_CONFIRM_TOKEN=scenario.tokens[login], DRAFTGATE_CONFIRM_SECOND_TOKEN=SECOND_TOKEN
    )
    places = ("--api-url", simulator.url, "--graphql-url", simulator.graphql_url)
    done = subprocess.run(
        [sys.executable, SCRIPT, "acme/rooms", *places, *options],
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert scenario.tokens[login] not in done.stdout + done.stderr
    assert SECOND_TOKEN not in done.stdout + done.stderr
    return done


def test_every_question_is_answered_and_what_was_made_is_taken_away(tmp_path: Path) -> None:
    scenario = make_scenario(tmp_path)
    with serve(scenario.world) as simulator:
        done = _run(scenario, simulator, APP, "--yes", "--fast")

    assert (done.returncode, done.stderr) == (0, "")
    assert "28 questions, 0 not as assumed" in done.stdout
    assert "not tried" not in done.stdout
    [_, made] = scenario.world.pulls(scenario.repository)
    assert (made.state, [review for review in made.reviews if review.pending]) == ("closed", [])
    assert b"draftgate-confirm" not in scenario.repository.git.git("for-each-ref", "refs/heads")
    assert simulator.violations == []


def test_what_is_otherwise_is_told_and_what_a_person_may_not_try(tmp_path: Path) -> None:
    scenario = make_scenario(tmp_path)
    with serve(scenario.world) as simulator:
        simulator.faults.add("forbidden", match="POST .*/reactions", times=None)
        done = _run(scenario, simulator, "maintainer", "--yes", "--fast")

    assert done.returncode == 1
    assert "28 questions, 1 not as assumed" in done.stdout
    assert "not tried: a person's token may not" in done.stdout


def test_nothing_is_sent_before_the_user_agrees(tmp_path: Path) -> None:
    scenario = make_scenario(tmp_path)
    with serve(scenario.world) as simulator:
        done = _run(scenario, simulator, APP, stdin="n\n")

    assert done.returncode == 2
    assert list(simulator.log) == []
