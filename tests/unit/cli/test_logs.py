"""Log lines hold no key, whatever form it stands in."""

from __future__ import annotations

import json
import logging

import pytest

from draftgate.cli.logs import JsonLines, TextLines
from draftgate.config.key_shapes import hider

SECRET = "correct-horse-battery"  # noqa: S105 - of nobody
KEY = "sk-ant-" + "a" * 30
HIDE = hider({"APP_SECRET": SECRET})


def record(**fields: object) -> logging.LogRecord:
    made = logging.LogRecord("draftgate.git.run", logging.DEBUG, "run.py", 1, "git", None, None)
    vars(made).update(fields)
    return made


@pytest.mark.parametrize(
    "argument",
    [SECRET, r"(?:correct\-horse\-battery)", KEY, KEY.replace("-", r"\-")],
    ids=["a-secret", "a-secret-as-an-expression", "a-key", "a-key-as-an-expression"],
)
def test_a_key_in_the_arguments_of_a_command_is_hidden(argument: str) -> None:
    made = record(arguments=("grep", "-e", argument))

    lines = (TextLines(HIDE).format(made), JsonLines(HIDE).format(made))

    for line in lines:
        assert "horse" not in line
        assert "a" * 30 not in line


def test_what_is_no_key_is_logged_as_it_is() -> None:
    expression = r"(?<![A-Za-z0-9_])(?:send\-welcome)(?![A-Za-z0-9_])"

    line = JsonLines(HIDE).format(record(arguments=("grep", expression)))

    assert json.loads(line)["arguments"] == ["grep", expression]
