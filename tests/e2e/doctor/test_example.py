"""The example in the page about the doctor is what the program prints, addresses and versions aside."""

from __future__ import annotations

import platform
import re
from pathlib import Path

from draftgate import __version__
from tests.fakes.doctor_room import WORKFLOW, GitHubRoom, example

PAGE = Path(__file__).parents[3] / "docs/how-to/doctor.md"


def flawed_room(room: GitHubRoom) -> None:
    """The five-minute set-up after some edits: a permission is gone, commands share a group, and another bot came."""
    text = example("minimal").replace("      checks: write # to write the check run\n", "", 1)
    text = text.replace("  commands:\n", "  commands:\n    concurrency: commands\n")
    other = "on: pull_request\njobs:\n  agent:\n    steps:\n      - uses: qodo-ai/pr-agent@main\n"
    room.publish({WORKFLOW: text, ".github/workflows/agent.yml": other})
    room.scenario.world.step = None
    room.account = "maintainer"


def shown(room: GitHubRoom, text: str) -> str:
    """As the page shows it: on GitHub, and with what every machine has of its own left out."""
    text = text.replace(room.simulator.web, "https://github.com").replace("https://github.com answers", "api answers")
    text = text.replace(str(room.work.path), "/home/me/rooms").replace(f"Draftgate {__version__}", "Draftgate VERSION")
    text = text.replace(f"Python {platform.python_version()}", "Python VERSION")
    text = re.sub(r"git \d[\d.]*", "git VERSION", text)
    return " ".join(re.sub(r"until \d\d:\d\d UTC", "until TIME", text).split())


def test_the_example_is_what_is_printed(source: object, github: GitHubRoom) -> None:
    flawed_room(github)
    github.scenario.repository.protected.clear()
    github.scenario.repository.rules.clear()

    done, _ = github.run()

    block = re.search(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert done.code == 3
    assert block is not None
    assert shown(github, done.stdout) == shown(github, block[1].replace("https://api.github.com", "https://github.com"))
