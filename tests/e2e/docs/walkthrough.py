"""Follows a page as its reader would: writes the files that it says, types its commands, and compares what comes.

A `console` block holds commands after ``$`` and what they print; ``…`` stands for anything within a line, and for any
number of lines where it stands alone. A block of another language is written to the file that the paragraph above names
last, between backticks and before a colon. All of it in one shell, as in one terminal.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.markdown_pages import Fence, fences

ELISION = "…"
_END = "--- the end of what the command printed:"
_FILE = re.compile(r"`([\w./-]+)`[^`]*:$")


class Diverged(AssertionError):
    """What happened is not what the page says."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command, and the lines that it should print."""

    command: str
    shows: tuple[str, ...]


def steps(block: str) -> Iterator[Step]:
    """The commands of a console block."""
    command, shows = "", list[str]()
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield Step(command, tuple(shows))
            command, shows = line.removeprefix("$ "), []
        else:
            shows.append(line)
    if not command:
        raise Diverged(f"a console block without a command:\n{block}")
    yield Step(command, tuple(shows))


def follow(page: Path, folder: Path, environment: Mapping[str, str]) -> int:
    """Do all that a page says, from ``folder``; returns how many commands it took.

    Raises:
        Diverged: a command failed or printed something else, or a block is neither typed nor written.
    """
    taken = 0
    with Shell(folder, environment) as shell:
        for fence in fences(page):
            if fence.language == "console":
                for step in steps(fence.text):
                    _take(shell, fence, step)
                    taken += 1
            else:
                (shell.folder / _named(fence)).write_text(fence.text, encoding="utf-8")
    return taken


class Shell:
    """One shell that runs command after command."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def run(self, command: str) -> tuple[int, list[str]]:
        """The exit code and the lines of both streams."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n%s %s\\n' '{_END}' $?\n")
        self._process.stdin.flush()
        said = []
        for line in self._process.stdout:
            if line.startswith(_END):
                return int(line.removeprefix(_END)), "".join(said).rstrip("\n").splitlines()
            said.append(line)
        raise Diverged(f"the shell ended in: {command}")

    @property
    def folder(self) -> Path:
        """Where it stands."""
        _, [path] = self.run("pwd")
        return Path(path)


def _take(shell: Shell, fence: Fence, step: Step) -> None:
    code, said = shell.run(step.command)
    if code != 0 or not matches(step.shows, said):
        raise Diverged(
            "\n".join((f"{fence}: $ {step.command}", "--- the page:", *step.shows, f"--- exit {code}:", *said))
        )


def matches(shown: tuple[str, ...], said: list[str]) -> bool:
    """Whether lines are what the page shows, spaces at their ends apart."""
    pattern = "".join(
        r"(?:.*\n)*" if line == ELISION else ".*".join(map(re.escape, line.rstrip().split(ELISION))) + r"\n"
        for line in _without_blank_ends(shown)
    )
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in said)) is not None


def _without_blank_ends(lines: tuple[str, ...]) -> list[str]:
    return "\n".join(lines).rstrip("\n").splitlines()


def _named(fence: Fence) -> str:
    found = _FILE.search(" ".join(fence.before.split()).replace(" anew:", ":"))
    if found is None:
        raise Diverged(f"{fence}: the paragraph above names no file: {fence.before!r}")
    return found[1]
