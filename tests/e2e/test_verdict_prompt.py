"""The verdict is asked for at a terminal, and the question may be interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.git_builder import Repo
from tests.program import PROGRAM, draftgate, program_environment


def test_a_prompt_that_was_interrupted_leaves_a_session_that_can_go_on(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"lib.py": "def join(team):\n    return team\n", "use.py": "from lib import join\n\njoin(1)\n"})
    repo.branch("work")
    repo.commit({"lib.py": "def join(team, role):\n    return team\n"})
    repo.write({"draftgate.yml": "version: 1\napproval:\n  verdict: ask\n"})
    draftgate("review", cwd=tmp_path, expect=0)
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "approve", "1"],
        cwd=tmp_path,
        env=program_environment(TERM="xterm"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    while b"Verdict" not in os.read(ours, 4096):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    code = process.wait(10)
    os.close(theirs)
    os.close(ours)

    again = draftgate("review", cwd=tmp_path)

    assert (code, again.code) == (130, 0), again.stderr
