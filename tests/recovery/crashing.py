"""Runs the program and stops it at a chosen write: killed before it, killed after it, refused, or paused.

A server process loads the program once and forks a child for each run, so that hundreds of runs take seconds
instead of minutes; each child is a process of its own that runs the program's ``main`` and can be killed. A *write*
is a call by which the state folder changes: a folder or file is made, a file is put in place or removed, or either
is made durable. An audit hook sees to it that no other way of writing goes unnoticed.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Never, Self

from tests.program import program_environment

FOLDER_MODULE = "forge/local/folder.py"
COUNTED = ("mkdir", "open", "rename", "unlink", "fsync")
STATE_CHANGES = frozenset(
    {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
)


class How(StrEnum):
    """What happens at a write."""

    KILLED_BEFORE = "killed before"
    KILLED_AFTER = "killed after"
    REFUSED = "refused"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Stop:
    """The write, counted from 0, at which a run is stopped."""

    at: int
    how: How


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: its exit code (the negative signal if it was killed), its output, and the writes that it began."""

    code: int
    stdout: str
    stderr: str
    writes: tuple[str, ...]
    unnoticed: tuple[str, ...]


class Program:
    """The program in one repository, by way of a server that is started with `open` and ended with `close`."""

    def __init__(self, server: subprocess.Popen[str], outputs: Path) -> None:
        self._server = server
        self._outputs = outputs

    @classmethod
    def open(cls, outputs: Path) -> Self:
        """Start the server; what the runs write is kept in ``outputs``."""
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.recovery.crashing"],
            cwd=Path(__file__).parents[2],
            env=program_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return cls(server, outputs)

    def close(self) -> None:
        """End the server."""
        self._server.communicate(timeout=10)

    def run(self, *arguments: str, cwd: Path, stop: Stop | None = None) -> Ran:
        """Run the program to its end, or to where it is stopped."""
        answer = self._ask({"arguments": arguments, "cwd": str(cwd), "stop": stop and dataclasses.astuple(stop)})
        return Ran(**{**answer, "writes": tuple(answer["writes"]), "unnoticed": tuple(answer["unnoticed"])})

    def pause(self, *arguments: str, cwd: Path, at: int) -> int:
        """Run the program up to a write and leave it there; the id of its process is returned."""
        answer = self._ask({"arguments": arguments, "cwd": str(cwd), "stop": [at, How.PAUSED]})
        return int(answer["paused"])

    def go_on(self, paused: int) -> int:
        """Let a paused run go on and wait for its exit code."""
        return int(self._ask({"go on": paused})["code"])

    def _ask(self, question: dict[str, object]) -> dict[str, Any]:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps({**question, "outputs": str(self._outputs)}) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        assert isinstance(answer, dict)
        return answer


# --- The server ------------------------------------------------------------------------------------------------------


def serve() -> None:
    """Answer each line of stdin with the outcome of one run."""
    _load_the_program()
    for line in sys.stdin:
        question = json.loads(line)
        if "go on" in question:
            os.kill(question["go on"], signal.SIGCONT)
            answer: dict[str, object] = {"code": _wait(question["go on"])}
        else:
            answer = _run_in_child(question)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _load_the_program() -> None:
    """Everything that a run would import on its way."""
    from draftgate.checks.registry import load_checks  # noqa: PLC0415 - the server's side only
    from draftgate.cli import run_command, run_finalize, run_review, run_status  # noqa: F401, PLC0415 - as above
    from draftgate.commands.registry import load_commands  # noqa: PLC0415 - as above
    from draftgate.render import terminal  # noqa: PLC0415 - as above

    load_checks()
    load_commands()
    _ = terminal, __import__("rich.console"), __import__("rich.text")


def _run_in_child(question: dict[str, Any]) -> dict[str, object]:
    outputs = {name: Path(question["outputs"], name) for name in ("stdout", "stderr", "writes", "unnoticed")}
    for output in outputs.values():
        output.write_bytes(b"")
    child = os.fork()
    if child == 0:
        _be_the_program(question, outputs)
    code = _wait(child)
    if code is None:
        return {"paused": child}
    texts = {name: output.read_text("utf-8") for name, output in outputs.items()}
    return {"code": code, **texts, "writes": texts["writes"].split("\n")[:-1], "unnoticed": texts["unnoticed"].split()}


def _wait(child: int) -> int | None:
    _, status = os.waitpid(child, os.WUNTRACED)
    return None if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)


def _be_the_program(question: dict[str, Any], outputs: dict[str, Path]) -> Never:
    files = {name: os.open(output, os.O_WRONLY | os.O_APPEND) for name, output in outputs.items()}
    os.dup2(files["stdout"], 1)
    os.dup2(files["stderr"], 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(question["cwd"])
    sys.dont_write_bytecode = True
    sys.argv = ["draftgate", *question["arguments"]]
    stop = question["stop"]
    Counter(stop and Stop(stop[0], How(stop[1])), files["writes"], files["unnoticed"]).install()

    from draftgate.cli.main import main  # noqa: PLC0415 - the child's side only

    code: object = 70
    try:
        main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


class Counter:
    """Counts the writes of the state folder, writes down each one, and does at one of them what was asked."""

    def __init__(self, stop: Stop | None, writes: int, unnoticed: int) -> None:
        self._stop = stop
        self._writes = writes
        self._unnoticed = unnoticed
        self._count = 0
        self._is_counting = False

    def install(self) -> None:
        """From here on every write is counted."""
        for name in COUNTED:
            setattr(os, name, self._counted(name, getattr(os, name)))
        sys.addaudithook(self._notice)

    def _counted(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever the call of `os` takes
            creates = name != "open" or arguments[1] & os.O_CREAT
            if self._is_counting or not creates or not _comes_from(FOLDER_MODULE):
                return call(*arguments, **options)
            self._is_counting = True
            try:
                return self._at_write(_describe(name, arguments), lambda: call(*arguments, **options))
            finally:
                self._is_counting = False

        return counted

    def _at_write(self, description: str, call: Callable[[], object]) -> object:
        os.write(self._writes, f"{description}\n".encode())
        how = self._stop.how if self._stop is not None and self._stop.at == self._count else None
        self._count += 1
        if how is How.REFUSED:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if how is How.KILLED_BEFORE:
            os.kill(os.getpid(), signal.SIGKILL)
        if how is How.PAUSED:
            os.kill(os.getpid(), signal.SIGSTOP)
        try:
            return call()
        finally:
            if how is How.KILLED_AFTER:
                os.kill(os.getpid(), signal.SIGKILL)

    def _notice(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Whatever of ours changes a file outside git's own temporary ones, and was not counted."""
        if event not in STATE_CHANGES or self._is_counting:
            return
        if event == "open" and (isinstance(arguments[0], int) or not (arguments[2] or 0) & os.O_CREAT):
            return  # a file that is open already gets an object, or a file is read
        if _comes_from("/draftgate/") and not _comes_from("/draftgate/git/"):
            os.write(self._unnoticed, f"{event}:{arguments[0]!r}\n".encode())


def _comes_from(part: str) -> bool:
    frame = sys._getframe(1)  # noqa: SLF001 - the cheapest way to see who calls
    while frame is not None:
        if part in frame.f_code.co_filename and frame.f_code.co_filename != __file__:
            return True
        frame = frame.f_back  # type: ignore[assignment]  # None at the bottom
    return False


def _describe(name: str, arguments: tuple[Any, ...]) -> str:
    if name == "fsync":
        return f"fsync {'folder' if stat.S_ISDIR(os.fstat(arguments[0]).st_mode) else 'file'}"
    target = Path(arguments[1] if name == "rename" else arguments[0]).name
    return f"{name} {'(temporary)' if target.startswith('.tmp-') else target}"


if __name__ == "__main__":
    serve()
