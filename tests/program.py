"""Runs the program as a user would: another process, in a folder, with nothing of this machine around it.

It runs and reports; what must be true of the answer is each test's affair.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.git_builder import git_environment

ACCOUNT = "draftgate-test"
TIMEOUT_S = 120
PROGRAM = (sys.executable, "-m", "draftgate")


@dataclass(frozen=True, slots=True)
class Done:
    """What a run of the program left: its exit code and what it wrote."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """The standard output as a JSON object."""
        document = json.loads(self.stdout)
        assert isinstance(document, dict)
        return document


def program_environment(**more: str) -> dict[str, str]:
    """Nothing of this machine but ``PATH``; the account is the one that the tests' commits have."""
    return {**git_environment(), "LC_ALL": "C.UTF-8", "USER": ACCOUNT, **more}


def start(*arguments: str, cwd: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start ``draftgate`` and do not wait for it."""
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=cwd,
        env=program_environment() if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def finish(process: subprocess.Popen[str]) -> Done:
    """Wait for a program that was started."""
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    return Done(process.returncode, stdout, stderr)


def draftgate(
    *arguments: str, cwd: Path, stdin: str = "", environment: Mapping[str, str] | None = None, expect: int | None = None
) -> Done:
    """Run ``draftgate`` to its end; with ``expect``, another exit code is a failure that shows what was written."""
    ran = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=cwd,
        env=program_environment() if environment is None else dict(environment),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    done = Done(ran.returncode, ran.stdout, ran.stderr)
    if expect is not None and done.code != expect:
        raise AssertionError(f"draftgate {' '.join(arguments)}: exit {done.code}\n{done.stdout}\n{done.stderr}")
    return done
