"""No command touches the reader's repository: work tree, index, refs, configuration and objects stay as they are."""

from __future__ import annotations

import hashlib
from pathlib import Path

from draftgate.forge.local.folder import FOLDER_NAME
from tests.flawed_change import CHANGE
from tests.git_builder import Executable, Repo
from tests.program import draftgate

COMMANDS = (
    ("review",),
    ("review", "--worktree", "--force"),
    ("review", "--force"),
    ("status",),
    ("do", "/drop-finding 1 known\n/edit-finding 2\ntext\n/preview-findings"),
    ("approve", "2"),
    ("review", "--force", "--base", "main~0"),
    ("do", "/discard-findings"),
    ("finalize",),
)


def test_every_command_leaves_the_repository_as_it_was(flawed: Repo) -> None:
    flawed.write({"rooms/mail.py": CHANGE["rooms/mail.py"] + "\n\nx = 1\n", "new.py": "x = 1\n"})
    flawed.write({".git/hooks/post-index-change": Executable('#!/bin/sh\ntouch "$GIT_DIR/../hooked"\n')})
    flawed.git("add", "new.py")
    before = _everything(flawed.path)

    for command in COMMANDS:
        draftgate(*command, cwd=flawed.path, expect=0)

        assert _everything(flawed.path) == before, command


def _everything(repository: Path) -> dict[str, tuple[int, int, str]]:
    """Mode, time and content of everything but the state folder; the git directory is included."""
    found = {}
    for place in sorted(repository.rglob("*")):
        name = place.relative_to(repository)
        if name.parts[0] == FOLDER_NAME:
            continue
        status = place.lstat()
        content = place.read_bytes() if place.is_file() else b""
        found[str(name)] = (status.st_mode, status.st_mtime_ns, hashlib.sha256(content).hexdigest())
    return found
