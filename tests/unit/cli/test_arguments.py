"""The program's own options anywhere on the command line."""

from __future__ import annotations

import pytest

from draftgate.cli.arguments import hoist


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["review", "--quiet"], ["--quiet", "review"]),
        (["review", "--log-format", "json", "-q"], ["--log-format", "json", "-q", "review"]),
        (["review", "--log-format=json"], ["--log-format=json", "review"]),
        (["do", "--", "--quiet"], ["do", "--", "--quiet"]),
        (["--verbose", "status"], ["--verbose", "status"]),
        (["review", "--log-format"], ["--log-format", "review"]),
        ([], []),
    ],
)
def test_options_of_the_program_are_read_wherever_they_stand(given: list[str], read: list[str]) -> None:
    assert hoist(given) == read
