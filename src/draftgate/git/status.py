"""What of the work tree is not committed: the one place where git looks at files that are checked out.

Nothing is refreshed or written, submodules are not entered, and no filter of the repository's
configuration runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from draftgate.git.repository import Repository
from draftgate.git.run import Git
from draftgate.git.user_config import read_user_setting

STATE_FOLDER = ".draftgate"

_DRIVERS = r"^filter\..*\.(clean|smudge|process|required)$"
_GONE, _UNTRACKED, _UNCHANGED = "D", "??", " "


@dataclass(frozen=True, slots=True)
class UncommittedPath:
    """One path whose state differs from HEAD; a folder that is a repository of its own ends in a slash."""

    path: str
    is_gone: bool


def list_uncommitted(repository: Repository) -> tuple[UncommittedPath, ...]:
    """Everything that is staged, changed or untracked and not ignored, without our own state; by path."""
    if repository.work_tree is None:
        return ()
    output = git_with_work_tree(repository).run(
        "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"
    )
    states: dict[str, bool] = {}
    for code, path in _parse(output):
        is_gone = code[1] == _GONE or code == _GONE + _UNCHANGED
        states[path] = states.get(path, True) and is_gone  # removed from the index and still there: two rows
    return tuple(UncommittedPath(path, is_gone) for path, is_gone in sorted(states.items()))


def tracks_state(repository: Repository) -> bool:
    """Whether HEAD or the index holds anything in the place of our state folder: then it came with a commit."""
    if repository.work_tree is None:
        return False
    has_commit = repository.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is not None
    if has_commit and repository.git.run("ls-tree", "--name-only", "HEAD", "--", STATE_FOLDER):
        return True
    return bool(git_with_work_tree(repository).run("ls-files", "--", STATE_FOLDER))


def _parse(output: bytes) -> Iterator[tuple[str, str]]:
    """Each row is two letters, a space and the path (https://git-scm.com/docs/git-status#_short_format)."""
    for row in output.split(b"\0")[:-1]:
        path = row[3:].decode("utf-8", "surrogateescape")
        if path != STATE_FOLDER and not path.startswith(STATE_FOLDER + "/"):
            yield row[:2].decode(), path


def git_with_work_tree(repository: Repository) -> Git:
    """Git that sees the work tree, what the user lets it ignore, and no filter that would start a program."""
    git = Git.hardened(repository.environment).at(
        "-C", str(repository.work_tree), f"--git-dir={repository.git_dir}", f"--work-tree={repository.work_tree}"
    )
    ignored = read_user_setting(repository.environment, "core.excludesFile", kind="path")
    options = ("-c", f"core.excludesFile={ignored}") if ignored else ()
    return git.at(*options, **_without_filters(git))


def _without_filters(git: Git) -> dict[str, str]:
    """Variables that empty every filter driver: to compare a file, git would run its ``clean`` program."""
    names = git.ask("config", "--name-only", "-z", "--get-regexp", _DRIVERS) or b""
    drivers = [name.decode("utf-8", "surrogateescape") for name in names.split(b"\0")[:-1]]
    # https://git-scm.com/docs/git-config#ENVIRONMENT; `-c` could not hold a driver whose name has a `=`.
    variables = {"GIT_CONFIG_COUNT": str(len(drivers))}
    for number, name in enumerate(drivers):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = "false" if name.endswith(".required") else ""
    return variables
