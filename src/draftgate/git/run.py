"""The one function that starts git: fixed configuration, scrubbed environment, bounded time and output.

Whatever the repository, the user or the machine configures, git gives the same answer, starts no other
program and reaches no network. What the answer means is for the other modules here.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from draftgate.errors import EvidenceError, Limit, Unavailable, UsageError

MEBIBYTE = 1024 * 1024
BLOB_LIMIT = Limit("file size", 10 * MEBIBYTE, "bytes")
"""A larger file is not diffed, not read and not searched."""

TOO_LARGE = f"larger than {BLOB_LIMIT.value // MEBIBYTE} MiB"
"""Why such a file was left out."""

OUTPUT_LIMIT = Limit("answer of git", 256 * MEBIBYTE, "bytes")

_READ_SIZE = MEBIBYTE
_WORDS_KEPT = 2000
_CLEAN_EXITS = (0, 1)

# All that git may see of the caller's environment: where programs, libraries and the home folder are. Every
# GIT_* variable can redirect git, every other one can hold a secret. HOME stays because `~` in a repository's
# own `include.path` would else be fatal.
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DEVELOPER_DIR")

# https://git-scm.com/docs/git#_environment_variables
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",  # since 2.39.4 and 2.45; before, the empty protocol list stops the same fetch
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PAGER": "cat",
}

# What a repository's own configuration could change, and no option of the single command can.
# https://git-scm.com/docs/git-config
_CONFIGURATION = (
    f"core.bigFileThreshold={BLOB_LIMIT.value}",
    f"core.attributesFile={os.devnull}",
    f"core.excludesFile={os.devnull}",
    f"core.hooksPath={os.devnull}",
    "core.commitGraph=false",  # a forged graph file could name other parents than the commits do
    "core.fsmonitor=false",
    "core.quotePath=true",
    "core.splitIndex=false",  # a temporary index would leave its shared part in the repository
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "core.warnAmbiguousRefs=false",
    "advice.graftFileDeprecated=false",
    "color.ui=false",
    "diff.suppressBlankEmpty=false",
    "gc.auto=0",
    "i18n.logOutputEncoding=UTF-8",
    "index.sparse=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)

_LOGGER = logging.getLogger(__name__)


class GitFailed(EvidenceError):
    """Git ended with an error, so nothing can be said about the range."""

    reference = "git-failed"


class OutputTooLarge(GitFailed):
    """Git's answer is above its limit and was not read to the end."""

    reference = "git-output-limit"


class GitTimedOut(Unavailable):
    """Git did not answer in time and was stopped."""

    reference = "git-timeout"


@dataclass(frozen=True, slots=True)
class Answer:
    """How one call ended: exit code, what it printed, what it complained about, and whether the limit cut it."""

    code: int
    output: bytes
    words: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Git:
    """A way to call git: the environment it gets, the options before the command, and its time limit."""

    environment: Mapping[str, str]
    options: tuple[str, ...] = ()
    timeout_s: float = 120.0

    @classmethod
    def hardened(cls, environment: Mapping[str, str]) -> Git:
        """Git that honours no configuration but the repository's own, and of that nothing that acts."""
        passed = {name: environment[name] for name in _PASSED_ON if name in environment}
        settings = tuple(part for setting in _CONFIGURATION for part in ("-c", setting))
        return cls({**passed, **_ENVIRONMENT}, ("--no-pager", *settings))

    def at(self, *options: str, **environment: str) -> Git:
        """The same with further options before the command and further variables."""
        return replace(self, environment={**self.environment, **environment}, options=(*self.options, *options))

    def run(self, *arguments: str, stdin: bytes = b"", limit: Limit = OUTPUT_LIMIT) -> bytes:
        """What the command prints.

        Raises:
            GitFailed: It ended with an error, or `OutputTooLarge`.
            GitTimedOut: It took too long.
        """
        answer = self.attempt(*arguments, stdin=stdin, limit=limit)
        return _accept(arguments, answer, limit, codes=(0,))

    def ask(self, *arguments: str) -> bytes | None:
        """What the command prints, or ``None`` if it ended with 1, git's word for "no such thing"."""
        answer = self.attempt(*arguments)
        output = _accept(arguments, answer, OUTPUT_LIMIT, codes=_CLEAN_EXITS)
        return output if answer.code == 0 else None

    def read_up_to(self, limit: Limit, *arguments: str) -> tuple[bytes, bool]:
        """What the command prints up to the limit, and whether there was more."""
        answer = self.attempt(*arguments, limit=limit)
        return answer.output if answer.is_cut else _accept(arguments, answer, limit, codes=(0,)), answer.is_cut

    def attempt(self, *arguments: str, stdin: bytes = b"", limit: Limit = OUTPUT_LIMIT) -> Answer:
        """Run the command and leave the judgement to the caller; output above the limit is cut and git stopped."""
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as complaints:
            source.write(stdin)
            source.seek(0)
            with self.start(*arguments, stdin=source, stderr=complaints) as process:
                output, is_cut = self._collect(process, limit)
            _LOGGER.debug("git", extra={"arguments": arguments, "code": process.returncode, "bytes": len(output)})
            return Answer(process.returncode, output, _last_words(complaints), is_cut)

    def start(self, *arguments: str, stdin: IO[bytes] | int, stderr: IO[bytes] | int) -> subprocess.Popen[bytes]:
        """Start the command in the root folder, where no relative path can mean anything of the change."""
        try:
            return subprocess.Popen(
                ["git", *self.options, *arguments],
                cwd=Path("/"),
                env=self.environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                start_new_session=True,  # so that all of it can be stopped
            )
        except (FileNotFoundError, PermissionError) as missing:
            raise UsageError(
                "the program `git` was not found on PATH", hint="install git 2.39 or newer, or add it to PATH"
            ) from missing

    def _collect(self, process: subprocess.Popen[bytes], limit: Limit) -> tuple[bytes, bool]:
        late = threading.Event()
        timer = threading.Timer(self.timeout_s, _stop, (process, late))
        timer.daemon = True  # a program that is interrupted just here must not stay for it
        timer.start()
        try:
            output = _read_past(process, limit.value)
            is_cut = len(output) > limit.value
            if not is_cut:
                process.wait()
        finally:
            timer.cancel()
            process.kill()
        if late.is_set():
            raise GitTimedOut(
                f"git did not answer within {self.timeout_s:.0f} s and was stopped",
                hint="try again when the machine is less busy, or review a smaller range",
            )
        return output[: limit.value], is_cut


def _stop(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    """Stop the process with all its children: one that holds the pipe would keep the reader waiting."""
    late.set()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_past(process: subprocess.Popen[bytes], size: int) -> bytes:
    """Everything, or the first part that is longer than `size`."""
    chunks: list[bytes] = []
    left = size
    while process.stdout is not None and left >= 0 and (chunk := process.stdout.read(_READ_SIZE)):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _last_words(complaints: IO[bytes]) -> str:
    """The end of git's error text on one line, without characters that could act on a terminal."""
    complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _WORDS_KEPT))
    text = complaints.read().decode("utf-8", "replace")
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _accept(arguments: tuple[str, ...], answer: Answer, limit: Limit, *, codes: tuple[int, ...]) -> bytes:
    command = f"git {arguments[0]}"
    if answer.is_cut:
        raise OutputTooLarge(
            f"the answer is above the limit of {limit.value:,} {limit.unit} ({limit.name})",
            context=command,
            hint="review a smaller range",
        )
    if answer.code not in codes:
        raise GitFailed(
            answer.words or f"ended with exit code {answer.code}",
            context=command,
            hint="see whether `git fsck` is clean; a partial or shallow clone needs the missing objects fetched first",
        )
    return answer.output
