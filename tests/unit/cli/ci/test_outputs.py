"""The runner reads back exactly what was put out, whatever it holds."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from draftgate.cli.ci.outputs import ResultFiles, outputs_of, write_outputs
from draftgate.cli.ci.shown import shown_of
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import AcceptedCommand, Session, Submission
from tests.builders import HEAD, blocker, finding, session
from tests.unit.cli.ci.runner import read_outputs

ACTION = Path(__file__).parents[4] / "action.yml"


def outputs(of: Session | None, phase: str = "awaiting-approval") -> dict[str, str]:
    return outputs_of(RunOutcome(0, phase, "done", of), shown_of(of), ResultFiles("a.sarif", "a.json"))


@pytest.mark.parametrize(
    "value",
    ["", "plain", "a=b", "a<<EOF\nEOF", "EOF\nsecret=1", "\n\n", "phase<<x\nsubmitted\nx\n", "::set-output::x", "%0A"],
    ids=repr,
)
def test_a_value_is_read_as_it_was_written(value: str, tmp_path: Path) -> None:
    numbers = count()
    values = {"first": value, "second": "2"}

    write_outputs(tmp_path / "output", values, lambda: f"end-{next(numbers)}")

    assert read_outputs(tmp_path / "output") == values


def test_a_delimiter_that_stands_in_the_value_is_not_used(tmp_path: Path) -> None:
    guesses = iter(["guessed", "guessed-too", "fresh", "guessed"])
    values = {"first": "guessed\ninjected<<guessed-too\nx\nguessed-too", "second": "2"}

    write_outputs(tmp_path / "output", values, lambda: next(guesses))

    assert read_outputs(tmp_path / "output") == values


def test_outputs_are_added_to_those_of_before(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("before=1\n", encoding="utf-8")

    write_outputs(tmp_path / "output", {"first": "1"}, lambda: "end")

    assert (tmp_path / "output").read_text(encoding="utf-8") == "before=1\nfirst<<end\n1\nend\n"


@given(value=st.text(st.characters(exclude_categories=["Cs"])), delimiters=st.lists(st.text("ab", max_size=3)))
def test_no_value_makes_another_output(
    value: str, delimiters: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("outputs") / "output"
    guesses = iter([*(f"d{each}" for each in delimiters), *(f"-{number}-" for number in range(1000))])

    write_outputs(file, {"first": value, "second": "2"}, lambda: next(guesses))

    assert set(read_outputs(file)) == {"first", "second"}


def test_waiting_findings_are_counted() -> None:
    waiting = session((blocker(), finding(), finding()))

    assert outputs(waiting) == {
        "phase": "awaiting-approval",
        "findings": "3",
        "blockers": "1",
        "recommended-verdict": Verdict.REQUEST_CHANGES.value,
        "checkpoint-url": "",
        "review-url": "",
        "head-sha": HEAD,
        "sarif-file": "a.sarif",
        "report-file": "a.json",
        "cost-usd": "0",
        "tokens": "0",
        "gate-status": "",
        "gate-head": "",
        "gate-evidence": "",
    }


def test_a_dropped_finding_does_not_wait() -> None:
    dropped = AcceptedCommand("41", "maintainer", "/drop-finding 1", "2026-01-02T10:00:02Z")

    values = outputs(session((blocker(), finding()), commands=(dropped,)))

    assert (values["findings"], values["blockers"]) == ("1", "0")
    assert values["recommended-verdict"] == Verdict.COMMENT.value


def test_only_what_was_submitted_counts_afterwards() -> None:
    submission = Submission("a.json", Verdict.COMMENT, (2,), "d" * 64, "2026-01-02T10:04:02Z")

    values = outputs(session((blocker(), finding()), phase=Phase.SUBMITTED, submission=submission), "submitted")

    assert (values["phase"], values["findings"], values["blockers"]) == ("submitted", "1", "0")


def test_what_was_discarded_does_not_wait() -> None:
    assert outputs(session((blocker(),), phase=Phase.ABORTED), "aborted")["findings"] == "0"


@pytest.mark.parametrize("of", [None, session(result=None, phase=Phase.GATHERING)], ids=["none", "no result yet"])
def test_a_run_that_shows_nothing_has_no_figures(of: Session | None) -> None:
    values = outputs(of, RunPhase.SKIPPED)

    assert (values["phase"], values["findings"], values["head-sha"]) == ("skipped", "", "")


def test_the_action_declares_every_output_and_no_other() -> None:
    declared = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["outputs"]

    assert list(declared) == list(outputs(None))
