"""Ctrl-C ends the program with one sentence, and the next command goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from draftgate.forge.local.folder import StateFolder
from tests.git_builder import Repo
from tests.program import draftgate, finish, program_environment, start

INTERRUPTED = "interrupted; the same command goes on from here"


def never() -> None:
    raise AssertionError("nobody else holds the lock")


def wait_until_it_is_at_work(process: subprocess.Popen[str], repo: Repo) -> None:
    """The first phase of a round is stored before the change is read."""
    while not list((repo.path / ".draftgate").glob("session-*.json")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


@pytest.mark.parametrize("command", [("review",), ("approve",), ("finalize",)], ids=lambda command: command[0])
def test_a_command_that_waits_can_be_interrupted(reviewed: Repo, command: tuple[str, ...]) -> None:
    with StateFolder(reviewed.path).locked(never):
        process = start(*command, cwd=reviewed.path)
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        done = finish(process)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    assert (done.code, done.stdout, done.stderr) == (130, "", f"{INTERRUPTED}\n")


def test_a_review_that_is_interrupted_at_work_is_gone_on_with(tmp_path: Path) -> None:
    """There are enough files that the review is still at work when the signal arrives."""
    repo = Repo.create(tmp_path)
    functions = {f"lib/m{number}.py": f"def join{number}(team):\n    return team\n" for number in range(150)}
    uses = {
        f"lib/u{number}.py": f"from lib.m{number} import join{number}\n\njoin{number}(1)\n" for number in range(150)
    }
    repo.commit({**functions, **uses})
    repo.branch("work")
    repo.commit({name: text.replace("(team)", "(team, role)") for name, text in functions.items()})

    process = start("review", cwd=tmp_path)
    wait_until_it_is_at_work(process, repo)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    status = draftgate("status", "--format", "json", cwd=tmp_path, expect=0).document
    again = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document

    assert (done.code, done.stderr) == (130, f"{INTERRUPTED}\n")
    assert status["phase"] != "awaiting-approval"
    assert (again["round"], len(again["findings"]) > 0) == (1, True)
    assert list((tmp_path / ".draftgate").glob(".tmp-*")) == []


def test_a_git_that_does_not_answer_is_not_waited_for(reviewed: Repo, tmp_path: Path) -> None:
    """Git runs in a session of its own, so that the signal of the terminal does not reach it."""
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ntouch '{tmp_path}/asked'\nexec sleep 60\n", encoding="utf-8")
    slow.chmod(0o755)
    environment = program_environment()
    process = start(
        "review", cwd=reviewed.path, environment={**environment, "PATH": f"{slow.parent}:{environment['PATH']}"}
    )
    while not (tmp_path / "asked").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    time.sleep(0.2)  # until it is waited for
    begun = time.monotonic()

    process.send_signal(signal.SIGINT)
    done = finish(process)

    assert (done.code, done.stdout, done.stderr) == (130, "", f"{INTERRUPTED}\n")
    assert time.monotonic() - begun < 10


INTERRUPTED_AFTER_A_THREAD_STARTED = """
import sys, threading
from draftgate.cli.main import Interrupted, main

def interrupt(frame, event, argument):
    if event == "return" and frame.f_code is threading.Thread.start.__code__:
        sys.setprofile(None)
        raise Interrupted

sys.setprofile(interrupt)
main()
"""
"""The signal may come anywhere; here it comes where a thread has just begun to run."""


def test_no_thread_keeps_an_interrupted_program_alive(flawed: Repo) -> None:
    """It watches how long git takes; the program must not stay for it."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AFTER_A_THREAD_STARTED, "review"],
        cwd=flawed.path,
        env=program_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stderr) == (130, f"{INTERRUPTED}\n")
