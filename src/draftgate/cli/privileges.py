"""In the image root is given up, for the owner of the workspace, before anything of a change is read.

GitHub starts the containers of actions as root, and mounts a workspace that belongs to another user
(https://docs.github.com/en/actions/reference/workflows-and-actions/dockerfile-support#user). The program needs nothing
that root may do; and what root writes there, no later step can remove. Outside the image nothing is given up: who
starts the program as root there has chosen to.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path

from draftgate.errors import UsageError

MARK = Path(sys.prefix) / "is-image"
"""A file that the Dockerfile makes beside the program. No variable, since a workflow could set that."""

_WORKSPACES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
_MADE_FOR_THIS_STEP = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
_PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h


def leave_root(environment: MutableMapping[str, str], *, is_image: bool) -> None:
    """Become the owner of the workspace, for good, if this is root in the image; else do nothing.

    Where the workspace belongs to root, root stays: any other user could not write there. A home folder that the new
    user may not enter is taken out of ``environment``.

    Raises:
        UsageError: The system does not allow it, or the workspace cannot be looked at.
    """
    if not is_image or os.geteuid() != 0:
        return
    workspace = _workspace(environment)
    try:
        owner = workspace.stat()
        if owner.st_uid == 0:
            return
        for name in _MADE_FOR_THIS_STEP:
            _hand_over(environment.get(name, ""), owner.st_uid, owner.st_gid)
        _become(owner.st_uid, owner.st_gid)
    except OSError as error:
        raise UsageError(
            f"the program was started as root and cannot become the owner of the workspace: {error.strerror}",
            context=str(workspace),
            hint="start the container with the capabilities SETUID and SETGID, or as that owner (`--user UID:GID`)",
        ) from error
    if not os.access(environment.get("HOME", "/"), os.R_OK | os.X_OK):
        environment["HOME"] = "/"  # as Docker sets it for a user who has no home


def describe_user(environment: Mapping[str, str]) -> str:
    """As whom the program runs, for a log."""
    user = f"user {os.geteuid()}, group {os.getegid()}"
    return user if os.geteuid() != 0 else f"root, as root owns {_workspace(environment)}"


def _workspace(environment: Mapping[str, str]) -> Path:
    """The folder of the job, else the one in which the program was started."""
    named = (Path(environment[name]) for name in _WORKSPACES if environment.get(name))
    return next((path for path in named if path.is_dir()), Path.cwd())


def _hand_over(path: str, uid: int, gid: int) -> None:
    """Give a file of root to the new user, who could not write it otherwise; a runner that is root made it for us.

    Only a plain file with a single name is: others may be a way to something else. What cannot be given stays as it
    is, and the job says later that it cannot be written.
    """
    with suppress(OSError, ValueError):  # a path with a null byte is a ValueError
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            found = os.fstat(descriptor)
            if found.st_uid == 0 and stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                os.fchown(descriptor, uid, gid)
        finally:
            os.close(descriptor)


def _become(uid: int, gid: int) -> None:
    """Change all ids, and let no program that is started from here on change them back."""
    import ctypes  # noqa: PLC0415 - 10 ms that all other starts can do without

    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
