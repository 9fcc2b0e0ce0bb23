"""Makes the demo's repository: the one place where this program writes with git, in a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from draftgate.git.run import Git

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Demo author",
    "GIT_AUTHOR_EMAIL": "demo@example.invalid",
    "GIT_COMMITTER_NAME": "Demo author",
    "GIT_COMMITTER_EMAIL": "demo@example.invalid",
}


def create_repository(folder: Path, environment: Mapping[str, str]) -> Git:
    """Make an empty repository on branch ``main`` and return the git that works in it."""
    folder.mkdir(parents=True, exist_ok=True)
    git = Git.hardened(environment).at("-C", str(folder), **_IDENTITY)
    git.run("init", "--quiet", "--initial-branch=main", "--template=")
    return git


def commit_files(git: Git, folder: Path, files: Mapping[str, str], message: str) -> None:
    """Write files, by path and text, and commit everything."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    git.run("add", "--all")
    git.run("commit", "--quiet", "--no-gpg-sign", "-m", message)


def start_branch(git: Git, name: str) -> None:
    """Create a branch and check it out."""
    git.run("checkout", "--quiet", "-b", name)
