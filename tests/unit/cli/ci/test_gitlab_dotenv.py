"""GitLab reads back what was written, and never refuses a report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.cli.ci.dotenv import DOTENV_LIMIT, VARIABLES_LIMIT, dotenv, variable_of
from tests.unit.cli.ci.gitlab_runner import read_dotenv


@pytest.mark.parametrize(
    ("output", "variable"), [("phase", "DRAFTGATE_PHASE"), ("recommended-verdict", "DRAFTGATE_RECOMMENDED_VERDICT")]
)
def test_an_output_has_a_variable_of_its_name(output: str, variable: str) -> None:
    assert variable_of(output) == variable


@pytest.mark.parametrize(
    "value", ["submitted", "0.001", "https://forge.example/g/p/-/merge_requests/7#note_1?x=%20&y=[1]", "a=b"]
)
def test_a_value_is_read_as_it_was_written(value: str) -> None:
    assert read_dotenv(dotenv({"phase": value}).encode()) == {"DRAFTGATE_PHASE": value}


@pytest.mark.parametrize(
    "value",
    ["", "a\nX=1", "a\rX=1", "a b", "$CI_JOB_TOKEN", "${X}", "`id`", '"x"', "\u2028X=1", "é", "\x00", "x" * 1025],
    ids=ascii,
)
def test_a_value_that_could_become_something_else_is_left_out(value: str) -> None:
    assert dotenv({"phase": value, "findings": "2"}) == "DRAFTGATE_FINDINGS=2\n"


def test_a_report_never_exceeds_the_smallest_limits() -> None:
    report = dotenv({f"output-{number}": "x" * 1_000 for number in range(30)})
    short = dotenv({f"output-{number}": "x" for number in range(30)})

    assert len(report) <= DOTENV_LIMIT.value
    assert len(read_dotenv(report.encode())) == 5
    assert len(read_dotenv(short.encode())) == VARIABLES_LIMIT.value


@given(values=st.dictionaries(st.sampled_from(["phase", "findings", "review-url"]), st.text()))
def test_no_value_makes_another_variable(values: dict[str, str]) -> None:
    assert set(read_dotenv(dotenv(values).encode())) <= {variable_of(name) for name in values}
