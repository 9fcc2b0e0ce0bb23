"""The tutorial is true: in an empty folder beside a clone of Draftgate, command by command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.docs.walkthrough import Diverged, follow, matches, steps
from tests.git_builder import git_environment
from tests.markdown_pages import ROOT

TUTORIAL = ROOT / "docs" / "tutorial.md"


@pytest.fixture
def beside_a_clone(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder with the files of the repository in ``draftgate``, and an environment with nothing else of ours.

    What `make setup` would fetch stands in a link to the environment that this test runs in. It must be up to date, or
    the tutorial's `make setup` would mend it from the clone.
    """
    python = _python_of_this_environment()
    environment = {**git_environment(), "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "PYTHON": python}
    due = subprocess.run(["make", "--question", ".venv/dev"], cwd=ROOT, env=environment, check=False)
    assert due.returncode == 0, "this environment is not up to date: make setup"
    clone = tmp_path / "draftgate"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    for path in filter(None, listed.stdout.split("\0")):
        if (ROOT / path).is_file():
            (clone / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, clone / path)
    (clone / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    return tmp_path, environment


def _python_of_this_environment() -> str:
    """The interpreter whose name the Makefile wrote on the environment."""
    made_by = [path.name.removeprefix("made-by-") for path in (ROOT / ".venv").glob("made-by-*")]
    if Path(sys.prefix) != ROOT / ".venv" or len(made_by) != 1:
        pytest.skip("only in the environment that `make setup` makes")
    asked = os.environ.get("PYTHON", made_by[0])
    return asked if Path(asked).name == made_by[0] else made_by[0]


def test_every_command_of_the_tutorial_does_what_it_says(beside_a_clone: tuple[Path, dict[str, str]]) -> None:
    folder, environment = beside_a_clone

    taken = follow(TUTORIAL, folder, environment)

    assert taken >= 20
    assert (folder / "rooms" / "nightly.py").read_text(encoding="utf-8").count("None") == 1


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("```console\n$ echo two\nthree\n```\n", "--- the page:\nthree\n--- exit 0:\ntwo"),
        ("```console\n$ false\n```\n", "--- exit 1:"),
        ("```console\n$ echo more\n```\n", "--- exit 0:\nmore"),
        ("Do this:\n\n```python\nx = 1\n```\n", "names no file"),
        ("```console\nnothing typed\n```\n", "without a command"),
    ],
)
def test_a_page_that_is_not_true_is_found_out(tmp_path: Path, page: str, why: str) -> None:
    untrue = tmp_path / "page.md"
    untrue.write_text(page, encoding="utf-8")

    with pytest.raises(Diverged, match=re.escape(why)):
        follow(untrue, tmp_path, git_environment())


def test_an_elision_stands_for_lines_and_for_parts_of_them() -> None:
    assert matches(("a", "…", "c … e"), ["a", "b", "b", "c d e"])
    assert matches(("…",), [])
    assert not matches(("a", "…"), ["b"])
    assert not matches((), ["a"])


def test_commands_are_told_from_what_they_print() -> None:
    found = [(step.command, step.shows) for step in steps("$ one\n$ two\nout\n\nmore\n")]

    assert found == [("one", ()), ("two", ("out", "", "more"))]
