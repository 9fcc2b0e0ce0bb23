"""What a release stores, as files that later ones are held to: ``python -m tests.stored_states`` writes this one's.

Everything is what the program itself wrote, in a terminal and on both simulated forges, at each stage of a round.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from draftgate import __version__
from tests.fakes import github_run, gitlab_run
from tests.fakes.github.scenario import make_scenario as make_github
from tests.fakes.gitlab.scenario import make_scenario as make_gitlab
from tests.flawed_change import make_flawed_repository
from tests.program import draftgate

FOLDER = Path(__file__).parent / "corpus" / "state"
_DROP, _APPROVE = "/drop-finding 2 its callers move next week", "/approve-findings 1 --as comment"


def write(folder: Path) -> None:
    """Write the files of this release, in place of those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    with tempfile.TemporaryDirectory() as temporary:
        for name, documents in _stages(Path(temporary)).items():
            (folder / f"{name}.json").write_text(json.dumps(documents, indent=1, sort_keys=True) + "\n")


def _stages(temporary: Path) -> dict[str, Mapping[str, str]]:
    """Stage to the documents that stand then: file name or comment to its text."""
    stages = dict(_in_a_terminal(temporary / "terminal"))
    for forge in ("github", "gitlab"):
        stages |= _on_a_forge(forge, temporary / forge)
    return stages


def _in_a_terminal(folder: Path) -> dict[str, Mapping[str, str]]:
    make_flawed_repository(folder)
    stages = {}
    for stage, arguments in {
        "waiting": ("review",),
        "amended": ("do", _DROP),
        "submitted": ("do", _APPROVE),
    }.items():
        draftgate(*arguments, cwd=folder, expect=0)
        state = sorted((folder / ".draftgate").glob("*.json"))
        stages[f"terminal-{stage}"] = {path.name: path.read_text() for path in state}
    return stages


def _on_a_forge(forge: str, folder: Path) -> dict[str, Mapping[str, str]]:
    source = make_flawed_repository(folder / "source")
    if forge == "github":
        opened = github_run.open_runner(make_github(folder / "forge", source), folder / "jobs")
    else:
        opened = gitlab_run.open_runner(make_gitlab(folder / "forge", source), folder / "jobs")
    stages: dict[str, Mapping[str, str]] = {}
    with opened as runner:
        runner.review()
        stages[f"{forge}-waiting"] = _checkpoint(runner)
        runner.command("maintainer", _DROP)
        stages[f"{forge}-amended"] = _checkpoint(runner)
        runner.command("maintainer", _APPROVE)
        stages[f"{forge}-submitted"] = _checkpoint(runner)
    return stages


def _checkpoint(runner: github_run.Runner | gitlab_run.Runner) -> Mapping[str, str]:
    """The checkpoint and its continuations, by their numbers."""
    said = [(one.id, one.body) for one in (*runner.checkpoints, *runner.continuations)]
    return {str(number): body for number, body in said}


if __name__ == "__main__":
    write(FOLDER / __version__)
